#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/units.h"
#include "plan/parser.h"
#include "plan/private.h"

#define INTERVAL_NS 1000000000ull
#define INTERVAL_MIN_NS 10000000ull
#define GIVE_UP_NS 600000000000ull	/* the kernel needs at most two minutes to find out, and drivers a few more */

int build_fault(struct build *build, struct mark mark, const char *format, ...)
{
	struct fault *fault = build->fault;
	va_list args;

	if (!fault)
		return -EINVAL;
	fault->line = mark.line;
	fault->column = mark.line ? mark.column : 0;
	snprintf(fault->source, sizeof(fault->source), "%s", mark.source ? mark.source : "");
	va_start(args, format);
	vsnprintf(fault->text, sizeof(fault->text), format, args);
	va_end(args);
	return -EINVAL;
}

const struct candidate *build_candidate(const struct build *build, const char *name)
{
	const struct option *option = option_named(name);
	const struct candidate *candidate = &build->candidates[option_slot_index(option)];

	return candidate->entry && candidate->option == option ? candidate : NULL;
}

struct mark candidate_mark(const struct candidate *candidate)
{
	return (struct mark){ candidate->entry->mark.source, candidate->entry->mark.line,
			      candidate->text_column };
}

/* Does the step take this option from that level? */
static bool step_takes(const struct plan *plan, const struct plan_step *step, const struct option *option,
		       uint32_t level)
{
	bool own_work = step->kind == STEP_FILL || step->kind == STEP_IDLE;

	if (!option->parse || !(option->where & (plan->dialect == PLAN_FIO ? WHERE_FIO : 1u << step->kind)))
		return false;
	return !(level == 0 && own_work && option->flags & OPTION_WORK);
}

static void put(struct build *build, const struct plan_step *step, const struct candidate *candidate)
{
	if (step_takes(build->plan, step, candidate->option, candidate->level))
		build->candidates[option_slot_index(candidate->option)] = *candidate;
}

/* The sweeps of `from` (the step itself or a group around it) at one of its points. */
static void put_sweeps(struct build *build, const struct plan_step *step, const struct plan_step *from,
		       uint32_t point)
{
	const struct step_private *private = &build->plan->private->steps[from->index];

	for (uint32_t line = 0; line < from->vary_count; line++) {
		const struct vary_line *vary = &private->varies[line];
		uint32_t row = vary_row(from, point, line);

		for (uint32_t key = 0; key < vary->vary->key_count; key++) {
			const struct option *option = vary->options[key];

			if (!option || (from != step && option->flags & OPTION_OWN))
				continue;
			put(build, step,
			    &(struct candidate){ vary->entry, option, vary->vary->rows[row][key],
						 from->depth + 1, vary->columns[row], false, true });
		}
	}
}

static void put_level(struct build *build, const struct plan_step *step, uint32_t level)
{
	const struct step_private *private = &build->plan->private->steps[step->index];

	for (uint32_t i = 0; i < private->setting_count; i++) {
		struct entry *entry = private->settings[i].entry;

		if (private->settings[i].level == level)
			put(build, step,
			    &(struct candidate){ entry, entry->option, entry->text, level, entry->text_column,
						 entry->exact, false });
	}
}

/* Who sets what: from [global] over the groups, outermost first, to the step itself. */
static void collect(struct build *build, const struct plan_step *step)
{
	const struct plan *plan = build->plan;
	const struct plan_step *around[PLAN_DEPTH_MAX + 1] = { NULL };

	memset(build->candidates, 0, sizeof(build->candidates));
	for (int32_t group = step->group; group >= 0; group = plan->steps[group].group)
		around[plan->steps[group].depth] = &plan->steps[group];
	for (uint32_t level = 0; level <= step->depth + 1; level++) {
		put_level(build, step, level);
		if (level && level <= step->depth)
			put_sweeps(build, step, around[level - 1], build->place->group_point[level - 1]);
	}
	if (step->joined_to < 0)
		put_sweeps(build, step, step, build->place->point);
}

static int apply(struct build *build, const struct plan_step *step, const struct candidate *candidate,
		 struct plan_instance *instance, struct load *load)
{
	struct value value = {
		.plan = build->plan, .lookup = build->lookup, .entry = candidate->entry,
		.key = candidate->swept ? candidate->option->name : candidate->entry->key,
		.option = candidate->option, .has_text = candidate->text, .exact = candidate->exact,
		.text_column = candidate->text_column, .dialect = build->plan->dialect,
		.cpu_count = build->plan->private->cpu_count, .fault = build->fault,
	};
	char buffer[REFERENCE_TEXT];
	int error;

	if (build->parser)
		candidate->entry->won = true;
	error = reference_replace(build, candidate, step, candidate->text ? candidate->text : "", buffer,
				  &value.text);
	if (error)
		return error;
	value.exact &= value.text == candidate->text;
	return candidate->option->parse(&value, instance, load);
}

