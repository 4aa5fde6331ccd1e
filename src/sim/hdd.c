#include "sim/hdd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int sim_hdd_init(struct sim_hdd *hdd, const struct sim_params *params)
{
	uint64_t disk_bytes;

	memset(hdd, 0, sizeof(*hdd));
	hdd->count = (uint32_t)params->disks;
	hdd->stripe_bytes = (uint64_t)params->stripe_kb * 1024;
	disk_bytes = (uint64_t)(params->capacity_gb * 1e9 / params->shrink / params->disks) /
		     hdd->stripe_bytes * hdd->stripe_bytes;
	hdd->size_bytes = disk_bytes * hdd->count;
	hdd->ack_ns = (uint64_t)(params->overhead_ms * 1e6 / 4);
	hdd->cache_ops = (uint32_t)params->cached_writes;
	hdd->write_cache = params->write_cache != 0;
	hdd->disks = calloc(hdd->count, sizeof(*hdd->disks));
	if (!hdd->disks)
		return -ENOMEM;
	for (uint32_t i = 0; i < hdd->count; i++)
		sim_disk_init(&hdd->disks[i], params, disk_bytes);
	return 0;
}

void sim_hdd_release(struct sim_hdd *hdd)
{
	for (uint32_t i = 0; hdd->disks && i < hdd->count; i++)
		sim_disk_release(&hdd->disks[i]);
	free(hdd->disks);
	free(hdd->commands);
	memset(hdd, 0, sizeof(*hdd));
}

static void part_done(struct sim_hdd_command *command, uint64_t done_ns)
{
	if (done_ns > command->done_ns)
		command->done_ns = done_ns;
	command->parts--;
	if (!command->parts && !command->owner)
		command->used = false;
}

/* A cached write is on the disk: flushes that waited for it wait for one less. */
static void cached_done(struct sim_hdd *hdd, uint64_t sequence, uint64_t done_ns)
{
	for (uint32_t i = 0; i < hdd->room; i++) {
		struct sim_hdd_command *command = &hdd->commands[i];

		if (command->used && command->parts && sequence < command->before)
			part_done(command, done_ns);
	}
}

/* Finishes what ends until now_ns, in order, and starts what follows. */
static void run(struct sim_hdd *hdd, uint64_t now_ns)
{
	for (;;) {
		struct sim_disk *first = NULL;
		struct sim_disk_op op;

		for (uint32_t i = 0; i < hdd->count; i++)
			if (hdd->disks[i].busy && (!first || hdd->disks[i].free_ns < first->free_ns))
				first = &hdd->disks[i];
		if (!first || first->free_ns > now_ns)
			return;
		op = sim_disk_finish(first);
		if (op.command == SIM_DISK_NOBODY)
			cached_done(hdd, op.sequence, first->free_ns);
		else
			part_done(&hdd->commands[op.command], first->free_ns);
		sim_disk_start(first, first->free_ns);
	}
}

static int command_new(struct sim_hdd *hdd, const void *owner, uint64_t tag, int32_t result,
		       uint32_t *ret_index)
{
	uint32_t index = 0;

	while (index < hdd->room && hdd->commands[index].used)
		index++;
	if (index == hdd->room) {
		const uint32_t room = hdd->room ? 2 * hdd->room : 64;
		struct sim_hdd_command *commands = realloc(hdd->commands, room * sizeof(*commands));

		if (!commands)
			return -ENOMEM;
		memset(&commands[hdd->room], 0, (room - hdd->room) * sizeof(*commands));
		hdd->commands = commands;
		hdd->room = room;
	}
	hdd->commands[index] =
		(struct sim_hdd_command){ .owner = owner, .tag = tag, .result = result, .used = true };
	*ret_index = index;
	return 0;
}

/* The part of the I/O that begins done_bytes into it and ends at the stripe; returns the disk it lies on. */
static struct sim_disk *part_of(struct sim_hdd *hdd, const struct io *io, uint64_t done_bytes,
				uint64_t now_ns, struct sim_disk_op *ret_op)
{
	const uint64_t offset = io->offset + done_bytes, stripe = offset / hdd->stripe_bytes;
	const uint64_t within = offset % hdd->stripe_bytes, left = io->bytes - done_bytes;
	const uint64_t room = hdd->stripe_bytes - within;

	*ret_op = (struct sim_disk_op){
		.offset = stripe / hdd->count * hdd->stripe_bytes + within,
		.bytes = (uint32_t)(left < room ? left : room),
		.command = SIM_DISK_NOBODY,
		.arrived_ns = now_ns,
		.sequence = hdd->sequence,
	};
	return &hdd->disks[stripe % hdd->count];
}

