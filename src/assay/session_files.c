#include "assay/session.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include "assay/examined.h"
#include "assay/look.h"

#define INTERRUPTED_WAIT_NS 500000000ull	/* the user waits for the end */

static void file_make(void *context, struct text *answer)
{
	struct assay_target *target = context;

	target->error = guard_make_file(&target->subject, &target->fault);
	examined_pack(target, answer);
}

static void made_remove(void *context, struct text *answer)
{
	(void)answer;
	guard_remove_made(context);
}

static void temporary_remove(void *context, struct text *answer)
{
	(void)answer;
	guard_remove_temporary(context);
}

/* What another process has made of the target takes its place. */
static int target_take(struct assay_target *target, const struct text *answer, struct fault *fault)
{
	struct assay_target now = { 0 };
	size_t at = 0;
	int error = examined_unpack(answer, &at, &now);

	now.subject.made_told = NULL;
	if (error) {
		guard_subject_release(&now.subject);
		return fault_system(fault, error, "%s cannot be made: %s", target->subject.name,
				    strerror(-error));
	}
	guard_subject_release(&target->subject);
	*target = now;
	if (target->error)
		*fault = target->fault;
	return target->error;
}

/* It was broken off: nothing is left behind, if the file system answers. */
static void broken_off(const struct assay_target *target, struct guard_made *made, struct assay_result *result)
{
	const bool known = made->made;
	struct text answer = { 0 };
	bool left = !known || look(made_remove, made, INTERRUPTED_WAIT_NS, NULL, &answer);

	text_release(&answer);
	result->status = RUN_INTERRUPTED;
	snprintf(result->text, sizeof(result->text), "interrupted while %.300s was made%s",
		 known ? made->path : target->subject.path,
		 left ? ", which may be left behind: its file system does not answer" : "");
}

static int target_make(struct session *session, struct assay_target *target, struct guard_made *made,
		       struct assay_result *result, struct fault *fault)
{
	struct text answer = { 0 };
	int error;

	made->made = false;
	target->subject.made_told = made;
	error = look(file_make, target, LOOK_FOREVER, session->request->interrupted, &answer);
	target->subject.made_told = NULL;
	if (!error) {
		error = target_take(target, &answer, fault);
	} else if (error == -EINTR) {
		broken_off(target, made, result);
		error = 1;
	} else {
		fault_system(fault, error, "%s cannot be made: %s", target->subject.path, strerror(-error));
	}
	text_release(&answer);
	return error;
}

int session_files_make(struct session *session, struct assay_result *result, struct fault *fault)
{
	struct guard_made *made =
		mmap(NULL, sizeof(*made), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int error = 0;

	if (made == MAP_FAILED)
		return fault_system(fault, -ENOMEM, "out of memory");
	for (uint32_t i = 0; i < session->target_count && !error; i++)
		if (guard_must_make(&session->targets[i].subject))
			error = target_make(session, &session->targets[i], made, result, fault);
	munmap(made, sizeof(*made));
	return error;
}

/* The look is over when it is removed; who does not want to wait for that leaves it to the other process,
 * which the file system does not let go before it is done. */
static void temporary_let_go(const struct session *session, struct guard_subject *subject)
{
	const struct assay_request *request = session->request;
	const bool hurry = request->interrupted && *request->interrupted;
	struct text answer = { 0 };
	char words[PATH_MAX + 80];

	if (look(temporary_remove, subject, hurry ? INTERRUPTED_WAIT_NS : LOOK_KERNEL_NS,
		 hurry ? NULL : request->interrupted, &answer) && request->warning) {
		snprintf(words, sizeof(words), "%s may be left behind: its file system does not answer",
			 subject->path);
		request->warning(request->context, words);
	}
	text_release(&answer);
	subject->made = false;
}

void session_files_remove(struct session *session)
{
	for (uint32_t i = 0; session->targets && i < session->target_count; i++)
		if (guard_has_temporary(&session->targets[i].subject))
			temporary_let_go(session, &session->targets[i].subject);
}
