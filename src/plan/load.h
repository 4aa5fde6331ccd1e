/* load: one load of a step with every option typed: what work, engine and run read. Plain data without
 * pointers (it may lie in memory shared between processes). Made by plan_instantiate(); defaults are those
 * of INTERFACE.md. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define LOAD_NAME 64
#define LOAD_SIZES 64		/* parts of one bssplit */
#define LOAD_ZONES 64		/* parts of one zoned distribution */
#define LOAD_STOPS 8
#define LOAD_CPUS 1024
#define LOAD_PRIO_BEST 2		/* classes of ioprio_set(2) */
#define LOAD_PRIO_IDLE 3
#define LOAD_PATTERN 512		/* bytes of a buffer_pattern */

enum load_rw {
	LOAD_READ, LOAD_WRITE, LOAD_RW,			/* sequential */
	LOAD_RANDREAD, LOAD_RANDWRITE, LOAD_RANDRW,	/* random */
	LOAD_TRIM, LOAD_RANDTRIM,
};
/* As a plan has it: "randread". */
const char *load_rw_name(enum load_rw rw);
static inline bool load_rw_random(enum load_rw rw)
{
	return rw == LOAD_RANDREAD || rw == LOAD_RANDWRITE || rw == LOAD_RANDRW || rw == LOAD_RANDTRIM;
}

/* A size that may be a share of something (of the target, of the addressed range): "4g", "75%",
 * "min(6.25%,64g)". */
enum amount_unit { AMOUNT_UNSET, AMOUNT_BYTES, AMOUNT_SHARE };
struct amount {
	enum amount_unit unit;
	uint64_t bytes;		/* AMOUNT_SHARE: at most so many; 0 = no such limit */
	double share;		/* 0..1; io_size=, a share of size=, may be above 1 */
	/* Of plans that are scaled down: not less than so many bytes, if the share as written has as many.
	 * So small targets still hold a few blocks, and all loads of a plan address the same. 0 = as it
	 * is. */
	uint64_t bytes_least;
	double share_written;
};

/* The bytes that `amount` means when `whole` is 100 %; unset gives `unset`. Not rounded to blocks. */
static inline uint64_t amount_resolve(const struct amount *amount, uint64_t whole, uint64_t unset)
{
	uint64_t bytes;

	if (amount->unit == AMOUNT_UNSET)
		return unset;
	if (amount->unit == AMOUNT_BYTES)
		return amount->bytes;
	bytes = amount->share == 1 ? whole : (uint64_t)((double)whole * amount->share);
	if (bytes < amount->bytes_least) {
		bytes = amount->share_written == 1 ? whole
						   : (uint64_t)((double)whole * amount->share_written);
		bytes = bytes < amount->bytes_least ? bytes : amount->bytes_least;
	}
	return amount->bytes && bytes > amount->bytes ? amount->bytes : bytes;
}

/* Block sizes of one direction: shares add up to 1; within a part uniform over multiples of bytes_min's
 * unit. */
struct load_size {
	uint32_t bytes_min, bytes_max;	/* equal for a fixed size */
	double share;
};
struct load_sizes {
	uint32_t count;			/* >= 1 */
	struct load_size part[LOAD_SIZES];
};

enum load_distribution { DISTRIBUTION_RANDOM, DISTRIBUTION_ZIPF, DISTRIBUTION_PARETO, DISTRIBUTION_NORMAL,
			 DISTRIBUTION_ZONED };
struct load_zone {
	double access_share, size_share;	/* of all accesses / of the range; each column adds up to 1 */
};

enum load_engine { ENGINE_BEST, ENGINE_URING, ENGINE_AIO, ENGINE_PSYNC, ENGINE_SYNC, ENGINE_NULL, ENGINE_SIM,
		   ENGINE_URING_CMD };

/* closed: `iodepth` in flight, the next one starts when one ends. Open: by schedule, whatever the drive
 * does. */
enum load_arrival { ARRIVAL_CLOSED, ARRIVAL_CONSTANT, ARRIVAL_POISSON };

enum stop_kind {
	STOP_TIME,		/* ns */
	STOP_WRITTEN,		/* bytes, or times user capacity, or times addressed range */
	STOP_DROP,		/* speed fell by this share from its best */
	STOP_SNIA,		/* SNIA rule; period_ns/every_ns for one-minute rounds every 31 minutes */
	STOP_STEADY,		/* the stricter on-line detector */
	STOP_ROUNDS,		/* `max=25` */
	STOP_COOL,		/* the drive is as cool as when the run began; idle steps only */
};
struct stop_rule {
	enum stop_kind kind;
	uint64_t time_ns;			/* STOP_TIME */
	uint64_t bytes;				/* STOP_WRITTEN, when capacities == 0 && ranges == 0 */
	double capacities, ranges;		/* STOP_WRITTEN: 2x / 1r */
	double share;				/* STOP_DROP */
	uint64_t round_ns, every_ns;		/* STOP_SNIA on a single step; 0 = rounds of the group */
	uint32_t rounds;			/* STOP_ROUNDS */
};

struct load {
	char name[LOAD_NAME];		/* section name */
	/* its own step in plan->steps (for joined loads not the leading one) */
	uint32_t section;

