#include "analyze/spread.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "analyze/effective.h"

int spread_init(struct spread *spread, const uint64_t *value_ns, uint32_t count)
{
	*spread = (struct spread){ .value_count = count, .value_ns = calloc(count + 1, sizeof(*value_ns)) };
	if (!spread->value_ns)
		return -ENOMEM;
	memcpy(spread->value_ns, value_ns, count * sizeof(*value_ns));
	return 0;
}

void spread_release(struct spread *spread)
{
	free(spread->value_ns);
	free(spread->ios);
	free(spread->beyond);
	*spread = (struct spread){ 0 };
}

/* To `runs` runs' size; what is new is zero. */
static double *grown(double *column, uint32_t runs, uint32_t width)
{
	const size_t one = (size_t)SPREAD_STRETCHES * width;
	double *larger = reallocarray(column, runs, one * sizeof(*column) + 1);

	if (larger)
		memset(larger + (runs - 1) * one, 0, one * sizeof(*larger));
	return larger;
}

int spread_run(struct spread *spread, uint64_t start_ns, uint64_t duration_ns)
{
	double *ios = grown(spread->ios, spread->runs + 1, 1), *beyond;

	if (!ios)
		return -ENOMEM;
	spread->ios = ios;
	beyond = grown(spread->beyond, spread->runs + 1, spread->value_count);
	if (!beyond)
		return -ENOMEM;
	spread->beyond = beyond;
	spread->runs++;
	spread->start_ns = start_ns;
	spread->stretch_ns = duration_ns ? (duration_ns - 1) / SPREAD_STRETCHES + 1 : 1;
	return 0;
}

void spread_add(struct spread *spread, uint64_t start_ns, const struct histogram *histogram)
{
	const uint64_t stretch = (start_ns - spread->start_ns) / spread->stretch_ns;
	const size_t at = (spread->runs - 1) * (size_t)SPREAD_STRETCHES +
			  (stretch < SPREAD_STRETCHES ? stretch : SPREAD_STRETCHES - 1);
	double *beyond = &spread->beyond[at * spread->value_count], slower = 0;
	uint32_t slot = histogram->moments.n ? histogram_slot(histogram->moments.max_ns) : 0;

	spread->ios[at] += (double)histogram->moments.n;
	for (uint32_t i = spread->value_count; i-- > 0;) {
		for (; slot > histogram_slot(spread->value_ns[i]); slot--)
			slower += (double)histogram->slot[slot];
		beyond[i] += slower;
	}
}

double spread_effective(const struct spread *spread, uint32_t value, uint64_t n)
{
	const uint32_t count = spread->runs * SPREAD_STRETCHES;
	double *beyond = malloc((count + 1) * sizeof(*beyond)), seen = 0, effective;

	if (!beyond)
		return NAN;
	for (uint32_t i = 0; i < count; i++) {
		beyond[i] = spread->beyond[(size_t)i * spread->value_count + value];
		seen += spread->ios[i];
	}
	effective = seen > 0 ? (double)n * effective_of_counts(spread->ios, beyond, count) / seen : (double)n;
	free(beyond);
	return effective;
}
