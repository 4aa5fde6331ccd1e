/* html_demand: what latency each rate costs (SNIA's demand variation and composite block tests), and the
 * points that the plan picked from it. */
#pragma once
#include "report/html_matrix.h"

/* Is it workers by depth of one of those tests? */
bool demand_is(const struct matrix *matrix);
/* Mean latency against the rate, a line per number of workers. */
void demand_chart(const struct matrix *matrix);
/* Marks and names what was picked: in the chart of demand intensity, or of the rate against depth. */
void demand_picks(struct chart *chart, const struct matrix *matrix, bool intensity);
