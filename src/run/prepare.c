/* Before a step reads: is there something to read? A drive answers reads of never-written blocks without
 * touching its flash, and the figures would be too good to be true. Files and simulated drives are filled
 * first, in a step of its own; a block device whose range this run has purged is refused, since filling it
 * was not asked for. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "run/errand.h"
#include "run/loads.h"
#include "run/prepare.h"
#include "work/work.h"

#define FILL_BLOCK (1u << 20)
#define FILL_DEPTH 8u

static bool load_reads(const struct load *load)
{
	return load->rw == LOAD_READ || load->rw == LOAD_RANDREAD ||
	       ((load->rw == LOAD_RW || load->rw == LOAD_RANDRW) && load->read_share > 0);
}

/* The plain sequential write that fills [start, start + bytes). */
static void fill_load(struct load *load, const struct load *model, const struct work_range *range,
		      uint32_t block)
{
	uint32_t size = range->bytes < FILL_BLOCK ? (uint32_t)(range->bytes / block * block) : FILL_BLOCK;

	*load = *model;
	snprintf(load->name, sizeof(load->name), "prepare");
	load->rw = LOAD_WRITE;
	load->sizes[IO_WRITE] = (struct load_sizes){
		.count = 1, .part = { { .bytes_min = size, .bytes_max = size, .share = 1 } },
	};
	load->offset = (struct amount){ .unit = AMOUNT_BYTES, .bytes = range->start };
	load->size = (struct amount){ .unit = AMOUNT_BYTES, .bytes = range->bytes };
	load->range_from = load->range_to = load->io_size = load->offset_increment = (struct amount){ 0 };
	load->range_segments = 0;
	load->offset_continue = load->random_map = load->time_based = load->iopoll = load->sqpoll = false;
	load->iodepth = FILL_DEPTH;
	load->batch_submit = load->batch_complete_min = load->batch_complete_max = 0;
	load->numjobs = load->loops = 1;
	load->arrival = ARRIVAL_CLOSED;
	load->engine = ENGINE_BEST;
	load->thinktime_ns = load->runtime_ns = load->ramp_ns = load->startdelay_ns = 0;
	load->fsync_every = load->fdatasync_every = 0;
	load->end_fsync = false;
	load->number_ios = 0;
	load->rw_skip = load->rw_each = 0;
	load->prio_class = load->prio_level = 0;
	for (int op = 0; op < 3; op++)
		load->percentage_random[op] = load->align_bytes[op] = 0;
}

void prepare_path(const struct point *point, uint32_t load, char path[PATH_BYTES])
{
	snprintf(path, PATH_BYTES, "%.480s/prepare%u", point->path, load);
}

/* Fills that range of every target that the load goes to. */
static int fill_run(struct conductor *conductor, const struct point *point, uint32_t index,
		    const struct work_range *range, uint32_t block)
{
	const struct plan_step *step = point->step;
	const struct plan_instance *instance = point->instance;
	struct plan_instance *fill = calloc(1, sizeof(*fill));
	char path[PATH_BYTES];
	struct step_record record = {
		.id = conductor_id(conductor),
		.name = "prepare",
		.kind = "fill",
		.title = "Filled with random data, so that reads find something",
		.plan_step = step->index,
		.path = path,
		.values_json = "{\"rw\":\"write\"}",
		.status = RUN_RUNNING,
		.interval_ns = instance->interval_ns,
	};
	uint32_t figures = conductor->figures.count;
	int error;

	if (!fill)
		return -ENOMEM;
	fill->step = step->index;
	fill->load_count = 1;
	fill->interval_ns = instance->interval_ns;
	fill->give_up_ns = instance->give_up_ns;
	prepare_path(point, index, path);
	fill_load(&fill->loads[0], &instance->loads[index], range, block);
	error = loads_run(conductor, step, fill, &record, LOADS_ALONE);
	conductor->figures.count = figures < conductor->figures.count ? figures : conductor->figures.count;
	free(fill);
	return error;
}

/* 1 = written, 0 = not, -errno: the file could not be asked (then it is filled, to be sure). */
static int file_written(struct conductor *conductor, const struct plan_instance *instance,
			struct run_target *target, const struct work_range *range)
{
	struct errand *errand = errand_new();
	int error;

	if (!errand)
		return -ENOMEM;
	errand->target = target;
	errand->offset = range->start;
	errand->bytes = range->bytes;
	errand->give_up_ns = instance->give_up_ns;
	error = errand_written(conductor, errand);
	if (!error)
		error = errand->written;
	else if (error != -EOPNOTSUPP)
		conductor_end(conductor,
			      error == -EINTR ? RUN_INTERRUPTED : error == -EPERM ? RUN_REFUSED : RUN_FAILED,
			      "%.400s", errand->fault.text);
	errand_free(errand);
	return error;
}

/* 1 = it was filled; 0; -errno. */
static int target_prepare(struct conductor *conductor, const struct point *point, uint32_t index,
			  struct run_target *target)
{
	const struct plan_step *step = point->step;
	const struct load *load = &point->instance->loads[index];
	struct work_range range;
	int written, error;

	if (work_range_resolve(load, run_target_bytes(target), run_target_block_bytes(target), 0,
			       &range, NULL))
		return 0;	/* step_limits_resolve will say what is wrong */
	switch (target->subject.kind) {
	case TARGET_FILE:
		if (target->coverage.known &&
		    coverage_has(&target->coverage, range.start, range.start + range.bytes))
			return 0;
		written = file_written(conductor, point->instance, target, &range);
		if (conductor->ended || written == 1 || written == -ENOMEM)
			return written == -ENOMEM ? written : 0;
		if (!target->subject.writes) {
			conductor_end(conductor, RUN_REFUSED,
				      "step '%s' would read parts of %s that were never written: the file "
				      "system would answer without the drive; write the file first, or give "
				      "--allow-unwritten", step->name, target->subject.name);
			return 0;
		}
		error = fill_run(conductor, point, index, &range, run_target_block_bytes(target));
		return error ? error : 1;
	case TARGET_SIM:
		if (coverage_has(&target->coverage, range.start, range.start + range.bytes))
			return 0;
		error = fill_run(conductor, point, index, &range, run_target_block_bytes(target));
		return error ? error : 1;
	case TARGET_BLOCK:
	case TARGET_NVME_GENERIC:
		if (!coverage_has(&target->coverage, range.start, range.start + range.bytes))
			conductor_end(conductor, RUN_REFUSED,
				      "step '%s' would read a range that this run has purged and not filled "
				      "again: the drive would answer without touching its flash; put a "
				      "kind=fill step before it, or "
				      "give --allow-unwritten", step->name);
		return 0;
	case TARGET_CHAR:
		return 0;
	}
	return 0;
}

static int load_prepare(struct conductor *conductor, const struct point *point, uint32_t index)
{
	const struct load *load = &point->instance->loads[index];
	struct run_target *target;
	int done = 0;

	for (uint32_t i = 0; !done && !conductor->ended && (target = loads_target(conductor, load, i)); i++)
		done = target_prepare(conductor, point, index, target);
	return done < 0 ? done : 0;
}

int prepare_run(struct conductor *conductor, const struct point *point)
{
	const struct plan_instance *instance = point->instance;
	int error = 0;

	if (conductor->config->allow_unwritten)
		return 0;
	for (uint32_t i = 0; i < instance->load_count && !error && !conductor->ended; i++)
		if (load_reads(&instance->loads[i]))
			error = load_prepare(conductor, point, i);
	return error;
}
