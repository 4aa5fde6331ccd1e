#include "report/history.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define CHANGES_MAX 8u		/* of one figure at one point */

struct moment {
	uint64_t started_ns;
	uint32_t side;
	double value;
};

static int moment_order(const void *a, const void *b)
{
	uint64_t first = ((const struct moment *)a)->started_ns,
		 second = ((const struct moment *)b)->started_ns;

	return (first > second) - (first < second);
}

static bool is_history(const struct comparison *comparison)
{
	for (uint32_t i = 0; i < comparison->side_count; i++)
		if (comparison->sides[i].run_count != 1)
			return false;
	return comparison->side_count >= DIVISIVE_RUNS_MIN;
}

static struct moment moment_of(const struct comparison *comparison, uint32_t side, double value)
{
	return (struct moment){ comparison->models[comparison->sides[side].runs[0]]->run->started_wall_ns,
				side, value };
}

/* `first`: the line of the first other side; those of the same point, direction and figure follow. Returns
 * how many runs. */
static uint32_t moments_of(const struct comparison *comparison, uint32_t first,
			   struct moment moments[COMPARISON_SIDES_MAX])
{
	const struct comparison_line *line = &comparison->lines[first];
	uint32_t count = 0;

	moments[count++] = moment_of(comparison, 0, line->reference.value);
	for (uint32_t i = first; i < comparison->line_count; i++) {
		const struct comparison_line *other = &comparison->lines[i];

		if (other->step != line->step || other->op != line->op || other->figure != line->figure)
			break;
		moments[count++] = moment_of(comparison, other->side, other->other.value);
	}
	qsort(moments, count, sizeof(*moments), moment_order);
	return count;
}

static int figure_changes(const struct comparison *comparison, uint32_t first,
			  struct history_change *ret_changes, uint32_t room)
{
	const struct comparison_line *line = &comparison->lines[first];
	struct divisive_change found[CHANGES_MAX];
	struct moment moments[COMPARISON_SIDES_MAX];
	double values[COMPARISON_SIDES_MAX];
	uint32_t count = moments_of(comparison, first, moments);
	int changes;

	for (uint32_t i = 0; i < count; i++)
		values[i] = moments[i].value;
	changes = count < DIVISIVE_RUNS_MIN
			  ? 0
			  : divisive_find(values, count, 1, found, room < CHANGES_MAX ? room : CHANGES_MAX);
	for (int i = 0; i < changes; i++)
		ret_changes[i] = (struct history_change){ line->step,      line->op,
							  line->figure,    moments[found[i].at].side,
							  found[i].before, found[i].after,
							  found[i].p };
	return changes;
}

int history_find(const struct comparison *comparison, struct history_change ret_changes[HISTORY_CHANGES_MAX])
{
	const struct comparison_line *last = NULL;
	uint32_t count = 0;

	for (uint32_t i = 0;
	     i < comparison->line_count && is_history(comparison) && count < HISTORY_CHANGES_MAX; i++) {
		const struct comparison_line *line = &comparison->lines[i];
		int changes;

		if (line->figure == COMPARE_P999 || (last && last->step == line->step &&
						     last->op == line->op && last->figure == line->figure))
			continue;
		last = line;
		changes = figure_changes(comparison, i, ret_changes + count, HISTORY_CHANGES_MAX - count);
		if (changes < 0)
			return changes;
		count += (uint32_t)changes;
	}
	return (int)count;
}
