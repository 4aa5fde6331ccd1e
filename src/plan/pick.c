#include "plan/pick.h"

#include <errno.h>
#include <string.h>
#include "plan/criterion.h"
#include "plan/option.h"

static const char *const figures[] = { "iops", "bytes_per_second", "mean", NULL };

/* Each word of "bs=4k rwmixread=0" must be key=value. */
static int point_check(const struct value *value, struct span rest)
{
	struct span word;

	while (span_next(&rest, ' ', &word)) {
		const char *equals = span_find(word, '=');

		if (!equals || equals == word.at || equals + 1 == word.at + word.bytes)
			return value_fault(value, word.at, "a point is KEY=VALUE KEY=VALUE inside [ ]");
	}
	return 0;
}

/* Takes "STEP" or "STEP[POINT]" off the front of `rest`. */
static int point_take(struct parser *parser, const struct value *value, struct span *rest,
		      const char **ret_step, const char **ret_point)
{
	const char *open = span_find(*rest, '['), *close = span_find(*rest, ']');
	struct span name, point = { "", 0 };
	int error;

	if (open) {
		if (!close || close < open)
			return value_fault(value, open, "the point is not closed: ] is missing");
		name = span_trim((struct span){ rest->at, (size_t)(open - rest->at) });
		point = span_trim((struct span){ open + 1, (size_t)(close - open - 1) });
		*rest = (struct span){ close + 1, rest->bytes - (size_t)(close + 1 - rest->at) };
	} else if (!span_next(rest, ' ', &name)) {
		name = (struct span){ rest->at, 0 };
	}
	if (!name.bytes)
		return value_fault(value, rest->at, "the name of a step is missing");
	error = point_check(value, point);
	if (error)
		return error;
	*ret_step = arena_strndup(parser->arena, name.at, name.bytes);
	*ret_point = arena_strndup(parser->arena, point.at, point.bytes);
	return *ret_step && *ret_point ? 0 : -ENOMEM;
}

static int figure_take(const struct value *value, struct span *rest, const char **ret_figure)
{
	struct span word;
	uint32_t index;
	int error;

	if (!span_next(rest, ' ', &word))
		return value_fault(value, rest->at, "a figure is missing: iops, bytes_per_second or mean");
	error = value_word(value, word, figures, &index);
	if (!error)
		*ret_figure = figures[index];
	return error;
}

static int end_check(const struct value *value, struct span rest)
{
	struct span word;

	return span_next(&rest, ' ', &word) ? value_fault(value, word.at, "nothing more is expected here")
					    : 0;
}

int track_parse(struct parser *parser, const struct value *value, struct plan_track *ret_track)
{
	struct span rest = value_span(value);
	struct plan_track track;
	int error = point_take(parser, value, &rest, &track.step, &track.point);

	if (!error)
		error = figure_take(value, &rest, &track.figure);
	if (!error)
		error = end_check(value, rest);
	if (!error)
		*ret_track = track;
	return error;
}

/* "where mean<5ms" */
static int where_take(struct parser *parser, const struct value *value, struct span *rest,
		      struct plan_pick *pick)
{
	struct plan_expect condition = { 0 };
	struct span word;
	int error;

	if (!span_next(rest, ' ', &word))
		return 0;
	if (!span_is(word, "where"))
		return value_fault(value, word.at, "only \"where FIGURE<LIMIT\" may follow");
	*rest = span_trim(*rest);
	error = criterion_parse(parser, value, *rest, &condition);
	if (error)
		return error;
	if (condition.direction || condition.clock)
		return value_fault(value, rest->at,
				   "the condition takes a figure of the whole point: mean<5ms");
	pick->where_figure = condition.figure;
	pick->where_below = condition.below;
	pick->where_limit = condition.limit;
	rest->bytes = 0;
	return 0;
}

int pick_parse(struct parser *parser, const struct value *value, struct plan_pick *ret_pick)
{
	static const char *const orders[] = { "max", "mid", "min", NULL };
	struct span rest = value_span(value), word;
	struct plan_pick pick = {
		.name = value->key + 5, .order = PICK_POINT, .line = value->entry->mark.line,
		.column = value->entry->mark.column,
	};
	uint32_t index;
	int error = point_take(parser, value, &rest, &pick.step, &pick.point);

	if (!error && !*pick.name)
		error = value_fault(value, value->text, "the pick has no name: pick.NAME=");
	if (!error && !*pick.point) {
		if (!span_next(&rest, ' ', &word))
			return value_fault(value, rest.at, "which one? max, mid, min, or STEP[KEY=VALUE]");
		error = value_word(value, word, orders, &index);
		if (!error)
			pick.order = (enum pick_order)index;
		if (!error)
			error = figure_take(value, &rest, &pick.figure);
		if (!error)
			error = where_take(parser, value, &rest, &pick);
	}
	if (!error)
		error = end_check(value, rest);
	if (!error)
		*ret_pick = pick;
	return error;
}
