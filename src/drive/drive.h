/* drive: the device under test: identity, geometry, health, link, and what it is used for.
 *
 * Facts come from sysfs and, where the kernel lets us, from the drive itself (NVMe identify and SMART log).
 * What could not be read is DRIVE_UNKNOWN, NAN or "" and never a made-up 0; `not_read` says why. Strings from
 * a drive are hostile input: they are made printable here, escaping for HTML or JSON is the writer's duty.
 *
 * Ownership: `drive_find` gives facts that the caller releases. Thread-safe: no shared state. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/fault.h"
#include "base/text.h"
#include "drive/lines.h"
#include "drive/machine.h"

#define DRIVE_ID_BYTES 512

struct drive_link {			/* one PCIe link; speeds in GT/s, NAN = unknown */
	char address[32];		/* "0000:01:00.0" */
	double speed_now, speed_max;
	uint64_t width_now, width_max;	/* lanes */
};

#define DRIVE_LINKS_MAX 8		/* the drive, then each bridge above it */

struct drive_partition {
	char name[64];			/* "nvme0n1p1" */
	dev_t dev;
	uint32_t number;
	uint64_t start_bytes, size_bytes;
	bool aligned_4k;		/* start is a multiple of 4096 bytes */
};

struct drive_power_state {		/* NVMe */
	double watts;			/* at most; NAN = the drive does not say */
	bool operational;		/* false: no I/O in this state */
	uint32_t entry_us, exit_us;	/* at most; 0 = the drive does not say */
};

#define DRIVE_POWER_STATES_MAX 32

struct drive_error {			/* an entry of the NVMe error log */
	uint64_t number;		/* of errors over the drive's life, this one included */
	uint16_t queue;			/* 0 = an admin command, else I/O */
	uint16_t status;		/* code type in bits 10:8, code in bits 7:0 (nvme_log.h has words) */
	uint64_t block;			/* first logical block, of I/O */
	uint32_t namespace_id;
};

#define DRIVE_ERRORS_MAX 64

struct drive_errors {
	bool known;			/* the log was read */
	uint32_t count;
	struct drive_error entry[DRIVE_ERRORS_MAX];	/* newest first */
};

/* NVMe SMART / health log (NVMe 1.4, 5.14.1.2) or what hwmon tells. Counters are DRIVE_UNKNOWN when not
 * read. */
struct drive_health {
	double temperature_c;		/* NAN = unknown */
	double sensor_c[8];		/* NVMe sensors 1..8; NAN = not there */
	double warning_c, critical_c;	/* thresholds */
	/* from where on the host told it to throttle (NVMe feature 10h) */
	double throttle1_c, throttle2_c;
	uint64_t critical_warning;	/* bit field of the log */
	uint64_t spare_percent, spare_threshold_percent, used_percent;
	uint64_t host_read_bytes, host_write_bytes;	/* data units x 512,000 */
	uint64_t nand_write_bytes;	/* to the flash itself: OCP or vendor log, SATA attributes */
	/* NVMe log page that told; 0 = none does; DRIVE_UNKNOWN = not asked yet */
	uint64_t nand_log;
	uint64_t media_errors, error_log_entries, power_cycles, power_on_hours, unsafe_shutdowns;
	uint64_t warning_minutes, critical_minutes;	/* time above the thresholds */
	/* thermal management */
	uint64_t throttle1_count, throttle2_count, throttle1_seconds, throttle2_seconds;
	uint64_t power_state;
};

