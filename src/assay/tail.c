#include "assay/tail.h"

#include <errno.h>
#include <math.h>
#include "analyze/effective.h"
#include "analyze/spread.h"

struct adding {
	enum io_op op;
	struct spread *spread;
};

static int interval_add(void *context, const struct interval_row *row, const struct histogram *service)
{
	struct adding *adding = context;

	if (row->op == adding->op && !row->ramp && service)
		spread_add(adding->spread, row->start_ns, service);
	return 0;
}

/* *ret_effective: what the I/Os around the value are worth. */
static int effective_read(const struct evidence *evidence, const struct load_record *load, enum io_op op,
			  uint64_t value_ns, double *ret_effective)
{
	const struct step_record *step = evidence_step(evidence, load->step);
	struct spread spread;
	struct adding adding = { op, &spread };
	int error = spread_init(&spread, &value_ns, 1);

	if (!error)
		error = spread_run(&spread, 0, step ? step->duration_ns : 0);
	if (!error)
		error = store_each_interval(evidence->store, load->step, (int32_t)load->load, true,
					    interval_add, &adding);
	if (!error)
		*ret_effective = spread_effective(&spread, 0, load->total->op[op].service.moments.n);
	spread_release(&spread);
	return error ? error : isnan(*ret_effective) ? -ENOMEM : 0;
}

int tail_of(const struct evidence *evidence, const struct load_record *load, enum io_op op, double p,
	    struct tail *ret_tail)
{
	const struct histogram *times = &load->total->op[op].service;
	const uint64_t n = times->moments.n, value = n ? histogram_percentile(times, p) : 0;
	struct percentile_confidence confidence = confidence_percentile(n, p);
	double effective;
	int error;

	if (confidence.grade == CONFIDENCE_REFUSED)
		return 0;
	error = effective_read(evidence, load, op, value, &effective);
	if (error)
		return error;
	confidence = effective_percentile(n, effective, p);
	if (confidence.grade == CONFIDENCE_REFUSED)
		return 0;
	*ret_tail = (struct tail){ (double)value, (double)histogram_rank_value(times, confidence.low_rank),
				   (double)histogram_rank_value(times, confidence.high_rank),
				   fmin(effective, (double)n) };
	return 1;
}
