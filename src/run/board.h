/* board: the memory that the front process and the measuring process share during one step.
 *
 * Mapped by the front process (MAP_SHARED, anonymous) before it forks, so pointers into it are the same on
 * both sides. The measuring side writes worker entries and recorders; the front side writes `stop`. A step on
 * a simulated drive uses the same board within one process. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/fault.h"
#include "drive/drive_counters.h"
#include "measure/recorder.h"
#include "plan/plan.h"
#include "run/hiccup.h"

/* draining: what is in flight comes back; syncing: the last fsync does. */
enum worker_state {
	WORKER_NEW, WORKER_RUNNING, WORKER_DRAINING, WORKER_SYNCING, WORKER_DONE, WORKER_FAILED
};

/* What ended a worker. */
enum worker_end { WORKER_END_NONE, WORKER_END_SIZE, WORKER_END_TIME, WORKER_END_STOP, WORKER_END_ERROR };

/* One worker, as the other side sees it. */
struct worker_board {
	_Alignas(64) uint32_t state;		/* enum worker_state; atomic */
	uint32_t end;				/* enum worker_end, when done */
	uint32_t load;				/* index in the step */
	uint32_t number;			/* among the load's workers */
	uint32_t depth;
	int32_t error;				/* -errno of a broken engine or a vanished device */
	uint64_t position;			/* where a sequential load goes on; the rest: when done */
	uint64_t issued_bytes;
	uint64_t engine_calls;
	uint64_t cpu_user_ns, cpu_system_ns;
	uint64_t switches_voluntary, switches_involuntary;
	uint64_t finished_ns;			/* target's clock */
	int32_t node;				/* NUMA node it ran on at the end; -1 = unknown */
	int32_t thread;				/* its number in /proc, 0 = not yet; atomic */
	struct recorder_ring *ring;		/* on the board */
	bool ready;				/* the ring is initialised */
};

#define BOARD_COUNTED_MAX 16	/* of more targets in one step the first ones */

struct load_board {
	char engine[16];			/* which engine it got */
	char note[256];				/* why not a better one */
};

enum board_phase { BOARD_OPENING, BOARD_READY, BOARD_RUNNING, BOARD_DONE, BOARD_FAILED };

/* Finish now: because the step has come to its end, or because the user wants to have the prompt back. */
enum board_stop { BOARD_STOP_NOT, BOARD_STOP_ENDED, BOARD_STOP_INTERRUPTED };

struct board {
	uint32_t stop;				/* enum board_stop; atomic */
	uint32_t phase;				/* enum board_phase; atomic */
	bool line;				/* in BOARD_READY it waits for `go` */
	uint32_t go;				/* atomic: start */
	uint32_t worker_count, load_count;
	uint64_t start_ns;			/* target's clock: when the start line was crossed */
	uint32_t counted;			/* targets that are block devices of their own: */
	struct board_counters {
		uint32_t target;		/* index in the run's targets */
		struct drive_counters before, after;	/* the block layer's, around the I/O */
	} counters[BOARD_COUNTED_MAX];
	int32_t error;				/* BOARD_FAILED: -errno, and why */
	struct fault fault;
	uint32_t clock_source;			/* enum clock_source: what the measuring process reads;
						 * atomic */
	float clock_cost_ns;			/* of one reading, at the start */
	bool clock_given_up;			/* the time stamp counter was, in this step: it was wrong */
	struct fault clock_note;		/* why it is not the time stamp counter, or no longer */
	bool ceiling_wanted;			/* the step lasts long enough to pay for it */
	double ceiling_iops;			/* ceiling.h; 0 = not measured */
	struct hiccup_log hiccups;
	uint64_t bytes;				/* of this mapping */
	struct load_board load[PLAN_LOADS_MAX];
	struct worker_board worker[];		/* worker_count entries, then the rings */
};

/* What a board is laid out for: one entry per load. */
struct board_layout {
	uint32_t workers, depth;		/* of this load */
	struct recorder_config recorder;	/* start_ns is set by board_start */
};

/* 0 or -ENOMEM. Rings are laid out, not yet initialised. */
int board_new(const struct board_layout *loads, uint32_t load_count, struct board **ret_board);
struct board *board_free(struct board *board);
/* Initialises the ring of one worker, for instance by its own thread: that of thousands of workers takes
 * longer than a start line may. */
void board_ready(struct worker_board *entry, const struct board_layout *loads);
/* Crosses the start line: every ring is on the grid that begins at start_ns; those that aren't ready are made
 * so. Before any worker runs. */
void board_start(struct board *board, const struct board_layout *loads, uint64_t start_ns);
/* Bytes that board_new would map. */
uint64_t board_bytes(const struct board_layout *loads, uint32_t load_count);
