#include "assay/assay.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>
#include <unistd.h>
#include "assay/conclude.h"
#include "assay/facts.h"
#include "assay/resume.h"
#include "assay/writer.h"
#include "base/clock.h"
#include "base/units.h"
#include "drive/drive_host.h"
#include "run/estimate.h"
#include "run/run.h"

#define DESTROY_MAX 128u
#define BUSY_TRIES 20
#define BUSY_PAUSE_NS 100000000

struct session {
	const struct assay_request *request;
	struct assay_request permitted;		/* the same, with the ids that were typed at the prompt */
	const char *destroy[DESTROY_MAX];
	char *typed[DESTROY_MAX];
	uint32_t typed_count;
	struct assay_target *targets;
	struct run_target *run_targets;
	uint32_t target_count;
	struct store *store;
	struct writer *writer;
	struct run_record record;
	char id[33];
	char *host_json, *options_json;
	struct resume resume;
};

/* -- the observer: everything to the writer -- */

/* What a resumed run has stored already is heard again in a replay, and not written twice: 1. */

static int on_step(void *context, const struct step_record *step)
{
	struct session *session = context;
	bool was_live = session->resume.live;
	int stored = resume_hears_step(&session->resume, step), error = 0;
	const struct event_record event = {
		.t_ns = step->started_ns,
		.kind = "resume",
		.text = session->resume.text,
		.data_json = session->resume.data_json,
	};

	if (stored)
		return stored < 0 ? stored : 0;
	if (session->resume.is_virtual && !was_live)
		error = writer_event(session->writer, &event);
	return error ? error : writer_step(session->writer, step);
}

static int on_load(void *context, const struct load_record *load)
{
	struct session *session = context;
	int stored = resume_hears_load(&session->resume, load);

	if (stored)
		return stored < 0 ? stored : 0;
	return writer_load(session->writer, load);
}

static int on_interval(void *context, const struct interval_record *interval)
{
	struct session *session = context;

	return resume_knows(&session->resume, interval->step) ? 0 : writer_interval(session->writer, interval);
}

static int on_outliers(void *context, uint64_t step, const struct logged_io *ios, uint32_t count)
{
	struct session *session = context;

	return resume_knows(&session->resume, step) ? 0 : writer_outliers(session->writer, step, ios, count);
}

static int on_samples(void *context, uint64_t step, const struct logged_io *ios, uint32_t count)
{
	struct session *session = context;

	return resume_knows(&session->resume, step) ? 0 : writer_samples(session->writer, step, ios, count);
}

static int on_telemetry(void *context, const struct telemetry_record *rows, uint32_t count)
{
	struct session *session = context;

	if (count && resume_knows(&session->resume, rows[0].step))
		return 0;
	return writer_telemetry(session->writer, rows, count);
}

static int on_event(void *context, const struct event_record *event)
{
	struct session *session = context;

	return resume_hears_event(&session->resume, event) ? 0 : writer_event(session->writer, event);
}

static void on_progress(void *context, const struct run_progress *progress)
{
	struct session *session = context;

	if (session->request->progress)
		session->request->progress(session->request->context, progress);
}

/* -- before -- */

/* Adds an id that the user typed to those given on the command line, and looks again. */
static int target_confirmed(struct session *session, uint32_t index)
{
	struct assay_target *target = &session->targets[index];
	uint32_t count = session->permitted.permission.destroy_count;
	char *id = strdup(target->subject.id);

	if (!id || count == DESTROY_MAX) {
		free(id);
		return -ENOMEM;
	}
	session->destroy[count] = session->typed[session->typed_count++] = id;
	session->permitted.permission.destroy_count++;
	return assay_examine_again(&session->permitted, target);
}

/* Every target is granted; what only lacks a typed id is asked for. 0 = go; 1 = the result says why not; -EINVAL with fault:
 * the user named something that makes no sense. */
static int targets_grant(struct session *session, struct assay_result *result, struct fault *fault)
{
	const struct assay_request *request = session->request;

	for (uint32_t i = 0; i < session->target_count; i++) {
		struct assay_target *target = &session->targets[i];
		bool may_ask = target->error == -EPERM && target->subject.needs_id &&
			       !target->subject.refusals.count && request->confirm;

		if (may_ask && request->confirm(request->context, &target->subject))
			target_confirmed(session, i);
		if (target->error == -EINVAL) {
			*fault = target->fault;
			return -EINVAL;
		}
		if (target->error) {
			result->status = target->error == -EPERM ? RUN_REFUSED : RUN_FAILED;
			snprintf(result->text, sizeof(result->text), "%.500s", target->fault.text);
			return 1;
		}
	}
	return 0;
}

