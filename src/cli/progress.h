/* progress: what a person or a program sees while a run goes on, on standard error: a live line on a
 * terminal, now and then a plain line elsewhere, or one JSON object a line. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "run/observer.h"

enum progress_style { PROGRESS_AUTO, PROGRESS_PLAIN, PROGRESS_JSON, PROGRESS_NONE, PROGRESS_LIVE };

#define PROGRESS_SPARK 24
#define PROGRESS_SIDES 16	/* targets side by side that are shown; of more, the first */

/* What one of several targets said last. */
struct progress_side {
	char step[64], phase[24], notice[64];
	uint32_t step_number;
	double share, iops, bytes_per_second;
	uint64_t p99_ns;
};

struct progress {
	enum progress_style style;	/* resolved: never AUTO */
	uint64_t last_wall_ns;
	char last_step[128];
	uint32_t last_number;
	double history[PROGRESS_SPARK];	/* IOPS of the last seconds, newest last */
	uint32_t history_count;
	bool line_open;			/* a live line stands without newline */
	struct progress_side side[PROGRESS_SIDES];	/* targets tested side by side */
	uint32_t side_count;
};

/* "auto" "plain" "json" "none"; 0 or -EINVAL. NULL is auto. */
int progress_init(struct progress *progress, const char *style);
void progress_show(struct progress *progress, const struct run_progress *now);
void progress_end(struct progress *progress);
