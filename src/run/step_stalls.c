#include "run/step_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/units.h"

#define PAUSE_NS RECORDER_QUIET_NS	/* shorter ones are no part of a stall that is told */

int step_stalls_new(struct step *step)
{
	const struct stage *stage = step->stage;
	struct board *board = stage->board;
	uint32_t used = 0;

	step->target_rings = calloc(board->worker_count, sizeof(*step->target_rings));
	if (!step->target_rings)
		return -ENOMEM;
	for (uint32_t target = 0; target < step->context->config->target_count; target++) {
		uint32_t from = used;
		int error;

		for (uint32_t i = 0; i < board->worker_count; i++)
			if (stage->load[board->worker[i].load].target == target)
				step->target_rings[used++] = board->worker[i].ring;
		if (used == from)
			continue;
		error = stall_merger_new(step->target_rings + from, used - from, step->grace_ns,
					 &step->stalls[step->stall_count]);
		if (error)
			return error;
		step->stall_target[step->stall_count++] = target;
	}
	return 0;
}

void step_stalls_pause(struct step *step, uint64_t since)
{
	const struct hiccup_watch *watch = step->hiccups;

	for (uint64_t at = since; at < watch->recent_count; at++) {
		const struct hiccup *hiccup = &watch->recent[at % HICCUP_LOG_ENTRIES];

		if (hiccup->worker >= 0 || hiccup->to_ns - hiccup->from_ns < PAUSE_NS)
			continue;
		for (uint32_t i = 0; i < step->stall_count; i++)
			stall_merger_pause(step->stalls[i], hiccup->from_ns, hiccup->to_ns);
	}
}

/* Counts, and the times of those that are listed, since the step's start. */
static char *stalls_json(struct stall_merger *merger, uint32_t target, const struct stall_summary *summary)
{
	struct text text = { 0 };
	struct stall stall;

	text_printf(&text,
		    "{\"target\":%u,\"longest_ns\":%" PRIu64 ",\"longest_start_ns\":%" PRIu64 ",\"count\":{",
		    target, summary->longest_ns, summary->longest_start_ns);
	for (int i = 0; i < STALL_BUCKETS; i++)
		text_printf(&text, "%s\"%s\":%" PRIu64, i ? "," : "", stall_bucket_name[i],
			    summary->count[i]);
	text_printf(&text, "},\"missed\":%" PRIu64 ",\"host\":{\"ge_10ms\":%" PRIu64 ",\"longest_ns\":%" PRIu64
		    "},\"list\":[", summary->incomplete, summary->host_count, summary->host_longest_ns);
	for (uint32_t i = 0; stall_merger_take(merger, &stall, 1); i++)
		text_printf(&text, "%s[%" PRIu64 ",%" PRIu64 "]", i ? "," : "",
			    stall.start_ns, stall.end_ns - stall.start_ns);
	text_append(&text, "]}");
	return text_take(&text);
}

static void stalls_say(const struct stall_summary *summary, struct saying *saying)
{
	char time[UNITS_TEXT];

	if (summary->count[0])
		saying_add(saying,
			   summary->count[0] == 1
				   ? "%" PRIu64 " time of 10 ms or more in which I/Os were in flight and none completed"
				   : "%" PRIu64 " times of 10 ms or more in which I/Os were in flight and none completed",
			   summary->count[0]);
	if (summary->count[0] && summary->host_count)
		saying_add(saying, "; ");
	if (summary->host_count)
		saying_add(saying, "not counted, since this computer itself stood still: %" PRIu64 ", %s at most",
			   summary->host_count, duration_format(summary->host_longest_ns, time));
}

/* Told when there was any of 10 ms or more. */
static int stalls_tell(struct step *step, uint32_t index, const struct stall_summary *summary,
		       uint64_t now_ns)
{
	struct event_record event = {
		.t_ns = now_ns - step->context->run_start_ns,
		.step = step->record.id,
		.kind = "stalls",
	};
	struct saying saying = { 0 };
	char *json;
	int error;

	if (!summary->count[0] && !summary->host_count)
		return 0;
	json = stalls_json(step->stalls[index], step->stall_target[index], summary);
	if (!json)
		return -ENOMEM;
	stalls_say(summary, &saying);
	event.data_json = json;
	error = event_say(step->context->observer, &event, &saying);
	free(json);
	return error;
}

int step_stalls_tell(struct step *step, uint64_t now_ns)
{
	int error = 0;

	for (uint32_t i = 0; i < step->stall_count && !error; i++) {
		struct run_target *target = &step->context->config->targets[step->stall_target[i]];
		struct stall_summary summary;

		stall_merger_finish(step->stalls[i], now_ns);
		stall_merger_summary(step->stalls[i], &summary);
		if (summary.longest_ns > step->record.stall_longest_ns)
			step->record.stall_longest_ns = summary.longest_ns;
		if (summary.longest_ns > target->longest_stall_ns)
			target->longest_stall_ns = summary.longest_ns;
		error = stalls_tell(step, i, &summary, now_ns);
	}
	return error;
}
