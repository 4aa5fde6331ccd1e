/* params: everything a simulated drive can be told, as one flat list.
 *
 * The list below is the only place where a parameter is declared: the struct, the parser's table and what
 * `ssdassay sim NAME` prints all come from it. Every value is a double in the unit named; flags are 0 or 1,
 * choices count from 0 in the order of their names. `meaning` is a sentence for the user.
 *
 *	X(name, type, unit, min, max, fallback, choices, meaning)
 */
#pragma once

enum sim_param_type { SIM_PARAM_NUMBER, SIM_PARAM_FLAG, SIM_PARAM_CHOICE };

enum sim_group {
	SIM_GROUP_DRIVE, SIM_GROUP_FLASH, SIM_GROUP_FRONT, SIM_GROUP_FTL, SIM_GROUP_HEAT, SIM_GROUP_FAULT,
	SIM_GROUP_DISK, SIM_GROUPS
};

enum sim_kind { SIM_KIND_SSD, SIM_KIND_HDD };
enum sim_interface { SIM_INTERFACE_NONE, SIM_INTERFACE_SATA, SIM_INTERFACE_PCIE };
enum sim_policy { SIM_POLICY_GREEDY, SIM_POLICY_FIFO, SIM_POLICY_CHOICES };
enum sim_priority { SIM_PRIORITY_NONE, SIM_PRIORITY_WAIT, SIM_PRIORITY_SUSPEND };
enum sim_precondition { SIM_PRECONDITION_NONE, SIM_PRECONDITION_SEQUENTIAL, SIM_PRECONDITION_STEADY };

#define SIM_PARAMS_DRIVE(X) \
	X(kind, CHOICE, "", 0, 1, 0, "ssd hdd", "flash drive or hard disk") \
	X(capacity_gb, NUMBER, "GB", 0.05, 15000, 100, "", "user capacity before shrinking, 10^9 bytes") \
	X(shrink, NUMBER, "", 1, 4096, 1, "", \
	  "divides capacity, spare, SLC cache, map cache and heat capacity: a smaller drive, as fast") \
	X(block, NUMBER, "bytes", 512, 4096, 512, "", "logical block, 512 or 4096") \
	X(queue_depth, NUMBER, "commands", 1, 65535, 65535, "", \
	  "commands the drive holds at once; more wait in the host (SATA: 32)") \
	X(interface, CHOICE, "", 0, 2, 0, "none sata pcie", \
	  "what the drive is attached by (sata: data one way at a time); what the link carries is link_*_mbps") \
	X(pcie_generation, NUMBER, "", 1, 6, 3, "", "at which the PCIe link runs") \
	X(pcie_generation_max, NUMBER, "", 0, 6, 0, "", "at which it could run; 0: the same") \
	X(pcie_lanes, NUMBER, "", 1, 16, 4, "", "of the PCIe link") \
	X(write_cache, FLAG, "", 0, 1, 1, "", "off: a write is acknowledged when it is on the medium") \
	X(contents, FLAG, "", 0, 1, 0, "", \
	  "keep the data written, so that reads can be verified (small drives)") \
	X(precondition, CHOICE, "", 0, 2, 0, "none sequential steady", \
	  "state at start: empty, filled once in order, or the steady state of uniform random writes")

#define SIM_PARAMS_FLASH(X) \
	X(spare, NUMBER, "%", 0.5, 400, 7.37, "", \
	  "flash beyond the user capacity, share of the user capacity") \
	X(channels, NUMBER, "", 1, 64, 8, "", "flash channels") \
	X(dies, NUMBER, "per channel", 1, 32, 4, "", "dies on each channel") \
	X(planes, NUMBER, "per die", 1, 8, 2, "", "planes programmed together") \
	X(page_kb, NUMBER, "KiB", 4, 64, 16, "", "flash page of one plane, multiple of 4") \
	X(bits, NUMBER, "per cell", 1, 4, 3, "", "1 SLC, 2 MLC, 3 TLC, 4 QLC: pages programmed in one shot") \
	X(independent_planes, FLAG, "", 0, 1, 0, "", "planes of a die can read at the same time") \
	X(read_us, NUMBER, "us", 0.1, 10000, 55, "", "tR: array to register") \
	X(program_us, NUMBER, "us", 0.1, 100000, 1450, "", "tPROG of one unit: all planes and bits") \
	X(program_train, NUMBER, "units", 1, 16, 1, "", \
	  "programs sent to one die back to back before the next die's turn") \
	X(program_slc_us, NUMBER, "us", 0.1, 100000, 250, "", "tPROG of one unit in SLC mode") \
	X(erase_us, NUMBER, "us", 0, 1000000, 5000, "", \
	  "tBERS; every die pays it once per superblock of real size") \
	X(channel_mbps, NUMBER, "MB/s", 1, 100000, 400, "", "one channel's transfer rate") \
	X(superblocks, NUMBER, "", 64, 16384, 1024, "", "superblocks aimed at; their size follows") \
	X(read_priority, CHOICE, "", 0, 2, 1, "none wait suspend", \
	  "a read on a busy die: queues, waits for the operation in progress, or suspends it") \
	X(suspend_us, NUMBER, "us", 0, 10000, 10, "", "time to suspend a program operation") \
	X(retry_rate, NUMBER, "", 0, 1, 0, "", "share of flash reads that need read retries") \
	X(retries, NUMBER, "", 0, 100, 3, "", "extra reads of such a read") \
	X(page_types, FLAG, "", 0, 1, 1, "", "tR depends on the page type (lower, middle, upper)") \
	X(jitter, NUMBER, "", 0, 1, 0.04, "", "sigma of the lognormal factor on flash and firmware times")

