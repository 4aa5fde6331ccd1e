/* report_model: what a stored run says, computed once; every form (JSON, text, CSV, HTML) only prints it.
 *
 * Borrows the store: strings, totals and records stay the store's. Numbers that don't exist are NaN (doubles)
 * or say so by `n == 0`; a writer prints null or "n/a", never nan. Units: ns, bytes, per second. */
#pragma once
#include <jansson.h>
#include <stdbool.h>
#include "base/arena.h"
#include "base/fault.h"
#include "base/text.h"
#include "report/latency.h"
#include "report/state.h"
#include "report/values.h"
#include "store/store.h"

/* One kind of I/O of one load, or of all loads of a step together. Counts are of all that was measured, rates and
 * latencies of the part that counts. */
struct report_op {
	bool used;		/* at least one I/O, or an error */
	bool uncounted, unsized; /* imported logs told bytes without I/Os, or I/Os without bytes */
	uint64_t ios, bytes, errors;
	double iops, bytes_per_second;		/* NaN: nothing was measured (duration 0), or not told */
	struct report_latency service;		/* submit -> completion */
	struct report_latency response;		/* intended start -> completion; absent in closed loops */
	struct report_latency lateness;		/* intended start -> submit; absent in closed loops */
	const uint64_t *slow;			/* SLOW_BUCKETS cumulative counts */
};

struct report_load {
	const struct load_record *record;
	const struct drive_record *drive;	/* NULL when the run file doesn't have it */
	uint64_t duration_ns;			/* of the measured part, in which I/O was to be sent */
	uint64_t rest_ns;			/* of it, in which none was: start delay, rests of duty cycles */
	double depth_asked;			/* all workers together; NaN in open loops */
	double depth_reached; /* I/Os in flight, mean over the part that counts; NaN when nothing was measured */
	struct report_op op[IO_OPS];
	double iops;				/* all directions; 0 when nothing was measured */
	uint64_t ios, bytes, errors;
};

/* Which part of a step its figures are of, in ns since its start: the verified steady window, else all that
 * was measured (0 .. UINT64_MAX; warm-up never counts). */
struct report_part {
	uint64_t from_ns, to_ns;
	bool verified;
};

struct report_step {
	const struct step_record *record;
	struct report_part part;
	struct report_load *loads;
	uint32_t load_count;
	struct report_values values;		/* every key of the point */
	const char *point;	/* what tells it from its siblings: "bs=4k iodepth=32", "" without a sweep */
	const char *label;	/* name, point, round and repeat */
	struct report_family *family;
	const char *steady_json;		/* verdict of the step, or of the rounds of its group; NULL = none */
	json_t *steady;				/* the same, owned by the model */
	const char *verdict;			/* of steady, or NULL */
	struct report_state state;		/* when it began */
};

/* All executions of one section of the plan: its rounds, points and repeats. */
struct report_family {
	const char *name, *plan;		/* "" = the run file names no plan */
	uint32_t plan_step;
	uint32_t step_count;
	struct report_step **steps;		/* in order of execution */
	uint32_t key_count;
	const char **keys;			/* swept keys, in the order of the values */
	uint32_t rounds, repeats;		/* distinct ones */
	bool grouped;
};

struct report_model {
	struct arena arena;
	struct store *store;
	int32_t target;				/* the only drive told of, or REPORT_ALL_TARGETS */
	const struct run_record *run;
	const struct drive_record *drives;	uint32_t drive_count;
	struct report_step *steps;		uint32_t step_count;
	struct report_family *families;		uint32_t family_count;
	const struct finding_record *findings;	uint32_t finding_count;
	const struct check_record *checks;	uint32_t check_count;
	const struct event_record *events;	uint32_t event_count;
	bool measured;				/* an I/O came to its end, or failed */
	json_t *host;				/* owned; NULL = none or unreadable */
};

/* The latency that an op is judged by: response time in an open loop, where the op has one, else service
 * time. */
const struct report_latency *report_natural(const struct report_load *load, enum io_op op);

/* Reads, writes or trims whose bytes nobody told. */
bool report_unsized(enum io_op op, uint64_t ios, uint64_t bytes);

/* The step with this number in the run file; NULL: none of these. */
const struct report_step *report_step_of(const struct report_model *model, uint64_t id);

/* Shorter stalls are in the tables only: every I/O of a queue of one is one. */
#define REPORT_STALL_TOLD_NS 10000000u
/* Is there a finding of this kind? */
bool report_finds(const struct report_model *model, const char *kind);

/* Are the run's figures those of bursts, by its plan? They say nothing about a steady state. */
bool report_bursts(const struct report_model *model);

/* Strings of a run file may be missing. */
static inline const char *word(const char *string)
{
	return string ? string : "";
}

#define REPORT_ALL_TARGETS (-1)
/* With a target: only its drive, its loads, and the steps that have such loads or none at all. 0, -ENOMEM or
 * the store's -errno with fault filled. */
int report_model_new(struct store *store, int32_t target, struct report_model **ret_model,
		     struct fault *fault);
struct report_model *report_model_free(struct report_model *model);

/* Is the load of this number (load_record.load) one of the step's loads in this model? */
bool report_step_has_load(const struct report_step *step, uint32_t load);

/* "2026-01-31T12:00:00Z" (UTC) into buffer; "" for 0. */
const char *report_time_text(uint64_t wall_ns, char buffer[32]);
/* Distinct engines of the run's loads joined by ", ". */
const char *report_engines(struct report_model *model);
