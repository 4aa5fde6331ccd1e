/* import_inside: what the files of the import share. Only for src/store/import*.c. */
#pragma once
#include <jansson.h>
#include "base/arena.h"
#include "base/text.h"
#include "store/import.h"

#define IMPORT_FILE_BYTES_MAX (1ull << 30)
#define IMPORT_LOG_KINDS 4

/* A job that a JSON file told about, as far as its logs need it. */
struct import_load {
	uint64_t step;
	uint32_t load;
	struct step_record *step_record;		/* shared by the loads of the step; in the arena */
	const char *name;
	const char *log_prefix[IMPORT_LOG_KINDS];	/* write_bw_log, ...; NULL */
	uint64_t block_bytes;				/* 0 = several or unknown */
	uint64_t ios[IO_OPS];				/* from the JSON */
	bool has_total;
};

struct import {
	struct store *store;
	struct fault *fault;
	struct arena arena;
	struct tally *tally;		/* scratch; NULL before the first load */
	struct import_load *load;
	uint32_t loads, loads_room;
	uint64_t steps;
	uint64_t clock_ns;		/* where the next step starts: steps are laid one after the other */
	const char *tool;		/* "fio-3.33" */
	const char *target;		/* first file name seen */
	uint64_t started_wall_ns;
};

/* An event "import" of the step (0 = the run). */
int import_note(struct import *import, uint64_t step, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Refuses: fills the fault (line 0 = not about a line) and returns -EBADMSG. */
int import_refuse(struct import *import, const char *path, uint64_t line, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
struct import_load *import_add_load(struct import *import);	/* zeroed; NULL when out of memory */
/* A step as this file makes them, for the caller to fill and store: in the arena; NULL when out of memory. */
struct step_record *import_new_step(struct import *import, uint64_t id, const char *name,
				    uint64_t duration_ns);

/* import_json: the last JSON document of a text that may have other output around it; nan and inf read as
 * null. *ret_documents counts all of them. Freed with json_decref. */
int import_json_parse(struct import *import, const char *path, const struct text *text, json_t **ret_root,
		      uint32_t *ret_documents);
/* import_job: all jobs of one fio JSON document. */
int import_jobs(struct import *import, const char *path, json_t *root);

/* import_stats: one latency object of fio as the service times of `op` (whose ios are known). `unit_ns` is 1
 * (3.x) or 1000 (2.x). */
struct import_latency {
	uint64_t n;		/* 0: nothing timed */
	bool rebuilt;		/* from percentiles: exact at those, coarse between */
	bool coarse;		/* ... and the usual ones are not among them */
	bool summary_only;	/* no distribution in the file: the histogram is left empty */
};
int import_latency_read(struct import *import, const char *path, const char *what, json_t *object,
			uint64_t unit_ns, struct op_tally *op, struct import_latency *ret_latency);

/* import_bins: fio's buckets. Middle and lowest value of a bucket; groups of 64, doubling. */
uint64_t import_bin_low(uint32_t index);
uint64_t import_bin_middle(uint32_t index, uint32_t bins);	/* of `bins` buckets from index on */
/* Adds `count` I/Os of `value_ns` to the slots, n and slow counts (not to the other moments). */
void import_add_slot(struct op_tally *op, uint64_t value_ns, uint64_t count);
void import_count_slow(struct op_tally *op, uint64_t value_ns, uint64_t count);

/* import_log: one log file, row by row. */
enum import_log_kind { IMPORT_BW, IMPORT_IOPS, IMPORT_LAT, IMPORT_HIST, IMPORT_OTHER };
struct import_log {
	const char *path;
	char *prefix;			/* of the file's name */
	enum import_log_kind kind;
	uint32_t number;		/* of the job, from 1; 0 = none in the name */
	struct text text;
	/* after import_log_scan */
	uint64_t rows;
	uint64_t first_ms, last_ms;	/* as in the file */
	uint64_t period_ms;		/* of averaged rows, rounded; 0: rows are single I/Os */
	uint32_t step_ms[256];		/* between the first rows, for finding the period */
	uint32_t steps;
	uint32_t columns;
	bool cut_off;			/* the last line has no end: left out */
	bool backwards;			/* a time before the highest so far */
	/* cursor */
	size_t at;
	uint64_t line;
	uint64_t base_ms;		/* taken off every time: absolute times become relative */
	int64_t ahead;			/* parsed row waiting in `row`: 1, none: 0 */
	struct import_row *row;
};

struct import_row {
	uint64_t time_ms;
	uint64_t value;
	uint64_t block_bytes;		/* 0 in averaged rows */
	enum io_op op;
	uint32_t bins;			/* histogram rows */
	uint64_t bin[1856];
};

bool import_log_looks_like(const struct text *text);
/* Checks every row. A log without a job's number may be of several jobs (per_job_logs=0), one after the
 * other: its lines are then put in order of time. */
int import_log_scan(struct import *import, struct import_log *log);
/* 1 and log->row, or 0 at the end, or -errno. */
int import_log_next(struct import *import, struct import_log *log);
void import_log_release(struct import_log *log);

/* import_series: the logs of one load as its intervals. */
int import_series(struct import *import, struct import_load *load, struct import_log *const *logs,
		  uint32_t count);
