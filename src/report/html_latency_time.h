/* html_latency_time: latency of the intervals of steps against time: mean, longest and standard deviation, a
 * chart each, as procedures list them. */
#pragma once
#include "report/html_stretch.h"

/* Three charts of one long step, mean and longest of several steps together; nothing where several loads
 * ran at a time. `where`: what the titles call it. */
void html_latency_time(const struct stretch *stretch, const char *where);
