#include "assay/resume.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"

static void boot_id_read(char id[40])
{
	struct text text = { 0 };

	id[0] = '\0';
	if (!text_read_file(&text, "/proc/sys/kernel/random/boot_id", 64))
		snprintf(id, 40, "%.*s", 36, text_data(&text));
	text_release(&text);
}

char *options_stamp(const char *options_json, uint64_t at_ns)
{
	json_t *options = options_json ? json_loads(options_json, 0, NULL) : NULL;
	char boot[40], *text;

	if (!options)
		options = json_object();
	boot_id_read(boot);
	json_object_set_new(options, "boot_id", json_string(boot));
	json_object_set_new(options, "at_ns", json_integer((json_int_t)at_ns));
	json_object_set_new(options, "wall_ns", json_integer((json_int_t)clock_wall_ns()));
	text = json_dumps(options, JSON_COMPACT);
	json_decref(options);
	return text;
}

/* -- what is there -- */

static int tables_read(struct resume *resume)
{
	struct store *store = resume->store;
	int error = store_run(store, &resume->run);

	if (!error)
		error = store_drives(store, &resume->drives, &resume->drive_count);
	if (!error)
		error = store_steps(store, &resume->steps, &resume->step_count);
	if (!error)
		error = store_loads(store, &resume->loads, &resume->load_count);
	if (!error)
		error = store_events(store, &resume->events, &resume->event_count);
	return error;
}

static void come_to(struct resume *resume, uint64_t t_ns)
{
	if (t_ns > resume->elapsed_ns)
		resume->elapsed_ns = t_ns;
}

struct reach { struct resume *resume; uint64_t started_ns; };

static int interval_reach(void *context, const struct interval_row *row, const struct histogram *service)
{
	struct reach *reach = context;

	(void)service;
	come_to(reach->resume, reach->started_ns + row->start_ns + row->duration_ns);
	return 0;
}

static int telemetry_reach(void *context, const struct telemetry_record *row)
{
	come_to(context, row->t_ns);
	return 0;
}

/* How far it had come: the latest moment that anything stored speaks of. */
static int elapsed_find(struct resume *resume)
{
	int error = 0;

	come_to(resume, resume->run->duration_ns);
	for (uint32_t i = 0; i < resume->event_count; i++)
		come_to(resume, resume->events[i].t_ns);
	for (uint32_t i = 0; i < resume->step_count && !error; i++) {
		const struct step_record *step = &resume->steps[i];
		struct reach reach = { resume, step->started_ns };

		come_to(resume, step->started_ns + step->duration_ns);
		if (step->id >= resume->next_id)
			resume->next_id = step->id + 1;
		if (step->status != RUN_COMPLETE)
			error = store_each_interval(resume->store, step->id, -1, false, interval_reach, &reach);
	}
	return error ? error : store_each_telemetry(resume->store, telemetry_reach, resume);
}

/* A probe of a search that did not come to its end is no result. */
static bool search_cut(const struct resume *resume, const struct plan *plan, const struct step_record *step)
{
	const char *probe = strstr(step->path, "/probe");
	size_t length;

	if (!probe || step->plan_step >= plan->step_count || !plan->steps[step->plan_step].searches)
		return false;
	length = (size_t)(probe - step->path);
	for (uint32_t i = 0; i < resume->event_count; i++) {
		if (!resume->events[i].kind || strcmp(resume->events[i].kind, "search"))
			continue;
		for (uint32_t k = 0; k < resume->step_count; k++)
			if (resume->steps[k].id == resume->events[i].step && resume->steps[k].path &&
			    !strncmp(resume->steps[k].path, step->path, length) &&
			    resume->steps[k].path[length] == '/')
				return false;
	}
	return true;
}

/* Where the first worker's sequential load stopped: kept among the load's facts. */
static uint64_t position_of(const struct load_record *load)
{
	json_t *facts = load->facts_json ? json_loads(load->facts_json, 0, NULL) : NULL;
	json_int_t position = json_integer_value(json_object_get(json_array_get(json_object_get(facts, "workers"), 0),
								 "position"));

	json_decref(facts);
	return position > 0 ? (uint64_t)position : 0;
}

static bool steady_of(const struct step_record *step)
{
	json_t *steady = step->steady_json ? json_loads(step->steady_json, 0, NULL) : NULL;
	const char *verdict = json_string_value(json_object_get(steady, "verdict"));
	bool met = verdict && !strncmp(verdict, "steady", 6);

	json_decref(steady);
	return met;
}

static void done_add(struct resume *resume, const struct step_record *step, uint32_t *load)
{
	struct run_done *done = &resume->done[resume->done_count];

	while (*load < resume->load_count && resume->loads[*load].step < step->id)
		(*load)++;
	*done = (struct run_done){
		.path = step->path,
		.note = step->note,
		.steady = steady_of(step),
		.loads = &resume->loads[*load],
	};
	for (uint32_t i = *load; i < resume->load_count && resume->loads[i].step == step->id; i++)
		done->load_count++;
	if (done->load_count)
		done->position = position_of(done->loads);
	resume->done_id[resume->done_count++] = step->id;
}

