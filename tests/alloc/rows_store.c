/* store: making, filling, reading, resuming a run file; importing fio's results. SQLite does without some of
 * the memory that it asks for (caches), so these go on. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../unit/store/fixture.h"
#include "rows.h"
#include "store/import.h"

#define ROWS 3		/* that run_fill writes in two intervals */

static void *folder_make(void)
{
	void *fixture = NULL;

	if (fixture_setup(&fixture))
		abort();
	return fixture;
}

static void folder_free(void *context)
{
	fixture_teardown(&context);
}

static void *run_make(void)
{
	struct fixture *fixture = folder_make();
	struct store *store;

	if (store_create(fixture->path, &store, NULL))
		abort();
	run_fill(store, 1, 2, 1);
	store_close(store);
	return fixture;
}

static int make_new(void *context)
{
	struct fixture *fixture = context;
	struct store *store = NULL;
	const struct run_record run = { .id = "1", .version = "1", .plan_name = "p", .status = RUN_RUNNING };
	const int error = store_create_run(fixture->path, &run, &store, NULL);

	store_close(store);
	fixture_remove_run(fixture);
	return error == -EBADMSG ? -ENOMEM : error;
}

static int put_some(struct store *store)
{
	struct tally *tally = calloc(1, sizeof(*tally));
	const struct interval_record interval = { .step = 1, .tally = tally };
	const struct telemetry_record reading = { .name = "temperature_c", .value = 40 };
	const struct step_record step = { .id = 1, .name = "a", .path = "a" };
	int error = tally ? 0 : -ENOMEM;

	if (!error) {
		tally_clear(tally);
		histogram_record(&tally->op[IO_READ].service, 5000);
		tally->op[IO_READ].ios = 1;
		error = store_put_step(store, &step);
	}
	if (!error)
		error = store_put_interval(store, &interval);
	if (!error)
		error = store_put_telemetry(store, &reading, 1);
	if (!error)
		error = store_commit(store);
	free(tally);
	return error;
}

static int make_rows(void *context)
{
	struct fixture *fixture = context;
	struct store *store = NULL;
	int error = store_create(fixture->path, &store, NULL);

	if (!error)
		error = put_some(store);
	store_close(store);
	fixture_remove_run(fixture);
	return error == -EBADMSG ? -ENOMEM : error;
}

static int make_reader(void *context)
{
	struct fixture *fixture = context;
	struct store *store = NULL;
	uint64_t rows = 0;
	int error = store_open(fixture->path, &store, NULL);

	if (!error)
		error = run_read_all(store, &rows);
	if (!error && rows != ROWS)
		error = -EINVAL;	/* a row that is not read must not look like none */
	store_close(store);
	return error == -EBADMSG ? -ENOMEM : error;
}

static int make_resumed(void *context)
{
	struct fixture *fixture = context;
	struct store *store = NULL;
	const int error = store_open_resume(fixture->path, &store, NULL);

	store_close(store);
	/* the file is good: a comparison inside SQLite that lacks memory is false */
	return error == -EBADMSG ? -ENOMEM : error;
}

static int import(struct fixture *fixture, const char *const *names, uint32_t count)
{
	char path[4][300];
	const char *paths[4];
	const struct import_request request = { .paths = paths, .count = count, .version = "1" };
	struct fault fault = { 0 };
	struct store *store = NULL;
	int error;

	for (uint32_t i = 0; i < count; i++) {
		snprintf(path[i], sizeof(path[i]), "%s/%s", FIXTURES, names[i]);
		paths[i] = path[i];
	}
	error = store_create(fixture->path, &store, NULL);
	if (!error)
		error = store_import(store, &request, &fault);
	store_close(store);
	fixture_remove_run(fixture);
	/* the files are good: jansson takes a token that it has no memory for as a wrong one */
	return error == -EBADMSG ? -ENOMEM : error;
}

static int make_import(void *context)
{
	static const char *const names[] = { "s.json", "s_bw.1.log", "s_clat.1.log" };

	return import(context, names, 3);
}

static int make_import_logs(void *context)
{
	static const char *const names[] = { "l_bw.1.log", "l_clat_hist.1.log" };

	return import(context, names, 2);
}

static const struct alloc_row rows[] = {
	{ .name = "store: a new run file", .goes_on = true, .covers = "file_new", .set_up = folder_make, .make = make_new,
	  .tear_down = folder_free },
	{ .name = "store: rows", .goes_on = true, .set_up = folder_make, .make = make_rows, .tear_down = folder_free },
	{ .name = "store: reading everything", .goes_on = true, .set_up = run_make, .make = make_reader, .tear_down = folder_free },
	{ .name = "store: going on with a run file", .goes_on = true, .set_up = run_make, .make = make_resumed, .tear_down = folder_free },
	{ .name = "store: import of fio's JSON and logs", .goes_on = true, .covers = "import_new_step", .set_up = folder_make,
	  .make = make_import, .tear_down = folder_free },
	{ .name = "store: import of logs alone", .goes_on = true, .set_up = folder_make, .make = make_import_logs, .tear_down = folder_free },
};
const struct alloc_rows alloc_rows_store = { rows, sizeof(rows) / sizeof(*rows) };
