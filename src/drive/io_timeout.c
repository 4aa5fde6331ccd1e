#include "drive/io_timeout.h"
#include "drive/block.h"

#define NS_PER_MS 1000000ull
#define DEPTH_MAX 8	/* LVM on LUKS on RAID on multipath is 5 */

static uint64_t longer(uint64_t one, uint64_t other)
{
	if (one == DRIVE_UNKNOWN || other == DRIVE_UNKNOWN)
		return one == DRIVE_UNKNOWN ? other : one;
	return one > other ? one : other;
}

static uint64_t timeout_of(const struct machine *machine, const char *disk, uint32_t depth);

static uint64_t timeout_below(const struct machine *machine, const char *disk, uint32_t depth)
{
	struct lines below = {0};
	struct block block;
	uint64_t timeout_ns = DRIVE_UNKNOWN;

	/* none of either: it is the lowest */
	(void)machine_list(machine, &below, "/sys/class/block/%s/slaves", disk);
	(void)block_paths(machine, disk, &below);
	for (uint32_t i = 0; i < below.count; i++) {
		/* a hidden path has no device number, but is a disk of its own */
		const bool known = !block_by_name(machine, below.line[i], &block);
		const char *name = known ? block.disk : below.line[i];

		timeout_ns = longer(timeout_ns, timeout_of(machine, name, depth + 1));
	}
	lines_release(&below);
	return timeout_ns;
}

static uint64_t timeout_of(const struct machine *machine, const char *disk, uint32_t depth)
{
	const uint64_t ms = machine_read_u64(machine, "/sys/class/block/%s/queue/io_timeout", disk);

	if (ms != DRIVE_UNKNOWN)
		return ms < UINT64_MAX / NS_PER_MS ? ms * NS_PER_MS : UINT64_MAX - 1;
	return depth < DEPTH_MAX ? timeout_below(machine, disk, depth) : DRIVE_UNKNOWN;
}

uint64_t drive_io_timeout_ns(const struct machine *machine, dev_t dev)
{
	struct block block;

	return block_by_dev(machine, dev, &block) ? DRIVE_UNKNOWN : timeout_of(machine, block.disk, 0);
}
