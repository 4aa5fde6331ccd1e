#include "run/step_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/units.h"

#define HANG_NS 5000000000ull		/* in flight for so long: told as a hang */
#define NOTICE_NS 1000000000ull		/* shown on the progress line */
#define TOLD_MAX 64			/* unfinished I/Os */
#define WHAT_TEXT 180
#define OLDEST_SHOWN 150		/* behind what is done about it */

static void inflight_say(const char *target, const struct inflight *entry, uint64_t now_ns,
			 struct saying *saying)
{
	char age[UNITS_TEXT];
	uint64_t age_ns = now_ns > entry->submit_ns ? now_ns - entry->submit_ns : 0;

	saying_add(saying, "%s of %u bytes at offset %" PRIu64 " of %s, in flight for %s",
		   io_op_name((enum io_op)entry->op), entry->bytes, entry->offset, target,
		   duration_format(age_ns, age));
}

/* Takes the saying. */
static int event_tell(struct step *step, const char *kind, struct saying *saying, uint64_t now_ns)
{
	struct event_record event = {
		.t_ns = now_ns - step->context->run_start_ns,
		.step = step->record.id,
		.kind = kind,
	};

	return event_say(step->context->observer, &event, saying);
}

int step_watch(struct step *step, uint64_t now_ns)
{
	const struct board *board = step->stage->board;
	struct inflight oldest = { .submit_ns = INFLIGHT_NONE }, entry;
	struct saying what = { 0 };
	uint32_t load = 0;
	int error = 0;

	for (uint32_t i = 0; i < board->worker_count; i++)
		if (inflight_oldest(board->worker[i].ring, &entry) && entry.submit_ns < oldest.submit_ns) {
			oldest = entry;
			load = board->worker[i].load;
		}
	step->notice[0] = '\0';
	if (oldest.submit_ns == INFLIGHT_NONE || now_ns < oldest.submit_ns + NOTICE_NS)
		return 0;
	inflight_say(step_target_name(step, load), &oldest, now_ns, &what);
	snprintf(step->notice, sizeof(step->notice), "slow: %.180s", saying_text(&what));
	if (!step->hang_told && now_ns >= oldest.submit_ns + HANG_NS) {
		step->hang_told = true;
		error = event_tell(step, "hang", &what, now_ns);
	}
	saying_release(&what);
	return error;
}

/* The first is kept as the step's text. */
static int unfinished_tell(struct step *step, const char *target, const struct inflight *entry, bool first,
			   uint64_t now_ns)
{
	struct saying what = { 0 };

	inflight_say(target, entry, now_ns, &what);
	if (first)
		snprintf(step->text, sizeof(step->text), "%.180s", saying_text(&what));
	return event_tell(step, "unfinished", &what, now_ns);
}

void step_notice_before(struct step *step, const char *what)
{
	char oldest[sizeof(step->notice)];

	strcpy(oldest, step->notice);
	snprintf(step->notice, sizeof(step->notice), "%.95s%s%.*s", what, oldest[0] ? "; " : "", OLDEST_SHOWN,
		 oldest);
}

int step_tell_unfinished(struct step *step, uint64_t now_ns)
{
	const struct board *board = step->stage->board;
	int count = 0;

	for (uint32_t i = 0; i < board->worker_count; i++)
		for (uint32_t slot = 0; slot < board->worker[i].depth; slot++) {
			const struct inflight *entry = &board->worker[i].ring->inflight[slot];
			int error = 0;

			if (entry->submit_ns == INFLIGHT_NONE)
				continue;
			if (count++ < TOLD_MAX)
				error = unfinished_tell(step, step_target_name(step, board->worker[i].load),
							entry, count == 1, now_ns);
			if (error)
				return error;
		}
	return count;
}

int step_give_up(struct step *step, uint64_t now_ns)
{
	char what[WHAT_TEXT];
	const int unfinished = step_tell_unfinished(step, now_ns);
	const int shown = (int)sizeof(what) - 1;

	if (unfinished <= 0)
		return unfinished;
	if (!step_interrupted(step))
		step->end = STEP_END_FAILED;
	snprintf(what, sizeof(what), "%.*s", shown, step->text);
	snprintf(step->text, sizeof(step->text), "the device hangs, %d I/O%s never came back: %s",
		 unfinished, unfinished == 1 ? "" : "s", what);
	return unfinished;
}
