#include "assay/session.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "assay/conclude.h"
#include "assay/facts.h"
#include "base/saying.h"
#include "guard/guard_fs.h"

#define BUSY_TRIES 20
#define BUSY_PAUSE_NS 100000000

int session_event_put(const struct session *session, struct event_record *event, struct saying *saying)
{
	char *said = saying_json(saying);
	int error;

	event->text = saying_text(saying);
	event->said_json = said;
	error = said && !saying->error ? store_put_event(session->store, event) : -ENOMEM;
	free(said);
	saying_release(saying);
	return error;
}

static int run_file_place_note(const struct session *session)
{
	struct event_record event = { .kind = "run_file_same_fs" };
	struct saying saying = { 0 };
	bool beside = false;

	for (uint32_t i = 0; i < session->target_count; i++)
		beside |= session->targets[i].subject.run_file_same_fs;
	if (!beside)
		return 0;
	saying_add(&saying, "the run file lies on the file system under test");
	return session_event_put(session, &event, &saying);
}

static int drives_put(struct session *session)
{
	int error = 0;

	for (uint32_t i = 0; i < session->target_count && !error; i++)
		error = facts_before(session->store, i, &session->targets[i], session->request->interrupted);
	return error ? error : run_file_place_note(session);
}

/* The file that a killed run has left in a directory is used on, and removed at the end like one made now.
 * The run file may be anybody's: only a file of this program's own is removed because it says so. */
static void temporaries_take(struct session *session)
{
	for (uint32_t i = 0; i < session->target_count; i++) {
		struct guard_subject *subject = &session->targets[i].subject;
		const char *slash = strrchr(subject->path, '/');

		if (subject->kind == TARGET_FILE && subject->exists && subject->ours && !subject->temporary &&
		    slash && !strncmp(slash + 1, "ssdassay-", 9) && resume_temporary(&session->resume, i))
			subject->temporary = subject->made = true;
	}
}

static bool has_new_name(const struct guard_subject *subject, const char *name)
{
	if (subject->kind == TARGET_FILE && !subject->temporary)
		return false;	/* only as absolute as it was not before */
	return !name || strcmp(name, subject->name);
}

/* A drive may have another name now, a file in a directory too. */
static int drives_rename(struct session *session)
{
	const struct resume *resume = &session->resume;
	int error = 0;

	for (uint32_t i = 0; i < resume->drive_count && i < session->target_count && !error; i++) {
		struct drive_record drive = resume->drives[i];

		if (!has_new_name(&session->targets[i].subject, drive.name))
			continue;
		drive.name = session->targets[i].subject.name;
		error = store_put_drive(session->store, &drive);
	}
	return error;
}

/* The directories on which the part before had mounted file systems of its own, if it had no time to remove
 * them. */
static void directories_remove(const struct resume *resume)
{
	for (uint32_t i = 0; i < resume->event_count; i++) {
		const struct event_record *event = &resume->events[i];
		json_t *data = event->kind && !strcmp(event->kind, "file_system") && event->data_json
				       ? json_loads(event->data_json, 0, NULL) : NULL;
		const char *directory = json_string_value(json_object_get(data, "directory"));

		if (directory)
			guard_fs_tidy(directory);
		json_decref(data);
	}
}

/* The write cache as the part before left it, and as it was before the run. */
static void caches_take(struct session *session)
{
	const struct resume *resume = &session->resume;

	for (uint32_t i = 0; i < resume->event_count; i++) {
		const struct event_record *event = &resume->events[i];
		json_t *data = event->kind && !strcmp(event->kind, "write_cache") && event->data_json
				       ? json_loads(event->data_json, 0, NULL) : NULL;
		json_int_t target = json_integer_value(json_object_get(data, "target"));

		if (data && target >= 0 && target < session->target_count) {
			struct run_target *run_target = &session->run_targets[target];

			run_target->cache_on = json_is_true(json_object_get(data, "on"));
			run_target->cache_was = json_is_true(json_object_get(data, "before_run"));
			run_target->cache_changed = run_target->cache_on != run_target->cache_was;
		}
		json_decref(data);
	}
}

/* How warm the drives were at the first look of the run: where until=cool brings them back to. */
static int temperature_take(void *context, const struct telemetry_record *row)
{
	struct session *session = context;
	struct run_target *target;

	if (row->target < 0 || (uint32_t)row->target >= session->target_count || strcmp(row->name, "temperature_c"))
		return 0;
	target = &session->run_targets[row->target];
	if (!target->before_told)
		target->before_c = row->value;
	target->before_told = true;
	return 0;
}

/* The last of what a run file needs before its steps; `error` is that of what was written so far. */
static int store_ready(struct session *session, int error, struct fault *fault)
{
	if (!error)
		error = store_commit(session->store);
	if (!error)
		error = writer_new(session->store, &session->writer);
	if (error)
		fault_system(fault, error, "cannot write run file %s: %s", session->request->run_path,
			     strerror(-error));
	return error;
}

