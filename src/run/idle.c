/* kind=idle and kind=note: steps that send nothing. */
#include <math.h>
#include <time.h>
#include "run/cooling.h"
#include "run/idle.h"
#include "run/telemetry.h"

#define LOOK_EVERY_NS 1000000000ull	/* in virtual time */
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

static bool is_interrupted(const struct conductor *conductor)
{
	return conductor->config->interrupted && *conductor->config->interrupted;
}

/* How long it lasts, as things stand; 0 when it is over. */
static uint64_t idle_length(const struct conductor *conductor, const struct point *point)
{
	const struct plan_instance *instance = point->instance;
	enum cooling_state state;

	if (point->step->kind != STEP_IDLE)
		return 0;
	if (!cooling_asked(instance))
		return instance->runtime_ns;
	state = cooling_look(conductor).state;
	return state == COOLING_COOL ? 0 : cooling_limit_ns(instance, state);
}

/* In virtual time at once; with until=cool second by second, looking at the temperature. */
static int idle_virtual(struct conductor *conductor, struct step_record *record, const struct point *point)
{
	struct clock *clock = &conductor->clock;
	uint64_t start = clock->virtual_ns;
	int error = 0;

	if (!cooling_asked(point->instance)) {
		clock_set(clock, start + idle_length(conductor, point));
		return 0;
	}
	while (!error) {
		uint64_t passed = clock->virtual_ns - start, whole;

		error = telemetry_virtual(&conductor->context, clock->virtual_ns, record->id);
		whole = idle_length(conductor, point);
		if (passed >= whole)
			break;
		if (is_interrupted(conductor)) {
			record->status = RUN_INTERRUPTED;
			break;
		}
		clock_set(clock, clock->virtual_ns + (whole - passed < LOOK_EVERY_NS ? whole - passed : LOOK_EVERY_NS));
	}
	return error;
}

/* In real time, in slices, looking at the host and the user. */
static int idle_real(struct conductor *conductor, struct step_record *record, const struct point *point)
{
	const struct timespec slice = { .tv_nsec = SLICE_NS };
	struct telemetry telemetry;
	uint64_t start = clock_monotonic_ns(), now = start, whole = idle_length(conductor, point);
	int error = 0;

	telemetry_init(&telemetry, &conductor->context);
	for (uint32_t i = 0; now - start < whole && !error; i++) {
		if (is_interrupted(conductor)) {
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
		whole = idle_length(conductor, point);
	}
	telemetry_release(&telemetry);
	return error;
}

int idle_run(struct conductor *conductor, struct point *point, struct step_record *record)
{
	const struct run_observer *observer = conductor->config->observer;
	bool cools = point->step->kind == STEP_IDLE && cooling_asked(point->instance);
	int error;

	record->started_ns = conductor_now_ns(conductor);
	error = observer->step_begin(observer->context, record);
	if (error)
		return error;
	record->status = RUN_COMPLETE;
	record->status_text = point->step->kind == STEP_IDLE ? "time" : "done";
	if (conductor->clock.source == CLOCK_VIRTUAL)
		error = idle_virtual(conductor, record, point);
	else
		error = idle_real(conductor, record, point);
	if (error)
		return error;
	record->duration_ns = conductor_now_ns(conductor) - record->started_ns;
	if (cools && record->status == RUN_COMPLETE) {
		if (cooling_look(conductor).state == COOLING_COOL)
			record->status_text = "cool";
		error = cooling_tell(conductor, record);
		if (error)
			return error;
	}
	if (record->status == RUN_INTERRUPTED) {
		record->status_text = "interrupted";
		conductor_end(conductor, RUN_INTERRUPTED, "interrupted in step '%s'", record->name);
	}
	return observer->step_end(observer->context, record);
}
