#include "run/silence.h"

#include <stdio.h>
#include "base/units.h"
#include "run/step_parts.h"
#include "run/worker_usage.h"

#define LOOK_EVERY_NS 500000000ull
#define LOOK_BELOW_NS 1000000000ull	/* a target that answers sooner is not looked at */
#define NOTICE_AFTER_NS 5000000000ull

void silence_init(struct silence *silence, const struct stage *stage, uint64_t least_ns, pid_t pid)
{
	const uint64_t asked_ns = stage->instance->give_up_ns;

	*silence = (struct silence){
		.limit_ns = asked_ns && asked_ns < least_ns ? least_ns : asked_ns,
		.pid = pid,
	};
}

static bool target_done(const struct step *step, uint32_t target, uint64_t *ret_done)
{
	const struct stage *stage = step->stage;

	for (uint32_t i = 0; i < stage->load_count; i++)
		if (stage->load[i].target == target)
			return life_done(stage->load[i].at->subject.dev, ret_done);
	return false;
}

/* An fsync of what the page cache has gathered may take as long as it likes. */
static bool is_direct(const struct step *step, uint32_t target)
{
	const struct stage *stage = step->stage;

	for (uint32_t i = 0; i < stage->load_count; i++)
		if (stage->load[i].target == target && !stage->load[i].load->direct)
			return false;
	return true;
}

/* No I/O of ours has come back, and nothing has moved below the page cache either. */
static uint64_t target_silent_ns(struct silence *silence, const struct step *step, uint32_t index,
				 uint64_t now_ns)
{
	const uint64_t silent_ns = stall_merger_silent_ns(step->stalls[index], now_ns);
	const uint32_t target = step->stall_target[index];
	uint64_t done = 0, still_ns;

	if (silent_ns < LOOK_BELOW_NS) {
		silence->target[index].moved_ns = 0;
		return 0;
	}
	if (!target_done(step, target, &done) && !is_direct(step, target))
		return 0;
	still_ns = life_still_ns(&silence->target[index], done, now_ns);
	return still_ns < silent_ns ? still_ns : silent_ns;
}

/* It opens its targets, which may take long where much is to be computed or allocated. */
static uint64_t opening_silent_ns(struct silence *silence, const struct step *step, uint64_t now_ns)
{
	const struct board *board = step->stage->board;
	struct worker_usage usage;
	uint64_t moved = 0, done;

	if (__atomic_load_n(&board->phase, __ATOMIC_ACQUIRE) == BOARD_READY)
		silence->opening.moved_ns = 0;	/* it waits for others */
	for (uint32_t i = 0; i < step->stage->load_count; i++)
		if (target_done(step, step->stage->load[i].target, &done))
			moved += done;
	if (!worker_usage_read(silence->pid, &usage))
		moved += usage.cpu_ns;
	return life_still_ns(&silence->opening, moved, now_ns);
}

bool silence_is_hanging(struct silence *silence, const struct step *step, uint64_t now_ns)
{
	if (!silence->limit_ns || step->stop_asked)
		return false;
	if (now_ns >= silence->next_ns) {
		silence->next_ns = now_ns + LOOK_EVERY_NS;
		silence->silent_ns = step->started ? 0 : opening_silent_ns(silence, step, now_ns);
		for (uint32_t i = 0; step->started && i < step->stall_count; i++) {
			const uint64_t silent_ns = target_silent_ns(silence, step, i, now_ns);

			if (silent_ns > silence->silent_ns)
				silence->silent_ns = silent_ns;
		}
	}
	return silence->silent_ns >= silence->limit_ns;
}

void silence_notice(const struct silence *silence, struct step *step)
{
	char left[UNITS_TEXT], what[96];

	if (!silence->limit_ns || step->stop_asked || silence->silent_ns < NOTICE_AFTER_NS ||
	    silence->silent_ns >= silence->limit_ns)
		return;
	snprintf(what, sizeof(what), "nothing comes back: given up in %s",
		 duration_format(silence->limit_ns - silence->silent_ns, left));
	step_notice_before(step, what);
}