struct drive_facts {
	char path[80];			/* "/dev/nvme0n1" */
	char name[64];			/* the kernel's: "nvme0n1", "nvme0n1p2" */
	bool silent;			/* it did not answer: only name, path and size are known, all else is not */
	char id[DRIVE_ID_BYTES];	/* for --destroy; see drive_id.h */
	dev_t dev;
	char model[128], serial[128], firmware[32];
	char interface[16];		/* "nvme" "sata" "scsi" "usb" "virtio" "loop" "zram" "md" "dm" ... */
	uint64_t namespace_id;		/* NVMe */
	uint64_t namespace_count;	/* NVMe: of the controller */
	uint64_t capacity_bytes;
	uint64_t logical_block_bytes, physical_block_bytes;
	uint64_t minimum_io_bytes, optimal_io_bytes, max_request_bytes, max_segments;
	uint64_t queue_requests, hardware_queues;
	int rotational;			/* 1, 0, -1 = unknown */
	int read_only, removable, polling;	/* the same */
	char scheduler[32];		/* the active one */
	char write_cache[32];		/* "write back", "write through" */
	char zoned[16];			/* "none", "host-aware", "host-managed"; "" = unknown */
	uint64_t nomerges, rq_affinity, writeback_latency_us, read_ahead_bytes;
	uint64_t discard_granularity_bytes, discard_max_bytes;	/* max 0 = no discard */
	int64_t numa_node;		/* -1 = none or unknown */
	uint32_t link_count;
	struct drive_link link[DRIVE_LINKS_MAX];	/* [0] the drive itself */
	struct drive_health health;
	uint32_t power_state_count;
	struct drive_power_state power_state[DRIVE_POWER_STATES_MAX];
	struct drive_errors errors;
	uint32_t partition_count;
	struct drive_partition *partition;	/* owned */
	char parent[64];		/* a partition's disk, else "" */
	bool use_half_seen;		/* only root sees all: `in_use` may lack something */
	struct lines in_use;		/* "sda1 is mounted on / (ext4)", "sda is part of md0"; empty = free */
	struct lines signatures;	/* "ext4 file system, label x", "gpt partition table" */
	struct lines warnings;		/* what to watch out for */
	struct lines not_read;		/* what could not be read, and why */
};

/* The kernel's name of every drive of the machine in natural order; without partitions, empty loop, ram and
 * zram devices and hidden multipath nodes. Asks no drive anything. 0 or -errno (sysfs unreadable, out of
 * memory). */
int drive_names(const struct machine *machine, struct lines *ret_names);

/* By path (links followed, "/dev/ng0n1" too), by the kernel's name, or by what `drives` prints as ID. A
 * partition gives the partition's facts with its disk's identity. -ENOENT, -ENOTBLK with fault. */
int drive_find(const struct machine *machine, const char *path, struct drive_facts *ret_facts,
	       struct fault *fault);
int drive_find_dev(const struct machine *machine, dev_t dev, struct drive_facts *ret_facts,
		   struct fault *fault);
/* What is known of one that does not answer, without asking it: `name` is the kernel's; `why` goes to
 * not_read. */
void drive_facts_silent(const struct machine *machine, const char *name, const char *why,
			struct drive_facts *ret_facts);
void drive_facts_release(struct drive_facts *facts);

/* Only the health part, cheap enough for once a second: reads SMART through machine->io (needs root) or
 * hwmon. 0, also when nothing is known (then all fields say so). `dev` may be a partition or a multipath
 * node. */
int drive_health(const struct machine *machine, dev_t dev, struct drive_health *ret_health);
/* The same again, for what changes: `health` has what an earlier call gave and gets what is new. The drive is
 * asked only what it has answered before. */
int drive_health_again(const struct machine *machine, dev_t dev, struct drive_health *health);
/* The link as it is now (ASPM lowers it when idle); the count of links, 0 when there is none. */
uint32_t drive_links(const struct machine *machine, dev_t dev, struct drive_link link[DRIVE_LINKS_MAX]);

/* JSON objects: text that the caller frees; NULL when out of memory. Unknown values are null. */
char *drive_facts_json(const struct drive_facts *facts);
char *drive_health_json(const struct drive_health *health);
/* A few indented lines for people, as `drives` prints them. */
void drive_facts_text(const struct drive_facts *facts, struct text *out);
