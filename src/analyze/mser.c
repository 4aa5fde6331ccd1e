#include "analyze/mser.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "analyze/pieces.h"

#define LEFT_MIN 5u

/* From the end, so that what is left grows by one value at a time (Welford); of equal figures the earliest
 * counts. */
static void mser_cut(const double *y, uint32_t n, struct mser *mser)
{
	double mean = 0, squares = 0, lowest = INFINITY;

	for (uint32_t left = 1; left <= n; left++) {
		const double value = y[n - left], off = value - mean;
		double figure;

		mean += off / left;
		squares += off * (value - mean);
		if (left < LEFT_MIN)
			continue;
		figure = squares / ((double)left * left);
		if (figure > lowest)
			continue;
		lowest = figure;
		mser->cut = n - left;
		mser->mean = mean;
	}
}

int mser_find(const double *seconds, uint32_t count, struct mser *ret_mser)
{
	const uint32_t n = count / MSER_BATCH_S;
	double *y = malloc((n + 1) * sizeof(*y));

	if (!y)
		return -ENOMEM;
	*ret_mser = (struct mser){ .batches = n, .mean = NAN };
	pieces_means(seconds, MSER_BATCH_S, n, y);
	if (n >= MSER_BATCHES_MIN && !isnan(y[0])) {
		mser_cut(y, n, ret_mser);
		ret_mser->valid = 2 * ret_mser->cut <= n;
		ret_mser->from_s = ret_mser->cut * MSER_BATCH_S;
	}
	free(y);
	return 0;
}
