#include "report/model.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "report/counted.h"
#include "store/json_reader.h"

bool report_unsized(enum io_op op, uint64_t ios, uint64_t bytes)
{
	return op <= IO_TRIM && ios && !bytes;
}

static void op_init(struct report_op *op, enum io_op kind, const struct op_tally *tally, uint64_t duration_ns)
{
	static const uint64_t no_slow[SLOW_BUCKETS];
	double seconds = (double)duration_ns / 1e9;

	op->iops = op->bytes_per_second = NAN;
	op->slow = no_slow;
	report_latency_init(&op->service, NULL, NULL);
	report_latency_init(&op->response, NULL, NULL);
	report_latency_init(&op->lateness, NULL, NULL);
	if (!tally)
		return;
	op->ios = tally->ios;
	op->bytes = tally->bytes;
	op->errors = tally->errors;
	op->uncounted = !op->ios && !op->errors && op->bytes;
	op->unsized = report_unsized(kind, op->ios, op->bytes);
	op->used = op->ios || op->errors || op->bytes;
	op->slow = tally->slow;
	if (duration_ns) {
		op->iops = op->uncounted ? NAN : (double)op->ios / seconds;
		op->bytes_per_second = op->unsized ? NAN : (double)op->bytes / seconds;
	}
	report_latency_init(&op->service, &tally->service, NULL);
	report_latency_init(&op->response, tally->response.moments.n ? &tally->response : NULL, NULL);
	report_latency_init(&op->lateness, tally->lateness.moments.n ? &tally->lateness : NULL, NULL);
}

static void load_sum(struct report_load *load)
{
	for (int op = 0; op < IO_OPS; op++) {
		load->ios += load->op[op].ios;
		load->bytes += load->op[op].bytes;
		load->errors += load->op[op].errors;
	}
}

static void load_init(struct report_load *load, const struct load_record *record,
		      const struct report_model *model)
{
	const struct tally *total = record->total;

	load->record = record;
	for (uint32_t i = 0; i < model->drive_count; i++)
		if (model->drives[i].target == record->target)
			load->drive = &model->drives[i];
	if (total) {
		load->duration_ns = tally_sent_ns(total);
		load->rest_ns = total->rest_ns;
	}
	load->depth_asked = record->open_loop ? NAN : (double)record->workers * record->depth_asked;
	load->depth_reached = total ? tally_depth(total) : NAN;
	for (int op = 0; op < IO_OPS; op++)
		op_init(&load->op[op], (enum io_op)op, total ? &total->op[op] : NULL, load->duration_ns);
	load_sum(load);
}

static struct report_part part_of(const struct report_step *step)
{
	const json_t *window = json_object_get(step->steady, "window");
	double from = json_real_in(window, "start_ns"), to = json_real_in(window, "end_ns");

	if (step->verdict && strncmp(step->verdict, "steady", 6) == 0 && from >= 0 && to > from)
		return (struct report_part){ (uint64_t)from, (uint64_t)to, true };
	return (struct report_part){ 0, UINT64_MAX, false };
}

/* A group's rounds are judged when the last one is over: by an event of the step whose figure is tracked. */
static const char *group_verdict(const struct report_model *model, uint64_t step)
{
	for (uint32_t i = model->event_count; i-- > 0;)
		if (model->events[i].step == step && !strcmp(word(model->events[i].kind), "steady"))
			return model->events[i].data_json;
	return NULL;
}

static int step_init(struct report_step *step, const struct step_record *record, struct report_model *model)
{
	step->record = record;
	step->point = step->label = "";
	step->steady_json = record->steady_json ? record->steady_json : group_verdict(model, record->id);
	step->steady = step->steady_json ? json_loads(step->steady_json, JSON_REJECT_DUPLICATES, NULL) : NULL;
	step->verdict = json_string_value(json_object_get(step->steady, "verdict"));
	step->part = part_of(step);
	return report_values_read(&step->values, &model->arena, record->values_json);
}

static int model_steps(struct report_model *model)
{
	const struct step_record *records;
	uint32_t count;
	int error = store_steps(model->store, &records, &count);

	if (error)
		return error;
	model->steps = arena_alloc(&model->arena, (size_t)count * sizeof(*model->steps) + 1);
	if (!model->steps)
		return -ENOMEM;
	for (model->step_count = 0; model->step_count < count && !error; model->step_count++)
		error = step_init(&model->steps[model->step_count], &records[model->step_count], model);
	return error;
}

static bool target_told(const struct report_model *model, uint32_t target)
{
	return model->target == REPORT_ALL_TARGETS || (uint32_t)model->target == target;
}

