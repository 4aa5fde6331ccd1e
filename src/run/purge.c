/* kind=purge: the target's range back to the state of a drive that has never been written. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "engine/engine.h"
#include "run/errand.h"
#include "run/purge.h"
#include "work/work.h"

#define TRIM_BYTES (1u << 30)

/* What was done, as the step's note keeps it. */
static const char *method_note(enum purge_method method)
{
	static const char *const notes[] = {"best", "trim", "format", "sanitize", "secure erase",
					    "punch hole", PURGE_NOT_DONE};

	return notes[method];
}

/* One trim after the other, in virtual time. */
static int trims_send(struct conductor *conductor, struct engine *engine, uint64_t from, uint64_t bytes)
{
	uint64_t end = from + bytes;

	while (from < end) {
		struct io io = { .op = IO_TRIM, .offset = from };
		struct io_done done;
		int count;

		io.bytes = end - from < TRIM_BYTES ? (uint32_t)(end - from) : TRIM_BYTES;
		count = engine_submit(engine, &io, 1);
		if (count == 1) {
			clock_set(&conductor->clock, engine_next_event(engine));
			count = engine_reap(engine, &done, 1, 0, 0);
		}
		if (count < 0)
			return count;
		if (count == 1 && done.result < 0)
			return done.result;
		from += io.bytes;
	}
	return 0;
}

static int range_trim(struct conductor *conductor, struct run_target *target, const struct work_range *range,
		      struct fault *fault)
{
	struct engine_config config = {
		.target = &target->sim,
		.clock = &conductor->clock,
		.depth = 1,
		.sqpoll_cpu = -1,
	};
	struct engine *engine;
	int error = engine_new(NULL, &config, &engine, fault);

	if (error)
		return error;
	error = trims_send(conductor, engine, range->start, range->bytes);
	engine_free(engine);
	return error ? fault_system(fault, error, "trim failed: %s", strerror(-error)) : 0;
}

static int purge_virtual(struct conductor *conductor, struct run_target *target,
			 const struct work_range *range, enum purge_method method,
			 struct step_record *record, struct fault *fault)
{
	record->note = method_note(method == PURGE_BEST ? PURGE_TRIM : method);
	if (method == PURGE_NONE)
		return 0;
	if (method != PURGE_BEST && method != PURGE_TRIM)
		return fault_system(fault, -EOPNOTSUPP,
				    "%s is a simulated drive: it can be purged by method=trim",
				    target->subject.name);
	if (!run_target_has_trim(target)) {
		record->note = PURGE_NOT_DONE;
		return fault_system(fault, -EOPNOTSUPP, "%s has no TRIM, as hard disks have none",
				    target->subject.name);
	}
	return range_trim(conductor, target, range, fault);
}

static int purge_real(struct conductor *conductor, struct run_target *target, const struct work_range *range,
		      const struct plan_instance *instance, struct step_record *record, struct fault *fault)
{
	struct errand *errand = errand_new();
	int error;

	if (!errand)
		return -ENOMEM;
	errand->target = target;
	errand->offset = range->start;
	errand->bytes = range->bytes;
	errand->method = instance->purge;
	errand->give_up_ns = instance->give_up_ns;
	errand->step = record->name;
	error = errand_purge(conductor, errand);
	record->note = error		    ? PURGE_NOT_DONE :
		       errand->progress.how ? errand->progress.how :
					      method_note(errand->used);
	if (error)
		*fault = errand->fault;
	errand_free(errand);
	return error;
}

static int range_find(const struct plan_instance *instance, const struct run_target *target,
		      struct work_range *ret_range, struct fault *fault)
{
	uint64_t bytes = run_target_bytes(target);

	if (!instance->load_count) {
		*ret_range = (struct work_range){ .bytes = bytes, .segments = 1, .addressed_bytes = bytes };
		return 0;
	}
	return work_range_resolve(&instance->loads[0], bytes, run_target_block_bytes(target), 0,
				  ret_range, fault);
}

static int purge_do(struct conductor *conductor, struct point *point, struct step_record *record,
		    struct fault *fault)
{
	struct run_target *target = conductor_drive(conductor);
	struct work_range range;
	int error = range_find(point->instance, target, &range, fault);

	if (error)
		return error;
	if (target->subject.kind == TARGET_SIM)
		error = purge_virtual(conductor, target, &range, point->instance->purge, record, fault);
	else
		error = purge_real(conductor, target, &range, point->instance, record, fault);
	if (!error && target->subject.kind != TARGET_CHAR && strcmp(record->note, PURGE_NOT_DONE))
		coverage_purged(&target->coverage);
	return error;
}

int purge_run(struct conductor *conductor, struct point *point, struct step_record *record)
{
	const struct run_observer *observer = conductor->config->observer;
	struct fault fault = { 0 };
	int error;

	record->started_ns = conductor_now_ns(conductor);
	error = observer->step_begin(observer->context, record);
	if (error)
		return error;
	error = purge_do(conductor, point, record, &fault);
	record->duration_ns = conductor_now_ns(conductor) - record->started_ns;
	record->status = RUN_COMPLETE;
	record->status_text = "done";
	if (error == -EINTR) {
		record->status = RUN_INTERRUPTED;
		record->status_text = "interrupted";
		conductor_end(conductor, RUN_INTERRUPTED, "step '%s': %.400s", record->name, fault.text);
	} else if (error == -EOPNOTSUPP) {
		/* not every target can be purged: the run goes on, and its report says that it was not */
		record->note = PURGE_NOT_DONE;
		record->status_text = "not purged: the target cannot";
		error = conductor_fault(conductor, record->id, "not_purged", &fault);
		if (error)
			return error;
	} else if (error) {
		record->status = RUN_FAILED;
		record->status_text = fault.text;
		conductor_end(conductor, error == -EPERM ? RUN_REFUSED : RUN_FAILED, "step '%s': %.400s",
			      record->name, fault.text);
	}
	return observer->step_end(observer->context, record);
}