static int apply_all(struct build *build, const struct plan_step *step, struct plan_instance *instance,
		     struct load *load)
{
	for (uint32_t i = 0; i < option_count; i++) {
		const struct candidate *candidate = &build->candidates[option_slot_index(&option_table[i])];
		int error;

		if (!candidate->entry || candidate->option != &option_table[i])
			continue;
		error = apply(build, step, candidate, instance, load);
		if (error)
			return error;
	}
	return 0;
}

/* Which lines made a difference at this point. A swept key always counts. */
static void mark_effects(struct build *build, const struct load *load)
{
	for (uint32_t i = 0; build->parser && i < OPTION_MAX; i++) {
		const struct candidate *candidate = &build->candidates[i];

		if (!candidate->entry)
			continue;
		if (candidate->swept || !load || !candidate->option->effect ||
		    candidate->option->effect(load))
			candidate->entry->effective = true;
	}
}

static bool kind_has_load(enum step_kind kind)
{
	return (WHERE_RANGES >> kind) & 1;
}

static int build_step(struct build *build, const struct plan_step *step, struct plan_instance *instance)
{
	struct load *load = NULL;
	int error;

	if (kind_has_load(step->kind)) {
		load = &instance->loads[instance->load_count++];
		load_init(load, build->plan, step);
	}
	collect(build, step);
	error = apply_all(build, step, instance, load);
	if (!error)
		error = load_finish(build, step, instance, load);
	if (!error)
		mark_effects(build, load);
	return error;
}

static void value_add(struct plan_instance *instance, const char *key, const char *text, const double *number)
{
	struct plan_value *value = &instance->values[instance->value_count];

	for (uint32_t i = 0; i < instance->value_count; i++)
		if (!strcmp(instance->values[i].key, key))
			return;
	if (instance->value_count == PLAN_VALUES_MAX)
		return;
	*value = (struct plan_value){ .numeric = number, .number = number ? *number : 0 };
	snprintf(value->key, sizeof(value->key), "%s", key);
	snprintf(value->text, sizeof(value->text), "%s", text);
	instance->value_count++;
}

static void value_add_number(struct plan_instance *instance, const char *key, double number)
{
	char text[32];

	snprintf(text, sizeof(text), "%.17g", number);
	value_add(instance, key, text, &number);
}

/* A text as a number, as far as the option's kind says how to read it. */
static bool value_number(const struct option *option, const char *text, double *ret_number)
{
	uint64_t bytes;

	if (!double_parse(text, ret_number))
		return true;
	if (!option || !(option->flags & OPTION_SIZE) || size_parse(text, &bytes))
		return false;
	*ret_number = (double)bytes;
	return true;
}

static const char *rw_name(enum load_rw rw)
{
	static const char *const names[] = {
		"read", "write", "rw", "randread", "randwrite", "randrw", "trim", "randtrim"
	};

	return names[rw];
}

/* With the number behind it: that is another pattern, also for what is concluded from it. */
static void value_of_rw(struct plan_instance *instance, const struct load *load)
{
	char text[48];

	if (load->rw_skip)
		snprintf(text, sizeof(text), "%s:%lld", rw_name(load->rw), (long long)load->rw_skip);
	else if (load->rw_each > 1)
		snprintf(text, sizeof(text), "%s:%u", rw_name(load->rw), load->rw_each);
	else
		snprintf(text, sizeof(text), "%s", rw_name(load->rw));
	value_add(instance, "rw", text, NULL);
}

static void values_of_load(struct plan_instance *instance, const struct build *build, const struct load *load)
{
	const struct candidate *sizes = build_candidate(build, "bssplit");
	const struct load_sizes *size =
		&load->sizes[load->rw == LOAD_READ || load->rw == LOAD_RANDREAD   ? 0
			     : load->rw == LOAD_TRIM || load->rw == LOAD_RANDTRIM ? 2
										  : 1];

	value_of_rw(instance, load);
	if (!sizes)
		sizes = build_candidate(build, "bs");
	if (size->count == 1 && size->part[0].bytes_min == size->part[0].bytes_max)
		value_add_number(instance, "bs", size->part[0].bytes_min);
	else
		value_add(instance, "bs", sizes && sizes->text ? sizes->text : "", NULL);
	value_add_number(instance, "iodepth", load->iodepth);
	value_add_number(instance, "numjobs", load->numjobs);
	if (load->rw == LOAD_RW || load->rw == LOAD_RANDRW)
		value_add_number(instance, "rwmixread", load->read_share * 100);
	if (load->arrival != ARRIVAL_CLOSED)
		value_add_number(instance, "arrival_rate", load->arrival_rate);
}

