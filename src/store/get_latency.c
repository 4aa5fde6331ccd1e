#include "store/get_latency.h"
#include <errno.h>

#define SUM_SQUARES_MAX 1e38	/* below 2^127 */

static unsigned __int128 row_squares(struct row *row)
{
	double squares = row_real_or(row, 0);

	if (squares >= 0 && squares < SUM_SQUARES_MAX)
		return (unsigned __int128)squares;
	row_fail(row, -EBADMSG);
	return 0;
}

/* The sum of squares was rounded to a REAL: not below what the mean alone needs, or the variance would be
 * negative. */
static void mend_squares(struct moments *moments)
{
	unsigned __int128 sum_squared = (unsigned __int128)moments->sum_ns * moments->sum_ns;
	unsigned __int128 least = moments->n ? (sum_squared + moments->n - 1) / moments->n : 0;

	if (moments->sum_squares_ns2 < least)
		moments->sum_squares_ns2 = least;
}

static void row_moments(struct row *row, struct moments *moments)
{
	moments->n = row_u64(row);
	moments->sum_ns = row_u64(row);
	moments->sum_squares_ns2 = row_squares(row);
	moments->min_ns = row_u64_or(row, UINT64_MAX);
	moments->max_ns = row_u64_or(row, 0);
	moments->over_range = row_u64_max(row, moments->n);
	if (moments->n > 0 && moments->min_ns > moments->max_ns)
		row_fail(row, -EBADMSG);
	mend_squares(moments);
}

void row_latency(struct row *row, struct packer *packer, struct latency_row *latency,
		 struct histogram *histogram)
{
	const void *packed;
	size_t count;
	int result;

	row_moments(row, &latency->moments);
	for (int i = 0; i < LATENCY_PERCENTILES; i++)
		latency->percentile_ns[i] = row_u64(row);
	packed = row_blob(row, &count);
	if (!histogram || row->error < 0)
		return;
	histogram_clear(histogram);
	histogram->moments = latency->moments;
	if (latency->moments.n == 0 && count == 0)
		return;		/* nothing timed: nothing to add up */
	result = packer_unpack_histogram(packer, packed, count, histogram);
	if (result == 0 && !histogram_adds_up(histogram))
		result = -EBADMSG;
	if (result < 0)
		row_fail(row, result);
}
