/* assay: the writer's thread, evidence, resuming, findings, and a whole run on a simulated drive. SQLite and
 * the JSON of findings go on without what they could not get. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../unit/assay/made_run.h"
#include "assay/assay.h"
#include "assay/resume.h"
#include "assay/thermal_track.h"
#include "assay/writer.h"
#include "rows.h"

/* The run files are good. A comparison inside SQLite that lacks memory is false, and a table then looks as if
 * it were wrong. */
static int of_good_file(int error)
{
	return error == -EBADMSG ? -ENOMEM : error;
}

static void *run_make(void)
{
	struct made_run *made = malloc(sizeof(*made));

	if (!made)
		abort();
	made_run_init(made);
	made_run_write(made);
	made->store = store_close(made->store);
	return made;
}

static void run_free(void *context)
{
	made_run_release(context);
	free(context);
}

/* Through the writer's thread. */
static int write_some(struct made_run *made, struct store *store)
{
	const struct event_record event = { .step = 1, .kind = "test", .text = "a text" };
	const struct interval_record interval = { .step = 1, .index = 1, .tally = made->total };
	struct writer *writer = NULL;
	int error = writer_new(store, &writer), last;

	if (error)
		return error;
	error = writer_step(writer, &made->step);
	if (!error)
		error = writer_load(writer, &made->load);
	if (!error)
		error = writer_interval(writer, &interval);
	if (!error)
		error = writer_event(writer, &event);
	last = writer_finish(writer);
	writer_free(writer);
	return error ? error : last;
}

static int make_writer(void *context)
{
	struct made_run *made = context;
	struct store *store = NULL;
	int error = store_open_resume(made->path, &store, NULL);

	if (!error)
		error = write_some(made, store);
	store_close(store);
	return of_good_file(error);
}

static int make_evidence(void *context)
{
	struct made_run *made = context;
	struct store *store = NULL;
	struct evidence evidence = { 0 };
	int error = store_open(made->path, &store, NULL);

	if (!error)
		error = evidence_open(store, &evidence);
	evidence_release(&evidence);
	store_close(store);
	return of_good_file(error);
}

static int make_track(void *context)
{
	struct made_run *made = context;
	struct store *store = NULL;
	struct evidence evidence = { 0 };
	struct track track = { 0 };
	int error = store_open(made->path, &store, NULL);

	if (!error)
		error = evidence_open(store, &evidence);
	if (!error)
		error = track_new(&evidence, &evidence.steps[0], 0, &track);
	track_release(&track);
	evidence_release(&evidence);
	store_close(store);
	return of_good_file(error);
}

static int make_conclusion(void *context)
{
	struct made_run *made = context;
	struct store *store = NULL;
	bool met;
	int error = store_open_resume(made->path, &store, NULL);

	if (!error)
		error = conclude(store, NULL, &met);
	store_close(store);
	return of_good_file(error);
}

/* A whole run, from the text of a plan to its findings. */
struct place {
	char folder[64], path[80];
};

static void *place_make(void)
{
	struct place *place = calloc(1, sizeof(*place));

	if (!place)
		abort();
	snprintf(place->folder, sizeof(place->folder), "/dev/shm/ssdassay-alloc-XXXXXX");
	if (!mkdtemp(place->folder))
		abort();
	snprintf(place->path, sizeof(place->path), "%s/r.assay", place->folder);
	return place;
}

static void place_free(void *context)
{
	struct place *place = context;
	char command[100];

	snprintf(command, sizeof(command), "rm -rf %s", place->folder);
	if (system(command))
		abort();
	free(place);
}

static int run_plan_text(const struct place *place, const char *text)
{
	static const char *const targets[] = { "sim:theory,shrink=256" };
	const struct plan_options options = { .source = "test", .name = "test", .scale = 1, .cpu_count = 1 };
	struct assay_request request = { .target_count = 1, .targets = targets, .run_path = place->path, .seed = 1,
					 .permission.allow_unwritten = true,
					 .version = "1", .command_line_json = "[]" };
	struct assay_result result = { 0 };
	struct fault fault = { 0 };
	struct plan *plan = NULL;
	int error = plan_parse(text, &options, &plan, &fault);

	request.plan = plan;
	if (!error)
		error = assay_run(&request, &result, &fault);
	/* A run that began and then lacked memory is kept, and says that it failed. */
	if (!error && result.status == RUN_FAILED)
		error = -ENOMEM;
	if (!error && result.status == RUN_REFUSED)
		error = -ENOMEM;
	plan_free(plan);
	return error;
}

static int make_run(void *context)
{
	return run_plan_text(context, "[a]\nrw=randread\nbs=4k\nsize=1m\n");
}

static const struct alloc_row rows[] = {
	{ .name = "assay: writer", .covers = "writer_new", .set_up = run_make, .make = make_writer, .tear_down = run_free,
	  .goes_on = true, .once = true },
	{ .name = "assay: evidence", .set_up = run_make, .make = make_evidence, .tear_down = run_free,
	  .goes_on = true },
	{ .name = "assay: speed and temperature", .covers = "track_new", .set_up = run_make, .make = make_track,
	  .tear_down = run_free, .goes_on = true },
	{ .name = "assay: conclusion", .set_up = run_make, .make = make_conclusion,
	  .tear_down = run_free, .goes_on = true, .once = true },
	{ .name = "assay: a whole run", .covers = "step_stalls_new", .set_up = place_make, .make = make_run,
	  .tear_down = place_free, .goes_on = true, .once = true },
};
const struct alloc_rows alloc_rows_assay = { rows, sizeof(rows) / sizeof(*rows) };
