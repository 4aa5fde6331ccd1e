/* get_latency: the columns of one kind of latency in a row. Only for src/store. */
#pragma once
#include "store/connection.h"
#include "store/row.h"

#define LATENCY_PERCENTILES 3	/* p50, p99, p99.9 */

struct latency_row {
	struct moments moments;
	uint64_t percentile_ns[LATENCY_PERCENTILES];	/* 0 when n == 0 */
};

/* Reads the latency columns, and into `histogram` (cleared first; NULL skips it) the slots too. A histogram
 * whose slots don't add up to n is damage: -EBADMSG in the row. */
void row_latency(struct row *row, struct packer *packer, struct latency_row *latency,
		 struct histogram *histogram);
