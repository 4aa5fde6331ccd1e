/* html_fill: speed against the amount written: what a fill shows of caches and stages, and random writes of
 * garbage collection. */
#pragma once
#include "report/html.h"

/* Draws one step when it wrote sequentially for long enough, or randomly over a good part of the drive; else
 * nothing. */
void html_fill(struct html *html, const struct report_step *step, const struct series *series);
