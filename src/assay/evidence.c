#include "assay/evidence.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/units.h"

static json_t *read_object(const char *text)
{
	return text ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;
}

static int tables_open(struct evidence *evidence)
{
	struct store *store = evidence->store;
	int error = store_run(store, &evidence->run);

	if (!error)
		error = store_drives(store, &evidence->drives, &evidence->drive_count);
	if (!error)
		error = store_steps(store, &evidence->steps, &evidence->step_count);
	if (!error)
		error = store_loads(store, &evidence->loads, &evidence->load_count);
	if (!error)
		error = store_events(store, &evidence->events, &evidence->event_count);
	return error;
}

static int reading_keep(void *context, const struct telemetry_record *row)
{
	static const char *const names[READING_KINDS] = {
		"temperature_c", "cpu_user", "cpu_system", "cpu_irq", "cpu_irq_busiest", "cpu_steal",
	};
	struct evidence *evidence = context;
	int kind = 0;

	while (kind < READING_KINDS && strcmp(names[kind], row->name))
		kind++;
	if (kind == READING_KINDS)
		return 0;
	if (evidence->reading_count == evidence->reading_capacity) {
		uint32_t capacity = evidence->reading_capacity ? 2 * evidence->reading_capacity : 1024;
		struct reading *grown = reallocarray(evidence->readings, capacity, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		evidence->readings = grown;
		evidence->reading_capacity = capacity;
	}
	evidence->readings[evidence->reading_count++] = (struct reading){
		.t_ns = row->t_ns,
		.kind = (enum reading_kind)kind,
		.target = row->target,
		.value = row->value,
	};
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct reading *x = a, *y = b;

	return x->t_ns < y->t_ns ? -1 : x->t_ns > y->t_ns;
}

static int readings_open(struct evidence *evidence)
{
	int error = store_each_telemetry(evidence->store, reading_keep, evidence);

	if (!error && evidence->reading_count)
		qsort(evidence->readings, evidence->reading_count, sizeof(*evidence->readings), by_time);
	return error;
}

int evidence_open(struct store *store, struct evidence *evidence)
{
	int error;

	*evidence = (struct evidence){ .store = store };
	error = tables_open(evidence);
	if (!error)
		error = readings_open(evidence);
	if (error)
		return error;
	evidence->values = calloc(evidence->step_count + 1, sizeof(*evidence->values));
	evidence->steady = calloc(evidence->step_count + 1, sizeof(*evidence->steady));
	if (!evidence->values || !evidence->steady)
		return -ENOMEM;
	for (uint32_t i = 0; i < evidence->step_count; i++) {
		evidence->values[i] = read_object(evidence->steps[i].values_json);
		evidence->steady[i] = read_object(evidence->steps[i].steady_json);
	}
	return 0;
}

void evidence_release(struct evidence *evidence)
{
	for (uint32_t i = 0; i < evidence->step_count; i++) {
		if (evidence->values)
			json_decref(evidence->values[i]);
		if (evidence->steady)
			json_decref(evidence->steady[i]);
	}
	free(evidence->readings);
	free(evidence->values);
	free(evidence->steady);
	*evidence = (struct evidence){ 0 };
}

bool evidence_virtual(const struct evidence *evidence)
{
	return evidence->run->clock && !strcmp(evidence->run->clock, "virtual");
}

static int step_order(const void *id, const void *step)
{
	const uint64_t wanted = *(const uint64_t *)id, other = ((const struct step_record *)step)->id;

	return wanted < other ? -1 : wanted > other;
}

static int load_order(const void *id, const void *load)
{
	const uint64_t wanted = *(const uint64_t *)id, other = ((const struct load_record *)load)->step;

	return wanted < other ? -1 : wanted > other;
}

/* Both tables are in the order of the steps' ids. */
const struct step_record *evidence_step(const struct evidence *evidence, uint64_t id)
{
	if (!evidence->step_count)
		return NULL;
	return bsearch(&id, evidence->steps, evidence->step_count, sizeof(*evidence->steps), step_order);
}

const struct load_record *evidence_loads(const struct evidence *evidence, const struct step_record *step,
					 uint32_t *ret_count)
{
	const struct load_record *end = evidence->loads + evidence->load_count, *first = NULL;
	const struct load_record *load = NULL;
	uint32_t count = 0;

	if (evidence->load_count)
		load = bsearch(&step->id, evidence->loads, evidence->load_count, sizeof(*evidence->loads), load_order);
	while (load && load > evidence->loads && load[-1].step == step->id)
		load--;
	for (; load && load < end && load->step == step->id; load++)
		if (load->total) {
			first = first ? first : load;
			count++;
		}
	*ret_count = count;
	return first;
}

uint32_t step_target(const struct evidence *evidence, const struct step_record *step)
{
	uint32_t loads;
	const struct load_record *load = evidence_loads(evidence, step, &loads);

	return loads == 1 ? load->target : UINT32_MAX;
}

bool step_siblings(const struct evidence *evidence, const struct step_record *a, const struct step_record *b)
{
	return !strcmp(a->name, b->name) && step_target(evidence, a) == step_target(evidence, b);
}

const struct drive_record *evidence_drive(const struct evidence *evidence, uint32_t target)
{
	for (uint32_t i = 0; i < evidence->drive_count; i++)
		if (evidence->drives[i].target == target)
			return &evidence->drives[i];
	return NULL;
}

bool step_measured(const struct evidence *evidence, const struct step_record *step)
{
	uint32_t count;

	return step->status == RUN_COMPLETE && evidence_loads(evidence, step, &count);
}

static const json_t *step_value(const struct evidence *evidence, const struct step_record *step,
				const char *key)
{
	return json_object_get(evidence->values[step - evidence->steps], key);
}

const char *step_word(const struct evidence *evidence, const struct step_record *step, const char *key)
{
	const char *word = json_string_value(step_value(evidence, step, key));

	return word ? word : "";
}

double step_number(const struct evidence *evidence, const struct step_record *step, const char *key)
{
	const json_t *value = step_value(evidence, step, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

bool step_same(const struct evidence *evidence, const struct step_record *a, const struct step_record *b,
	       const char *key)
{
	const json_t *left = step_value(evidence, a, key), *right = step_value(evidence, b, key);

	return left ? right && json_equal(left, right) : !right;
}

static bool varies(const struct evidence *evidence, const struct step_record *step, const char *key,
		   const json_t *value)
{
	for (uint32_t i = 0; i < evidence->step_count; i++)
		if (!strcmp(evidence->steps[i].name, step->name) &&
		    !json_equal(value, json_object_get(evidence->values[i], key)))
			return true;
	return false;
}

static void value_text(const char *key, const json_t *value, char *text, size_t bytes)
{
	char size[UNITS_TEXT];
	bool is_size = !strcmp(key, "bs") || !strcmp(key, "size");

	if (json_is_string(value))
		snprintf(text, bytes, "%s=%s", key, json_string_value(value));
	else if (is_size)
		snprintf(text, bytes, "%s=%s", key, size_format((uint64_t)json_number_value(value), size));
	else
		snprintf(text, bytes, "%s=%.10g", key, json_number_value(value));
}

const char *step_other_text(const struct evidence *evidence, const struct step_record *step, const char *than,
			    char *text, size_t bytes)
{
	json_t *values = evidence->values[step - evidence->steps], *value;
	const char *key;
	size_t used = 0;

	text[0] = '\0';
	json_object_foreach (values, key, value) {
		char one[96];

		if (!varies(evidence, step, key, value) || (than && (!strcmp(key, than) || !strcmp(key, "rw"))))
			continue;
		value_text(key, value, one, sizeof(one));
		used += (size_t)snprintf(text + used, bytes - used, "%s%s", used ? " " : "", one);
		if (used >= bytes)
			break;
	}
	return text;
}

const char *step_point_text(const struct evidence *evidence, const struct step_record *step, char *text,
			    size_t bytes)
{
	return step_other_text(evidence, step, NULL, text, bytes);
}

struct saying *step_title(const struct evidence *evidence, const struct step_record *step, struct saying *title)
{
	char point[120];

	step_point_text(evidence, step, point, sizeof(point));
	if (point[0])
		saying_add(title, "step '%s' (%s)", step->name, point);
	else
		saying_add(title, "step '%s'", step->name);
	return title;
}

const json_t *step_verdict(const struct evidence *evidence, const struct step_record *step)
{
	return evidence->steady[step - evidence->steps];
}

bool step_steady(const struct evidence *evidence, const struct step_record *step)
{
	const char *verdict = json_string_value(json_object_get(step_verdict(evidence, step), "verdict"));

	return verdict && !strncmp(verdict, "steady", 6);
}

void step_sum(const struct evidence *evidence, const struct step_record *step, struct step_sum *ret_sum)
{
	struct step_sum sum = { 0 };
	double ios = 0, bytes = 0;

	for (uint32_t i = 0; i < evidence->load_count; i++) {
		const struct tally *total = evidence->loads[i].total;

		if (evidence->loads[i].step != step->id || !total)
			continue;
		sum.seconds = fmax(sum.seconds, tally_seconds(total));
		sum.errors += tally_errors(total);
		for (int op = 0; op < IO_OPS; op++) {
			sum.ios[op] += total->op[op].ios;
			sum.bytes[op] += total->op[op].bytes;
			ios += (double)total->op[op].ios;
			bytes += (double)total->op[op].bytes;
		}
	}
	sum.iops = sum.seconds > 0 ? ios / sum.seconds : NAN;
	sum.bytes_per_second = sum.seconds > 0 ? bytes / sum.seconds : NAN;
	*ret_sum = sum;
}

uint32_t reading_after(const struct evidence *evidence, uint64_t t_ns)
{
	uint32_t from = 0, to = evidence->reading_count;

	while (from < to) {
		uint32_t middle = from + (to - from) / 2;

		if (evidence->readings[middle].t_ns < t_ns)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

void step_readings(const struct evidence *evidence, const struct step_record *step, enum reading_kind kind,
		   int32_t target, struct reading_sum *ret_sum)
{
	struct reading_sum sum = { .mean = NAN, .highest = NAN, .first = NAN, .last = NAN };
	uint64_t end_ns = step->started_ns + step->duration_ns;
	double total = 0;

	for (uint32_t i = reading_after(evidence, step->started_ns); i < evidence->reading_count; i++) {
		const struct reading *reading = &evidence->readings[i];

		if (reading->t_ns > end_ns)
			break;
		if (reading->kind != kind || reading->target != target)
			continue;
		if (!sum.count++)
			sum.first = reading->value;
		total += reading->value;
		sum.last = reading->value;
		sum.highest = fmax(sum.highest, reading->value);
	}
	if (sum.count)
		sum.mean = total / sum.count;
	*ret_sum = sum;
}

json_t *drive_facts_of(const struct drive_record *drive, bool after)
{
	json_t *facts = read_object(after ? drive->after_json : drive->before_json);
	json_t *below = json_object_get(facts, "file") ? json_object_get(facts, "drive") : NULL;

	if (!json_object_get(facts, "file"))
		return facts;
	below = json_is_object(below) ? json_incref(below) : NULL;
	json_decref(facts);
	return below;
}
