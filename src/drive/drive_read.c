#include "drive/drive_read.h"
#include "drive/drive_id.h"
#include "drive/drive_use.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t scaled(uint64_t value, uint64_t unit)
{
	return value == DRIVE_UNKNOWN || value > UINT64_MAX / unit ? DRIVE_UNKNOWN : value * unit;
}

static int flag(uint64_t value)
{
	return value == DRIVE_UNKNOWN ? -1 : value != 0;
}

/* "none [mq-deadline] kyber" -> "mq-deadline"; a single word stands for itself. */
static void active_choice(const char *choices, char *buffer, uint32_t buffer_bytes)
{
	const char *open = strchr(choices, '['), *close = open ? strchr(open, ']') : NULL;

	if (close)
		snprintf(buffer, buffer_bytes, "%.*s", (int)(close - open - 1), open + 1);
	else
		snprintf(buffer, buffer_bytes, "%.*s", (int)buffer_bytes - 1, choices);
}

static uint64_t count_entries(const struct machine *machine, const char *disk, const char *below)
{
	struct lines names = {0};
	const int result = machine_list(machine, &names, "/sys/class/block/%s/%s", disk, below);
	const uint64_t count = result ? DRIVE_UNKNOWN : names.count;

	lines_release(&names);
	return count;
}

static void read_queue(const struct machine *machine, const char *disk, struct drive_facts *facts)
{
	char choices[128];
#define QUEUE(name) machine_read_u64(machine, "/sys/class/block/%s/queue/" name, disk)
	facts->logical_block_bytes = QUEUE("logical_block_size");
	facts->physical_block_bytes = QUEUE("physical_block_size");
	facts->minimum_io_bytes = QUEUE("minimum_io_size");
	facts->optimal_io_bytes = QUEUE("optimal_io_size");
	facts->max_request_bytes = scaled(QUEUE("max_sectors_kb"), 1024);
	facts->max_segments = QUEUE("max_segments");
	facts->queue_requests = QUEUE("nr_requests");
	facts->rotational = flag(QUEUE("rotational"));
	facts->polling = flag(QUEUE("io_poll"));
	facts->nomerges = QUEUE("nomerges");
	facts->rq_affinity = QUEUE("rq_affinity");
	facts->writeback_latency_us = QUEUE("wbt_lat_usec");
	facts->read_ahead_bytes = scaled(QUEUE("read_ahead_kb"), 1024);
	facts->discard_granularity_bytes = QUEUE("discard_granularity");
	facts->discard_max_bytes = QUEUE("discard_max_bytes");
#undef QUEUE
	facts->hardware_queues = count_entries(machine, disk, "mq");
	machine_read_text(machine, choices, sizeof choices, "/sys/class/block/%s/queue/scheduler", disk);
	active_choice(choices, facts->scheduler, sizeof facts->scheduler);
	machine_read_text(machine, facts->write_cache, sizeof facts->write_cache,
			  "/sys/class/block/%s/queue/write_cache", disk);
	machine_read_text(machine, facts->zoned, sizeof facts->zoned, "/sys/class/block/%s/queue/zoned",
			  disk);
}

static void read_identity(const struct machine *machine, const char *disk, struct drive_facts *facts)
{
#define DEVICE(field, name) \
	machine_read_text(machine, facts->field, sizeof facts->field, "/sys/class/block/%s/" name, disk)
	block_interface(machine, disk, facts->interface);
	DEVICE(model, "device/model");
	DEVICE(firmware, "device/firmware_rev");
	if (!facts->firmware[0])
		DEVICE(firmware, "device/rev");
	DEVICE(serial, "device/serial");
	if (!facts->serial[0])
		DEVICE(serial, "serial");
	if (!facts->model[0])
		DEVICE(model, "dm/name");
	if (!facts->model[0])
		DEVICE(model, "loop/backing_file");
#undef DEVICE
	facts->namespace_id = machine_read_u64(machine, "/sys/class/block/%s/nsid", disk);
	facts->namespace_count = DRIVE_UNKNOWN;
	facts->read_only = flag(machine_read_u64(machine, "/sys/class/block/%s/ro", facts->name));
	facts->removable = flag(machine_read_u64(machine, "/sys/class/block/%s/removable", disk));
}

