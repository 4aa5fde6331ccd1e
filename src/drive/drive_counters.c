#include "drive/drive_counters.h"
#include "drive/block.h"
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define SECTOR_BYTES 512u	/* the unit of /sys/block/D/stat, whatever the device's own */
#define STAT_FIELDS 17

/* Fields that a kernel does not have are DRIVE_UNKNOWN. 0 or -errno. */
static int read_stat(const struct machine *machine, const char *name, uint64_t field[STAT_FIELDS])
{
	char text[512];
	const char *at = text;
	int used, count = 0;
	const int got = machine_read_text(machine, text, sizeof text, "/sys/class/block/%s/stat", name);

	if (got < 0)
		return got;
	for (; count < STAT_FIELDS && sscanf(at, "%" SCNu64 "%n", &field[count], &used) == 1; count++)
		at += used;
	for (int i = count; i < STAT_FIELDS; i++)
		field[i] = DRIVE_UNKNOWN;
	return count >= 11 ? 0 : -EOPNOTSUPP;
}

static uint64_t sectors_to_bytes(uint64_t sectors)
{
	return sectors == DRIVE_UNKNOWN ? DRIVE_UNKNOWN : sectors * SECTOR_BYTES;
}

static struct drive_counters counters_from(const uint64_t field[STAT_FIELDS])
{
	return (struct drive_counters){
		.reads = field[0],
		.read_merges = field[1],
		.read_bytes = sectors_to_bytes(field[2]),
		.read_ms = field[3],
		.writes = field[4],
		.write_merges = field[5],
		.write_bytes = sectors_to_bytes(field[6]),
		.write_ms = field[7],
		.in_flight = field[8],
		.busy_ms = field[9],
		.queue_ms = field[10],
		.discards = field[11],
		.discard_merges = field[12],
		.discard_bytes = sectors_to_bytes(field[13]),
		.discard_ms = field[14],
		.flushes = field[15],
		.flush_ms = field[16],
	};
}

static uint64_t counter_sum(uint64_t left, uint64_t right)
{
	return left == DRIVE_UNKNOWN || right == DRIVE_UNKNOWN ? DRIVE_UNKNOWN : left + right;
}

/* A multipath head that has counted nothing, though it has paths, is one that does not count. */
static int counters_of_paths(const struct machine *machine, const struct block *block,
			     uint64_t field[STAT_FIELDS])
{
	struct lines paths = {0};
	uint64_t one[STAT_FIELDS];
	int result = block_paths(machine, block->disk, &paths);

	if (!result && paths.count && block->partition)
		result = -EOPNOTSUPP;
	for (uint32_t i = 0; !result && i < paths.count; i++) {
		result = read_stat(machine, paths.line[i], one);
		for (int f = 0; !result && f < STAT_FIELDS; f++)
			field[f] = counter_sum(field[f], one[f]);
	}
	lines_release(&paths);
	return result;
}

static bool counted_nothing(const uint64_t field[STAT_FIELDS])
{
	static const int totals[] = {0 /* reads */, 4 /* writes */, 9 /* busy */, 11 /* discards */,
				     15 /* flushes */};

	for (uint32_t i = 0; i < sizeof totals / sizeof *totals; i++)
		if (field[totals[i]] && field[totals[i]] != DRIVE_UNKNOWN)
			return false;
	return true;
}

int drive_counters(const struct machine *machine, dev_t dev, struct drive_counters *ret_counters)
{
	uint64_t field[STAT_FIELDS];
	struct block block;
	int result = block_by_dev(machine, dev, &block);

	if (result)
		return result;
	if (machine_read_u64(machine, "/sys/class/block/%s/queue/iostats", block.disk) == 0)
		return -EOPNOTSUPP;
	result = read_stat(machine, block.name, field);
	if (!result && counted_nothing(field))
		result = counters_of_paths(machine, &block, field);
	if (!result)
		*ret_counters = counters_from(field);
	return result;
}

static uint64_t counter_delta(uint64_t before, uint64_t after)
{
	return before == DRIVE_UNKNOWN || after == DRIVE_UNKNOWN || after < before ? DRIVE_UNKNOWN
										   : after - before;
}

void drive_counters_delta(const struct drive_counters *before, const struct drive_counters *after,
			  struct drive_counters *ret_delta)
{
#define DELTA(field) .field = counter_delta(before->field, after->field)
	*ret_delta = (struct drive_counters){
		DELTA(reads), DELTA(read_merges), DELTA(read_bytes), DELTA(read_ms),
		DELTA(writes), DELTA(write_merges), DELTA(write_bytes), DELTA(write_ms),
		DELTA(discards), DELTA(discard_merges), DELTA(discard_bytes), DELTA(discard_ms),
		DELTA(flushes), DELTA(flush_ms), DELTA(busy_ms), DELTA(queue_ms),
		.in_flight = after->in_flight,
	};
#undef DELTA
}
