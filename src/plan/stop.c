#include "plan/stop.h"

#include <string.h>

typedef int stop_part(const struct value *value, struct span span, struct stop_rule *rule);

static int stop_time(const struct value *value, struct span span, struct stop_rule *rule)
{
	int error = value_time(value, span, 1000000000, &rule->time_ns);

	if (!error && !rule->time_ns)
		error = value_fault(value, span.at, "a limit of 0 seconds measures nothing");
	if (!error)
		rule->time_ns = value_scale_ns(value, rule->time_ns);
	return error;
}

/* "2x" times the capacity, "1r" times the addressed range, or bytes. A scaled plan addresses a scaled range,
 * so that "r" stays as it is. */
static int stop_written(const struct value *value, struct span span, struct stop_rule *rule)
{
	char last = span.bytes ? span.at[span.bytes - 1] : 0;
	struct span number = { span.at, span.bytes - 1 };
	int error;

	if (last == 'x' || last == 'r') {
		error = value_double(value, number, 0, 1e6, last == 'x' ? &rule->capacities : &rule->ranges);
		if (!error && !(rule->capacities + rule->ranges > 0))
			error = value_fault(value, span.at, "0 is not accepted: nothing would be written");
		rule->capacities *= value->plan->scale;
		return error;
	}
	error = value_size(value, span, &rule->bytes);
	if (!error && !rule->bytes)
		error = value_fault(value, span.at, "0 is not accepted: nothing would be written");
	if (!error)
		rule->bytes = value_scale_bytes(value, rule->bytes);
	return error;
}

static int stop_drop(const struct value *value, struct span span, struct stop_rule *rule)
{
	int error = value_share(value, span, &rule->share);

	if (!error && !(rule->share > 0 && rule->share < 1))
		error = value_fault(value, span.at, "the drop must be above 0%% and below 100%%");
	return error;
}

/* "1m/31m": a one-minute round every 31 minutes. */
static int stop_snia(const struct value *value, struct span span, struct stop_rule *rule)
{
	struct span rest = span, round, every;
	int error;

	span_next(&rest, '/', &round);
	if (!span_next(&rest, '/', &every) || rest.at)
		return value_fault(value, span.at, "snia takes ROUND/EVERY: snia:1m/31m");
	error = value_time(value, round, 1000000000, &rule->round_ns);
	if (!error)
		error = value_time(value, every, 1000000000, &rule->every_ns);
	if (!error && (!rule->round_ns || rule->every_ns < rule->round_ns))
		error = value_fault(value, span.at,
				    "the round must be longer than 0 and not longer than its period");
	if (error)
		return error;
	rule->round_ns = value_scale_ns(value, rule->round_ns);
	rule->every_ns = value_scale_ns(value, rule->every_ns);
	return 0;
}

static const struct {
	const char *name;
	enum stop_kind kind;
	stop_part *parse;
	bool needs_part;
} stop_kinds[] = {
	{ "steady", STOP_STEADY, NULL, false }, { "snia", STOP_SNIA, stop_snia, false },
	{ "written", STOP_WRITTEN, stop_written, true }, { "time", STOP_TIME, stop_time, true },
	{ "drop", STOP_DROP, stop_drop, true }, { "cool", STOP_COOL, NULL, false },
};

static int stop_rounds(const struct value *value, struct span span, struct stop_rule *rule)
{
	uint64_t rounds;
	int error = value_u64(value, span, 1, 100000, &rounds);

	if (!error)
		*rule = (struct stop_rule){ .kind = STOP_ROUNDS, .rounds = (uint32_t)rounds };
	return error;
}

static int stop_rule(const struct value *value, struct span span, struct stop_rule *rule)
{
	static const char *const names[] = { "steady", "snia", "written", "time", "drop", "cool", NULL };
	struct span rest = span, name;
	uint32_t index;
	int error;

	span_next(&rest, ':', &name);
	error = value_word(value, name, names, &index);
	if (error)
		return error;
	*rule = (struct stop_rule){ .kind = stop_kinds[index].kind };
	if (rest.at && !stop_kinds[index].parse)
		return value_fault(value, rest.at, "%s takes no parameter", names[index]);
	if (!rest.at)
		return stop_kinds[index].needs_part
			       ? value_fault(value, span.at, "%s needs a value behind a colon", names[index])
			       : 0;
	return stop_kinds[index].parse(value, rest, rule);
}

int stop_parse(const struct value *value, bool rounds, struct stop_rule rules[LOAD_STOPS],
	       uint32_t *ret_count)
{
	struct span rest = value_span(value), part;
	uint32_t count = 0;
	int error;

	while (span_next(&rest, ' ', &part)) {
		bool number = part.at[strspn(part.at, "0123456789")] == '\0' ||
			      part.at[strspn(part.at, "0123456789")] == ' ';

		if (count == LOAD_STOPS)
			return value_fault(value, part.at, "more than %d conditions", LOAD_STOPS);
		error = rounds && number ? stop_rounds(value, part, &rules[count])
					 : stop_rule(value, part, &rules[count]);
		if (error)
			return error;
		count++;
	}
	if (!count)
		return value_fault(value, value->text,
				   "a condition is missing: snia, written:2x, time:1h, drop:30%% ...");
	*ret_count = count;
	return 0;
}