/* A step whose loads all go to drives that aren't told of is left out: its place is taken by the next one. */
static void drop_step(struct report_model *model, uint32_t *kept, uint32_t from, bool foreign)
{
	if (foreign) {
		json_decref(model->steps[from].steady);
		return;
	}
	model->steps[(*kept)++] = model->steps[from];
}

/* Both lists are in the order of the step's id. */
static int model_loads(struct report_model *model)
{
	const struct load_record *records;
	struct report_load *loads;
	uint32_t count, next = 0, used = 0, kept = 0;
	int error = store_loads(model->store, &records, &count);

	if (error)
		return error;
	loads = arena_alloc(&model->arena, (size_t)count * sizeof(*loads) + 1);
	if (!loads)
		return -ENOMEM;
	for (uint32_t i = 0; i < model->step_count; i++) {
		struct report_step *step = &model->steps[i];
		bool foreign = false;

		while (next < count && records[next].step < step->record->id)
			next++;
		step->loads = loads + used;
		for (; next < count && records[next].step == step->record->id; next++) {
			foreign = !target_told(model, records[next].target) && !step->load_count;
			if (!target_told(model, records[next].target))
				continue;
			load_init(&loads[used++], &records[next], model);
			step->load_count++;
		}
		drop_step(model, &kept, i, foreign && !step->load_count);
	}
	model->step_count = kept;
	return 0;
}

static struct report_family *family_of(struct report_model *model, const struct step_record *record)
{
	struct report_family *family;

	for (uint32_t i = 0; i < model->family_count; i++) {
		family = &model->families[i];
		if (family->plan_step == record->plan_step && strcmp(family->name, word(record->name)) == 0)
			return family;
	}
	family = &model->families[model->family_count++];
	family->name = word(record->name);
	family->plan = word(model->run->plan_name);
	family->plan_step = record->plan_step;
	family->grouped = record->group_name != NULL;
	return family;
}

static int model_families(struct report_model *model)
{
	size_t count = model->step_count;
	struct report_step **slots = arena_alloc(&model->arena, count * sizeof(*slots) + 1);

	model->families = arena_alloc(&model->arena, count * sizeof(*model->families) + 1);
	if (!slots || !model->families)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		model->steps[i].family = family_of(model, model->steps[i].record);
		model->steps[i].family->step_count++;
	}
	for (uint32_t i = 0; i < model->family_count; i++) {
		model->families[i].steps = slots;
		slots += model->families[i].step_count;
		model->families[i].step_count = 0;
	}
	for (size_t i = 0; i < count; i++) {
		struct report_family *family = model->steps[i].family;

		family->steps[family->step_count++] = &model->steps[i];
		if (model->steps[i].record->round + 1 > family->rounds)
			family->rounds = model->steps[i].record->round + 1;
		if (model->steps[i].record->repeat + 1 > family->repeats)
			family->repeats = model->steps[i].record->repeat + 1;
	}
	return 0;
}

static bool family_key_varies(const struct report_family *family, const char *key)
{
	const struct report_value *first = report_values_find(&family->steps[0]->values, key);

	for (uint32_t i = 1; i < family->step_count; i++)
		if (report_value_compare(first, report_values_find(&family->steps[i]->values, key)) != 0)
			return true;
	return false;
}

static int family_keys(struct report_family *family, struct arena *arena)
{
	const struct report_values *values = &family->steps[0]->values;

	family->keys = arena_alloc(arena, values->count * sizeof(*family->keys) + 1);
	if (!family->keys)
		return -ENOMEM;
	for (uint32_t i = 0; i < values->count; i++)
		if (family_key_varies(family, values->values[i].key))
			family->keys[family->key_count++] = values->values[i].key;
	return 0;
}

static int step_name(struct report_step *step, struct arena *arena)
{
	const struct report_family *family = step->family;
	struct text point = { 0 }, label = { 0 };
	int error;

	for (uint32_t i = 0; i < family->key_count; i++) {
		const struct report_value *value = report_values_find(&step->values, family->keys[i]);

		if (value)
			text_printf(&point, "%s%s=%s", point.bytes ? " " : "", value->key, value->text);
	}
	text_append(&label, word(step->record->name));
	if (point.bytes)
		text_printf(&label, " %s", text_data(&point));
	if (family->rounds > 1)
		text_printf(&label, " round %u", step->record->round + 1);
	if (family->repeats > 1)
		text_printf(&label, " #%u", step->record->repeat + 1);
	step->point = arena_strdup(arena, text_data(&point));
	step->label = arena_strdup(arena, text_data(&label));
	error = point.error || label.error || !step->point || !step->label ? -ENOMEM : 0;
	text_release(&point);
	text_release(&label);
	return error;
}

