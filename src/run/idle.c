/* kind=idle and kind=note: steps that send nothing. */
#include <math.h>
#include <time.h>
#include "run/idle.h"
#include "run/telemetry.h"

#define SLICE_NS 50000000ull
#define PROGRESS_EVERY 4u	/* slices */

static void progress_tell(struct conductor *conductor, const struct step_record *record, uint64_t elapsed,
			  uint64_t whole)
{
	const struct run_observer *observer = conductor->config->observer;
	struct run_progress progress = {
		.step = record->name,
		.phase = "idle",
		.target = conductor->target,
		.target_count = conductor->context.side_by_side,
		.step_number = conductor->context.number,
		.step_count = conductor->context.count,
		.share = whole ? (double)elapsed / (double)whole : NAN,
		.left_ns = whole > elapsed ? whole - elapsed : 0,
		.elapsed_ns = conductor_now_ns(conductor),
	};

	if (observer->progress)
		observer->progress(observer->context, &progress);
}

/* In real time, in slices, looking at the host and the user. */
static int idle_real(struct conductor *conductor, struct step_record *record, uint64_t whole)
{
	const struct timespec slice = { .tv_nsec = SLICE_NS };
	struct telemetry telemetry;
	uint64_t start = clock_monotonic_ns(), now = start;
	int error = 0;

	telemetry_init(&telemetry, &conductor->context);
	for (uint32_t i = 0; now - start < whole && !error; i++) {
		if (conductor->config->interrupted && *conductor->config->interrupted) {
			record->status = RUN_INTERRUPTED;
			break;
		}
		if (whole - (now - start) < SLICE_NS) {
			struct timespec rest = { .tv_nsec = (long)(whole - (now - start)) };

			nanosleep(&rest, NULL);
		} else {
			nanosleep(&slice, NULL);
		}
		now = clock_monotonic_ns();
		if (i % PROGRESS_EVERY == 0)
			progress_tell(conductor, record, now - start, whole);
		error = telemetry_tick(&telemetry, now, record->id);
	}
	telemetry_release(&telemetry);
	return error;
}

int idle_run(struct conductor *conductor, struct point *point, struct step_record *record)
{
	const struct run_observer *observer = conductor->config->observer;
	uint64_t whole = point->step->kind == STEP_IDLE ? point->instance->runtime_ns : 0;
	int error;

	record->started_ns = conductor_now_ns(conductor);
	error = observer->step_begin(observer->context, record);
	if (error)
		return error;
	record->status = RUN_COMPLETE;
	record->status_text = point->step->kind == STEP_IDLE ? "time" : "done";
	if (conductor->clock.source == CLOCK_VIRTUAL)
		clock_set(&conductor->clock, conductor->clock.virtual_ns + whole);
	else
		error = idle_real(conductor, record, whole);
	if (error)
		return error;
	record->duration_ns = conductor_now_ns(conductor) - record->started_ns;
	if (record->status == RUN_INTERRUPTED) {
		record->status_text = "interrupted";
		conductor_end(conductor, RUN_INTERRUPTED, "interrupted in step '%s'", record->name);
	}
	return observer->step_end(observer->context, record);
}
