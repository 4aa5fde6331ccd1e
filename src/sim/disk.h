/* disk: one hard disk: an arm, a platter, a queue.
 *
 * Service = overhead + seek + wait for the sector + transfer; seek = a + b * sqrt(distance as share of the
 * disk). The disk serves the command with the shortest service next, less a little for each ms of waiting (so
 * that none starves), among the first `depth` of the host and all cached writes. Where the last command ended
 * the next begins without seek and rotation: read-ahead and write coalescing. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "sim/params.h"

#define SIM_DISK_NOBODY UINT32_MAX

struct sim_disk_op {
	uint64_t offset;		/* on this disk */
	uint32_t bytes;
	uint32_t command;	/* the caller's; SIM_DISK_NOBODY: a cached write, acknowledged already */
	uint64_t arrived_ns;
	uint64_t sequence;		/* the caller's order of arrival */
};

struct sim_disk {
	double rev_ns, seek_ns, seek_span_ns, overhead_ns, ageing;
	double outer, inner;		/* bytes per ns */
	uint64_t size_bytes;
	uint32_t depth;			/* host commands it chooses among */
	struct sim_disk_op *queue;	/* in order of arrival, owned */
	uint32_t count, room;
	uint32_t cached;		/* ops in the queue or current without a command */
	bool busy;
	struct sim_disk_op current;
	uint64_t free_ns;		/* end of the current or the last op */
	uint64_t head;			/* offset after the last op */
};

void sim_disk_init(struct sim_disk *disk, const struct sim_params *params, uint64_t size_bytes);
void sim_disk_release(struct sim_disk *disk);
int sim_disk_add(struct sim_disk *disk, const struct sim_disk_op *op);	/* 0 or -ENOMEM */
/* If idle and not empty, begins the best op at now_ns; free_ns is then its end. */
void sim_disk_start(struct sim_disk *disk, uint64_t now_ns);
/* The current op ends (at free_ns): gives it, the disk is idle. */
struct sim_disk_op sim_disk_finish(struct sim_disk *disk);
