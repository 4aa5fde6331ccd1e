/* run: boards, workers and the whole walk through a plan on a simulated drive. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "../unit/run/bench.h"
#include "rows.h"
#include "run/errand.h"

static int make_board(void *context)
{
	const struct board_layout layout = { .workers = 2, .depth = 4,
					     .recorder = { .interval_ns = 1000000000, .depth = 4 } };
	struct board *board = NULL;
	const int error = board_new(&layout, 1, &board);

	board_free(board);
	return error;
}

static int make_errand(void *context)
{
	struct errand *errand = errand_new();
	const int error = errand ? 0 : -ENOMEM;

	errand_free(errand);
	return error;
}

static void *bench_make(void)
{
	struct bench *bench = calloc(1, sizeof(*bench));

	if (!bench)
		abort();
	bench_init(bench, "rw=randrw\nbs=4k\nsize=1m\niodepth=4\n", MEBI, 0);
	worker_release(&bench->worker);
	memset(&bench->worker, 0, sizeof(bench->worker));
	return bench;
}

static void bench_free(void *context)
{
	bench_release(context);
	free(context);
}

static int make_worker(void *context)
{
	struct bench *bench = context;
	struct worker_config config;
	struct worker worker = { 0 };
	struct fault fault = { 0 };
	int error;

	stage_worker_config(&bench->stage, &bench->stage.board->worker[0], &bench->opened, &bench->clock,
			    &config);
	error = worker_init(&worker, &config, &fault);
	worker_release(&worker);
	return error;
}

static const struct alloc_row rows[] = {
	{ .name = "run: board", .covers = "board_new", .make = make_board },
	{ .name = "run: errand", .covers = "errand_new", .make = make_errand },
	{ .name = "run: worker", .covers = "worker_init", .set_up = bench_make, .make = make_worker, .tear_down = bench_free },
};
const struct alloc_rows alloc_rows_run = { rows, sizeof(rows) / sizeof(*rows) };
