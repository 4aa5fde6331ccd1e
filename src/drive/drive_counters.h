/* drive_counters: what the block layer itself counted (Documentation/block/stat.rst), to check our own sums.
 *
 * Counters run since boot: subtract two samples. "Not available" is an error, never zeros: a device whose
 * queue does not count (iostats = 0), an NVMe multipath head on a kernel that counts only on its paths (then
 * the paths are summed; a partition of such a head has none). Cheap: one or a few small reads; fit for once a
 * second.
 *
 * A flush that carries no data (fsync, fdatasync of a block device with a write-back cache) is counted twice
 * by the kernel: in `flushes` and as one of `writes`, with 0 bytes. Seen on Linux 6.18; bytes are not
 * affected. */
#pragma once
#include <stdint.h>
#include <sys/types.h>
#include "drive/machine.h"

struct drive_counters {
	uint64_t reads, read_merges, read_bytes, read_ms;
	uint64_t writes, write_merges, write_bytes, write_ms;
	uint64_t discards, discard_merges, discard_bytes, discard_ms;	/* DRIVE_UNKNOWN before Linux 4.18 */
	uint64_t flushes, flush_ms;					/* DRIVE_UNKNOWN before Linux 5.5 */
	uint64_t in_flight, busy_ms, queue_ms;
};

/* 0, -ENOENT (no such device), -EOPNOTSUPP (this device is not counted). `dev` may be a partition. */
int drive_counters(const struct machine *machine, dev_t dev, struct drive_counters *ret_counters);
/* after - before, field by field; a counter that ran backwards (device replaced) or is unknown gives
 * DRIVE_UNKNOWN. in_flight is that of `after`. */
void drive_counters_delta(const struct drive_counters *before, const struct drive_counters *after,
			  struct drive_counters *ret_delta);
