/* html_scatter: latency of single I/Os against time: samples in grey, slow ones by direction. */
#pragma once
#include "report/html.h"

/* Steps lie side by side in time. 0, -ENOMEM or the store's -errno. */
int html_scatter(struct html *html, const struct report_step *steps, uint32_t count, double origin_ns,
		 double length_ns, const char *title);
