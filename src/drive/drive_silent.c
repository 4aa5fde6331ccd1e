#include "drive/block.h"
#include "drive/drive.h"
#include "drive/health.h"
#include <math.h>
#include <stdio.h>

static void queue_unknown(struct drive_facts *facts)
{
	facts->logical_block_bytes = facts->physical_block_bytes = DRIVE_UNKNOWN;
	facts->minimum_io_bytes = facts->optimal_io_bytes = DRIVE_UNKNOWN;
	facts->max_request_bytes = facts->max_segments = DRIVE_UNKNOWN;
	facts->queue_requests = facts->hardware_queues = DRIVE_UNKNOWN;
	facts->nomerges = facts->rq_affinity = DRIVE_UNKNOWN;
	facts->writeback_latency_us = facts->read_ahead_bytes = DRIVE_UNKNOWN;
	facts->discard_granularity_bytes = facts->discard_max_bytes = DRIVE_UNKNOWN;
	facts->rotational = facts->read_only = facts->removable = facts->polling = -1;
}

/* Attributes below a drive's "device" may ask the drive itself: size and numbers are the kernel's own. */
void drive_facts_silent(const struct machine *machine, const char *name, const char *why,
			struct drive_facts *ret_facts)
{
	struct drive_facts *facts = ret_facts;
	struct block block = {0};

	*facts = (struct drive_facts){.silent = true, .numa_node = -1};
	snprintf(facts->name, sizeof facts->name, "%s", name);
	if (block_by_name(machine, name, &block))
		snprintf(block.name, sizeof block.name, "%s", name);
	block_path(&block, facts->path);
	facts->dev = block.dev;
	facts->capacity_bytes = block_size_bytes(machine, name);
	facts->namespace_id = facts->namespace_count = DRIVE_UNKNOWN;
	queue_unknown(facts);
	health_unknown(&facts->health);
	lines_add(&facts->not_read, "%s", why);
}
