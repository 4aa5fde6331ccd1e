#include "assay/tail.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "analyze/confidence.h"
#include "analyze/effective.h"

struct stretches {
	enum io_op op;
	uint64_t length_ns;
	struct histogram *block[TAIL_STRETCHES];	/* owned; NULL: nothing in it */
};

static int stretch_add(void *context, const struct interval_row *row, const struct histogram *service)
{
	struct stretches *stretches = context;
	uint64_t at = row->start_ns / stretches->length_ns;

	if (row->op != stretches->op || row->ramp || !service || !service->moments.n)
		return 0;
	at = at < TAIL_STRETCHES ? at : TAIL_STRETCHES - 1;
	if (!stretches->block[at]) {
		stretches->block[at] = malloc(sizeof(*stretches->block[at]));
		if (!stretches->block[at])
			return -ENOMEM;
		histogram_clear(stretches->block[at]);
	}
	histogram_add(stretches->block[at], service);
	return 0;
}

/* *ret_effective: what the I/Os around the value are worth, at most n. */
static int effective_read(const struct evidence *evidence, const struct load_record *load, enum io_op op,
			  uint64_t value_ns, double *ret_effective)
{
	const struct step_record *step = evidence_step(evidence, load->step);
	struct stretches stretches = { .op = op };
	double effective = NAN;
	int error;

	stretches.length_ns = step && step->duration_ns ? (step->duration_ns - 1) / TAIL_STRETCHES + 1 : 1;
	error = store_each_interval(evidence->store, load->step, (int32_t)load->load, true, stretch_add, &stretches);
	if (!error)
		effective = effective_samples((const struct histogram *const *)stretches.block, TAIL_STRETCHES, value_ns);
	for (uint32_t i = 0; i < TAIL_STRETCHES; i++)
		free(stretches.block[i]);
	if (!error && isnan(effective))
		error = -ENOMEM;
	if (!error)
		*ret_effective = effective;
	return error;
}

int tail_of(const struct evidence *evidence, const struct load_record *load, enum io_op op, double p,
	    struct tail *ret_tail)
{
	const struct histogram *times = &load->total->op[op].service;
	const uint64_t n = times->moments.n, value = n ? histogram_percentile(times, p) : 0;
	uint64_t low, high;
	double effective;
	int error;

	if (confidence_percentile(n, p, -1).grade == CONFIDENCE_REFUSED)
		return 0;
	error = effective_read(evidence, load, op, value, &effective);
	if (error)
		return error;
	effective = fmin(effective, (double)n);
	if (confidence_percentile((uint64_t)effective, p, -1).grade == CONFIDENCE_REFUSED ||
	    effective_ranks(n, effective, p, &low, &high))
		return 0;
	*ret_tail = (struct tail){ (double)value, (double)histogram_rank_value(times, low),
				   (double)histogram_rank_value(times, high), effective };
	return 1;
}
