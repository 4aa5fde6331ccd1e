/* collect: turns the recorders of one load's workers into intervals in order, and into the total.
 *
 * Pure memory: no threads, no system calls, no waiting; the time is passed in. Lives in the front process,
 * or beside the workers in virtual time. Every interval is given, also the empty ones; the last partial one
 * after collector_finish. Sums over the intervals given equal the total exactly, whatever the workers do:
 *
 * - a worker that handed its recorder over in time is counted in the interval of each completion, exactly;
 * - of one that did not within grace_ns after the interval's end (it waits, hangs, or is dead) what its
 *   unfinished recorder holds is counted then, and later only the difference, in the interval given at that
 *   time (whose `spans` then says over how many intervals its I/Os may be spread);
 * - when this collector itself came so late that workers ran out of recorders, those intervals are given as
 *   one, with start, end and `spans` of all of them.
 *
 * Not thread-safe. The rings are borrowed and outlive the collector. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "measure/pauses.h"
#include "measure/recorder.h"
#include "measure/tally.h"

struct collector;

struct collector_config {
	struct recorder_ring *const *rings;	/* of one load: same start_ns, interval_ns, open_loop */
	uint32_t ring_count;
	uint64_t grace_ns;			/* 0 in virtual time; about 50 ms on real clocks */
	uint64_t ramp_intervals;		/* so many at the start are not part of the total */
	struct pauses pauses;			/* of the load */
	uint32_t samples_per_second;		/* of the load, at most: adapts 1-in-N; 0 = leave alone */
};

/* One interval; everything is owned by the collector and valid until its next call. */
struct collected {
	uint64_t index;
	bool ramp;
	bool partial;				/* shorter than interval_ns: the last one */
	const struct tally *tally;
	/* may be flagged by the caller; the slowest that the outlier log does not have, slowest first */
	struct logged_io *top;
	uint32_t top_count;			/* at most RECORDER_TOP */
};

struct collector_facts {
	uint64_t outliers_seen;			/* I/Os at or above the threshold, and errors */
	uint64_t outliers_kept;			/* in full: by collector_take_outliers or in `top` */
	uint64_t samples_dropped;
	uint32_t samples_every;			/* 1 in N, now */
	uint64_t late_snapshots;		/* times that a worker was late and was looked into */
};

/* 0, -ENOMEM */
int collector_new(const struct collector_config *config, struct collector **ret_collector);
struct collector *collector_free(struct collector *collector);	/* takes NULL, returns NULL */

/* The next finished interval: 1 and *ret_interval, or 0 = none yet. Call until 0. */
int collector_next(struct collector *collector, uint64_t now_ns, struct collected *ret_interval);
/* The workers have stopped, or are taken for dead: afterwards collector_next gives what is left without
 * grace, up to and with the partial interval that ends at now_ns. */
void collector_finish(struct collector *collector, uint64_t now_ns);
/* Sum of the intervals given so far, without the ramp. */
const struct tally *collector_total(const struct collector *collector);

/* Outliers and samples in the order of each worker's log; return the count taken. */
uint32_t collector_take_outliers(struct collector *collector, struct logged_io *ios, uint32_t max);
uint32_t collector_take_samples(struct collector *collector, struct logged_io *ios, uint32_t max);
void collector_facts(const struct collector *collector, struct collector_facts *ret_facts);