static bool cache_has_room(struct sim_hdd *hdd, const struct io *io)
{
	struct sim_disk_op op;

	if (!hdd->write_cache)
		return false;
	for (uint64_t bytes = 0; bytes < io->bytes; bytes += op.bytes)
		if (part_of(hdd, io, bytes, 0, &op)->cached >= hdd->cache_ops)
			return false;
	return true;
}

/* Queues all parts for `command` (or nobody). */
static int parts_queue(struct sim_hdd *hdd, const struct io *io, uint32_t command, uint64_t now_ns)
{
	struct sim_disk_op op;

	hdd->sequence++;
	for (uint64_t bytes = 0; bytes < io->bytes; bytes += op.bytes) {
		struct sim_disk *disk = part_of(hdd, io, bytes, now_ns, &op);
		int status;

		op.command = command;
		status = sim_disk_add(disk, &op);
		if (status)
			return status;
		if (command != SIM_DISK_NOBODY)
			hdd->commands[command].parts++;
		sim_disk_start(disk, now_ns);
	}
	return 0;
}

static int32_t transfer_submit(struct sim_hdd *hdd, const struct io *io, uint64_t now_ns, const void *owner,
			       uint64_t tag, uint64_t *ret_done_ns)
{
	uint32_t command = SIM_DISK_NOBODY;
	int status = 0;

	*ret_done_ns = SIM_LATER;
	if (io->op == IO_WRITE && cache_has_room(hdd, io))
		*ret_done_ns = now_ns + hdd->ack_ns;
	else
		status = command_new(hdd, owner, tag, (int32_t)io->bytes, &command);
	if (!status)
		status = parts_queue(hdd, io, command, now_ns);
	if (!status) {
		*(io->op == IO_WRITE ? &hdd->written_bytes : &hdd->read_bytes) += io->bytes;
		return (int32_t)io->bytes;
	}
	*ret_done_ns = now_ns;
	return status;
}

static int32_t flush_submit(struct sim_hdd *hdd, uint64_t now_ns, const void *owner, uint64_t tag,
			    uint64_t *ret_done_ns)
{
	uint32_t waiting = 0, command;
	int status;

	for (uint32_t i = 0; i < hdd->count; i++)
		waiting += hdd->disks[i].cached;
	*ret_done_ns = now_ns + hdd->ack_ns;
	if (!waiting)
		return 0;
	status = command_new(hdd, owner, tag, 0, &command);
	if (status)
		return status;
	hdd->commands[command].parts = waiting;
	hdd->commands[command].before = hdd->sequence + 1;
	*ret_done_ns = SIM_LATER;
	return 0;
}

int32_t sim_hdd_submit(struct sim_hdd *hdd, const struct io *io, uint64_t now_ns, const void *owner,
		       uint64_t tag, uint64_t *ret_done_ns)
{
	run(hdd, now_ns);
	switch (io->op) {
	case IO_READ:
	case IO_WRITE:
		return transfer_submit(hdd, io, now_ns, owner, tag, ret_done_ns);
	case IO_TRIM:
		*ret_done_ns = now_ns + hdd->ack_ns;
		return -EOPNOTSUPP;
	default:
		return flush_submit(hdd, now_ns, owner, tag, ret_done_ns);
	}
}

uint64_t sim_hdd_next_event_ns(const struct sim_hdd *hdd)
{
	uint64_t next_ns = SIM_LATER;

	for (uint32_t i = 0; i < hdd->count; i++)
		if (hdd->disks[i].busy && hdd->disks[i].free_ns < next_ns)
			next_ns = hdd->disks[i].free_ns;
	return next_ns;
}

int sim_hdd_reap(struct sim_hdd *hdd, const void *owner, uint64_t now_ns, struct sim_done *ret_done)
{
	run(hdd, now_ns);
	for (uint32_t i = 0; i < hdd->room; i++) {
		struct sim_hdd_command *command = &hdd->commands[i];

		if (!command->used || command->parts || command->owner != owner)
			continue;
		*ret_done = (struct sim_done){ command->tag, command->done_ns, command->result };
		command->used = false;
		return 1;
	}
	return 0;
}

void sim_hdd_forget(struct sim_hdd *hdd, const void *owner)
{
	for (uint32_t i = 0; i < hdd->room; i++)
		if (hdd->commands[i].used && hdd->commands[i].owner == owner) {
			hdd->commands[i].owner = NULL;
			hdd->commands[i].used = hdd->commands[i].parts != 0;
		}
}
