#include <math.h>
#include <string.h>
#include "measure/tally.h"

const uint64_t slow_bucket_ns[SLOW_BUCKETS] = {
	10000000, 20000000, 30000000, 50000000, 100000000, 200000000, 500000000, 1000000000,
};
const char *const slow_bucket_name[SLOW_BUCKETS] = {
	"ge_10ms", "ge_20ms", "ge_30ms", "ge_50ms", "ge_100ms", "ge_200ms", "ge_500ms", "ge_1s",
};

/* Only what was used: from the slot of min (one below, for decoded K = 6 pairs) to that of max. */
static void histogram_clear_used(struct histogram *histogram)
{
	const struct moments *moments = &histogram->moments;

	if (moments->n > 0) {
		const uint32_t low = histogram_slot(moments->min_ns), first = low > 0 ? low - 1 : 0;
		const uint32_t last = histogram_slot(moments->max_ns);

		if (first <= last)
			memset(&histogram->slot[first], 0, (last - first + 1) * sizeof(histogram->slot[0]));
	}
	moments_clear(&histogram->moments);
}

void tally_clear(struct tally *tally)
{
	tally->start_ns = tally->end_ns = tally->rest_ns = tally->spans = 0;
	tally->in_flight_ns = 0;
	for (uint32_t i = 0; i < IO_OPS; i++) {
		struct op_tally *op = &tally->op[i];

		op->ios = op->bytes = op->errors = 0;
		memset(op->slow, 0, sizeof(op->slow));
		histogram_clear_used(&op->service);
		histogram_clear_used(&op->response);
		histogram_clear_used(&op->lateness);
	}
}

static void histogram_add_used(struct histogram *histogram, const struct histogram *other)
{
	if (other->moments.n > 0)
		histogram_add(histogram, other);
}

static void op_tally_add(struct op_tally *op, const struct op_tally *other)
{
	op->ios += other->ios;
	op->bytes += other->bytes;
	op->errors += other->errors;
	for (uint32_t i = 0; i < SLOW_BUCKETS; i++)
		op->slow[i] += other->slow[i];
	histogram_add_used(&op->service, &other->service);
	histogram_add_used(&op->response, &other->response);
	histogram_add_used(&op->lateness, &other->lateness);
}

void tally_add(struct tally *tally, const struct tally *other)
{
	if (tally->spans == 0 || other->start_ns < tally->start_ns)
		tally->start_ns = other->start_ns;
	if (tally->spans == 0 || other->end_ns > tally->end_ns)
		tally->end_ns = other->end_ns;
	tally->spans += other->spans;
	tally->rest_ns += other->rest_ns;
	tally->in_flight_ns += other->in_flight_ns;
	for (uint32_t i = 0; i < IO_OPS; i++)
		op_tally_add(&tally->op[i], &other->op[i]);
}

uint64_t tally_sent_ns(const struct tally *tally)
{
	return tally->end_ns - tally->start_ns - tally->rest_ns;
}

double tally_seconds(const struct tally *tally)
{
	return (double)tally_sent_ns(tally) / 1e9;
}

double tally_depth(const struct tally *tally)
{
	const uint64_t sent_ns = tally_sent_ns(tally);

	return sent_ns ? tally->in_flight_ns / (double)sent_ns : NAN;
}

uint64_t tally_ios(const struct tally *tally)
{
	uint64_t ios = 0;

	for (uint32_t i = 0; i < IO_OPS; i++)
		ios += tally->op[i].ios;
	return ios;
}

uint64_t tally_bytes(const struct tally *tally)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < IO_OPS; i++)
		bytes += tally->op[i].bytes;
	return bytes;
}

uint64_t tally_errors(const struct tally *tally)
{
	uint64_t errors = 0;

	for (uint32_t i = 0; i < IO_OPS; i++)
		errors += tally->op[i].errors;
	return errors;
}
