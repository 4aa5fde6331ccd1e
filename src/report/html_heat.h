/* html_heat: the whole latency distribution against time, as a heat map (Gregg): columns are time, rows are
 * latency. */
#pragma once
#include "report/html.h"

/* One step. 0, -ENOMEM or the store's -errno. */
int html_heat(struct html *html, const struct report_step *step, const struct series *series,
	      const char *title);
