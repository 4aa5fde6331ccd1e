/* One point of the tree: instantiated, recorded, carried out by its kind. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "run/conductor.h"
#include "run/resume.h"
#include "run/search.h"

#include <jansson.h>

static int lookup_pick(void *context, const char *name, const char *key, char *value, size_t value_bytes)
{
	struct conductor *conductor = context;
	const struct plan *plan = conductor->config->plan;

	for (uint32_t i = 0; i < plan->step_count; i++)
		for (uint32_t k = 0; k < plan->steps[i].pick_count; k++) {
			const struct plan_pick *pick = &plan->steps[i].pick[k];
			const struct figure *figure;

			if (strcmp(pick->name, name))
				continue;
			figure = figures_pick(&conductor->figures, plan, pick, conductor->target);
			for (uint32_t v = 0; figure && v < figure->value_count; v++)
				if (!strcmp(figure->values[v].key, key)) {
					snprintf(value, value_bytes, "%s", figure->values[v].text);
					return 0;
				}
		}
	return -ENOENT;
}

static int lookup_reached(void *context, const char *step, double *ret_ios_per_second)
{
	struct conductor *conductor = context;

	return figures_reached(&conductor->figures, conductor->config->plan, step, conductor->target,
			       ret_ios_per_second);
}

char *point_values_json(const struct plan_instance *instance)
{
	json_t *object = json_object();
	char *text;

	for (uint32_t i = 0; i < instance->value_count; i++) {
		const struct plan_value *value = &instance->values[i];
		json_t *item;

		if (value->numeric && value->number == (double)(json_int_t)value->number)
			item = json_integer((json_int_t)value->number);
		else if (value->numeric)
			item = json_real(value->number);
		else
			item = json_string(value->text);
		json_object_set_new(object, value->key, item);
	}
	text = json_dumps(object, JSON_COMPACT);
	json_decref(object);
	return text;
}

/* A point whose I/Os would be smaller than the drive's logical block cannot be measured here: declared, not run. */
static bool below_block(struct conductor *conductor, const struct plan_instance *instance)
{
	uint32_t block = run_target_block_bytes(conductor_target(conductor));

	for (uint32_t i = 0; i < instance->load_count; i++)
		for (int op = 0; op < 3; op++)
			for (uint32_t k = 0; k < instance->loads[i].sizes[op].count; k++)
				if (instance->loads[i].sizes[op].part[k].bytes_max < block)
					return true;
	return false;
}

static int carry_out(struct conductor *conductor, struct point *point, struct step_record *record)
{
	int error;

	switch (point->step->kind) {
	case STEP_LOAD:
	case STEP_FILL:
		error = write_cache_apply(conductor, point->instance->write_cache);
		if (!error)
			error = prepare_run(conductor, point);
		if (error || conductor->ended)
			return error;
		if (point->step->searches)
			return search_run(conductor, point, record);
		record->id = conductor->next_id++;
		return loads_run(conductor, point->step, point->instance, record);
	case STEP_PURGE:
		conductor->settled.valid = false;
		record->id = conductor->next_id++;
		return purge_run(conductor, point, record);
	case STEP_IDLE:
		conductor->settled.valid = false;	/* it tidies up */
		record->id = conductor->next_id++;
		return idle_run(conductor, point, record);
	case STEP_NOTE:
		record->id = conductor->next_id++;
		return idle_run(conductor, point, record);
	default:
		conductor_end(conductor, RUN_FAILED, "step '%s': kind=%s cannot be carried out yet", point->step->name,
			      step_kind_name(point->step->kind));
		return 0;
	}
}

static struct step_record record_of(const struct conductor *conductor, const struct point *point)
{
	const struct plan *plan = conductor->config->plan;
	const struct plan_step *step = point->step;

	return (struct step_record){
		.name = step->name,
		.group_name = step->group >= 0 ? plan->steps[step->group].name : NULL,
		.kind = step_kind_name(step->kind),
		.title = step->title,
		.note = step->text,
		.plan_step = step->index,
		.round = conductor->round,
		.point = conductor->group_point * step->point_count + point->place.point,
		.repeat = point->repeat,
		.path = point->path,
		.interval_ns = point->instance->interval_ns,
		.status = RUN_RUNNING,
	};
}

/* Fills point->instance. 0, also when the run ends because it cannot; -ENOMEM. */
static int instantiate(struct conductor *conductor, struct point *point)
{
	const struct plan_lookup lookup = { conductor, lookup_pick, lookup_reached };
	struct fault fault = { 0 };
	int error = plan_instantiate(conductor->config->plan, &point->place, &lookup, point->instance, &fault);

	if (error == -ENOMEM)
		return error;
	if (error)
		conductor_end(conductor, RUN_FAILED, "step '%s': %.400s", point->step->name, fault.text);
	return 0;
}

int point_run(struct conductor *conductor, struct point *point)
{
	struct step_record record;
	char text[700];
	char *values;
	int error = instantiate(conductor, point);

	if (error || conductor->ended)
		return error;
	conductor->context.number = ++conductor->number;
	if (below_block(conductor, point->instance)) {
		snprintf(text, sizeof(text), "%s: point %u skipped, its I/Os are smaller than the drive's logical block",
			 point->step->name, point->place.point);
		return conductor_event(conductor, 0, "skipped", text, NULL);
	}
	record = record_of(conductor, point);
	error = resume_point(conductor, point, &record);
	if (error || conductor->ended)
		return error < 0 ? error : 0;
	values = point_values_json(point->instance);
	if (!values)
		return -ENOMEM;
	record.values_json = values;
	error = carry_out(conductor, point, &record);
	free(values);
	return error;
}

int point_again(struct conductor *conductor, const struct point *done)
{
	struct point point = *done;
	struct step_record record;
	char title[300];
	int error;

	point.instance = malloc(sizeof(*point.instance));
	if (!point.instance)
		return -ENOMEM;
	error = instantiate(conductor, &point);
	if (!error && !conductor->ended) {
		record = record_of(conductor, &point);
		record.name = "prepare";
		record.title = title;
		record.values_json = "{}";
		snprintf(title, sizeof(title), "Step '%.200s' once more, after the interruption", point.step->name);
		snprintf(point.path, sizeof(point.path), "%.480s/again%llu", done->path,
			 (unsigned long long)conductor->next_id);
		error = carry_out(conductor, &point, &record);
	}
	free(point.instance);
	return error;
}