/* A target that holds the simulated clock cannot share a run with a real one. */
static int targets_check(const struct session *session, struct fault *fault)
{
	bool any_sim = false, any_real = false;

	for (uint32_t i = 0; i < session->target_count; i++) {
		if (session->targets[i].subject.kind == TARGET_SIM)
			any_sim = true;
		else
			any_real = true;
	}
	if (any_sim && any_real)
		return fault_set(fault, 0, 0, "simulated and real drives keep different time: give each a run of its own");
	return 0;
}

static int run_targets_make(struct session *session)
{
	session->run_targets = calloc(session->target_count, sizeof(*session->run_targets));
	if (!session->run_targets)
		return -ENOMEM;
	for (uint32_t i = 0; i < session->target_count; i++) {
		struct run_target *target = &session->run_targets[i];

		target->subject = session->targets[i].subject;
		target->sim = session->targets[i].sim;
		if (target->subject.kind == TARGET_FILE || target->subject.kind == TARGET_SIM)
			coverage_purged(&target->coverage);
	}
	return 0;
}

/* Files that do not exist yet (or are too short) are made now; each step's process then opens them as they are. */
static int files_make(struct session *session, struct fault *fault)
{
	for (uint32_t i = 0; i < session->target_count; i++) {
		int error = guard_make_file(&session->targets[i].subject, fault);

		if (error)
			return error;
	}
	return 0;
}

int assay_memory_fits(uint64_t bytes, struct fault *fault)
{
	uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	char wanted[UNITS_TEXT], there[UNITS_TEXT];

	if (bytes <= memory / 4 * 3)
		return 0;
	return fault_set(fault, 0, 0, "the plan needs %s of memory for buffers, and this machine has %s: fewer workers, less depth "
			 "or smaller blocks", size_format(bytes, wanted), size_format(memory, there));
}

/* Every load of every point fits every target: found now and not after hours. */
static int plan_fits(const struct session *session, struct fault *fault)
{
	const struct plan *plan = session->request->plan;
	int error = 0;

	for (uint32_t i = 0; i < session->target_count && !error; i++) {
		const struct assay_target *target = &session->targets[i];
		bool sim = target->subject.kind == TARGET_SIM;
		struct estimate estimate;

		error = estimate_make(plan, sim ? target->sim.size_bytes : guard_bytes(&target->subject),
				      sim ? target->sim.block_bytes : target->subject.block_bytes, &estimate, fault);
		if (!error) {
			if (!sim)	/* it moves no data */
				error = assay_memory_fits(estimate.memory_bytes, fault);
			estimate_release(&estimate);
		}
		if (error && fault)
			snprintf(fault->source, sizeof(fault->source), "%s", plan->source);
	}
	return error;
}

/* What a resume needs beside the plan's text; NULL: out of memory. */
static char *options_make(const struct session *session)
{
	const struct assay_request *request = session->request;
	json_t *options = json_object();
	json_t *plan = request->options_json ? json_loads(request->options_json, 0, NULL) : json_object();
	json_t *targets = json_array();
	char *directory = getcwd(NULL, 0), *text;

	json_object_set_new(options, "plan", plan);
	json_object_set_new(options, "plan_targets", json_boolean(request->target_count == 0));
	for (uint32_t i = 0; i < session->target_count; i++)
		json_array_append_new(targets, json_string(session->targets[i].subject.name));
	json_object_set_new(options, "targets", targets);
	if (directory && json_object_set_new(options, "directory", json_string(directory)))
		json_object_del(options, "directory");	/* not UTF-8 */
	text = json_dumps(options, JSON_COMPACT);
	json_decref(options);
	free(directory);
	return text;
}

/* Notes that the run is at `at_ns` of its time axis now. */
static int options_note(struct session *session, uint64_t at_ns)
{
	char *stamped = options_stamp(session->options_json ? session->options_json : session->resume.run->options_json, at_ns);

	if (!stamped)
		return -ENOMEM;
	free(session->options_json);
	session->record.options_json = session->options_json = stamped;
	return 0;
}

/* Fills the run's record; the file is made with it, so that it holds a run from its first moment on. */
static int record_begin(struct session *session)
{
	const struct assay_request *request = session->request;
	const struct plan *plan = request->plan;
	uint8_t random[16];

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return -EIO;
	for (int i = 0; i < 16; i++)
		snprintf(session->id + 2 * i, 3, "%02x", random[i]);
	session->host_json = drive_host_json(NULL, request->version);
	session->options_json = options_make(session);
	if (!session->options_json)
		return -ENOMEM;
	session->record = (struct run_record){
		.id = session->id,
		.version = request->version,
		.started_wall_ns = clock_wall_ns(),
		.status = RUN_RUNNING,
		.plan_name = plan->name,
		.plan_title = plan->title,
		.plan_report = plan->report,
		.plan_text = plan->text,
		.plan_source = plan->source,
		.command_line = request->command_line_json,
		.scale = plan->scale,
		.seed = request->seed,
		.allow_unwritten = request->permission.allow_unwritten,
		.strict = request->strict,
		.host_json = session->host_json,
		.clock = session->targets[0].subject.kind == TARGET_SIM ? "virtual" : "vdso",
	};
	return options_note(session, 0);
}

