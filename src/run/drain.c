#include "run/drain.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/units.h"
#include "drive/drive_counters.h"
#include "drive/io_timeout.h"
#include "run/step_parts.h"

#define INTERRUPT_WAIT_NS 400000000ull	/* after Ctrl-C: then the prompt comes back, whatever hangs */
#define KERNEL_WAIT_NS 30000000000ull	/* the block layer's default, for devices that do not say */
#define KERNEL_WAIT_MAX_NS 60000000000ull	/* some set it to years, so that nothing is ever failed */
#define KERNEL_WAITS 2u	/* after the first one it aborts the command, after the second it resets the drive */
#define MARGIN_NS 10000000000ull	/* for that reset */
#define NOTICE_AFTER_NS 1000000000ull
#define DUE_LONG_AGO 1u

/* What a file lies on is known by the number of its file system's device. */
static uint64_t kernel_wait_ns(const struct guard_subject *subject)
{
	uint64_t wait_ns = drive_io_timeout_ns(NULL, subject->dev);

	if (wait_ns == DRIVE_UNKNOWN)
		return KERNEL_WAIT_NS;
	return wait_ns < KERNEL_WAIT_MAX_NS ? wait_ns : KERNEL_WAIT_MAX_NS;
}

uint64_t drain_limit_ns(const struct guard_subject *subject)
{
	return KERNEL_WAITS * kernel_wait_ns(subject) + MARGIN_NS;
}

void drain_init(struct drain *drain, const struct stage *stage)
{
	*drain = (struct drain){ 0 };
	for (uint32_t i = 0; i < stage->load_count; i++) {
		const uint64_t limit_ns = drain_limit_ns(&stage->load[i].at->subject);

		if (limit_ns > drain->limit_ns)
			drain->limit_ns = limit_ns;
	}
}

/* All I/Os are back and on the board: the measuring process is on its way out. */
static bool is_closing(const struct stage *stage)
{
	return __atomic_load_n(&stage->board->phase, __ATOMIC_ACQUIRE) == BOARD_DONE;
}

/* When everything should have come back; 0 = no such moment yet. */
static uint64_t due_ns(const struct step *step)
{
	const struct stage *stage = step->stage;

	if (step->stop_asked)
		return step->stop_asked_ns;
	if (is_closing(stage))
		return DUE_LONG_AGO;
	return step->started && stage->runtime_ns ? step->start_ns + stage->ramp_ns + stage->runtime_ns : 0;
}

/* The page cache may still have much for the devices: the last fsync waits for that, or, when the I/Os are
 * back, their closing. */
static bool is_written_back(const struct stage *stage)
{
	const struct board *board = stage->board;

	for (uint32_t i = 0; i < board->worker_count; i++)
		if (__atomic_load_n(&board->worker[i].state, __ATOMIC_ACQUIRE) == WORKER_SYNCING)
			return true;
	return is_closing(stage);
}

static uint64_t written_back(const struct stage *stage)
{
	struct drive_counters counters;
	uint64_t writes = 0;

	for (uint32_t i = 0; i < stage->load_count; i++)
		if (!drive_counters(NULL, stage->load[i].at->subject.dev, &counters))
			writes += counters.writes;
	return writes;
}

/* Thousands of workers on a busy machine need long to come to their end, and a slow drive for a long queue;
 * but one after the other they do. */
static void look(struct drain *drain, const struct step *step, uint64_t now_ns)
{
	const struct board *board = step->stage->board;
	const uint64_t written = is_written_back(step->stage) ? written_back(step->stage) : 0;
	uint32_t done = 0, in_flight = 0;

	for (uint32_t i = 0; i < board->worker_count; i++) {
		done += __atomic_load_n(&board->worker[i].state, __ATOMIC_ACQUIRE) >= WORKER_DONE;
		if (step->started)
			in_flight += __atomic_load_n(&board->worker[i].ring->in_flight, __ATOMIC_RELAXED);
	}
	if (drain->moved_ns && done == drain->done && in_flight == drain->in_flight &&
	    written == drain->written)
		return;
	drain->moved_ns = now_ns;
	drain->done = done;
	drain->in_flight = in_flight;
	drain->written = written;
}

bool drain_is_hanging(struct drain *drain, const struct step *step, uint64_t now_ns)
{
	const uint64_t end_ns = due_ns(step);

	if (!end_ns || now_ns < end_ns)
		return false;
	if (step_interrupted(step))
		return now_ns > end_ns + INTERRUPT_WAIT_NS;
	look(drain, step, now_ns);
	return now_ns > drain->moved_ns + drain->limit_ns;
}

void drain_notice(const struct drain *drain, struct step *step, uint64_t now_ns)
{
	char limit[UNITS_TEXT], what[96];

	if (!drain->in_flight || now_ns < due_ns(step) + NOTICE_AFTER_NS)
		return;
	snprintf(what, sizeof(what), "waiting at most %s for %" PRIu32 " I/O%s",
		 duration_format(drain->limit_ns, limit), drain->in_flight, drain->in_flight == 1 ? "" : "s");
	step_notice_before(step, what);
}
