/* report: the model of a stored run and each form that is made of it. These go on without some of SQLite's
 * caches, and without the JSON columns that jansson had no memory for: it does not tell that from a text that
 * is no JSON. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../unit/report/fake_run.h"
#include "report/model.h"
#include "report/raster.h"
#include "report/report.h"
#include "rows.h"

struct run {
	char folder[64], path[96];
};

static void *run_make(enum fake_kind kind)
{
	struct run *run = calloc(1, sizeof(*run));

	if (!run)
		abort();
	snprintf(run->folder, sizeof(run->folder), "/dev/shm/ssdassay-alloc-XXXXXX");
	if (!mkdtemp(run->folder))
		abort();
	snprintf(run->path, sizeof(run->path), "%s/r.assay", run->folder);
	if (fake_run(run->path, kind, 20, 1))
		abort();
	return run;
}

static void *pair_make(void)
{
	return run_make(FAKE_PAIR);
}

static void *sweep_make(void)
{
	return run_make(FAKE_SWEEP);
}

static void *hour_make(void)
{
	return run_make(FAKE_HOUR);
}

static void run_free(void *context)
{
	struct run *run = context;
	char command[100];

	snprintf(command, sizeof(command), "rm -rf %s", run->folder);
	if (system(command))
		abort();
	free(run);
}

static int with_store(const struct run *run, int (*make)(struct store *store))
{
	struct store *store = NULL;
	int error = store_open(run->path, &store, NULL);

	if (!error)
		error = make(store);
	store_close(store);
	/* the file is good: a comparison inside SQLite that lacks memory is false */
	return error == -EBADMSG ? -ENOMEM : error;
}

static int model(struct store *store)
{
	struct report_model *made = NULL;
	struct fault fault = { 0 };
	const int error = report_model_new(store, REPORT_ALL_TARGETS, &made, &fault);

	report_model_free(made);
	return error;
}

static int text(struct store *store)
{
	const struct report_layout layout = { .width = 100, .color = true };
	struct text out = { 0 };
	struct fault fault = { 0 };
	int error = report_text(store, &layout, &out, &fault);

	if (!error && out.error)
		error = -EINVAL;	/* must have been told */
	text_release(&out);
	return error;
}

static int json(struct store *store)
{
	struct text out = { 0 };
	struct fault fault = { 0 };
	const int error = report_json(store, &out, &fault);

	text_release(&out);
	return error;
}

static int html(struct store *store)
{
	const struct report_options options = { .language = REPORT_ENGLISH };
	struct text out = { 0 };
	struct fault fault = { 0 };
	const int error = report_html(&store, 1, &options, &out, &fault);

	text_release(&out);
	return error;
}

static int fio_json(struct store *store)
{
	struct text out = { 0 };
	struct fault fault = { 0 };
	const int error = report_fio_json(store, &out, &fault);

	text_release(&out);
	return error;
}

static int compare(struct store *store)
{
	struct store *runs[] = { store, store };
	static const char *const names[] = { "a", "b" };
	struct text out = { 0 };
	struct fault fault = { 0 };
	const int error = report_compare(runs, 2, names, NULL, &out, &fault);

	text_release(&out);
	return error;
}

static int make_model(void *context)
{
	return with_store(context, model);
}

static int make_text(void *context)
{
	return with_store(context, text);
}

static int make_json(void *context)
{
	return with_store(context, json);
}

static int make_html(void *context)
{
	return with_store(context, html);
}

static int make_fio_json(void *context)
{
	return with_store(context, fio_json);
}

static int make_compare(void *context)
{
	return with_store(context, compare);
}

static int in_folder(const struct run *run,
		     int (*make)(struct store *store, int directory, struct fault *fault))
{
	const int directory = open(run->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct fault fault = { 0 };
	struct store *store = NULL;
	int error = store_open(run->path, &store, NULL);

	if (!error)
		error = make(store, directory, &fault);
	store_close(store);
	close(directory);
	return error == -EBADMSG ? -ENOMEM : error;
}

static int make_csv(void *context)
{
	return in_folder(context, report_csv);
}

static int make_hdr(void *context)
{
	return in_folder(context, report_hdr);
}

static int make_raster(void *context)
{
	struct raster raster = { 0 };
	const int error = raster_init(&raster, 100, 100);

	raster_release(&raster);
	return error;
}

static const struct alloc_row rows[] = {
	{ .name = "report: model", .covers = "report_model_new spread_init", .set_up = sweep_make, .make = make_model,
	  .tear_down = run_free, .goes_on = true },
	{ .name = "report: text", .set_up = pair_make, .make = make_text, .tear_down = run_free, .goes_on = true },
	{ .name = "report: JSON", .set_up = pair_make, .make = make_json, .tear_down = run_free, .goes_on = true },
	{ .name = "report: HTML", .covers = "html_init series_init", .set_up = hour_make, .make = make_html,
	  .tear_down = run_free, .goes_on = true },
	{ .name = "report: fio's JSON", .set_up = pair_make, .make = make_fio_json, .tear_down = run_free, .goes_on = true },
	{ .name = "report: comparison", .covers = "comparison_init pieces_init bootstrap_sample_new", .set_up = pair_make, .make = make_compare, .tear_down = run_free, .goes_on = true },
	{ .name = "report: CSV", .set_up = pair_make, .make = make_csv, .tear_down = run_free, .goes_on = true },
	{ .name = "report: HdrHistogram logs", .set_up = pair_make, .make = make_hdr, .tear_down = run_free, .goes_on = true },
	{ .name = "report: raster", .covers = "raster_init", .make = make_raster },
};
const struct alloc_rows alloc_rows_report = { rows, sizeof(rows) / sizeof(*rows) };
