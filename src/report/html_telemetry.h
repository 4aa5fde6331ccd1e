/* html_telemetry: what else was measured during the run, below each other on the same time. */
#pragma once
#include "report/html.h"
#include "report/readings.h"

/* A line that keeps each value until the next one, up to the end of the readings. */
struct chart;
void telemetry_steps(struct chart *chart, const struct readings *readings, const struct reading *reading,
		     uint32_t series, const char *label);

void html_amplification(struct html *html, const struct readings *readings);	/* what the flash had to take */
void html_host(struct html *html, const struct readings *readings);		/* CPUs one by one, I/Os in flight */
