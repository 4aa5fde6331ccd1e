/* observer: what a run tells while it happens. It is called in order, one call at a time (of targets tested
 * side by side from a thread each); run itself keeps nothing on disk. A callback that returns a -errno ends
 * the run (the store is full, say); `progress` cannot fail. Records and tallies are borrowed for the call
 * only. */
#pragma once
#include "base/saying.h"
#include "measure/records.h"

/* For a terminal line or a program that watches; once or twice a second. */
struct run_progress {
	const char *step;		/* name */
	const char *phase;		/* "prepare" "ramp" "measure" "idle" "purge" ... */
	uint32_t target, target_count;	/* which of those that are tested side by side; count 0 = one at a
					 * time */
	uint32_t step_number, step_count;	/* points of the plan done so far + 1, and in all (rounds at
						 * most) */
	double share;			/* 0..1 of this step, NaN = unknown */
	uint64_t left_ns;		/* of this step, UINT64_MAX = unknown */
	uint64_t elapsed_ns;		/* since the run's start, target's clock */
	double iops, bytes_per_second;	/* last full interval; NaN: none is over yet */
	double read_iops, write_iops;
	uint64_t p50_ns, p99_ns, max_ns;	/* last full interval, all ops together */
	uint64_t errors;		/* of the step so far */
	const char *notice;		/* "hang: read of 4096 bytes at ..., 3.2 s", or NULL */
};

struct run_observer {
	void *context;
	int (*step_begin)(void *context, const struct step_record *step);
	int (*load_begin)(void *context, const struct load_record *load);
	int (*interval)(void *context, const struct interval_record *interval);
	int (*outliers)(void *context, uint64_t step, const struct logged_io *ios, uint32_t count);
	int (*samples)(void *context, uint64_t step, const struct logged_io *ios, uint32_t count);
	int (*telemetry)(void *context, const struct telemetry_record *rows, uint32_t count);
	int (*event)(void *context, const struct event_record *event);
	int (*load_end)(void *context, const struct load_record *load);
	int (*step_end)(void *context, const struct step_record *step);
	void (*progress)(void *context, const struct run_progress *progress);
};

/* Tells the event with what is said as its text; takes the saying. 0, -ENOMEM or the observer's -errno. */
int event_say(const struct run_observer *observer, struct event_record *event, struct saying *saying);
