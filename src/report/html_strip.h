/* html_strip: how the I/Os per second of a step's intervals are distributed. */
#pragma once
#include "report/html_stretch.h"

/* A narrow figure whose vertical axis is that of the chart beside it, from 0 to `high`; false: nothing was
 * measured. */
bool html_strip(const struct stretch *stretch, double high, const char *title);
