#include "fault_disk.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SECOND 1000000000ull
#define SEED 88172645463325252ull

static char *map_zeros(uint64_t bytes)
{
	void *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

bool fault_disk_init(struct fault_disk *disk, uint64_t size_bytes)
{
	*disk = (struct fault_disk){.size_bytes = size_bytes, .random = SEED};
	pthread_mutex_init(&disk->lock, NULL);
	disk->content = map_zeros(size_bytes);
	disk->stable = map_zeros(size_bytes);
	disk->unsynced = calloc(size_bytes / FAULT_BLOCK_BYTES, sizeof *disk->unsynced);
	disk->answered_ns = calloc(FAULT_ANSWERS_MAX, sizeof *disk->answered_ns);
	return disk->content && disk->stable && disk->unsynced && disk->answered_ns;
}

/* xorshift64, Marsaglia 2003 */
static uint64_t disk_random(struct fault_disk *disk)
{
	disk->random ^= disk->random << 13;
	disk->random ^= disk->random >> 7;
	disk->random ^= disk->random << 17;
	return disk->random;
}

static uint64_t blocks(const struct fault_disk *disk)
{
	return disk->size_bytes / FAULT_BLOCK_BYTES;
}

static void save_block(struct fault_disk *disk, uint64_t block, char *to, const char *from)
{
	memcpy(to + block * FAULT_BLOCK_BYTES, from + block * FAULT_BLOCK_BYTES, FAULT_BLOCK_BYTES);
	disk->unsynced[block] = false;
}

static void sync_all(struct fault_disk *disk)
{
	for (uint64_t block = 0; block < blocks(disk); block++)
		if (disk->unsynced[block])
			save_block(disk, block, disk->stable, disk->content);
}

static void cut_power(struct fault_disk *disk, uint64_t permille, uint64_t seed)
{
	disk->random = SEED + seed * 2654435761u;
	for (uint64_t block = 0; block < blocks(disk); block++) {
		if (!disk->unsynced[block])
			continue;
		if (disk_random(disk) % 1000 < permille) {
			save_block(disk, block, disk->content, disk->stable);
			disk->counters.lost_blocks++;
		}
		disk->unsynced[block] = false;
	}
}

static void cache_on(struct fault_disk *disk)
{
	memcpy(disk->stable, disk->content, disk->size_bytes);
	memset(disk->unsynced, 0, blocks(disk) * sizeof *disk->unsynced);
	disk->plan.write_cache = true;
}

static void count(struct fault_disk *disk, enum fault_op op, uint32_t bytes)
{
	struct fault_counters *counters = &disk->counters;

	counters->reads += op == FAULT_READ;
	counters->writes += op == FAULT_WRITE;
	counters->syncs += op == FAULT_SYNC;
	counters->discards += op == FAULT_DISCARD;
	counters->read_bytes += op == FAULT_READ ? bytes : 0;
	counters->write_bytes += op == FAULT_WRITE ? bytes : 0;
}

static int error_of(const struct fault_disk *disk, enum fault_op op, uint64_t offset, uint32_t bytes)
{
	const struct fault_plan *plan = &disk->plan;
	const bool inside =
		offset < plan->error_offset + plan->error_bytes && offset + bytes > plan->error_offset;

	if (plan->gone)
		return ENODEV;
	if ((op == FAULT_READ && plan->error_reads && inside) ||
	    (op == FAULT_WRITE && plan->error_writes && inside) || (op == FAULT_SYNC && plan->error_syncs))
		return plan->error_number;
	return 0;
}

static uint64_t stall_ns(struct fault_disk *disk)
{
	const struct fault_plan *plan = &disk->plan;
	uint64_t ns = 0;

	if (plan->stall_permille && disk_random(disk) % 1000 < plan->stall_permille)
		ns += plan->stall_ns;
	if (plan->stall_every && (disk->counters.reads + disk->counters.writes) % plan->stall_every == 0)
		ns += plan->stall_every_ns;
	disk->counters.stalls += ns != 0;
	return ns;
}

/* A bucket without depth: each I/O takes the line for bytes / rate. */
static uint64_t rate_due_ns(struct fault_disk *disk, enum fault_op op, uint32_t bytes, uint64_t now_ns)
{
	const struct fault_plan *plan = &disk->plan;
	uint64_t rate = plan->rate;

	disk->written_since_cliff += op == FAULT_WRITE ? bytes : 0;
	if (op == FAULT_WRITE && plan->cliff_rate && disk->written_since_cliff > plan->cliff_bytes)
		rate = plan->cliff_rate;
	if (!rate)
		return now_ns;
	if (disk->next_free_ns < now_ns)
		disk->next_free_ns = now_ns;
	disk->next_free_ns += bytes * SECOND / rate;
	return disk->next_free_ns;
}

static uint64_t due_ns(struct fault_disk *disk, enum fault_op op, uint32_t bytes, uint64_t now_ns)
{
	const uint64_t slow =
		now_ns + (op == FAULT_READ ? disk->plan.read_ns : disk->plan.write_ns) + stall_ns(disk);
	const uint64_t limited = rate_due_ns(disk, op, bytes, now_ns);

	return slow > limited ? slow : limited;
}

static uint32_t short_bytes(struct fault_disk *disk, uint32_t bytes)
{
	const uint32_t half = bytes / 2 / FAULT_BLOCK_BYTES * FAULT_BLOCK_BYTES;

	if (!disk->plan.short_every || disk->counters.writes % disk->plan.short_every || !half)
		return bytes;
	disk->counters.shorts++;
	return half;
}

static void store(struct fault_disk *disk, uint64_t offset, const char *data, uint32_t bytes)
{
	memcpy(disk->content + offset, data, bytes);
	for (uint64_t at = offset / FAULT_BLOCK_BYTES;
	     disk->plan.write_cache && at * FAULT_BLOCK_BYTES < offset + bytes; at++)
		disk->unsynced[at] = true;
}

/* Whole pages are given back, so that a large disk stays cheap. */
static void erase(struct fault_disk *disk, uint64_t offset, uint32_t bytes)
{
	if ((offset | bytes) % FAULT_BLOCK_BYTES)
		memset(disk->content + offset, 0, bytes);
	else
		madvise(disk->content + offset, bytes, MADV_DONTNEED);
}

static void carry_out(struct fault_disk *disk, enum fault_op op, uint64_t offset, const char *data,
		      uint32_t bytes)
{
	if (op == FAULT_WRITE)
		store(disk, offset, data, bytes);
	else if (op == FAULT_SYNC && disk->plan.write_cache)
		sync_all(disk);
	else if (op == FAULT_DISCARD)
		erase(disk, offset, bytes);
}

struct fault_answer fault_disk_do(struct fault_disk *disk, enum fault_op op, uint64_t offset, uint32_t bytes,
				  const char *data, uint64_t now_ns)
{
	struct fault_answer answer = {.bytes = bytes, .due_ns = now_ns};

	pthread_mutex_lock(&disk->lock);
	count(disk, op, bytes);
	answer.error = error_of(disk, op, offset, bytes);
	disk->counters.errors += answer.error != 0;
	if (op == FAULT_READ || op == FAULT_WRITE)
		answer.due_ns = due_ns(disk, op, bytes, now_ns);
	if (op == FAULT_WRITE && !answer.error)
		answer.bytes = short_bytes(disk, bytes);
	if (!answer.error)
		carry_out(disk, op, offset, data, answer.bytes);
	pthread_mutex_unlock(&disk->lock);
	return answer;
}

uint64_t fault_disk_hang_until(struct fault_disk *disk)
{
	uint64_t until;

	pthread_mutex_lock(&disk->lock);
	until = disk->plan.hang_until_ns;
	pthread_mutex_unlock(&disk->lock);
	return until;
}

static void reset(struct fault_disk *disk)
{
	disk->plan = (struct fault_plan){0};
	disk->counters = (struct fault_counters){0};
	disk->next_free_ns = disk->written_since_cliff = disk->answers = 0;
}

bool fault_disk_command(struct fault_disk *disk, const char *line, uint64_t now_ns)
{
	uint64_t numbers[2] = {0, 0};
	enum fault_command command;

	pthread_mutex_lock(&disk->lock);
	command = fault_plan_command(&disk->plan, line, now_ns, numbers);
	if (command == FAULT_CLIFF)
		disk->written_since_cliff = 0;
	else if (command == FAULT_CACHE_ON)
		cache_on(disk);
	else if (command == FAULT_CACHE_OFF)
		disk->plan.write_cache = false;
	else if (command == FAULT_POWER_CUT)
		cut_power(disk, numbers[0], numbers[1]);
	else if (command == FAULT_RESET)
		reset(disk);
	pthread_mutex_unlock(&disk->lock);
	return command != FAULT_NOT_UNDERSTOOD;
}

void fault_disk_answered(struct fault_disk *disk, uint64_t now_ns)
{
	pthread_mutex_lock(&disk->lock);
	if (disk->answers < FAULT_ANSWERS_MAX)
		disk->answered_ns[disk->answers++] = now_ns;
	pthread_mutex_unlock(&disk->lock);
}

uint32_t fault_disk_answers(struct fault_disk *disk, uint64_t offset, char *buffer, uint32_t buffer_bytes)
{
	char line[FAULT_ANSWER_LINE + 1];
	uint32_t filled = 0, skip = offset % FAULT_ANSWER_LINE, part;

	pthread_mutex_lock(&disk->lock);
	for (uint64_t at = offset / FAULT_ANSWER_LINE; at < disk->answers && filled < buffer_bytes; at++) {
		snprintf(line, sizeof line, "%020lu\n", disk->answered_ns[at]);
		part = FAULT_ANSWER_LINE - skip;
		if (part > buffer_bytes - filled)
			part = buffer_bytes - filled;
		memcpy(buffer + filled, line + skip, part);
		filled += part;
		skip = 0;
	}
	pthread_mutex_unlock(&disk->lock);
	return filled;
}

void fault_disk_report(struct fault_disk *disk, char *buffer, uint32_t buffer_bytes)
{
	const struct fault_counters *c = &disk->counters;

	pthread_mutex_lock(&disk->lock);
	snprintf(buffer, buffer_bytes,
		 "reads %lu\nwrites %lu\nsyncs %lu\ndiscards %lu\nread_bytes %lu\nwrite_bytes %lu\n"
		 "stalls %lu\nerrors %lu\nshorts %lu\nlost_blocks %lu\n",
		 c->reads, c->writes, c->syncs, c->discards, c->read_bytes, c->write_bytes, c->stalls,
		 c->errors, c->shorts, c->lost_blocks);
	pthread_mutex_unlock(&disk->lock);
}
