/* The distinct speeds with which a drive answers at a shallow queue: the modes of its latency distribution.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "analyze/layers.h"
#include "assay/finding.h"
#include "assay/tail.h"
#include "base/units.h"

#define DEPTH_MAX 1u /* deeper, waiting in queues makes modes of its own */
#define TOLD_MAX 8u

static json_t *layers_json(const struct layers *layers, uint64_t n)
{
	json_t *data = json_object(), *array = json_array();

	for (uint32_t i = 0; i < layers->count; i++) {
		json_t *object = json_object();

		data_real(object, "value_ns", layers->layer[i].value_ns);
		data_real(object, "low_ns", layers->layer[i].low_ns);
		data_real(object, "high_ns", layers->layer[i].high_ns);
		data_real(object, "share", layers->layer[i].share);
		json_array_append_new(array, object);
	}
	json_object_set_new(data, "n", json_integer((json_int_t)n));
	json_object_set_new(data, "regular", json_boolean(layers->regular));
	data_real(data, "spacing_ns", layers->spacing_ns);
	json_object_set_new(data, "layers", array);
	return data;
}

static int layers_tell(const struct evidence *evidence, const struct step_record *step, enum io_op op,
		       const struct layers *layers, uint64_t n)
{
	struct finding_record finding = {
		.kind = "latency_layers", .unit = "modes", .value = layers->count, .low = NAN, .high = NAN
	};
	struct saying title = { 0 }, modes = { 0 };
	char time[UNITS_TEXT];

	for (uint32_t i = 0; i < layers->count && i < TOLD_MAX; i++)
		saying_add(&modes, i ? ", %s (%.0f %%)" : "%s (%.0f %%)",
			   duration_format((uint64_t)layers->layer[i].value_ns, time),
			   100 * layers->layer[i].share);
	if (layers->count > TOLD_MAX)
		saying_add(&modes, " ...");
	if (layers->regular)
		saying_add(&modes, ", evenly spaced by %s",
			   duration_format((uint64_t)layers->spacing_ns, time));
	return finding_put(evidence, step, &finding, layers_json(layers, n),
			   op == IO_READ ? "%u latency modes of reads in %p: %p."
					 : "%u latency modes of writes in %p: %p.",
			   layers->count, step_title(evidence, step, &title), &modes);
}

/* The share of a load's I/Os that are independent: the least at their quartiles. */
static int independent_read(const struct evidence *evidence, const struct step_record *step,
			    const struct load_record *load, enum io_op op, double *ret_share)
{
	const struct histogram *times = &load->total->op[op].service;
	double effective[3];
	struct tail_values quartiles = { 3, { 0 } };
	int error;

	for (uint32_t i = 0; i < 3; i++)
		quartiles.ns[i] = histogram_percentile(times, 0.25 * (i + 1));
	error = tail_effective(evidence, step, (int32_t)load->load, (int)op, &quartiles, times->moments.n,
			       effective);
	if (!error)
		*ret_share = fmin(fmin(effective[0], effective[1]), effective[2]) / (double)times->moments.n;
	return error;
}

/* -ERANGE: too few I/Os. */
static int layers_take(const struct evidence *evidence, const struct step_record *step,
		       const struct load_record *load, enum io_op op, struct layers *layers)
{
	const struct histogram *times = &load->total->op[op].service;
	double share;
	int error = times->moments.n ? independent_read(evidence, step, load, op, &share) : -ERANGE;

	if (!error)
		error = layers_find(times, share, layers);
	if (!error && layers->count > 1)	/* one speed alone is what percentiles say better */
		error = layers_tell(evidence, step, op, layers, times->moments.n);
	return error == -ERANGE ? 0 : error;
}

/* The first of several repeats speaks for all: the others would only say the same again. */
int find_layers(const struct evidence *evidence)
{
	struct layers *layers = malloc(sizeof(*layers));
	int error = layers ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < evidence->load_count && !error; i++) {
		const struct load_record *load = &evidence->loads[i];
		const struct step_record *step = evidence_step(evidence, load->step);

		if (!step || step->repeat || !load->total || load->open_loop ||
		    load->workers * load->depth_asked > DEPTH_MAX ||
		    strncmp(step_word(evidence, step, "rw"), "rand", 4))
			continue;
		for (int op = IO_READ; op <= IO_WRITE && !error; op++)
			error = layers_take(evidence, step, load, (enum io_op)op, layers);
	}
	free(layers);
	return error;
}
