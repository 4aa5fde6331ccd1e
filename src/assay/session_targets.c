#include "assay/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "run/estimate.h"

int session_permissions_take(struct session *session, struct fault *fault)
{
	const struct guard_permission *given = &session->request->permission;

	if (given->destroy_count > DESTROY_MAX / 2)
		return fault_set(fault, 0, 0, "--destroy was given more than %u times", DESTROY_MAX / 2);
	for (uint32_t i = 0; i < given->destroy_count; i++)
		session->destroy[i] = given->destroy[i];
	session->permitted = *session->request;
	session->permitted.permission.destroy = session->destroy;
	session->permitted.permission.resumes = session->request->resume;
	return 0;
}

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

int session_targets_grant(struct session *session, struct assay_result *result, struct fault *fault)
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

int session_targets_check(const struct session *session, struct fault *fault)
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

int session_run_targets_make(struct session *session)
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

int session_plan_fits(const struct session *session, struct fault *fault)
{
	const struct plan *plan = session->request->plan;
	const bool own_targets = !session->request->target_count;
	uint64_t memory_bytes = 0;
	int error = 0;

	for (uint32_t i = 0; i < session->target_count && !error; i++) {
		const struct assay_target *target = &session->targets[i];
		bool sim = target->subject.kind == TARGET_SIM;
		const struct estimate_target at =
			estimate_target_of(&target->subject, &target->sim, own_targets ? i : ESTIMATE_ANY);
		struct estimate estimate;

		error = estimate_make(plan, &at, &estimate, fault);
		if (!error) {
			if (session->request->together)
				estimate.memory_bytes *= session->target_count;
			if (!own_targets)	/* else its loads may run at once */
				memory_bytes = 0;
			memory_bytes += estimate.memory_bytes;
			if (!sim)	/* it moves no data */
				error = assay_memory_fits(memory_bytes, fault);
			estimate_release(&estimate);
		}
		if (error && fault)
			snprintf(fault->source, sizeof(fault->source), "%s", plan->source);
	}
	return error;
}

void session_targets_warn(const struct session *session)
{
	const struct assay_request *request = session->request;

	for (uint32_t i = 0; request->warning && i < session->target_count; i++)
		for (uint32_t k = 0; k < session->targets[i].subject.warnings.count; k++)
			request->warning(request->context, session->targets[i].subject.warnings.line[k]);
}
