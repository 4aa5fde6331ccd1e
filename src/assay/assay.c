#include "assay/assay.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "assay/session.h"

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

static void result_set(struct assay_result *result, const struct run_outcome *outcome, int store_error)
{
	result->status = outcome->status;
	snprintf(result->text, sizeof(result->text), "%s", outcome->text);
	if (!store_error)
		return;
	result->status = RUN_FAILED;
	snprintf(result->text, sizeof(result->text), "the run file cannot be written: %s",
		 strerror(-store_error));
}

/* Somebody removed the run file, or gave it another name, while it was written. */
static void run_file_missed(const struct session *session, struct assay_result *result)
{
	const int error = store_in_place(session->store);

	if (!error)
		return;
	result->status = RUN_FAILED;
	result->kept = false;
	snprintf(result->text, sizeof(result->text),
		 error == -ENOENT ? "the run file %.300s was removed while it was written: what was measured is lost"
				  : "the run file %.300s was given another name while it was written",
		 session->request->run_path);
}

static int session_run(struct session *session, struct assay_result *result, struct fault *fault)
{
	const struct assay_request *request = session->request;
	const struct run_observer observer = session_observer(session);
	struct run_resume resume;
	struct run_config config = {
		.plan = request->plan,
		.target_count = session->target_count,
		.plan_names_targets = request->target_count == 0,
		.together = request->together,
		.seed = request->seed,
		.allow_unwritten = request->permission.allow_unwritten,
		.resume = request->resume && !session->resume.is_virtual ? &resume : NULL,
		.interrupted = request->interrupted,
		.observer = &observer,
	};
	struct run_outcome outcome = { .status = RUN_FAILED };
	int ended, error = session_plan_fits(session, fault);

	if (!error)
		error = session_files_make(session, result, fault);
	if (!error)
		error = session_lock_take(session, result, fault);
	if (!error)
		error = session_run_targets_make(session);
	if (!error) {
		session_targets_warn(session);
		session_noise_warn(session);
	}
	if (!error)
		error = request->resume ? session_store_resume(session, fault) : session_store_begin(session, fault);
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
	} else if (error && !outcome.text[0]) {
		snprintf(outcome.text, sizeof(outcome.text), "the run could not go on: %s", strerror(-error));
	}
	ended = session_store_end(session, &outcome, result);
	result_set(result, &outcome, error ? error : ended);
	run_file_missed(session, result);
	return 0;
}

static void session_release(struct session *session)
{
	hiccup_ear_close(&session->ear, EAR_NOW);
	session->writer = writer_free(session->writer);
	resume_release(&session->resume);
	session->store = store_close(session->store);
	session_lock_give(session);
	session_files_remove(session);
	session->targets = assay_targets_free(session->targets, session->target_count);
	while (session->typed_count)
		free(session->typed[--session->typed_count]);
	free(session->run_targets);
	free(session->host_json);
	free(session->options_json);
}

int assay_run(const struct assay_request *request, struct assay_result *ret_result, struct fault *fault)
{
	struct session session = { .request = request };
	int error = assay_unsupported(request->plan, fault);

	*ret_result = (struct assay_result){ .status = RUN_FAILED, .criteria_met = true };
	if (!error)
		error = session_permissions_take(&session, fault);
	if (!error)
		session_noise_listen(&session);
	if (!error)
		error = assay_examine(&session.permitted, &session.targets, &session.target_count, fault);
	if (!error)
		error = session_targets_check(&session, fault);
	if (!error)
		error = session_targets_grant(&session, ret_result, fault);
	if (error > 0 && request->resume && session_resume_held(&session, fault))
		error = -EBUSY;
	if (!error && request->resume)
		error = session_resume_look(&session, ret_result, fault);
	if (!error && request->granted)
		request->granted(request->context);
	if (!error)
		error = session_run(&session, ret_result, fault);
	session_release(&session);
	return error > 0 ? 0 : error;
}
