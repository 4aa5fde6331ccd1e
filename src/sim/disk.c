#include "sim/disk.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void sim_disk_init(struct sim_disk *disk, const struct sim_params *params, uint64_t size_bytes)
{
	memset(disk, 0, sizeof(*disk));
	disk->rev_ns = 60e9 / params->rpm;
	disk->seek_ns = params->seek_ms * 1e6;
	disk->seek_span_ns = params->seek_span_ms * 1e6;
	disk->overhead_ns = params->overhead_ms * 1e6;
	disk->ageing = params->ageing;
	disk->outer = params->outer_mbps * 1e-3;
	disk->inner = params->inner_mbps * 1e-3;
	disk->size_bytes = size_bytes;
	disk->depth = (uint32_t)params->queue_depth;
}

void sim_disk_release(struct sim_disk *disk)
{
	free(disk->queue);
	memset(disk, 0, sizeof(*disk));
}

int sim_disk_add(struct sim_disk *disk, const struct sim_disk_op *op)
{
	if (disk->count == disk->room) {
		const uint32_t room = disk->room ? 2 * disk->room : 64;
		struct sim_disk_op *queue = realloc(disk->queue, room * sizeof(*queue));

		if (!queue)
			return -ENOMEM;
		disk->queue = queue;
		disk->room = room;
	}
	disk->queue[disk->count++] = *op;
	disk->cached += op->command == SIM_DISK_NOBODY;
	return 0;
}

/* Media rate at an offset, bytes per ns: outer tracks hold more. */
static double rate_at(const struct sim_disk *disk, uint64_t offset)
{
	return disk->outer - (disk->outer - disk->inner) * ((double)offset / (double)disk->size_bytes);
}

/* How long the op takes if it begins at now_ns. */
static double service_ns(const struct sim_disk *disk, const struct sim_disk_op *op, uint64_t now_ns)
{
	const double rate = rate_at(disk, op->offset), transfer = op->bytes / rate,
		     track = rate * disk->rev_ns;
	double distance, moved, wait;

	if (op->offset == disk->head && disk->free_ns) {
		const double ready = (double)disk->free_ns + transfer - (double)now_ns;

		return ready > transfer / 8 ? ready : transfer / 8;
	}
	distance = fabs((double)op->offset - (double)disk->head) / (double)disk->size_bytes;
	moved = disk->overhead_ns + disk->seek_ns + disk->seek_span_ns * sqrt(distance);
	wait = fmod((double)op->offset, track) / track - fmod(((double)now_ns + moved) / disk->rev_ns, 1);
	return moved + (wait < 0 ? wait + 1 : wait) * disk->rev_ns + transfer;
}

static uint32_t best_op(const struct sim_disk *disk, uint64_t now_ns, double *ret_service_ns)
{
	double best_score = INFINITY;
	uint32_t best = 0, hosts = 0;

	for (uint32_t i = 0; i < disk->count; i++) {
		const struct sim_disk_op *op = &disk->queue[i];
		double service, score;

		if (op->command != SIM_DISK_NOBODY && hosts++ >= disk->depth)
			continue;
		service = service_ns(disk, op, now_ns);
		score = service - disk->ageing * (double)(now_ns - op->arrived_ns);
		if (score < best_score) {
			best_score = score;
			*ret_service_ns = service;
			best = i;
		}
	}
	return best;
}

void sim_disk_start(struct sim_disk *disk, uint64_t now_ns)
{
	double service = 0;
	uint32_t best;

	if (disk->busy || !disk->count)
		return;
	best = best_op(disk, now_ns, &service);
	disk->current = disk->queue[best];
	memmove(&disk->queue[best], &disk->queue[best + 1], (--disk->count - best) * sizeof(*disk->queue));
	disk->busy = true;
	disk->free_ns = now_ns + (uint64_t)service + 1;
	disk->head = disk->current.offset + disk->current.bytes;
}

struct sim_disk_op sim_disk_finish(struct sim_disk *disk)
{
	disk->busy = false;
	disk->cached -= disk->current.command == SIM_DISK_NOBODY;
	return disk->current;
}
