#include "assay/sweeps.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define POINTS_MIN 4u
#define MEASURED_MAX 1024u /* of all points together; more are left out */
#define ROUNDS_LAST 5u	   /* only these count, as on the page: those before them are on the way */

/* What was measured at the points of a sweep, before they are made of it. */
struct collecting {
	struct sweep *sweep;
	uint32_t count;
	struct measured {
		double value, figure;
	} measured[MEASURED_MAX];
};

/* The point without the swept key. */
static json_t *rest_of(const struct evidence *evidence, const struct step_record *step, const char *key)
{
	json_t *rest = json_deep_copy(evidence->values[step - evidence->steps]);

	json_object_del(rest, key);
	return rest;
}

static int measured_order(const void *a, const void *b)
{
	const struct measured *first = a, *second = b;

	if (first->value != second->value)
		return first->value > second->value ? 1 : -1;
	return (first->figure > second->figure) - (first->figure < second->figure);
}

/* Of measurements that are in order: of rounds the mean, of repeats the median. */
static double figure_between(const struct measured *first, uint32_t n, bool rounds)
{
	double sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += first[i].figure;
	return rounds ? sum / n : (first[(n - 1) / 2].figure + first[n / 2].figure) / 2;
}

/* Points of the sweep from its measurements. */
static void points_make(struct collecting *collecting, bool rounds)
{
	struct sweep *sweep = collecting->sweep;
	uint32_t from = 0, to;

	qsort(collecting->measured, collecting->count, sizeof(collecting->measured[0]), measured_order);
	for (; from < collecting->count && sweep->count < SWEEP_POINTS_MAX; from = to) {
		const struct measured *first = &collecting->measured[from];
		uint32_t n = 1;

		while (from + n < collecting->count && first[n].value == first->value)
			n++;
		sweep->value[sweep->count] = first->value;
		sweep->figure[sweep->count++] = figure_between(first, n, rounds);
		to = from + n;
	}
}

static bool same_sweep(const struct evidence *evidence, const struct step_record *a,
		       const struct step_record *b, const char *key)
{
	json_t *rest_a, *rest_b;
	bool same;
	uint32_t count;
	const struct load_record *load_a = evidence_loads(evidence, a, &count),
				 *load_b = evidence_loads(evidence, b, &count);

	if (strcmp(a->name, b->name) || !load_a || !load_b || load_a->target != load_b->target ||
	    isnan(step_number(evidence, b, key)) || !step_measured(evidence, b))
		return false;
	rest_a = rest_of(evidence, a, key);
	rest_b = rest_of(evidence, b, key);
	same = json_equal(rest_a, rest_b);
	json_decref(rest_a);
	json_decref(rest_b);
	return same;
}

/* Of the point that the step is a measurement of. */
static uint32_t round_count(const struct evidence *evidence, const struct step_record *step)
{
	uint32_t rounds = 0;

	for (uint32_t i = 0; i < evidence->step_count; i++) {
		const struct step_record *other = &evidence->steps[i];

		if (other->plan_step == step->plan_step && other->point == step->point && other->round >= rounds &&
		    !strcmp(other->name, step->name))
			rounds = other->round + 1;
	}
	return rounds;
}

static void measured_add(const struct evidence *evidence, struct collecting *collecting,
			 const struct step_record *step)
{
	const struct sweep *sweep = collecting->sweep;
	struct step_sum sum;

	step_sum(evidence, step, &sum);
	if (sum.seconds > 0 && collecting->count < MEASURED_MAX)
		collecting->measured[collecting->count++] = (struct measured){
			.value = step_number(evidence, step, sweep->key),
			.figure = sweep->bytes ? sum.bytes_per_second : sum.iops,
		};
}

/* All points of the sweep that the step belongs to. False: an earlier step does. */
static bool sweep_collect(const struct evidence *evidence, struct collecting *collecting)
{
	const struct sweep *sweep = collecting->sweep;
	bool in_rounds = false;

	collecting->count = 0;
	for (uint32_t i = 0; i < evidence->step_count; i++) {
		const struct step_record *step = &evidence->steps[i];

		if (!same_sweep(evidence, sweep->step, step, sweep->key))
			continue;
		if (step < sweep->step)
			return false;
		if (step->round + ROUNDS_LAST >= round_count(evidence, step))
			measured_add(evidence, collecting, step);
		in_rounds |= step->round > 0;
	}
	points_make(collecting, in_rounds);
	return true;
}

/* Room for one more, zeroed; NULL: no memory. */
static struct sweep *sweeps_room(struct sweeps *sweeps)
{
	if (sweeps->count == sweeps->capacity) {
		uint32_t capacity = sweeps->capacity ? 2 * sweeps->capacity : 16;
		struct sweep *grown = realloc(sweeps->sweep, capacity * sizeof(*grown));

		if (!grown)
			return NULL;
		sweeps->sweep = grown;
		sweeps->capacity = capacity;
	}
	memset(&sweeps->sweep[sweeps->count], 0, sizeof(*sweeps->sweep));
	return &sweeps->sweep[sweeps->count];
}

static int sweep_of(const struct evidence *evidence, const struct step_record *step, const char *key,
		    struct collecting *collecting, struct sweeps *sweeps)
{
	if (!step_measured(evidence, step) || isnan(step_number(evidence, step, key)))
		return 0;
	collecting->sweep = sweeps_room(sweeps);
	if (!collecting->sweep)
		return -ENOMEM;
	collecting->sweep->step = step;
	collecting->sweep->key = key;
	collecting->sweep->bytes = !strcmp(key, "bs");
	if (sweep_collect(evidence, collecting) && collecting->sweep->count >= POINTS_MIN)
		sweeps->count++;
	return 0;
}

int sweeps_find(const struct evidence *evidence, struct sweeps *ret_sweeps)
{
	static const char *const keys[] = { "iodepth", "bs", "numjobs" };
	struct collecting *collecting = malloc(sizeof(*collecting));
	int error = collecting ? 0 : -ENOMEM;

	*ret_sweeps = (struct sweeps){ 0 };
	for (uint32_t i = 0; i < evidence->step_count && !error; i++)
		for (int k = 0; k < 3 && !error; k++)
			error = sweep_of(evidence, &evidence->steps[i], keys[k], collecting, ret_sweeps);
	free(collecting);
	return error;
}

void sweeps_release(struct sweeps *sweeps)
{
	free(sweeps->sweep);
}

double sweep_best(const struct sweep *sweep)
{
	double best = 0;

	for (uint32_t i = 0; i < sweep->count; i++)
		best = fmax(best, sweep->figure[i]);
	return best;
}

uint32_t sweep_reaches(const struct sweep *sweep, double share, double best)
{
	uint32_t i = 0;

	while (i + 1 < sweep->count && sweep->figure[i] < share * best)
		i++;
	return i;
}

bool sweep_still_rises(const struct sweep *sweep, double best)
{
	return sweep_reaches(sweep, 0.95, best) == sweep->count - 1;
}
