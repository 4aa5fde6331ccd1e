/* hiccup: moments at which the host, not the drive, held things up.
 *
 * Two sides. In the measuring process one thread per NUMA node sleeps 1 ms at a time and notes on the board
 * when it woke more than HICCUP_NS late: a pause of the machine (hypervisor, interrupts, firmware), since the
 * thread runs at real-time priority where it may. The first of them also watches the clock (clock_recheck,
 * once a second). In the front process a watch takes those notes and, each tick, how long every worker stood
 * ready to run without a processor (/proc/PID/task/TID/schedstat): a worker that was pushed aside. Outliers
 * that overlap one or the other get LOGGED_HOST.
 *
 * Times: clock of the board. Simulated drives have no hiccups. */
#pragma once
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/clock.h"
#include "base/saying.h"
#include "measure/event_log.h"
#include "measure/histogram.h"

#define HICCUP_NS 100000u
#define HICCUP_LOG_ENTRIES 1024u	/* power of two */
#define HICCUP_NODES 8u
#define HICCUP_WORKERS 256u		/* watched one by one; of more, the first */

struct hiccup {
	uint64_t from_ns, to_ns;
	int32_t worker;			/* on the board; -1 = the whole machine */
};

/* On the board: written by the meters, read by the front process. */
struct hiccup_log {
	uint64_t head, tail;		/* atomic */
	uint64_t dropped;
	struct hiccup entry[HICCUP_LOG_ENTRIES];
};

struct board;

/* The measuring side. */
struct hiccup_meter {
	struct board *board;
	struct clock *clock;
	bool stop;			/* atomic */
	pthread_mutex_t mutex;		/* guards the log against the other meters */
	uint32_t count;
	pthread_t thread[HICCUP_NODES];
};

/* Starts the meters; those that cannot be started are left out. */
void hiccup_meter_start(struct hiccup_meter *meter, struct board *board, struct clock *clock);
void hiccup_meter_stop(struct hiccup_meter *meter);

/* Before a run: how a thread like a meter wakes from sleeps of a millisecond, and whether more of them come
 * late than one in a thousand would, surely. */
struct hiccup_noise {
	uint32_t wakes, late;		/* late: by more than HICCUP_NS */
	uint64_t longest_ns;
	bool noisy;
};
/* An ear listens in a thread of its own while its owner does something else. Zeroed = not listening. */
enum hiccup_ear_end {
	EAR_ALL,	/* all wake-ups are heard first */
	EAR_CLEAR,	/* only if something came late, and until it is sure whether that is too often */
	EAR_NOW,
};
struct hiccup_ear {
	pthread_t thread;
	bool listening;
	uint32_t wakes_max;
	uint32_t end;			/* atomic, enum hiccup_ear_end */
	struct hiccup_noise noise;
};
/* For wakes_max wake-ups at most, which take as many milliseconds. 0, or -errno when there is no thread to be
 * had: then nothing will have been heard. */
int hiccup_ear_open(struct hiccup_ear *ear, uint32_t wakes_max);
/* Waits until it has heard enough. What was heard stands in ear->noise; none when it wasn't listening. */
void hiccup_ear_close(struct hiccup_ear *ear, enum hiccup_ear_end end);
/* What was heard, when it is noisy, as a sentence without its full stop. */
void hiccup_noise_say(const struct hiccup_noise *noise, struct saying *saying);

/* The front side. Zeroed = nothing seen. */
struct hiccup_watch {
	const struct board *board;
	int pid;			/* of the measuring process */
	uint64_t taken_ns;		/* last look */
	uint64_t delay_ns[HICCUP_WORKERS];	/* of each worker, at the last look; UINT64_MAX = none yet */
	struct hiccup recent[HICCUP_LOG_ENTRIES];	/* ring */
	uint64_t recent_count;		/* all that went through it */
	/* since the step began (waits: since the first look after that), and in the last second */
	uint64_t pauses, pause_ns, pause_ns_max;
	struct histogram pause_times;
	uint64_t waits, wait_ns;	/* of workers for a processor */
	uint64_t second_pauses, second_pause_ns_max, second_wait_ns;
	uint64_t tagged;
};

void hiccup_watch_init(struct hiccup_watch *watch, const struct board *board, int pid);
/* How late the meters woke in all but a share of 1 - p of their wake-ups in duration_ns: 0 = less than
 * HICCUP_NS; NaN = too few wake-ups to say. */
double hiccup_watch_late_ns(const struct hiccup_watch *watch, uint64_t duration_ns, double p);
/* Takes what has happened until now_ns. */
void hiccup_watch_take(struct hiccup_watch *watch, uint64_t now_ns);
/* Flags the I/Os that overlap a pause, or a wait of their worker. start_ns: the step's, origin of their
 * times. */
void hiccup_watch_tag(struct hiccup_watch *watch, uint64_t start_ns, struct logged_io *ios, uint32_t count);
