#include <ctype.h>
#include <math.h>
#include <string.h>
#include "plan/option.h"
#include "plan/step.h"

#define STAND_IN_IOPS 1000.0	/* for "60%@STEP" before anything is measured */

/* The step must be a load further up. */
static int rate_step_check(const struct value *value, const char *at, const char *name,
			   const struct load *load)
{
	int32_t step = step_find(value->plan, name);
	const char *nearest = step_nearest(value->plan, name);

	if (step >= 0 && (uint32_t)step < load->section && value->plan->steps[step].kind == STEP_LOAD)
		return 0;
	if (step >= 0)
		return value_fault(value, at, "step %s is no load that ran before", name);
	return value_fault(value, at, "no step is called \"%s\"%s%s%s", name,
			   nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

/* To five digits: what is asked for then reads as it is. */
static double rounded(double rate)
{
	double unit = pow(10, floor(log10(rate)) - 4);

	return unit < 1 ? round(rate * round(1 / unit)) / round(1 / unit) : round(rate / unit) * unit;
}

/* "60%@STEP": a share of what that step reached. */
static int rate_share(const struct value *value, struct span span, const char *at, struct load *load)
{
	struct span share = { span.at, (size_t)(at - span.at) };
	struct span name = { at + 1, span.bytes - share.bytes - 1 };
	char step[LOAD_NAME];
	double percent, reached = STAND_IN_IOPS;
	int error = 0;

	if (!share.bytes || share.at[share.bytes - 1] != '%')
		return value_fault(value, span.at,
				   "a share of a step's rate is PERCENT%%@STEP, for instance 60%%@peak");
	share.bytes--;
	error = value_double(value, share, 0, 1000, &percent);
	if (!error && percent <= 0)
		error = value_fault(value, share.at, "a rate must be above 0");
	if (error)
		return error;
	if (!span_copy(span_trim(name), step, sizeof(step)))
		return value_fault(value, at, "this is too long for a step's name");
	error = rate_step_check(value, at + 1, step, load);
	if (error)
		return error;
	if (value->lookup)
		error = value->lookup->reached(value->lookup->context, step, &reached);
	if (error || !(reached > 0))
		return value_fault(value, at, "step %s has no measured rate to take a share of", step);
	load->arrival_rate = rounded(reached * percent / 100);
	return 0;
}

static int arrival_rate(const struct value *value, struct span span, struct load *load)
{
	struct span rate = span_trim(span);
	const char *at = span_find(rate, '@');

	return at ? rate_share(value, rate, at, load) : value_rate(value, rate, &load->arrival_rate);
}

int parse_arrival(const struct value *value, struct plan_instance *instance, struct load *load)
{
	static const char *const names[] = { "closed", "constant", "poisson", NULL };
	struct span rest = value_span(value), name;
	uint32_t index;
	int error;

	if (rest.bytes && isdigit((unsigned char)rest.at[0])) {	/* a rate alone */
		load->arrival = ARRIVAL_POISSON;
		return arrival_rate(value, rest, load);
	}
	span_next(&rest, ':', &name);
	error = value_word(value, name, names, &index);
	if (error)
		return error;
	load->arrival = (enum load_arrival)index;
	load->arrival_rate = 0;
	if (index == ARRIVAL_CLOSED)
		return rest.at ? value_fault(value, rest.at, "closed takes no rate") : 0;
	if (!rest.at)
		return value_fault(value, name.at, "%s needs a rate in I/O per second: %s:5000", names[index],
				   names[index]);
	return arrival_rate(value, rest, load);
}

typedef int rate_parse(const struct value *value, struct span span, uint64_t *ret_rate);

static int rate_of_bytes(const struct value *value, struct span span, uint64_t *ret_rate)
{
	int error = value_size(value, span, ret_rate);

	return !error && !*ret_rate ? value_fault(value, span.at, "a rate must be above 0") : error;
}

static int rate_of_ios(const struct value *value, struct span span, uint64_t *ret_rate)
{
	double rate;
	int error = value_rate(value, span, &rate);

	if (!error && rate < 1)
		error = value_fault(value, span.at, "a rate below 1 I/O per second is not supported here");
	if (!error)
		*ret_rate = (uint64_t)rate;
	return error;
}

/* One for all, or read, write, trim; an empty place has no limit. */
static int parse_rates(const struct value *value, uint64_t rates[3], rate_parse *parse)
{
	struct span rest = value_span(value), part;
	bool some = false;
	int error;

	for (int direction = 0; direction < 3; direction++) {
		rates[direction] = direction ? rates[direction - 1] : 0;
		if (!span_next(&rest, ',', &part))
			continue;
		rates[direction] = 0;
		if (!part.bytes)
			continue;
		error = parse(value, part, &rates[direction]);
		if (error)
			return error;
		some = true;
	}
	if (rest.at)
		return value_fault(value, rest.at, "at most three values: read, write, trim");
	return some ? 0 : value_fault(value, value->text, "a rate is missing");
}

int parse_rate(const struct value *value, struct plan_instance *instance, struct load *load)
{
	return parse_rates(value, load->rate_bytes, rate_of_bytes);
}

int parse_rate_iops(const struct value *value, struct plan_instance *instance, struct load *load)
{
	return parse_rates(value, load->rate_ios, rate_of_ios);
}

int parse_rate_process(const struct value *value, struct plan_instance *instance, struct load *load)
{
	static const char *const names[] = { "linear", "poisson", NULL };
	uint32_t index;
	int error = value_word(value, value_span(value), names, &index);

	if (!error && load->arrival_rate > 0)
		return value_fault(value, value->text, "it contradicts arrival=");
	if (!error)
		load->arrival = index ? ARRIVAL_POISSON : ARRIVAL_CONSTANT;
	return error;
}

/* In .plan files a run time of 0 makes sense for idle steps only; in .fio files it means "no limit". */
int parse_runtime(const struct value *value, struct plan_instance *instance, struct load *load)
{
	uint64_t ns;
	int error = value_time(value, value_span(value), 1000000000, &ns);

	if (error)
		return error;
	if (!ns && load && value->dialect == PLAN_NATIVE)
		return value_fault(value, value->text, "a load that runs for 0 seconds measures nothing");
	instance->runtime_ns = value_scale_ns(value, ns);
	if (load) {
		load->runtime_ns = instance->runtime_ns;
		load->time_based |= value->dialect == PLAN_NATIVE;
	}
	return 0;
}