#define SIM_PARAMS_FRONT(X) \
	X(link_read_mbps, NUMBER, "MB/s", 1, 100000, 3000, "", "host link, drive to host") \
	X(link_write_mbps, NUMBER, "MB/s", 1, 100000, 3000, "", "host link, host to drive") \
	X(read_us_fixed, NUMBER, "us", 0, 100000, 10, "", "latency of a read that occupies nothing") \
	X(write_us_fixed, NUMBER, "us", 0, 100000, 10, "", "latency of a write that occupies nothing") \
	X(read_us_command, NUMBER, "us", 0, 100000, 1, "", "controller time of each read command") \
	X(write_us_command, NUMBER, "us", 0, 100000, 3, "", "controller time of each write command") \
	X(write_us_page, NUMBER, "us", 0, 100000, 0, "", "controller time of each 4 KiB written, on top") \
	X(write_slope, NUMBER, "", -0.99, 10, 0, "", \
	  "write_us_command grows by this share as the drive fills (curve fit only)") \
	X(trim_us_command, NUMBER, "us", 0, 1000000, 20, "", "controller time of each trim") \
	X(trim_us_gb, NUMBER, "us/GB", 0, 10000000, 500, "", "controller time of each GB trimmed, on top") \
	X(flush_us, NUMBER, "us", 0, 1000000, 20, "", "latency of a flush that has nothing to do") \
	X(buffer_mb, NUMBER, "MiB", 0.0625, 65536, 16, "", "write buffer; full, it holds writes back") \
	X(map_cache_mb, NUMBER, "MiB", 0, 65536, 0, "", "map cache (HMB); 0: the whole map is in memory") \
	X(hiccup_mb, NUMBER, "MB", 0, 1e9, 0, "", \
	  "every so many MB written the controller pauses; 0: never") \
	X(hiccup_us, NUMBER, "us", 0, 1e8, 0, "", "length of that pause")

#define SIM_PARAMS_FTL(X) \
	X(gc, CHOICE, "", 0, 2, 0, "greedy fifo choices", "how garbage collection chooses its victim") \
	X(gc_choices, NUMBER, "", 1, 1000, 10, "", "candidates drawn at random when gc=choices") \
	X(gc_batch, NUMBER, "pages", 1, 1e7, 1, "", \
	  "collection debt is paid in lumps of this size: 1 is smooth") \
	X(gc_reserve, NUMBER, "superblocks", 4, 1000, 12, "", "free superblocks aimed at, per 1024") \
	X(gc_floor, NUMBER, "superblocks", 2, 100, 3, "", \
	  "at so many free superblocks writes wait for collection") \
	X(gc_gain, NUMBER, "", 0, 10, 0.5, "", \
	  "how strongly the pace follows the shortage of free superblocks") \
	X(gc_cost, NUMBER, "", 1, 100, 1, "", \
	  "program time of collected data, times (parity, journal, firmware)") \
	X(slc_gb, NUMBER, "GB", 0, 100000, 0, "", "SLC cache, data it holds at most; 0: none") \
	X(slc_static_gb, NUMBER, "GB", 0, 100000, 0, "", "part of it that is there even on a full drive") \
	X(slc_keep_free, NUMBER, "superblocks", 4, 1000, 60, "", \
	  "the dynamic cache takes no superblock below so many free ones, per 1024") \
	X(slc_fold, NUMBER, "", 0, 100, 0.9, "", "pages folded per page written once the cache is full") \
	X(slc_refill, FLAG, "", 0, 1, 0, "", \
	  "use the cache again as soon as it is empty, not only after idling") \
	X(idle_ms, NUMBER, "ms", 0.1, 1e6, 20, "", "idle time after which the drive tidies up")

