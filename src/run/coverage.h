/* coverage: which part of a target this run knows to be written, so that no read test is answered by a drive
 * that never touched its flash. A fresh simulated drive and a purged range are known to be empty; of other
 * block devices nothing is known, and files are asked (guard_range_written). One contiguous written part is
 * kept: enough for fills. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct coverage {
	bool known;			/* false: nothing is known, reads are let through */
	uint64_t from, to;		/* written: [from, to) */
};

void coverage_purged(struct coverage *coverage);		/* from now on known, and empty */
void coverage_written(struct coverage *coverage, uint64_t from, uint64_t to);
bool coverage_has(const struct coverage *coverage, uint64_t from, uint64_t to);