/* The swept keys of the step and of the groups around it. */
static void values_of_sweeps(struct plan_instance *instance, const struct build *build,
			     const struct plan_step *step, uint32_t point)
{
	const struct step_private *private = &build->plan->private->steps[step->index];

	for (uint32_t line = 0; line < step->vary_count; line++)
		for (uint32_t key = 0; key < step->vary[line].key_count; key++) {
			const struct option *option = private->varies[line].options[key];
			const char *text = step->vary[line].rows[vary_row(step, point, line)][key];
			double number;

			value_add(instance, option ? option->name : step->vary[line].keys[key], text,
				  value_number(option, text, &number) ? &number : NULL);
		}
	if (step->group >= 0)
		values_of_sweeps(instance, build, &build->plan->steps[step->group],
				 build->place->group_point[step->depth - 1]);
}

static void instance_init(struct plan_instance *instance, const struct plan *plan,
			  const struct plan_step *step)
{
	double interval = (double)INTERVAL_NS * (plan->scale < 1 ? plan->scale : 1);

	instance->step = step->index;
	instance->load_count = 0;
	instance->runtime_ns = 0;
	instance->interval_ns = interval < (double)INTERVAL_MIN_NS ? INTERVAL_MIN_NS : (uint64_t)interval;
	instance->give_up_ns = GIVE_UP_NS;
	instance->duty_on_ns = instance->duty_off_ns = 0;
	instance->duty_count = 0;
	instance->value_count = 0;
	instance->until_count = instance->max_count = 0;
	memset(instance->fs, 0, sizeof(instance->fs));
	instance->purge = step->purge;
	instance->write_cache = WRITE_CACHE_KEEP;
}

/* The loads that run together with the step; what they say about the step as a whole is the leading one's. */
static int build_joined(struct build *build, const struct plan_step *step, struct plan_instance *instance)
{
	const struct step_private *private = &build->plan->private->steps[step->index];
	uint64_t runtime_ns = instance->runtime_ns, interval_ns = instance->interval_ns;
	uint64_t give_up_ns = instance->give_up_ns;
	enum write_cache write_cache = instance->write_cache;
	int error = 0;

	for (uint32_t i = 0; i < private->joined_count && !error; i++)
		error = build_step(build, &build->plan->steps[private->joined[i]], instance);
	instance->runtime_ns = runtime_ns;
	instance->interval_ns = interval_ns;
	instance->give_up_ns = give_up_ns;
	instance->write_cache = write_cache;
	return error;
}

int instance_build(const struct plan *plan, const struct plan_place *place, const struct plan_lookup *lookup,
		   struct parser *parser, struct plan_instance *instance, struct fault *fault)
{
	struct build build = {
		.plan = plan, .place = place, .lookup = lookup, .fault = fault, .parser = parser
	};
	const struct plan_step *step = &plan->steps[place->step];
	int error;

	instance_init(instance, plan, step);
	error = build_step(&build, step, instance);
	if (error)
		return error;
	if (step->kind == STEP_LOAD || step->kind == STEP_FILL)
		values_of_load(instance, &build, &instance->loads[0]);
	values_of_sweeps(instance, &build, step, place->point);
	return build_joined(&build, step, instance);
}

static bool place_is_valid(const struct plan *plan, const struct plan_place *place)
{
	const struct plan_step *step;

	if (place->step >= plan->step_count)
		return false;
	step = &plan->steps[place->step];
	if (place->point >= step->point_count || step->joined_to >= 0)
		return false;
	while (step->group >= 0) {
		uint32_t level = step->depth - 1;

		step = &plan->steps[step->group];
		if (place->group_point[level] >= step->point_count)
			return false;
	}
	return true;
}

int plan_instantiate(const struct plan *plan, const struct plan_place *place,
		     const struct plan_lookup *lookup, struct plan_instance *ret_instance,
		     struct fault *fault)
{
	if (!place_is_valid(plan, place))
		return fault_set(fault, 0, 0, "there is no such point in the plan");
	return instance_build(plan, place, lookup, NULL, ret_instance, fault);
}

/* One "key=value" of a point against the instance's values. */
static bool point_word_matches(const struct plan_instance *instance, struct span key, struct span text)
{
	char name[64], wanted[128];
	const struct option *option;
	double number;

	if (!span_copy(key, name, sizeof(name)) || !span_copy(text, wanted, sizeof(wanted)))
		return false;
	option = option_find(name);
	for (uint32_t i = 0; i < instance->value_count; i++) {
		const struct plan_value *value = &instance->values[i];

		if (strcmp(value->key, option ? option->name : name))
			continue;
		if (value->numeric && value_number(option, wanted, &number))
			return number == value->number;
		return !strcmp(value->text, wanted);
	}
	return false;
}

bool plan_point_matches(const struct plan_instance *instance, const char *point)
{
	struct span rest = { point, strlen(point) }, word, key;

	while (span_next(&rest, ' ', &word)) {
		if (!span_find(word, '='))
			return false;
		span_next(&word, '=', &key);
		if (!point_word_matches(instance, key, word))
			return false;
	}
	return true;
}
