#include "run/conductor.h"

#include <stdarg.h>
#include <stdio.h>

uint64_t conductor_now_ns(const struct conductor *conductor)
{
	return clock_now_ns(&conductor->clock) - conductor->context.run_start_ns;
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

int conductor_event(struct conductor *conductor, uint64_t step, const char *kind, const char *text,
		    const char *data_json)
{
	const struct run_observer *observer = conductor->config->observer;
	struct event_record event = {
		.t_ns = conductor_now_ns(conductor),
		.step = step,
		.kind = kind,
		.text = text,
		.data_json = data_json,
	};

	return observer->event(observer->context, &event);
}