static void read_numa_node(const struct machine *machine, const char *disk, struct drive_facts *facts)
{
	static const char *const where[] = {"device/numa_node", "device/device/numa_node"};
	uint64_t node = DRIVE_UNKNOWN;

	for (int i = 0; node == DRIVE_UNKNOWN && i < 2; i++)
		node = machine_read_u64(machine, "/sys/class/block/%s/%s", disk,
					where[i]); /* "-1" is no number here */
	facts->numa_node = node == DRIVE_UNKNOWN ? -1 : (int64_t)node;
}

static void read_partition(const struct machine *machine, const char *name, struct drive_partition *partition)
{
	struct block block;

	*partition = (struct drive_partition){0};
	if (block_by_name(machine, name, &block))
		return;
	snprintf(partition->name, sizeof partition->name, "%s", name);
	partition->dev = block.dev;
	partition->number = block.partition;
	partition->start_bytes = scaled(machine_read_u64(machine, "/sys/class/block/%s/start", name), 512);
	partition->size_bytes = block_size_bytes(machine, name);
	partition->aligned_4k = partition->start_bytes != DRIVE_UNKNOWN && partition->start_bytes % 4096 == 0;
}

static int read_partitions(const struct machine *machine, const struct block *block,
			   struct drive_facts *facts)
{
	struct lines names = {0};
	int result = 0;

	if (block->partition)
		lines_add(&names, "%s", block->name);
	else
		result = block_partitions(machine, block->name, &names);
	if (!result && names.count) {
		facts->partition = calloc(names.count, sizeof *facts->partition);
		result = facts->partition ? 0 : -ENOMEM;
	}
	for (uint32_t i = 0; !result && i < names.count; i++)
		read_partition(machine, names.line[i], &facts->partition[facts->partition_count++]);
	lines_release(&names);
	return result;
}

static void read_signatures_of(const char *name, const char *path, struct drive_facts *facts, bool tell_name)
{
	struct signature found[SIGNATURES_MAX];
	const int count = drive_signatures(path, found);

	if (count < 0)
		lines_add(&facts->not_read, "signatures of %s: %s", path, strerror(-count));
	for (int i = 0; i < count; i++)
		lines_add(&facts->signatures, "%s%s%s", tell_name ? name : "", tell_name ? ": " : "",
			  found[i].text);
}

/* Only on the real machine: a captured one has no content. */
static void read_signatures(const struct machine *machine, struct drive_facts *facts)
{
	char path[80];

	if (machine_or_real(machine)->root[0])
		return;
	read_signatures_of(facts->name, facts->path, facts, false);
	for (uint32_t i = 0; i < facts->partition_count && !facts->parent[0]; i++) {
		snprintf(path, sizeof path, "/dev/%.64s", facts->partition[i].name);
		read_signatures_of(facts->partition[i].name, path, facts, true);
	}
}

/* "in use: no" of somebody who may not look everywhere. */
static void say_what_only_root_sees(const struct machine *machine, struct drive_facts *facts)
{
	facts->use_half_seen = !machine_or_real(machine)->root[0] && geteuid();
	if (facts->use_half_seen)
		lines_add(&facts->not_read, "mounts in other namespaces: only root sees all of them");
}

static int lines_error(const struct drive_facts *facts)
{
	return facts->in_use.error | facts->signatures.error | facts->warnings.error | facts->not_read.error;
}

int drive_read(const struct machine *machine, const struct block *block, const struct block *disk,
	       struct drive_facts *facts)
{
	bool ambiguous;
	int result;

	block_path(block, facts->path);
	snprintf(facts->name, sizeof facts->name, "%s", block->name);
	if (block->partition)
		snprintf(facts->parent, sizeof facts->parent, "%s", block->disk);
	facts->dev = block->dev;
	facts->capacity_bytes = block_size_bytes(machine, block->name);
	read_queue(machine, disk->name, facts);
	read_identity(machine, disk->name, facts);
	read_numa_node(machine, disk->name, facts);
	facts->link_count = drive_links(machine, disk->dev, facts->link);
	drive_health(machine, disk->dev, &facts->health);
	drive_ask(machine, disk, facts);
	result = drive_id(machine, block, facts->id, &ambiguous);
	if (!result)
		result = read_partitions(machine, block, facts);
	if (!result)
		result = drive_use(machine, block, &facts->in_use, &facts->warnings);
	if (result)
		return result;
	read_signatures(machine, facts);
	say_what_only_root_sees(machine, facts);
	drive_warn(facts, ambiguous);
	return lines_error(facts) ? -ENOMEM : 0;
}
