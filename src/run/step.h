/* step: the front side of one step while it runs: what is collected from the board goes to the observer, to
 * the stop rules and to the progress line. The same for real and simulated drives; only `now` differs. */
#pragma once
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include "measure/collect.h"
#include "measure/stall.h"
#include "run/hiccup.h"
#include "run/observer.h"
#include "run/probe.h"
#include "run/run.h"
#include "run/stage.h"
#include "run/stop.h"
#include "run/together.h"

/* What all steps of a run share. */
struct step_context {
	const struct run_config *config;
	const struct run_observer *observer;
	struct run_target *target;		/* the one that is tested now (the first, when the plan names
						 * them) */
	struct clock *clock;			/* the run's: virtual for simulated drives */
	uint64_t run_start_ns;
	uint32_t number, count;			/* for the progress line */
	bool first;				/* of those tested side by side, or alone: measures what is
						 * the machine's */
	struct together *together;		/* with whom targets are tested side by side; NULL = alone */
	uint32_t side_by_side;			/* how many those are, 0 = alone: for the progress line */
	const char *clock_used;			/* by the measuring processes: clock_source_name; NULL = none
						 * yet */
	double ceiling_iops;			/* ceiling.h; 0 = not measured yet */
};

enum step_end { STEP_END_DONE, STEP_END_INTERRUPTED, STEP_END_FAILED };

struct step {
	struct step_context *context;
	struct stage *stage;
	struct step_record record;		/* strings borrowed from the conductor */
	struct load_record loads[PLAN_LOADS_MAX];
	struct collector *collectors[PLAN_LOADS_MAX];
	bool load_closed[PLAN_LOADS_MAX];	/* all its workers have ended */
	struct recorder_ring **rings;		/* all workers, by load */
	struct recorder_ring **target_rings;	/* the same, by target */
	struct stall_merger *stalls[PLAN_LOADS_MAX];	/* one per target in use */
	uint32_t stall_target[PLAN_LOADS_MAX], stall_count;
	struct stop stop;
	struct hiccup_watch *hiccups;		/* NULL on simulated drives */
	struct probe *probe;			/* of a search: judges load 0; borrowed, or NULL */
	uint64_t grace_ns;
	uint64_t start_ns;			/* the start line, target's clock */
	bool line_due;			/* it is to begin at the start line, with the others, and has not been
					 * there yet */
	bool started, stop_asked;
	uint64_t stop_asked_ns;			/* wall clock (monotonic) */
	uint64_t last_progress_ns;		/* wall clock */
	struct run_progress progress;
	char notice[256];
	bool hang_told;
	/* of the interval in hand, all loads together */
	uint64_t feed_index, feed_start_ns, feed_end_ns, feed_ios, feed_bytes, feed_written;
	uint32_t feed_loads;
	bool feed_ramp;			/* not measured: not for the stop rules */
	enum step_end end;
	char text[256];				/* why it failed */
	char *steady_json;			/* record.steady_json, owned */
};

/* After the start line: lays the collectors on the board and tells the observer. 0 or -errno. */
int step_begin(struct step *step);
/* Collects what is there at `now` (target's clock). 1 = a stop rule is met (board->stop is set), 0, or
 * -errno. */
int step_tick(struct step *step, uint64_t now_ns);
/* The workers have ended or are given up: collects the rest, tells the observer the totals. */
int step_finish(struct step *step, uint64_t now_ns);
void step_release(struct step *step);

/* Looks at what is in flight: the oldest I/O's age; from 5 s on it is told as a hang, once. 0 or -errno. */
int step_watch(struct step *step, uint64_t now_ns);
/* Tells every I/O in flight as an event: what hung when the step was given up. Returns how many, or
 * -errno. */
int step_tell_unfinished(struct step *step, uint64_t now_ns);
/* Some never came back: the same, and the step fails with words that say so. Returns how many, or -errno. */
int step_give_up(struct step *step, uint64_t now_ns);
void step_ask_stop(struct step *step);
/* Loads without an end of their own stop when all the others have ended: asks for that when it is so. */
void step_end_followers(struct step *step);
bool step_interrupted(const struct step *step);

/* Carries a stage out. On a real target in a measuring process, on a simulated drive in this one. Both return
 * 0, also when the step failed or was interrupted (step->end), or -errno when the observer or memory
 * failed. */
int step_run_real(struct step *step);
int step_run_virtual(struct step *step);