	/* which I/O */
	enum load_rw rw;
	int64_t rw_skip;		/* sequential, rw=read:4k: further on after each I/O; below 0: back */
	uint32_t rw_each;		/* random, rw=randread:8: I/Os for each place that is drawn; 0 = 1 */
	/* rw_sequencer=identical: these all at that place, not one after another */
	bool rw_identical;
	double read_share;		/* of reads in rw, randrw: rwmixread / 100 */
	struct load_sizes sizes[3];	/* by direction: IO_READ, IO_WRITE, IO_TRIM */
	struct amount offset, size;	/* part of the target; size unset = to the end of the range */
	struct amount offset_increment;	/* per worker */
	/* of fio; unset, or what `size` became of: `io_size` is then what size= said */
	struct amount filesize;
	/* bytes that each worker moves; a share is one of size; unset = size */
	struct amount io_size;
	struct amount range_from, range_to;	/* our range=A..B; unset = whole target */
	/* > 0: range_to's share as so many equal random non-touching segments */
	uint32_t range_segments;
	bool offset_continue;		/* offset=continue */
	/* by direction: random offsets are multiples of it; 0 = of the smallest size */
	uint32_t align_bytes[3];
	uint64_t number_ios;		/* that each worker sends at most; 0 = no limit */
	bool random_map;		/* every block of the range once per pass */
	enum load_distribution distribution;
	double distribution_theta;	/* zipf theta, pareto h, normal deviation in percent */
	double distribution_center;	/* 0..1, -1 = unset */
	uint32_t zone_count;
	struct load_zone zone[LOAD_ZONES];
	double percentage_random[3];	/* 0..1 by direction; 1 = all random */
	/* randseed, or the plan's seed mixed with the name; same seed, same I/O */
	uint64_t seed;
	bool seed_repeat;		/* randrepeat; false: another seed in every run (run adds it) */
	bool generator_lfsr;		/* random_generator=lfsr: a map without memory */
	uint32_t fsync_every, fdatasync_every;	/* 0 = never */
	bool end_fsync;			/* fsync when all else is done; also what fsync_on_close= becomes */
	bool fsync_on_close;
	/* RWF_ flags (sync=, nowait=, uncached=, atomic=); what is for writes only isn't set on reads */
	uint64_t sync_flags;

	/* data */
	bool refill_buffers;
	double compress_share;		/* 0..1 of a buffer that is compressible */
	uint32_t compress_chunk_bytes;	/* 0 = one block */
	double dedupe_share;		/* 0..1 of buffers that repeat earlier ones */
	bool zero_buffers;
	uint32_t pattern_bytes;		/* 0 = none: the data is random */
	/* repeated from the beginning of each buffer; with compress_share: of the rest of each chunk */
	uint8_t pattern[LOAD_PATTERN];

	/* how it is sent */
	enum load_engine engine;
	bool direct;
	uint32_t iodepth, batch_submit, batch_complete_min, batch_complete_max;	/* 0 = the fast default */
	uint32_t numjobs;
	/* fixed_*: true unless switched off */
	bool iopoll, sqpoll, fixed_buffers, fixed_files, huge_pages;
	bool hybrid_poll, vectored;
	/* one of them stands in the plan: refuse instead of going on without */
	bool engine_options_named;
	int32_t sqpoll_cpu;		/* -1 = unset */
	uint64_t numa_nodes;		/* of the CPUs, a bit each; 0 = unset */
	uint32_t memory_policy;		/* numa_mem_policy as set_mempolicy(2) counts them; 0 = unset */
	uint64_t memory_nodes;		/* its nodes, a bit each */
	uint32_t cpu_count;		/* 0 = any */
	bool prio_named;		/* prio= stands in the plan */
	uint16_t prio_class, prio_level;	/* as ioprio_set(2) counts them; class 0 = none */
	uint16_t cpu[LOAD_CPUS];	/* allowed CPUs; worker i uses cpu[i % cpu_count] if cpus_split */
	bool cpus_split;

	/* when */
	/* arrival= as it stands; rate=, rate_iops= and rate_process= become an arrival too (for mixed
	 * loads the highest rate at which no direction exceeds its own; two different rates decide the mix
	 * instead of rwmixread, and each is reached), so that only the two fields below need be read. */
	enum load_arrival arrival;
	double arrival_rate;		/* I/O per second of all workers together; 0 in closed loops */
	uint64_t rate_bytes[3];		/* fio rate=, per worker and direction; 0 = none */
	uint64_t rate_ios[3];		/* fio rate_iops= */
	uint64_t thinktime_ns;
	uint32_t thinktime_blocks;	/* I/Os between two thinktimes, >= 1 */
	uint64_t thinktime_spin_ns;

	/* how long */
	uint64_t runtime_ns;		/* 0 = until the size is done; without ramp and start delay */
	/* start over when the size is done; with runtime_ns 0: until the step's until, duty or (joined
	 * loads) the leading load ends it */
	bool time_based;
	bool time_based_alone;		/* .fio: asked for without a runtime, so that it is off */
	uint64_t ramp_ns, startdelay_ns;
	uint32_t loops;

	bool group_reporting;
};

/* As ioprio_set(2) takes it; 0 = as the program was started. */
static inline uint16_t load_ioprio(const struct load *load)
{
	return (uint16_t)(load->prio_class << 13 | load->prio_level);
}
