#include "assay/tail.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "analyze/effective.h"
#include "analyze/spread.h"

struct adding {
	int op;
	struct spread *spread;
};

static int interval_add(void *context, const struct interval_row *row, const struct histogram *service)
{
	struct adding *adding = context;

	if ((adding->op == STORE_ALL || (int)row->op == adding->op) && !row->ramp && service)
		spread_add(adding->spread, row->start_ns, service);
	return 0;
}

int tail_effective(const struct evidence *evidence, const struct step_record *step, int32_t load, int op,
		   const struct tail_values *values, uint64_t n, double *ret_effective)
{
	struct spread spread;
	struct adding adding = { op, &spread };
	int error = spread_init(&spread, values->ns, values->count);

	if (!error)
		error = spread_run(&spread, 0, step->duration_ns);
	if (!error)
		error = store_each_interval(evidence->store, step->id, load, true, interval_add, &adding);
	for (uint32_t i = 0; i < values->count && !error; i++) {
		ret_effective[i] = spread_effective(&spread, i, n);
		error = isnan(ret_effective[i]) ? -ENOMEM : 0;
	}
	spread_release(&spread);
	return error;
}

int tail_of(const struct evidence *evidence, const struct load_record *load, enum io_op op, double p,
	    struct tail *ret_tail)
{
	const struct histogram *times = &load->total->op[op].service;
	const uint64_t n = times->moments.n;
	const struct tail_values value = { 1, { n ? histogram_percentile(times, p) : 0 } };
	const struct step_record *step = evidence_step(evidence, load->step);
	struct percentile_confidence confidence = confidence_percentile(n, p);
	double effective;
	int error;

	if (confidence.grade == CONFIDENCE_REFUSED || !step)
		return 0;
	error = tail_effective(evidence, step, (int32_t)load->load, (int)op, &value, n, &effective);
	if (error)
		return error;
	confidence = effective_percentile(n, effective, p);
	if (confidence.grade == CONFIDENCE_REFUSED)
		return 0;
	*ret_tail = (struct tail){ (double)value.ns[0], (double)histogram_rank_value(times, confidence.low_rank),
				   (double)histogram_rank_value(times, confidence.high_rank),
				   fmin(effective, (double)n) };
	return 1;
}

struct leaving_out {
	const struct load_record *load;
	enum io_op op;
	struct histogram *times;
	uint64_t ios;
};

static int host_io(void *context, uint64_t step, const struct logged_io *io)
{
	struct leaving_out *out = context;
	uint64_t *slot = &out->times->slot[histogram_slot(io->service_ns)];

	(void)step;
	if (!(io->flags & LOGGED_HOST) || io->load != out->load->load || io->op != out->op || !*slot)
		return 0;
	--*slot;
	out->times->moments.n--;
	out->ios++;
	return 0;
}

/* Of what is left the slots tell; the longest is that of the highest one. */
static void longest_set(struct histogram *times)
{
	uint32_t top = HISTOGRAM_SLOTS;

	while (top && !times->slot[top - 1])
		top--;
	if (top)
		times->moments.max_ns = histogram_slot_low(top - 1, HISTOGRAM_BITS) +
					histogram_slot_width(top - 1, HISTOGRAM_BITS) - 1;
}

int tail_without_host(const struct evidence *evidence, const struct load_record *load, enum io_op op, double p,
		      double *ret_ns, uint64_t *ret_ios)
{
	struct leaving_out out = { .load = load, .op = op, .times = malloc(sizeof(*out.times)) };
	int error = out.times ? 0 : -ENOMEM;

	if (!error) {
		*out.times = load->total->op[op].service;
		error = store_each_outlier(evidence->store, load->step, host_io, &out);
	}
	if (!error && out.ios)
		longest_set(out.times);
	if (!error) {
		*ret_ns = out.times->moments.n ? (double)histogram_percentile(out.times, p) : NAN;
		*ret_ios = out.ios;
	}
	free(out.times);
	return error;
}
