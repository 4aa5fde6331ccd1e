/* evidence: the small tables of a stored run, at hand for findings and checks, with the look-ups they share.
 * Everything is borrowed from the store and lives until store_close. */
#pragma once
#include <stdbool.h>
#include <jansson.h>
#include "base/saying.h"
#include "store/store.h"

/* Telemetry that findings use, in order of time. */
enum reading_kind {
	READING_TEMPERATURE_C,
	READING_CPU_USER,
	READING_CPU_SYSTEM,
	READING_CPU_IRQ,
	READING_CPU_IRQ_BUSIEST,
	READING_CPU_STEAL,
	READING_KINDS
};
struct reading {
	uint64_t t_ns; /* since the run's start */
	enum reading_kind kind;
	int32_t target; /* -1 = the host */
	double value;
};

struct evidence {
	struct store *store;
	const struct run_record *run;
	const struct drive_record *drives;
	const struct step_record *steps; /* by id */
	const struct load_record *loads; /* by step */
	const struct event_record *events;
	uint32_t drive_count, step_count, load_count, event_count;
	struct reading *readings; /* owned */
	uint32_t reading_count, reading_capacity;
	json_t **values; /* of each step: its values_json, or NULL; owned */
	json_t **steady; /* of each step: its steady_json, or NULL; owned */
};

/* 0, -ENOMEM or the store's -errno. Release in any case. */
int evidence_open(struct store *store, struct evidence *evidence);
void evidence_release(struct evidence *evidence);

bool evidence_virtual(const struct evidence *evidence); /* on simulated drives only */
const struct step_record *evidence_step(const struct evidence *evidence, uint64_t id);
/* The first load of a step; NULL for steps without. *ret_count of them, side by side. */
const struct load_record *evidence_loads(const struct evidence *evidence, const struct step_record *step,
					 uint32_t *ret_count);
/* Of the step's one load; UINT32_MAX: it has none, or several. */
uint32_t step_target(const struct evidence *evidence, const struct step_record *step);
const struct drive_record *evidence_drive(const struct evidence *evidence, uint32_t target);

/* Two measurements of one step: the same name on the same target. */
bool step_siblings(const struct evidence *evidence, const struct step_record *a, const struct step_record *b);
/* Did the step run to its end and move data? */
bool step_measured(const struct evidence *evidence, const struct step_record *step);
/* A value of the step's point; "" or NaN when it has no such key. */
const char *step_word(const struct evidence *evidence, const struct step_record *step, const char *key);
double step_number(const struct evidence *evidence, const struct step_record *step, const char *key);
/* Have both the same value of that key, word or number, or neither has one? */
bool step_same(const struct evidence *evidence, const struct step_record *a, const struct step_record *b,
	       const char *key);
/* The step's point as words, "bs=4k iodepth=32" of the keys that more than one value was measured of in steps
 * of this name;
 * "" when there is one point. */
const char *step_point_text(const struct evidence *evidence, const struct step_record *step, char *text,
			    size_t bytes);
/* The same without that key and without the direction, which is told by itself. */
const char *step_other_text(const struct evidence *evidence, const struct step_record *step, const char *than,
			    char *text, size_t bytes);
/* Adds "step 'NAME'" or "step 'NAME' (iodepth=32)"; returns title. */
struct saying *step_title(const struct evidence *evidence, const struct step_record *step,
			  struct saying *title);

/* Verified by the detector. */
bool step_steady(const struct evidence *evidence, const struct step_record *step);
const json_t *step_verdict(const struct evidence *evidence, const struct step_record *step); /* NULL = none */

/* All loads of a step: figures of the measured part. */
struct step_sum {
	double seconds;
	uint64_t ios[IO_OPS], bytes[IO_OPS], errors;
	double iops, bytes_per_second; /* all ops */
};
void step_sum(const struct evidence *evidence, const struct step_record *step, struct step_sum *ret_sum);

/* The readings of one kind within a step: mean and highest; NaN when there is none. target -1 = the host. */
struct reading_sum {
	uint32_t count;
	double mean, highest, first, last;
};
void step_readings(const struct evidence *evidence, const struct step_record *step, enum reading_kind kind,
		   int32_t target, struct reading_sum *ret_sum);
/* Index of the first reading at or after a time; reading_count when there is none. */
uint32_t reading_after(const struct evidence *evidence, uint64_t t_ns);

/* JSON facts of a drive before the run, or after it: a new object (json_decref), NULL when unknown. For a
 * file the drive below it. */
json_t *drive_facts_of(const struct drive_record *drive, bool after);
