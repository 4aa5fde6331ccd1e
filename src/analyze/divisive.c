#include "analyze/divisive.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "analyze/numbers.h"
#include "base/random.h"

struct division {
	uint32_t at;			/* first point of the later part */
	double statistic;		/* negative: none was possible */
};

/* -- one segment -- */

/* sums[i][j] = sum of |y_a - y_b| over a < i, b < j; rows of n + 1. */
static void sums_fill(double *sums, const double *y, uint32_t n)
{
	const size_t width = (size_t)n + 1;

	memset(sums, 0, width * sizeof(*sums));
	for (uint32_t i = 0; i < n; i++) {
		const double *above = &sums[i * width];
		double *row = &sums[(i + 1) * width], sum = 0;

		row[0] = 0;
		for (uint32_t j = 0; j < n; j++) {
			sum += fabs(y[i] - y[j]);
			row[j + 1] = above[j + 1] + sum;
		}
	}
}

/* Energy distance of [0, at) and [at, end), times their sizes' product over its sum. */
static double statistic(const double *sums, uint32_t n, uint32_t at, uint32_t end)
{
	const size_t width = (size_t)n + 1;
	const double a = at, b = end - at;
	const double all = sums[end * width + end], before = sums[at * width + at];
	const double between = sums[at * width + end] - before;
	/* both `before` and `after` count each pair twice */
	const double after = all - before - 2 * between;

	return a * b / (a + b) * (2 * between / (a * b) - before / (a * (a - 1)) - after / (b * (b - 1)));
}

static struct division segment_best(double *sums, const double *y, uint32_t n, uint32_t segment_min)
{
	struct division best = { .statistic = -1 };

	if (n < 2 * segment_min)
		return best;
	sums_fill(sums, y, n);
	for (uint32_t at = segment_min; at + segment_min <= n; at++)
		for (uint32_t end = at + segment_min; end <= n; end++) {
			const double value = statistic(sums, n, at, end);

			if (value > best.statistic)
				best = (struct division){ at, value };
		}
	return best;
}

int divisive_best(const double *y, uint32_t n, uint32_t segment_min, uint32_t *ret_at, double *ret_statistic)
{
	struct division best;
	double *sums;

	if (segment_min < 2 || n < 2 * segment_min || n > DIVISIVE_RUNS_MAX)
		return -ERANGE;
	sums = malloc(((size_t)n + 1) * (n + 1) * sizeof(*sums));
	if (!sums)
		return -ENOMEM;
	best = segment_best(sums, y, n, segment_min);
	free(sums);
	*ret_at = best.at;
	*ret_statistic = best.statistic;
	return 0;
}

/* -- a series -- */

struct divisive {
	const double *y;
	uint32_t n;
	double *sums;			/* (n + 1)^2 */
	double *shuffled;		/* n */
	struct random random;
	uint32_t bound[DIVISIVE_RUNS_MAX / DIVISIVE_SEGMENT_MIN + 2];	/* of segments, 0 and n among them */
	double p[DIVISIVE_RUNS_MAX / DIVISIVE_SEGMENT_MIN + 2];		/* of bounds that are changes */
	uint32_t segments;
};

static struct division series_best(const struct divisive *divisive, const double *y)
{
	struct division best = { .statistic = -1 };

	for (uint32_t i = 0; i < divisive->segments; i++) {
		const uint32_t start = divisive->bound[i], length = divisive->bound[i + 1] - start;
		const struct division one =
			segment_best(divisive->sums, y + start, length, DIVISIVE_SEGMENT_MIN);

		if (one.statistic > best.statistic)
			best = (struct division){ start + one.at, one.statistic };
	}
	return best;
}

static void shuffle(struct divisive *divisive)
{
	memcpy(divisive->shuffled, divisive->y, divisive->n * sizeof(*divisive->y));
	for (uint32_t i = 0; i < divisive->segments; i++) {
		double *segment = &divisive->shuffled[divisive->bound[i]];

		for (uint32_t left = divisive->bound[i + 1] - divisive->bound[i]; left > 1; left--) {
			const uint32_t other = (uint32_t)random_below(&divisive->random, left);
			const double moved = segment[left - 1];

			segment[left - 1] = segment[other];
			segment[other] = moved;
		}
	}
}

static double permutation_p(struct divisive *divisive, double seen)
{
	uint32_t as_divided = 0;

	for (uint32_t i = 0; i < DIVISIVE_PERMUTATIONS; i++) {
		shuffle(divisive);
		as_divided += series_best(divisive, divisive->shuffled).statistic >= seen;
	}
	return (1.0 + as_divided) / (1.0 + DIVISIVE_PERMUTATIONS);
}

static void bound_insert(struct divisive *divisive, uint32_t at, double p)
{
	uint32_t i = divisive->segments + 1;

	for (; divisive->bound[i - 1] > at; i--) {
		divisive->bound[i] = divisive->bound[i - 1];
		divisive->p[i] = divisive->p[i - 1];
	}
	divisive->bound[i] = at;
	divisive->p[i] = p;
	divisive->segments++;
}

/* One division more; false when none is significant. */
static bool divide(struct divisive *divisive)
{
	const struct division best = series_best(divisive, divisive->y);
	double p;

	if (best.statistic < 0)
		return false;
	p = permutation_p(divisive, best.statistic);
	if (p > DIVISIVE_SIGNIFICANCE)
		return false;
	bound_insert(divisive, best.at, p);
	return true;
}

static double segment_median(const struct divisive *divisive, uint32_t segment)
{
	const uint32_t start = divisive->bound[segment], length = divisive->bound[segment + 1] - start;

	memcpy(divisive->shuffled, divisive->y + start, length * sizeof(*divisive->y));
	return numbers_median_of(divisive->shuffled, length);
}

static int changes_give(const struct divisive *divisive, struct divisive_change *changes, uint32_t max)
{
	uint32_t count = 0;

	for (uint32_t i = 1; i < divisive->segments && count < max; i++)
		changes[count++] = (struct divisive_change){
			.at = divisive->bound[i], .p = divisive->p[i],
			.before = segment_median(divisive, i - 1), .after = segment_median(divisive, i),
		};
	return (int)count;
}

int divisive_find(const double *y, uint32_t n, uint64_t seed, struct divisive_change *ret_changes,
		  uint32_t max)
{
	struct divisive divisive = { .y = y, .n = n, .bound = { 0, n }, .segments = 1 };
	int count = -ENOMEM;

	if (n < DIVISIVE_RUNS_MIN || n > DIVISIVE_RUNS_MAX)
		return -ERANGE;
	random_init(&divisive.random, seed, 0);
	divisive.sums = malloc(((size_t)n + 1) * (n + 1) * sizeof(*divisive.sums));
	divisive.shuffled = malloc(n * sizeof(*divisive.shuffled));
	if (divisive.sums && divisive.shuffled) {
		while (divide(&divisive))
			;
		count = changes_give(&divisive, ret_changes, max);
	}
	free(divisive.sums);
	free(divisive.shuffled);
	return count;
}
