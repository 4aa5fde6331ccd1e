/* engine: each backend on a file, the side thread, the ring. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "../unit/engine/rig.h"
#include "drive/drive_sim.h"
#include "engine/ring.h"
#include "engine/side.h"
#include "rows.h"

static void *file_make(void)
{
	struct rig *rig = calloc(1, sizeof(*rig));

	if (!rig)
		abort();
	rig_open(rig, RIG_TMPFS, 1 << 20, 16, 4096);
	return rig;
}

static void file_free(void *context)
{
	rig_close(context);
	free(context);
}

static int attach(struct rig *rig, const char *name)
{
	const int error = rig_attach(rig, name);

	if (error && !*rig->fault.text)
		return -EINVAL;	/* an engine that fails must say why */
	rig->engine = engine_free(rig->engine);
	return error;
}

static int make_uring(void *context)
{
	return attach(context, "io_uring");
}

static int make_aio(void *context)
{
	return attach(context, "libaio");
}

static int make_psync(void *context)
{
	return attach(context, "psync");
}

static int make_null(void *context)
{
	return attach(context, "null");
}

/* The best there is: goes on to the next engine when one cannot be had. */
static int make_best(void *context)
{
	return attach(context, NULL);
}

static int make_side(void *context)
{
	struct rig *rig = context;
	struct side *side = NULL;
	const int error = side_new(&rig->target, &rig->clock, 16, &side, &rig->fault);

	side_free(side);
	return error;
}

static int make_ring(void *context)
{
	const struct ring_config config = { .entries = 16, .sqpoll_cpu = -1 };
	struct ring ring = { 0 };
	const int error = ring_init(&ring, &config);

	if (!error)
		ring_release(&ring);
	return error;
}

static int make_sim(void *context)
{
	struct target target;
	struct clock clock;
	struct engine *engine = NULL;
	int error = drive_sim_open("theory,shrink=256", 1, &target, NULL);

	if (error)
		return error;
	clock_init_virtual(&clock);
	error = engine_new("sim", &(struct engine_config){ .target = &target, .clock = &clock, .depth = 4, .sqpoll_cpu = -1 },
			   &engine, NULL);
	engine_free(engine);
	drive_sim_close(&target);
	return error;
}

#define ON_FILE .set_up = file_make, .tear_down = file_free
static const struct alloc_row rows[] = {
	{ .name = "engine: io_uring", .covers = "engine_new", .make = make_uring, ON_FILE },
	{ .name = "engine: libaio", .make = make_aio, ON_FILE },
	{ .name = "engine: psync", .make = make_psync, ON_FILE },
	{ .name = "engine: null", .make = make_null, ON_FILE },
	{ .name = "engine: the best", .make = make_best, .goes_on = true, ON_FILE },
	{ .name = "engine: side thread", .covers = "side_new", .make = make_side, ON_FILE },
	{ .name = "engine: ring", .covers = "ring_init", .make = make_ring },
	{ .name = "engine: sim", .make = make_sim },
};
const struct alloc_rows alloc_rows_engine = { rows, sizeof(rows) / sizeof(*rows) };
