#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "analyze/numbers.h"
#include "analyze/pelt.h"

struct pelt {
	uint32_t n, segment_min;
	double penalty;
	double *sum, *squares;		/* of the first i points, less the mean: keeps differences exact */
	double *best;			/* least cost of the first i points */
	uint32_t *previous;		/* start of the last segment of that */
	uint32_t *candidate;		/* starts that can still be best */
	uint32_t *dead_from;		/* ... for ends before this */
	uint32_t candidate_count;
};

static double cost(const struct pelt *pelt, uint32_t from, uint32_t to)
{
	const double sum = pelt->sum[to] - pelt->sum[from];

	return pelt->squares[to] - pelt->squares[from] - sum * sum / (to - from);
}

static void sum_up(struct pelt *pelt, const double *y)
{
	const double mean = numbers_mean(y, pelt->n);

	for (uint32_t i = 0; i < pelt->n; i++) {
		pelt->sum[i + 1] = pelt->sum[i] + (y[i] - mean);
		pelt->squares[i + 1] = pelt->squares[i] + (y[i] - mean) * (y[i] - mean);
	}
}

/* A start that is worse than starting anew at `to` stays worse, from where such a segment is long enough. */
static void drop_hopeless(struct pelt *pelt, uint32_t to)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < pelt->candidate_count; i++) {
		const uint32_t from = pelt->candidate[i];

		if (to - from >= pelt->segment_min && pelt->dead_from[from] == UINT32_MAX &&
		    pelt->best[from] + cost(pelt, from, to) > pelt->best[to])
			pelt->dead_from[from] = to + pelt->segment_min;
		if (pelt->dead_from[from] > to + 1)
			pelt->candidate[kept++] = from;
	}
	pelt->candidate_count = kept;
}

static void extend(struct pelt *pelt, uint32_t to)
{
	pelt->best[to] = INFINITY;
	for (uint32_t i = 0; i < pelt->candidate_count; i++) {
		const uint32_t from = pelt->candidate[i];
		double total;

		if (to - from < pelt->segment_min)
			break;		/* candidates ascend */
		total = pelt->best[from] + cost(pelt, from, to) + pelt->penalty;
		if (total < pelt->best[to]) {
			pelt->best[to] = total;
			pelt->previous[to] = from;
		}
	}
}

static int trace_back(const struct pelt *pelt, uint32_t *ends)
{
	int count = 0;

	for (uint32_t at = pelt->n; at > 0; at = pelt->previous[at])
		ends[count++] = at;
	for (int i = 0; i < count / 2; i++) {
		const uint32_t swap = ends[i];

		ends[i] = ends[count - 1 - i];
		ends[count - 1 - i] = swap;
	}
	return count;
}

static int search(struct pelt *pelt, const double *y, uint32_t *ends)
{
	sum_up(pelt, y);
	pelt->best[0] = -pelt->penalty;
	pelt->candidate[pelt->candidate_count++] = 0;
	for (uint32_t to = pelt->segment_min; to <= pelt->n; to++) {
		extend(pelt, to);
		drop_hopeless(pelt, to);
		pelt->candidate[pelt->candidate_count++] = to;
	}
	return trace_back(pelt, ends);
}

int pelt(const double *y, uint32_t n, double penalty, uint32_t segment_min, uint32_t *ends)
{
	struct pelt state = { .n = n, .segment_min = segment_min > 0 ? segment_min : 1, .penalty = penalty };
	int count = -ENOMEM;

	if (n == 0)
		return 0;
	if (n < 2 * state.segment_min) {	/* no room for two */
		ends[0] = n;
		return 1;
	}
	state.sum = calloc(3 * ((size_t)n + 1), sizeof(double));
	state.previous = calloc(3 * ((size_t)n + 2), sizeof(uint32_t));
	if (state.sum && state.previous) {
		state.squares = state.sum + n + 1;
		state.best = state.squares + n + 1;
		state.candidate = state.previous + n + 1;
		state.dead_from = state.candidate + n + 2;
		for (uint32_t i = 0; i <= n; i++)
			state.dead_from[i] = UINT32_MAX;
		count = search(&state, y, ends);
	}
	free(state.sum);
	free(state.previous);
	return count;
}