static int done_find(struct resume *resume, const struct plan *plan)
{
	uint32_t load = 0;

	resume->done = calloc(resume->step_count + 1, sizeof(*resume->done));
	resume->done_id = calloc(resume->step_count + 1, sizeof(*resume->done_id));
	if (!resume->done || !resume->done_id)
		return -ENOMEM;
	for (uint32_t i = 0; i < resume->step_count; i++) {
		const struct step_record *step = &resume->steps[i];

		if (step->status == RUN_COMPLETE && step->path && !search_cut(resume, plan, step)) {
			done_add(resume, step, &load);
			continue;
		}
		if (!resume->unfinished)
			resume->unfinished = step->name ? step->name : "?";
		if (step->path && strstr(step->path, "/again"))
			resume->again_cut = true;
	}
	return 0;
}

/* When and where the file was last written to. */
static void stamp_read(struct resume *resume)
{
	json_t *options = resume->run->options_json ? json_loads(resume->run->options_json, 0, NULL) : NULL;
	const char *boot = json_string_value(json_object_get(options, "boot_id"));
	json_int_t wall = json_integer_value(json_object_get(options, "wall_ns"));
	json_int_t at = json_integer_value(json_object_get(options, "at_ns"));
	char now[40];

	boot_id_read(now);
	resume->same_boot = boot && now[0] && !strcmp(boot, now);
	if (wall > 0 && at >= 0 && (uint64_t)at <= resume->elapsed_ns)
		resume->wall_ns = (uint64_t)wall + resume->elapsed_ns - (uint64_t)at;
	json_decref(options);
}

bool resume_temporary(const struct resume *resume, uint32_t target)
{
	json_t *options = resume->run->options_json ? json_loads(resume->run->options_json, 0, NULL) : NULL;
	bool temporary = json_is_true(json_array_get(json_object_get(options, "temporary"), target));

	json_decref(options);
	return temporary;
}

/* Did the part before come to the end of its preconditioning? */
static void again_read(struct resume *resume)
{
	for (uint32_t i = 0; i < resume->event_count; i++) {
		const struct event_record *event = &resume->events[i];
		json_t *data = event->kind && !strcmp(event->kind, "resume") && event->data_json
				       ? json_loads(event->data_json, 0, NULL) : NULL;

		if (json_is_true(json_object_get(data, "again")))
			resume->again_cut = true;
		if (event->kind && !strcmp(event->kind, "preconditioned"))
			resume->again_cut = false;
		json_decref(data);
	}
}

int resume_open(struct store *store, const struct plan *plan, struct resume *ret_resume, struct fault *fault)
{
	struct resume resume = { .store = store, .next_id = 1 };
	int error = tables_read(&resume);

	if (!error)
		error = elapsed_find(&resume);
	if (!error) {
		stamp_read(&resume);
		again_read(&resume);
		error = done_find(&resume, plan);
	}
	if (error) {
		resume_release(&resume);
		return store_fault(store, error, fault);
	}
	resume.is_virtual = resume.run->clock && !strcmp(resume.run->clock, "virtual");
	*ret_resume = resume;
	return 0;
}

void resume_release(struct resume *resume)
{
	free(resume->done);
	free(resume->done_id);
	free(resume->data_json);
	free(resume->said_json);
	saying_release(&resume->state);
	saying_release(&resume->said);
	free(resume->now);
	*resume = (struct resume){ 0 };
}

/* -- begin -- */

static int unfinished_delete(struct resume *resume)
{
	uint32_t done = 0;
	int error = 0;

	for (uint32_t i = 0; i < resume->step_count && !error; i++) {
		if (done < resume->done_count && resume->done_id[done] == resume->steps[i].id)
			done++;
		else
			error = store_delete_step(resume->store, resume->steps[i].id);
	}
	return error;
}

static int event_make(struct resume *resume)
{
	json_t *data = json_object();
	struct saying replayed = { 0 };

	saying_release(&resume->said);
	saying_add(&resume->said,
		   resume->done_count == 1 ? "the run goes on after %u step"
					   : "the run goes on after %u steps",
		   resume->done_count);
	if (resume->unfinished)
		saying_add(&resume->said, ", '%s' begins anew", resume->unfinished);
	if (resume->is_virtual)
		saying_add(&replayed, "its steps were replayed");
	saying_add(&resume->said, "; %p", resume->is_virtual ? &replayed : &resume->state);
	json_object_set_new(data, "steps_done", json_integer(resume->done_count));
	json_object_set_new(data, "status", json_string(run_status_name(resume->run->status)));
	json_object_set_new(data, "unfinished", resume->unfinished ? json_string(resume->unfinished) : json_null());
	json_object_set_new(data, "again", json_boolean(!resume->is_virtual && !resume->state_kept));
	json_object_set_new(data, "wall_ns", json_integer((json_int_t)clock_wall_ns()));
	resume->data_json = json_dumps(data, JSON_COMPACT);
	json_decref(data);
	resume->said_json = saying_json(&resume->said);
	return resume->data_json && resume->said_json ? resume->said.error : -ENOMEM;
}

int resume_begin(struct resume *resume)
{
	int error = event_make(resume);

	return error ? error : unfinished_delete(resume);
}

struct run_resume resume_for_run(const struct resume *resume)
{
	return (struct run_resume){
		.done_count = resume->done_count,
		.done = resume->done,
		.elapsed_ns = resume->elapsed_ns,
		.next_id = resume->next_id,
		.state_kept = resume->state_kept,
		.begun = resume->unfinished,
		.text = saying_text(&resume->said),
		.said_json = resume->said_json,
		.data_json = resume->data_json,
	};
}
