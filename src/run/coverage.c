#include "run/coverage.h"

void coverage_purged(struct coverage *coverage)
{
	*coverage = (struct coverage){ .known = true };
}

/* A part that touches the known one joins it; of two that don't the larger is kept. */
void coverage_written(struct coverage *coverage, uint64_t from, uint64_t to)
{
	bool empty = coverage->from == coverage->to;
	bool touches = !empty && from <= coverage->to && to >= coverage->from;

	if (from >= to)
		return;
	if (touches) {
		coverage->from = from < coverage->from ? from : coverage->from;
		coverage->to = to > coverage->to ? to : coverage->to;
	} else if (empty || to - from > coverage->to - coverage->from) {
		coverage->from = from;
		coverage->to = to;
	}
}

bool coverage_has(const struct coverage *coverage, uint64_t from, uint64_t to)
{
	return !coverage->known || (from >= coverage->from && to <= coverage->to);
}