static int model_names(struct report_model *model)
{
	int error = model_families(model);

	for (uint32_t i = 0; i < model->family_count && !error; i++)
		error = family_keys(&model->families[i], &model->arena);
	for (uint32_t i = 0; i < model->step_count && !error; i++)
		error = step_name(&model->steps[i], &model->arena);
	return error;
}

static int model_drives(struct report_model *model)
{
	const struct drive_record *drives;
	uint32_t count;
	int error = store_drives(model->store, &drives, &count);

	if (error)
		return error;
	model->drives = drives;
	model->drive_count = model->target == REPORT_ALL_TARGETS ? count : 0;
	for (uint32_t i = 0; i < count && model->target != REPORT_ALL_TARGETS; i++)
		if (target_told(model, drives[i].target)) {
			model->drives = &drives[i];
			model->drive_count = 1;
		}
	return 0;
}

static int model_build(struct report_model *model)
{
	struct store *store = model->store;
	int error = store_run(store, &model->run);

	if (!error)
		error = model_drives(model);
	if (!error)
		error = store_findings(store, &model->findings, &model->finding_count);
	if (!error)
		error = store_checks(store, &model->checks, &model->check_count);
	if (!error)
		error = store_events(store, &model->events, &model->event_count);
	if (!error)
		error = model_steps(model);
	if (!error)
		error = model_loads(model);
	if (!error)
		error = store_measured(store, &model->measured);
	if (!error)
		error = report_states(model);
	for (uint32_t i = 0; i < model->step_count && !error; i++)
		error = counted_fill(model, &model->steps[i]);
	if (!error)
		error = model_names(model);
	if (!error && model->run->host_json)
		model->host = json_loads(model->run->host_json, JSON_REJECT_DUPLICATES, NULL);
	return error;
}

int report_model_new(struct store *store, int32_t target, struct report_model **ret_model,
		     struct fault *fault)
{
	struct report_model *model = calloc(1, sizeof(*model));
	int error;

	if (!model)
		return fault_system(fault, -ENOMEM, "not enough memory to read the run");
	model->store = store;
	model->target = target;
	error = model_build(model);
	if (error) {
		report_model_free(model);
		return store_fault(store, error, fault);
	}
	*ret_model = model;
	return 0;
}

struct report_model *report_model_free(struct report_model *model)
{
	if (!model)
		return NULL;
	for (uint32_t i = 0; i < model->step_count; i++)
		json_decref(model->steps[i].steady);
	json_decref(model->host);
	arena_release(&model->arena);
	free(model);
	return NULL;
}

const struct report_step *report_step_of(const struct report_model *model, uint64_t id)
{
	for (uint32_t i = 0; i < model->step_count; i++)
		if (model->steps[i].record->id == id)
			return &model->steps[i];
	return NULL;
}

bool report_finds(const struct report_model *model, const char *kind)
{
	for (uint32_t i = 0; i < model->finding_count; i++)
		if (strcmp(word(model->findings[i].kind), kind) == 0)
			return true;
	return false;
}

bool report_bursts(const struct report_model *model)
{
	return strcmp(word(model->run->plan_report), "quick") == 0 ||
	       strcmp(word(model->run->plan_name), "quick") == 0;
}

bool report_step_has_load(const struct report_step *step, uint32_t load)
{
	for (uint32_t i = 0; i < step->load_count; i++)
		if (step->loads[i].record->load == load)
			return true;
	return false;
}

const struct report_latency *report_natural(const struct report_load *load, enum io_op op)
{
	return load->op[op].response.n ? &load->op[op].response : &load->op[op].service;
}

const char *report_time_text(uint64_t wall_ns, char buffer[32])
{
	time_t seconds = (time_t)(wall_ns / 1000000000u);
	struct tm tm;

	buffer[0] = '\0';
	if (wall_ns && gmtime_r(&seconds, &tm))
		strftime(buffer, 32, "%Y-%m-%dT%H:%M:%SZ", &tm);
	return buffer;
}

static bool engine_seen(const struct load_record *records, uint32_t index)
{
	for (uint32_t i = 0; i < index; i++)
		if (records[i].engine && strcmp(records[i].engine, records[index].engine) == 0)
			return true;
	return false;
}

const char *report_engines(struct report_model *model)
{
	const struct load_record *records;
	struct text text = { 0 };
	const char *engines;
	uint32_t count;

	if (store_loads(model->store, &records, &count))
		return "";
	for (uint32_t i = 0; i < count; i++)
		if (records[i].engine && !engine_seen(records, i))
			text_printf(&text, "%s%s", text.bytes ? ", " : "", records[i].engine);
	engines = arena_strdup(&model->arena, text_data(&text));
	text_release(&text);
	return engines ? engines : "";
}
