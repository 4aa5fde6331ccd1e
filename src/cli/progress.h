/* progress: what a person or a program sees while a run goes on, on standard error: a live line on a
 * terminal, now and then a plain line elsewhere, or one JSON object a line. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "run/observer.h"

enum progress_style { PROGRESS_AUTO, PROGRESS_PLAIN, PROGRESS_JSON, PROGRESS_NONE, PROGRESS_LIVE };

#define PROGRESS_SPARK 24
#define PROGRESS_SIDES 16	/* targets side by side that are shown; of more, the first */
#define PROGRESS_PACES 64	/* targets side by side that surely each have their JSON lines */

/* When something was last shown, and of which step. */
struct progress_pace {
	uint64_t wall_ns;
	char step[128];
	uint32_t step_number;
};

/* What one of several targets said last. */
struct progress_side {
	char step[64], phase[24], notice[64];
	uint32_t step_number;
	double share, iops, bytes_per_second;
	uint64_t p99_ns;
};

struct progress {
	enum progress_style style;	/* resolved: never AUTO */
	struct progress_pace pace[PROGRESS_PACES];	/* of each target */
	uint64_t shown_wall_ns;		/* the last line for all, CLOCK_MONOTONIC */
	double history[PROGRESS_SPARK];	/* IOPS of the last seconds, newest last */
	uint32_t history_count;
	bool line_open;			/* a live line stands without newline */
	struct progress_side side[PROGRESS_SIDES];	/* targets tested side by side */
	uint32_t side_count;
};

/* "auto" "plain" "json" "none"; 0 or -EINVAL. NULL is auto. */
int progress_init(struct progress *progress, const char *style);
/* Is there to be a line for what a target says at `wall_ns` (CLOCK_MONOTONIC)? Notes it as shown, if so.
 * *ret_new_step: it is the target's first of its step. A JSON line is of one target and each has its own pace;
 * any other line is of all. */
bool progress_is_due(struct progress *progress, const struct run_progress *now, uint64_t wall_ns,
		     bool *ret_new_step);
void progress_show(struct progress *progress, const struct run_progress *now);
/* A line beside the progress, about the run as a whole: {"KEY": "text"} where every line is an object, else
 * `plain`. */
void progress_say(struct progress *progress, const char *key, const char *text, const char *plain);
void progress_end(struct progress *progress);
