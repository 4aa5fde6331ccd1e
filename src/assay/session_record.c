#include "assay/session.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "drive/drive_host.h"

/* What a resume needs beside the plan's text; NULL: out of memory. */
static char *options_make(const struct session *session)
{
	const struct assay_request *request = session->request;
	json_t *options = json_object();
	json_t *plan = request->options_json ? json_loads(request->options_json, 0, NULL) : json_object();
	json_t *targets = json_array(), *temporary = json_array(), *files = json_array();
	char *directory = getcwd(NULL, 0), *text;

	json_object_set_new(options, "plan", plan);
	json_object_set_new(options, "plan_targets", json_boolean(request->target_count == 0));
	for (uint32_t i = 0; i < session->target_count; i++) {
		json_array_append_new(targets, json_string(session->targets[i].subject.name));
		json_array_append_new(temporary, json_boolean(session->targets[i].subject.temporary));
		json_array_append_new(files, resume_file_json(&session->targets[i].subject));
	}
	json_object_set_new(options, "targets", targets);
	json_object_set_new(options, "temporary", temporary);
	json_object_set_new(options, "files", files);
	json_object_set_new(options, "together", json_boolean(request->together));
	if (directory && json_object_set_new(options, "directory", json_string(directory)))
		json_object_del(options, "directory");	/* not UTF-8 */
	text = json_dumps(options, JSON_COMPACT);
	json_decref(options);
	free(directory);
	return text;
}

/* The options kept before, with the names that the targets have now; NULL: out of memory, or none were
 * kept. */
static char *options_again(const struct session *session)
{
	const char *kept = session->resume.run->options_json;
	json_t *options = kept ? json_loads(kept, 0, NULL) : NULL;
	json_t *targets = json_object_get(options, "targets"), *files = json_object_get(options, "files");
	char *text;

	for (uint32_t i = 0; i < session->target_count && i < json_array_size(targets); i++)
		if (session->targets[i].subject.temporary) {
			json_array_set_new(targets, i, json_string(session->targets[i].subject.name));
			json_array_set_new(files, i, resume_file_json(&session->targets[i].subject));
		}
	text = options ? json_dumps(options, JSON_COMPACT) : NULL;
	json_decref(options);
	return text;
}

int session_options_note(struct session *session, uint64_t at_ns)
{
	char *stamped;

	if (!session->options_json)
		session->options_json = options_again(session);
	stamped = options_stamp(session->options_json, at_ns);
	if (!stamped)
		return -ENOMEM;
	free(session->options_json);
	session->record.options_json = session->options_json = stamped;
	return 0;
}

int session_record_begin(struct session *session)
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
	return session_options_note(session, 0);
}
