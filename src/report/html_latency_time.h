/* html_latency_time: latency of a step's intervals against time: mean, longest and standard deviation, a
 * chart each, as procedures list them. */
#pragma once
#include "report/html_stretch.h"

/* Three charts of one long step; nothing where several loads ran at a time. */
void html_latency_time(const struct stretch *stretch);
