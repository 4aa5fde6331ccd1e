/* What a run tells goes to the writer; what a resumed run has stored already is heard again in a replay, and
 * not written twice. */
#include "assay/session.h"

#include <string.h>

static int on_step(void *context, const struct step_record *step)
{
	struct session *session = context;
	bool was_live = session->resume.live;
	int stored = resume_hears_step(&session->resume, step), error = 0;
	const struct event_record event = {
		.t_ns = step->started_ns,
		.kind = "resume",
		.text = saying_text(&session->resume.said),
		.said_json = session->resume.said_json,
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

/* What has to be undone although the run is killed right after it: kept before it is done. */
static bool undone_by_resume(const struct event_record *event)
{
	return event->data_json && (!strcmp(event->kind, "write_cache") || !strcmp(event->kind, "file_system"));
}

static int on_event(void *context, const struct event_record *event)
{
	struct session *session = context;
	int error;

	if (resume_hears_event(&session->resume, event))
		return 0;
	error = writer_event(session->writer, event);
	return !error && undone_by_resume(event) ? writer_sync(session->writer) : error;
}

static void on_progress(void *context, const struct run_progress *progress)
{
	struct session *session = context;

	if (session->request->progress)
		session->request->progress(session->request->context, progress);
}

struct run_observer session_observer(struct session *session)
{
	return (struct run_observer){
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
}
