/* records: what happened, as plain structs: one vocabulary for run (which observes), store (which keeps) and
 * report (which tells). They are the rows of a run file. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/io.h"
#include "measure/event_log.h"
#include "measure/tally.h"

enum run_status { RUN_RUNNING, RUN_COMPLETE, RUN_INTERRUPTED, RUN_FAILED, RUN_REFUSED };
const char *run_status_name(enum run_status status);	/* "running" "complete" "interrupted" "failed" "refused" */
enum check_result { CHECK_PASSED, CHECK_FAILED, CHECK_NOT_APPLICABLE };
const char *check_result_name(enum check_result result);	/* "passed" "failed" "not_applicable" */

/* Strings: given by the caller and copied when written; owned by the reader (until store_close) when read.
 * NULL = none. */
struct run_record {
	const char *id;			/* 128-bit random hex */
	const char *version;		/* of the program that wrote it */
	uint64_t started_wall_ns;
	uint64_t duration_ns;		/* target's clock */
	uint64_t wall_duration_ns;
	enum run_status status;
	const char *status_text;	/* why it failed or was interrupted, one sentence; "what hangs" */
	const char *plan_name, *plan_title, *plan_report, *plan_text, *plan_source;
	const char *command_line;	/* JSON array of the arguments */
	double scale;
	uint64_t seed;
	bool allow_unwritten, strict;
	const char *host_json;		/* facts of the host (drive_host) */
	const char *clock;		/* "vdso" "tsc" "virtual" */
	double ceiling_iops;		/* the tool's own ceiling, 0 = not measured */
	/* what a resumed run needs to read the plan text the same way again; NULL = none */
	const char *options_json;
};

struct drive_record {
	uint32_t target;		/* 0, 1, ... in the order given */
	const char *name;		/* as the user wrote it */
	const char *kind;		/* "file" "block" "char" "nvme-generic" "sim" */
	const char *id;			/* what --destroy takes; "" for files and sims */
	const char *model, *serial, *firmware, *interface_name;
	uint64_t capacity_bytes;
	uint32_t block_bytes;
	uint64_t longest_stall_ns;	/* longest time in which I/Os were in flight and none completed */
	const char *before_json, *after_json;	/* identity, health, queue, link, counters */
	const char *truth_json;		/* simulated drives only */
};

#define PURGE_NOT_DONE "not purged"	/* note of a purge that changed nothing: the drive is as it was before */

struct step_record {
	uint64_t id;			/* 1, 2, ... order of execution; given by the writer's caller */
	const char *name;
	const char *group_name;		/* innermost group or NULL */
	const char *kind;		/* "load" "fill" "purge" ... */
	/* note: words of kind=note; purge: what was done, or PURGE_NOT_DONE */
	const char *title, *note;
	uint32_t plan_step;		/* index in the plan */
	uint32_t round, point, repeat;	/* 0-based, flat: round of the innermost group */
	const char *path;		/* unique place for resume: "rounds:3/matrix:12/0" */
	const char *values_json;	/* {"bs":4096,"iodepth":32} */
	enum run_status status;
	const char *status_text;	/* why it ended: "time" "written" "size" "steady" "drop" "interrupted" "error: ..." */
	uint64_t started_ns, duration_ns;	/* since the run's start, target's clock */
	uint64_t measured_start_ns;	/* since the step's start: after ramp_time */
	uint64_t interval_ns;
	const char *steady_json;	/* {"verdict":"steady","snia":{...}} or NULL */
	uint64_t stall_longest_ns;
};

struct load_record {
	uint64_t step;			/* step_record.id */
	uint32_t load;			/* 0, 1, ... in the step */
	const char *name;
	uint32_t target;
	const char *engine;
	const char *engine_note;	/* why not a better one; options in force; NULL */
	uint32_t workers, depth_asked;	/* depth of one worker */
	bool open_loop;
	double rate_asked;		/* I/O per second, 0 = closed */
	uint64_t range_start, range_bytes;
	uint64_t outliers_kept, outliers_seen, samples_every;
	uint64_t thinktime_ns;		/* told to pause so long between its I/Os, 0 = no */
	const char *facts_json;		/* worker CPU, switches, coverage, calls; NULL while running */
	const struct tally *total;	/* measured part only (after ramp); NULL while running */
};

/* One interval of one load: all ops with something in them, one row each, plus the empty ones. */
struct interval_record {
	uint64_t step;
	uint32_t load;
	uint64_t index;			/* 0, 1, ... */
	bool ramp;			/* before the measured part */
	const struct tally *tally;
};

/* Read back: one op of one interval (histogram on request). */
struct interval_row {
	uint64_t step;
	uint32_t load;
	enum io_op op;
	uint64_t index, start_ns, duration_ns, spans;
	bool ramp;
	uint64_t ios, bytes, errors;
	struct moments moments;		/* of service */
	uint64_t rest_ns;		/* of the interval, in which the load was told not to send */
	double in_flight_ns;		/* of the load's interval */
	uint64_t slow[SLOW_BUCKETS];
	uint64_t p50_ns, p99_ns, p999_ns;	/* 0 when ios == 0 */
};

/* The part of the interval in which I/O was to be sent. */
static inline uint64_t interval_sent_ns(const struct interval_row *row)
{
	return row->duration_ns - row->rest_ns;
}

struct telemetry_record {
	uint64_t t_ns;			/* since the run's start */
	uint64_t step;			/* 0 = between steps */
	int32_t target;			/* -1 = the host */
	const char *name;		/* "cpu_busy" "temperature_c" "block_reads" ... */
	double value;
};

struct event_record {
	uint64_t t_ns;
	uint64_t step;
	const char *kind;		/* "hang" "error" "warning" "purge" "hiccup" "phase" "resume" ... */
	const char *text;
	const char *data_json;		/* or NULL */
	const char *said_json;		/* how the text was made (base/saying.h), or NULL */
};

struct finding_record {
	const char *kind;		/* "slc_cache" ... */
	const char *step;		/* name or NULL */
	uint64_t step_id;		/* 0 = the run */
	double value, low, high;	/* NaN = none */
	const char *unit;
	const char *text;		/* one plain sentence */
	const char *data_json;		/* the numbers that led to it */
	const char *said_json;		/* how the text was made (base/saying.h), or NULL */
};

struct check_record {
	const char *name;		/* "bytes_match_block_layer" ... */
	enum check_result result;
	const char *text;
	const char *said_json;		/* how the text was made (base/saying.h), or NULL */
};
