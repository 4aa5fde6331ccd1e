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

/* All points of a step with several modes, of one kind of I/O. */
struct points {
	enum io_op op;
	uint32_t count;
	const struct step_record *richest; /* the first with the most modes */
	struct layers layers;		   /* of it */
	uint64_t n;
	json_t *all;
};

static void points_add(const struct evidence *evidence, struct points *points, const struct step_record *step,
		       const struct layers *layers, uint64_t n)
{
	json_t *data = layers_json(layers, n);
	char point[160];

	data_text(data, "point", step_point_text(evidence, step, point, sizeof(point)));
	json_array_append_new(points->all, data);
	points->count++;
	if (points->richest && layers->count <= points->layers.count)
		return;
	points->richest = step;
	points->layers = *layers;
	points->n = n;
}

static int points_tell(const struct evidence *evidence, const struct points *points)
{
	const struct layers *layers = &points->layers;
	struct finding_record finding = {
		.kind = "latency_layers", .unit = "modes", .value = layers->count, .low = NAN, .high = NAN
	};
	struct saying title = { 0 }, modes = { 0 };
	json_t *data = layers_json(layers, points->n);
	char time[UNITS_TEXT];

	json_object_set(data, "points", points->all);
	for (uint32_t i = 0; i < layers->count && i < TOLD_MAX; i++)
		saying_add(&modes, i ? ", %s (%.0f %%)" : "%s (%.0f %%)",
			   duration_format((uint64_t)layers->layer[i].value_ns, time),
			   100 * layers->layer[i].share);
	if (layers->count > TOLD_MAX)
		saying_add(&modes, " ...");
	if (layers->regular)
		saying_add(&modes, ", evenly spaced by %s",
			   duration_format((uint64_t)layers->spacing_ns, time));
	step_title(evidence, points->richest, &title);
	if (points->count > 1)
		saying_add(&title, ", the most of its %u points with several", points->count);
	return finding_put(evidence, points->richest, &finding, data,
			   points->op == IO_READ ? "%u latency modes of reads in %p: %p."
						 : "%u latency modes of writes in %p: %p.",
			   layers->count, &title, &modes);
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
static int layers_take(const struct evidence *evidence, const struct load_record *load, struct points *points,
		       struct layers *layers)
{
	const struct step_record *step = evidence_step(evidence, load->step);
	const struct histogram *times = &load->total->op[points->op].service;
	double share;
	int error = times->moments.n ? independent_read(evidence, step, load, points->op, &share) : -ERANGE;

	if (!error)
		error = layers_find(times, share, layers);
	if (!error && layers->count > 1)	/* one speed alone is what percentiles say better */
		points_add(evidence, points, step, layers, times->moments.n);
	return error == -ERANGE ? 0 : error;
}

/* Of several repeats the first speaks for all, of rounds the last: the others would only say the same again. */
static bool speaks(const struct evidence *evidence, const struct load_record *load)
{
	const struct step_record *step = evidence_step(evidence, load->step);

	if (!step || step->repeat || !load->total || load->open_loop ||
	    load->workers * load->depth_asked > DEPTH_MAX || strncmp(step_word(evidence, step, "rw"), "rand", 4))
		return false;
	for (const struct step_record *later = step + 1; later < evidence->steps + evidence->step_count; later++) {
		uint32_t count;
		const struct load_record *other = later->round > step->round && later->point == step->point &&
			!strcmp(later->name, step->name) ? evidence_loads(evidence, later, &count) : NULL;

		if (other && other->target == load->target && step_measured(evidence, later))
			return false;
	}
	return true;
}

/* Of the same step by name, and the same target. */
static bool belong_together(const struct evidence *evidence, const struct load_record *a,
			    const struct load_record *b)
{
	const struct step_record *first = evidence_step(evidence, a->step);
	const struct step_record *second = evidence_step(evidence, b->step);

	return first && second && a->target == b->target && a->load == b->load &&
	       !strcmp(first->name, second->name);
}

static int step_take(const struct evidence *evidence, uint32_t at, enum io_op op, struct layers *layers)
{
	struct points points = { .op = op, .all = json_array() };
	int error = 0;

	for (uint32_t i = at; i < evidence->load_count && !error; i++)
		if (belong_together(evidence, &evidence->loads[at], &evidence->loads[i]) &&
		    speaks(evidence, &evidence->loads[i]))
			error = layers_take(evidence, &evidence->loads[i], &points, layers);
	if (!error && points.count)
		error = points_tell(evidence, &points);
	json_decref(points.all);
	return error;
}

static bool seen_before(const struct evidence *evidence, uint32_t at)
{
	for (uint32_t i = 0; i < at; i++)
		if (belong_together(evidence, &evidence->loads[i], &evidence->loads[at]))
			return true;
	return false;
}

int find_layers(const struct evidence *evidence)
{
	struct layers *layers = malloc(sizeof(*layers));
	int error = layers ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < evidence->load_count && !error; i++) {
		if (seen_before(evidence, i))
			continue;
		for (int op = IO_READ; op <= IO_WRITE && !error; op++)
			error = step_take(evidence, i, (enum io_op)op, layers);
	}
	free(layers);
	return error;
}
