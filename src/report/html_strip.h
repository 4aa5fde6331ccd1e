/* html_strip: how the I/Os per second of a step's intervals are distributed. */
#pragma once
#include "report/html.h"

void html_strip(struct html *html, const struct series *series, const char *title);
