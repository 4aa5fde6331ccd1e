/* html_fill: speed against the amount written: what a fill shows of caches and stages. */
#pragma once
#include "report/html.h"

/* Draws one step when it wrote sequentially and for long enough; else nothing. */
void html_fill(struct html *html, const struct report_step *step, const struct series *series);
