#include "run/conductor.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#define MEET_SLICE_MS 500

uint64_t conductor_now_ns(const struct conductor *conductor)
{
	return clock_now_ns(&conductor->clock) - conductor->context.run_start_ns;
}

uint64_t conductor_id(struct conductor *conductor)
{
	return __atomic_fetch_add(conductor->next_id, 1, __ATOMIC_RELAXED);
}

static void waiting_tell(struct conductor *conductor, const struct step_record *record)
{
	const struct run_observer *observer = conductor->config->observer;
	const struct run_progress progress = {
		.step = record->name,
		.phase = "waits for the others",
		.target = conductor->target,
		.target_count = conductor->context.side_by_side,
		.step_number = conductor->context.number,
		.step_count = conductor->context.count,
		.share = NAN,
		.left_ns = UINT64_MAX,
		.elapsed_ns = conductor_now_ns(conductor),
	};

	if (observer->progress)
		observer->progress(observer->context, &progress);
}

void conductor_meet(struct conductor *conductor, const struct step_record *record, bool starts)
{
	struct together *together = conductor->context.together;
	uint64_t ticket = 0;

	while (together &&
	       !together_meet(together, starts, MEET_SLICE_MS, conductor->config->interrupted, &ticket))
		waiting_tell(conductor, record);
}

struct run_target *conductor_drive(struct conductor *conductor)
{
	return &conductor->config->targets[conductor->target];
}

struct run_target *conductor_target(struct conductor *conductor)
{
	const bool file = conductor->fs.state == FS_MOUNTED || conductor->fs.state == FS_LOST;

	return conductor->on_fs && file ? &conductor->fs.file : conductor_drive(conductor);
}

void conductor_end(struct conductor *conductor, enum run_status status, const char *format, ...)
{
	va_list args;

	if (conductor->ended)
		return;
	conductor->ended = true;
	conductor->status = status;
	va_start(args, format);
	vsnprintf(conductor->text, sizeof(conductor->text), format, args);
	va_end(args);
}

int conductor_event(struct conductor *conductor, uint64_t step, const char *kind, const char *data_json,
		    const char *format, ...)
{
	struct event_record event = {
		.t_ns = conductor_now_ns(conductor), .step = step, .kind = kind, .data_json = data_json
	};
	struct saying saying = { 0 };
	va_list args;

	va_start(args, format);
	saying_vadd(&saying, format, args);
	va_end(args);
	return event_say(conductor->config->observer, &event, &saying);
}

int conductor_fault(struct conductor *conductor, uint64_t step, const char *kind, const struct fault *fault)
{
	const struct run_observer *observer = conductor->config->observer;
	const struct event_record event = {
		.t_ns = conductor_now_ns(conductor), .step = step, .kind = kind, .text = fault->text
	};

	return observer->event(observer->context, &event);
}