#define SIM_PARAMS_HEAT(X) \
	X(ambient_c, NUMBER, "C", -40, 100, 30, "", "air temperature") \
	X(heat_resistance, NUMBER, "K/W", 0, 1000, 0, "", "drive to air; 0: temperature does not change") \
	X(heat_capacity, NUMBER, "J/K", 0.01, 10000, 14, "", "of the drive") \
	X(idle_w, NUMBER, "W", 0, 100, 1.2, "", "power when idle") \
	X(active_w, NUMBER, "W", 0, 100, 2.2, "", "power on top when not idle") \
	X(read_nj, NUMBER, "nJ/B", 0, 1000, 0.9, "", "energy of each byte read") \
	X(write_nj, NUMBER, "nJ/B", 0, 1000, 1.1, "", "energy of each byte programmed") \
	X(throttle_c, NUMBER, "C", 0, 200, 90, "", "throttling starts above") \
	X(throttle_clear_c, NUMBER, "C", 0, 200, 84, "", "and ends below") \
	X(throttle_mbps, NUMBER, "MB/s", 0.1, 100000, 900, "", "link rate while throttling")

#define SIM_PARAMS_FAULT(X) \
	X(stall_at_s, NUMBER, "s", 0, 1e9, 0, "", "first injected stall (also stall=AT/DURATION/EVERY)") \
	X(stall_s, NUMBER, "s", 0, 1e6, 0, "", "its length; 0: none") \
	X(stall_every_s, NUMBER, "s", 0, 1e9, 0, "", "from one stall's start to the next; 0: only one") \
	X(error_rate, NUMBER, "", 0, 1, 0, "", "share of reads and writes that fail") \
	X(error_at_s, NUMBER, "s", 0, 1e9, 0, "", "no injected error before") \
	X(error_ms, NUMBER, "ms", 0, 1e6, 5, "", "extra time of a command that fails") \
	X(hang_at_s, NUMBER, "s", 0, 1e9, 0, "", "the first command after never completes; 0: none") \
	X(plp, FLAG, "", 0, 1, 0, "", "power-loss protection: buffered data survives a power cut") \
	X(flush_lies, FLAG, "", 0, 1, 0, "", "a flush is acknowledged but does nothing") \
	X(paired_damage, FLAG, "", 0, 1, 0, "", \
	  "a program cut short also destroys older data of its word lines") \
	X(journal_ms, NUMBER, "ms", 0, 60000, 0, "", \
	  "map updates since the last journal are lost at a cut; 0: none") \
	X(shorn_rate, NUMBER, "", 0, 1, 0, "", \
	  "share of pages lost in mid-program that come back half old, half new") \
	X(dead_rate, NUMBER, "", 0, 1, 0, "", "chance that a power cut kills the drive") \
	X(boot_ms, NUMBER, "ms", 0, 600000, 500, "", "from power on to the first command")

#define SIM_PARAMS_DISK(X) \
	X(disks, NUMBER, "", 1, 64, 1, "", "hard disks striped as RAID 0 (kind=hdd)") \
	X(stripe_kb, NUMBER, "KiB", 4, 65536, 64, "", "stripe of the RAID 0") \
	X(rpm, NUMBER, "1/min", 100, 100000, 7200, "", "rotations") \
	X(seek_ms, NUMBER, "ms", 0, 1000, 0.8, "", "shortest seek") \
	X(seek_span_ms, NUMBER, "ms", 0, 1000, 11.5, "", \
	  "seek = seek_ms + this * sqrt(distance as share of the disk)") \
	X(overhead_ms, NUMBER, "ms", 0, 1000, 0.3, "", "of each command") \
	X(outer_mbps, NUMBER, "MB/s", 1, 10000, 200, "", "media rate at offset 0") \
	X(inner_mbps, NUMBER, "MB/s", 1, 10000, 100, "", "media rate at the end") \
	X(ageing, NUMBER, "", 0, 10, 0.02, "", "how much waiting commands gain on near ones") \
	X(cached_writes, NUMBER, "commands", 0, 4096, 64, "", "writes each disk's cache holds")

#define SIM_PARAMS(X) \
	SIM_PARAMS_DRIVE(X) SIM_PARAMS_FLASH(X) SIM_PARAMS_FRONT(X) SIM_PARAMS_FTL(X) \
	SIM_PARAMS_HEAT(X) SIM_PARAMS_FAULT(X) SIM_PARAMS_DISK(X)

struct sim_params {
	char profile[64];	/* name it was loaded by */
	char model[41];		/* what the drive calls itself */
#define SIM_PARAM_FIELD(name, type, unit, min, max, fallback, choices, meaning) double name;
	SIM_PARAMS(SIM_PARAM_FIELD)
#undef SIM_PARAM_FIELD
};
