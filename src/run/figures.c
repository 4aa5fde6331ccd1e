#include "run/figures.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/units.h"

#define PICK_ROUNDS 5	/* the steady window of SNIA's rule */

void figures_release(struct figures *figures)
{
	free(figures->figure);
	*figures = (struct figures){ 0 };
}

static void figure_measure(struct figure *figure, const struct tally *const *totals, uint32_t count,
			   uint64_t sent_ns)
{
	double ios = 0, bytes = 0, sum = 0;
	double seconds = (double)sent_ns / 1e9;

	for (uint32_t i = 0; i < count; i++) {
		ios += (double)tally_ios(totals[i]);
		bytes += (double)tally_bytes(totals[i]);
		for (int op = 0; op < IO_OPS; op++)
			sum += (double)totals[i]->op[op].service.moments.sum_ns;
	}
	figure->iops = seconds > 0 ? ios / seconds : 0;
	figure->bytes_per_second = seconds > 0 ? bytes / seconds : 0;
	figure->mean_ns = ios > 0 ? sum / ios : 0;
}

int figures_add(struct figures *figures, const struct plan_instance *instance,
		const struct tally *const *totals, uint32_t total_count, uint64_t sent_ns,
		struct figure place)
{
	if (figures->count == figures->capacity) {
		uint32_t capacity = figures->capacity ? figures->capacity * 2 : 16;
		struct figure *grown = reallocarray(figures->figure, capacity, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		figures->figure = grown;
		figures->capacity = capacity;
	}
	figure_measure(&place, totals, total_count, sent_ns);
	place.value_count = instance->value_count;
	memcpy(place.values, instance->values, sizeof(place.values));
	figures->figure[figures->count++] = place;
	return 0;
}

double figure_value(const struct figure *figure, const char *name)
{
	if (!strcmp(name, "iops"))
		return figure->iops;
	if (!strcmp(name, "bytes_per_second"))
		return figure->bytes_per_second;
	if (!strcmp(name, "mean"))
		return figure->mean_ns;
	return NAN;
}

/* "4k" and 4096 are the same value. */
static bool value_matches(const struct plan_value *value, const char *text)
{
	uint64_t size;

	if (!strcmp(value->text, text))
		return true;
	return value->numeric && !size_parse(text, &size) && value->number == (double)size;
}

static bool pair_matches(const struct figure *figure, const char *key, const char *text)
{
	for (uint32_t i = 0; i < figure->value_count; i++)
		if (!strcmp(figure->values[i].key, key))
			return value_matches(&figure->values[i], text);
	return false;
}

bool figure_matches(const struct figure *figure, const char *point)
{
	char words[256];
	char *save, *word, *equals;

	if (!point)
		return true;
	if (strlen(point) >= sizeof(words))
		return false;
	strcpy(words, point);
	for (word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		equals = strchr(word, '=');
		if (!equals)
			return false;
		*equals = '\0';
		if (!pair_matches(figure, word, equals + 1))
			return false;
	}
	return true;
}

static bool figure_same_point(const struct figure *a, const struct figure *b)
{
	if (a->step != b->step || a->target != b->target || a->value_count != b->value_count)
		return false;
	for (uint32_t i = 0; i < a->value_count; i++)
		if (strcmp(a->values[i].key, b->values[i].key) ||
		    strcmp(a->values[i].text, b->values[i].text))
			return false;
	return true;
}

/* Mean of a figure over the last rounds of the point that `at` belongs to; `at` is its last occurrence. */
static double point_mean(const struct figures *figures, uint32_t at, const char *name)
{
	const struct figure *last = &figures->figure[at];
	double sum = 0;
	uint32_t count = 0;

	for (uint32_t i = at + 1; i-- > 0 && count < PICK_ROUNDS;) {
		if (!figure_same_point(&figures->figure[i], last))
			continue;
		sum += figure_value(&figures->figure[i], name);
		count++;
	}
	return sum / count;
}

double figures_mean(const struct figures *figures, const struct figure *figure, const char *name)
{
	return point_mean(figures, (uint32_t)(figure - figures->figure), name);
}

static bool is_last_of_point(const struct figures *figures, uint32_t at)
{
	for (uint32_t i = at + 1; i < figures->count; i++)
		if (figure_same_point(&figures->figure[i], &figures->figure[at]))
			return false;
	return true;
}

static bool pick_admits(const struct figures *figures, const struct plan *plan, const struct plan_pick *pick,
			uint32_t target, uint32_t at)
{
	const struct figure *figure = &figures->figure[at];
	double value;

	if (figure->target != target || strcmp(plan->steps[figure->step].name, pick->step))
		return false;
	if (!is_last_of_point(figures, at))
		return false;
	if (pick->order == PICK_POINT)
		return figure_matches(figure, pick->point);
	if (!pick->where_figure)
		return true;
	value = point_mean(figures, at, pick->where_figure);
	return pick->where_below ? value < pick->where_limit : value > pick->where_limit;
}

/* Lowest and highest figure among the points that qualify; false when there are none. */
static bool pick_bounds(const struct figures *figures, const struct plan *plan, const struct plan_pick *pick,
			uint32_t target, double *ret_low, double *ret_high)
{
	*ret_low = INFINITY;
	*ret_high = -INFINITY;
	for (uint32_t i = 0; i < figures->count; i++) {
		double value;

		if (!pick_admits(figures, plan, pick, target, i))
			continue;
		value = point_mean(figures, i, pick->figure ? pick->figure : "iops");
		*ret_low = fmin(*ret_low, value);
		*ret_high = fmax(*ret_high, value);
	}
	return *ret_low <= *ret_high;
}

const struct figure *figures_pick(const struct figures *figures, const struct plan *plan,
				  const struct plan_pick *pick, uint32_t target)
{
	const struct figure *best = NULL;
	double low, high, wanted, distance, best_distance = INFINITY;

	if (!pick_bounds(figures, plan, pick, target, &low, &high))
		return NULL;
	wanted = pick->order == PICK_MAX ? high : pick->order == PICK_MIN ? low : (low + high) / 2;
	for (uint32_t i = 0; i < figures->count; i++) {
		if (!pick_admits(figures, plan, pick, target, i))
			continue;
		if (pick->order == PICK_POINT)
			return &figures->figure[i];
		distance = fabs(point_mean(figures, i, pick->figure ? pick->figure : "iops") - wanted);
		if (distance < best_distance) {
			best_distance = distance;
			best = &figures->figure[i];
		}
	}
	return best;
}

int figures_reached(const struct figures *figures, const struct plan *plan, const char *step, uint32_t target,
		    double *ret_iops)
{
	double sum = 0;
	uint32_t count = 0;
	const struct figure *last = NULL;

	for (uint32_t i = figures->count; i-- > 0;) {
		const struct figure *figure = &figures->figure[i];

		if (figure->target != target || strcmp(plan->steps[figure->step].name, step))
			continue;
		if (last && !figure_same_point(figure, last))
			break;
		last = figure;
		sum += figure->iops;
		count++;
	}
	if (!count)
		return -ENOENT;
	*ret_iops = sum / count;
	return 0;
}
