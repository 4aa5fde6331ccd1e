/* fault_plan: what a fault_disk has been told to do wrong, and the language that tells it.
 *
 *   latency READ_US WRITE_US        every read or write takes this much longer
 *   stall PERMILLE US               each I/O, with this chance, waits US more (seeded)
 *   stall-every N US                every Nth read or write waits US more (exact)
 *   rate BYTES                      bytes per second, reads and writes together; 0 = no limit
 *   cliff BYTES RATE                writes fall to RATE bytes per second after BYTES from now
 *   errors OFFSET BYTES rws [ERRNO] reads, writes, syncs that touch the range fail (EIO = 5)
 *   hang SECONDS                    nothing is answered for that long
 *   short N                         every Nth write of more than 4 KiB moves only half of it
 *   gone / back                     everything fails with ENODEV / works again
 *   write-cache on / off            writes are stable only after a sync
 *   powercut PERMILLE SEED          that share of the blocks not synced falls back to what was stable
 *   reset                           no faults, counters at 0 (content stays) */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct fault_plan {
	uint64_t read_ns, write_ns;
	uint32_t stall_permille;
	uint64_t stall_ns;
	uint64_t stall_every, stall_every_ns;
	uint64_t rate, cliff_bytes, cliff_rate;
	uint64_t error_offset, error_bytes;
	bool error_reads, error_writes, error_syncs;
	int error_number;
	uint64_t hang_until_ns;
	uint64_t short_every;
	bool gone, write_cache;
};

enum fault_command {
	FAULT_NOT_UNDERSTOOD, FAULT_PLAN_CHANGED, FAULT_CLIFF, FAULT_CACHE_ON, FAULT_CACHE_OFF, FAULT_POWER_CUT,
	FAULT_RESET,
};

/* Changes the plan; what concerns the content is named by the return value, numbers of a power cut by
 * `ret_numbers`. */
enum fault_command fault_plan_command(struct fault_plan *plan, const char *line, uint64_t now_ns,
				      uint64_t ret_numbers[2]);