/* What the guard found worth a warning: to the user now, and where the run file lies also into it (checks.c). */
static void targets_warn(const struct session *session)
{
	const struct assay_request *request = session->request;

	for (uint32_t i = 0; request->warning && i < session->target_count; i++)
		for (uint32_t k = 0; k < session->targets[i].subject.warnings.count; k++)
			request->warning(request->context, session->targets[i].subject.warnings.line[k]);
}

static int run_file_place_note(const struct session *session)
{
	const struct event_record event = {
		.kind = "run_file_same_fs",
		.text = "the run file lies on the file system under test",
	};

	for (uint32_t i = 0; i < session->target_count; i++)
		if (session->targets[i].subject.run_file_same_fs)
			return store_put_event(session->store, &event);
	return 0;
}

static int drives_put(struct session *session)
{
	int error = 0;

	for (uint32_t i = 0; i < session->target_count && !error; i++)
		error = facts_before(session->store, i, &session->targets[i]);
	return error ? error : run_file_place_note(session);
}

/* -- going on with a run -- */

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

static int resume_store_begin(struct session *session, struct fault *fault)
{
	struct resume *resume = &session->resume;
	int error = resume_begin(resume);

	session->record = *resume->run;
	session->record.status = RUN_RUNNING;
	session->record.status_text = NULL;
	if (!resume->is_virtual)
		caches_take(session);
	if (!error && !resume->drive_count)	/* it was killed before it came so far */
		error = drives_put(session);
	if (!error)
		error = options_note(session, resume->elapsed_ns);
	if (!error)
		error = store_clear_findings(session->store);
	if (!error)
		error = store_put_run(session->store, &session->record);
	if (!error)
		error = store_commit(session->store);
	if (!error)
		error = writer_new(session->store, &session->writer);
	if (error)
		fault_system(fault, error, "cannot write run file %s: %s", session->request->run_path, strerror(-error));
	return error;
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

/* The run file is opened and the targets compared before anything is changed. 0 = go; 1 = refused, the result says why. */
static int resume_look(struct session *session, struct assay_result *result, struct fault *fault)
{
	const struct assay_request *request = session->request;
	struct resume *resume = &session->resume;
	int error = store_open_patiently(request->run_path, &session->store, fault);

	if (!error)
		error = resume_open(session->store, request->plan, resume, fault);
	if (error)
		return error;
	if (resume_identity(resume, session->targets, session->target_count, fault)) {
		result->status = RUN_REFUSED;
		snprintf(result->text, sizeof(result->text), "%.500s", fault->text);
		return 1;
	}
	error = resume_state(resume, session->targets, session->target_count, request->trust_state);
	return error ? fault_system(fault, error, "cannot read run file %s: %s", request->run_path, strerror(-error)) : 0;
}

static int store_begin(struct session *session, struct fault *fault)
{
	int error = record_begin(session);

	if (error)
		return fault_system(fault, error, "cannot describe the run: %s", strerror(-error));
	error = store_create_run(session->request->run_path, &session->record, &session->store, fault);
	if (error)
		return error;
	error = drives_put(session);
	if (!error)
		error = store_commit(session->store);
	if (!error)
		error = writer_new(session->store, &session->writer);
	if (error)
		fault_system(fault, error, "cannot write run file %s: %s", session->request->run_path, strerror(-error));
	return error;
}

/* -- after -- */

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

static int store_end(struct session *session, const struct run_outcome *outcome, struct assay_result *result)
{
	int error = writer_finish(session->writer);

	session->record.status = outcome->status;
	session->record.status_text = outcome->text[0] ? outcome->text : NULL;
	session->record.duration_ns = longer(outcome->duration_ns, session->resume.elapsed_ns);
	session->record.wall_duration_ns = wall_before(session) + outcome->wall_duration_ns;
	session->record.clock = outcome->clock;
	if (!error)
		error = options_note(session, session->record.duration_ns);
	session->record.ceiling_iops = outcome->ceiling_iops;
	for (uint32_t i = 0; i < session->target_count && !error; i++)
		error = facts_after(session->store, i, &session->targets[i],
				    session->run_targets[i].longest_stall_ns);
	if (!error)
		error = store_put_run(session->store, &session->record);
	if (!error)
		error = store_commit(session->store);
	if (!error)
		error = conclude(session->store, session->request->plan, &result->criteria_met);
	if (!error)
		error = store_commit(session->store);
	return error;
}

static void result_set(struct assay_result *result, const struct run_outcome *outcome, int store_error)
{
	result->status = outcome->status;
	snprintf(result->text, sizeof(result->text), "%s", outcome->text);
	if (!store_error)
		return;
	result->status = RUN_FAILED;
	snprintf(result->text, sizeof(result->text), "the run file cannot be written: %s", strerror(-store_error));
}

static int session_run(struct session *session, struct assay_result *result, struct fault *fault)
{
	const struct assay_request *request = session->request;
	const struct run_observer observer = {
		.context = session,
		.step_begin = on_step,
		.load_begin = on_load,
		.interval = on_interval,
		.outliers = on_outliers,
		.samples = on_samples,
		.telemetry = on_telemetry,
		.event = on_event,
		.load_end = on_load,
		.step_end = on_step,
		.progress = on_progress,
	};
	struct run_resume resume;
	struct run_config config = {
		.plan = request->plan,
		.target_count = session->target_count,
		.plan_names_targets = request->target_count == 0,
		.seed = request->seed,
		.allow_unwritten = request->permission.allow_unwritten,
		.resume = request->resume && !session->resume.is_virtual ? &resume : NULL,
		.interrupted = request->interrupted,
		.observer = &observer,
	};
	struct run_outcome outcome = { .status = RUN_FAILED };
	int error = plan_fits(session, fault);

	if (!error)
		error = files_make(session, fault);
	if (!error)
		error = run_targets_make(session);
	if (!error)
		targets_warn(session);
	if (!error)
		error = request->resume ? resume_store_begin(session, fault) : store_begin(session, fault);
	if (error)
		return error;
	result->kept = true;
	resume = resume_for_run(&session->resume);
	config.targets = session->run_targets;
	config.entropy = strtoull(session->record.id + 16, NULL, 16);
	error = run_plan(&config, &outcome);
	if (error == -EBADE) {
		error = 0;
		snprintf(outcome.text, sizeof(outcome.text), "%s", session->resume.mismatch);
	}
	if (!error)
		error = store_end(session, &outcome, result);
	result_set(result, &outcome, error);
	return 0;
}

static void session_release(struct session *session)
{
	session->writer = writer_free(session->writer);
	resume_release(&session->resume);
	session->store = store_close(session->store);
	for (uint32_t i = 0; session->targets && i < session->target_count; i++)
		guard_remove_temporary(&session->targets[i].subject);
	session->targets = assay_targets_free(session->targets, session->target_count);
	while (session->typed_count)
		free(session->typed[--session->typed_count]);
	free(session->run_targets);
	free(session->host_json);
	free(session->options_json);
}

int assay_unsupported(const struct plan *plan, struct fault *fault)
{
	uint32_t line;
	const char *feature = run_unsupported(plan, &line);

	if (!feature)
		return 0;
	if (fault)
		snprintf(fault->source, sizeof(fault->source), "%s", plan->source);
	return fault_set(fault, line, 0, "%s cannot be carried out by this version yet", feature);
}

static int permissions_take(struct session *session, struct fault *fault)
{
	const struct guard_permission *given = &session->request->permission;

	if (given->destroy_count > DESTROY_MAX / 2)
		return fault_set(fault, 0, 0, "--destroy was given more than %u times", DESTROY_MAX / 2);
	for (uint32_t i = 0; i < given->destroy_count; i++)
		session->destroy[i] = given->destroy[i];
	session->permitted = *session->request;
	session->permitted.permission.destroy = session->destroy;
	return 0;
}

int assay_run(const struct assay_request *request, struct assay_result *ret_result, struct fault *fault)
{
	struct session session = { .request = request };
	int error = assay_unsupported(request->plan, fault);

	*ret_result = (struct assay_result){ .status = RUN_FAILED, .criteria_met = true };
	if (!error)
		error = permissions_take(&session, fault);
	if (!error)
		error = assay_examine(&session.permitted, &session.targets, &session.target_count, fault);
	if (!error)
		error = targets_check(&session, fault);
	if (!error)
		error = targets_grant(&session, ret_result, fault);
	if (!error && request->resume)
		error = resume_look(&session, ret_result, fault);
	if (!error && request->granted)
		request->granted(request->context);
	if (!error)
		error = session_run(&session, ret_result, fault);
	session_release(&session);
	return error > 0 ? 0 : error;
}