int session_store_resume(struct session *session, struct fault *fault)
{
	struct resume *resume = &session->resume;
	int error = resume->is_virtual ? 0 : store_each_telemetry(session->store, temperature_take, session);

	if (!error)
		error = resume_begin(resume);	/* what was not finished is gone then */
	session->record = *resume->run;
	session->record.status = RUN_RUNNING;
	session->record.status_text = NULL;
	if (!resume->is_virtual)
		caches_take(session);
	directories_remove(resume);
	if (!error && !resume->drive_count)	/* it was killed before it came so far */
		error = drives_put(session);
	if (!error)
		error = drives_rename(session);
	if (!error)
		error = session_options_note(session, resume->elapsed_ns);
	if (!error)
		error = store_clear_findings(session->store);
	if (!error)
		error = store_put_run(session->store, &session->record);
	if (!error)
		error = session_noise_put(session);
	return store_ready(session, error, fault);
}

/* What is left of a run that was killed a moment ago may still hold the file. */
static int store_open_patiently(const char *path, struct store **ret_store, struct fault *fault)
{
	const struct timespec pause = { .tv_nsec = BUSY_PAUSE_NS };
	int error = store_open_resume(path, ret_store, fault);

	for (int i = 0; i < BUSY_TRIES && error == -EBUSY; i++) {
		nanosleep(&pause, NULL);
		error = store_open_resume(path, ret_store, fault);
	}
	return error;
}

int session_resume_held(struct session *session, struct fault *fault)
{
	bool locked = false;

	for (uint32_t i = 0; i < session->target_count; i++)
		locked |= session->targets[i].subject.is_locked;
	return locked ? store_open_patiently(session->request->run_path, &session->store, fault) : 0;
}

int session_resume_look(struct session *session, struct assay_result *result, struct fault *fault)
{
	const struct assay_request *request = session->request;
	struct resume *resume = &session->resume;
	int error = store_open_patiently(request->run_path, &session->store, fault);

	if (!error)
		error = resume_open(session->store, request->plan, resume, fault);
	if (error)
		return error;
	if (resume->run->status == RUN_COMPLETE) {	/* while the file was waited for */
		result->status = RUN_FAILED;
		snprintf(result->text, sizeof(result->text),
			 "%.300s: another ssdassay has just completed this run: nothing is left to do",
			 request->run_path);
		return 1;
	}
	if (resume_ask(resume, session->targets, session->target_count, request->interrupted, fault)) {
		result->status = RUN_FAILED;
		snprintf(result->text, sizeof(result->text), "%.500s", fault->text);
		return 1;
	}
	if (resume_identity(resume, session->targets, session->target_count, fault)) {
		result->status = RUN_REFUSED;
		snprintf(result->text, sizeof(result->text), "%.500s", fault->text);
		return 1;
	}
	error = resume_state(resume, session->targets, session->target_count, request->trust_state);
	temporaries_take(session);
	return error ? fault_system(fault, error, "cannot read run file %s: %s", request->run_path,
				    strerror(-error)) : 0;
}

int session_store_begin(struct session *session, struct fault *fault)
{
	int error = session_record_begin(session);

	if (error)
		return fault_system(fault, error, "cannot describe the run: %s", strerror(-error));
	error = store_create_run(session->request->run_path, &session->record, &session->store, fault);
	if (error)
		return error;
	error = drives_put(session);
	if (!error)
		error = session_noise_put(session);
	return store_ready(session, error, fault);
}

static uint64_t longer(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* What the parts before took; of one that was killed what is known. */
static uint64_t wall_before(const struct session *session)
{
	const struct resume *resume = &session->resume;

	if (!session->request->resume)
		return 0;
	return resume->is_virtual ? resume->run->wall_duration_ns : longer(resume->run->wall_duration_ns, resume->elapsed_ns);
}

/* The writer has no room any more: what it has not committed is lost, the end of the run is not. */
static int end_after(struct session *session, int error, struct run_outcome *outcome)
{
	if (error != -ENOSPC && error != -EDQUOT)
		return error;
	outcome->status = RUN_FAILED;
	snprintf(outcome->text, sizeof(outcome->text),
		 "the run file's disk was full: what was measured in the last second before that is not kept; "
		 "make room, and 'ssdassay run --resume' goes on");
	return store_last_words(session->store);
}

int session_store_end(struct session *session, const struct run_outcome *run_outcome,
		      struct assay_result *result)
{
	struct run_outcome outcome = *run_outcome;
	const int lost = writer_finish(session->writer);
	int error = end_after(session, lost, &outcome);

	session->record.status = outcome.status;
	session->record.status_text = outcome.text[0] ? outcome.text : NULL;
	session->record.duration_ns = longer(outcome.duration_ns, session->resume.elapsed_ns);
	session->record.wall_duration_ns = wall_before(session) + outcome.wall_duration_ns;
	session->record.clock = outcome.clock;
	if (!error)
		error = session_options_note(session, session->record.duration_ns);
	session->record.ceiling_iops = outcome.ceiling_iops;
	if (!error)
		error = store_put_run(session->store, &session->record);
	if (!error && lost)
		error = store_commit(session->store);
	for (uint32_t i = 0; i < session->target_count && !error; i++)
		error = facts_after(session->store, i, &session->targets[i],
				    session->run_targets[i].longest_stall_ns, session->request->interrupted);
	if (!error)
		error = store_commit(session->store);
	if (!error)
		error = conclude(session->store, session->request->plan, &result->criteria_met);
	if (!error)
		error = store_commit(session->store);
	return lost ? lost : error;
}
