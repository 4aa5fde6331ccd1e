#include "run/step_parts.h"

#define LOG_TAKE 512u

int step_feed_flush(struct step *step)
{
	int met = 0;

	if (!step->feed_loads)
		return 0;
	if (!step->feed_ramp)
		met = stop_feed(&step->stop, step->feed_start_ns, step->feed_end_ns, step->feed_ios,
				step->feed_bytes, step->feed_written);
	step->progress.iops =
		(double)step->feed_ios * 1e9 / (double)(step->feed_end_ns - step->feed_start_ns + 1);
	step->feed_loads = 0;
	step->feed_ios = step->feed_bytes = step->feed_written = 0;
	if (met > 0)
		step_ask_stop(step);
	return met < 0 ? met : 0;
}

/* The part of the interval in which some load was to send. */
static void feed_time(struct step *step, const struct tally *tally)
{
	const uint64_t start_ns = tally->start_ns + tally->rest_ns;

	if (!step->feed_loads || start_ns < step->feed_start_ns)
		step->feed_start_ns = start_ns;
	step->feed_end_ns = tally->end_ns;
}

static int interval_tell(struct step *step, uint32_t load, const struct collected *collected)
{
	const struct run_observer *observer = step->context->observer;
	const struct tally *tally = collected->tally;
	struct interval_record record = {
		.step = step->record.id,
		.load = load,
		.index = collected->index,
		.ramp = collected->ramp,
		.tally = tally,
	};
	int error = observer->interval(observer->context, &record);

	if (step->hiccups)
		hiccup_watch_tag(step->hiccups, step->start_ns, collected->top, collected->top_count);
	if (!error && collected->top_count)
		error = observer->outliers(observer->context, step->record.id, collected->top,
					   collected->top_count);
	if (error)
		return error;
	if (step->feed_loads && step->feed_index != collected->index)
		error = step_feed_flush(step);
	feed_time(step, tally);
	step->feed_index = collected->index;
	step->feed_loads++;
	step->feed_ramp = collected->ramp;
	if (!collected->ramp) {
		step->feed_ios += tally_ios(tally);
		step->feed_bytes += tally_bytes(tally);
		step->feed_written += tally->op[IO_WRITE].bytes;
	}
	if (load == 0)
		step_progress_note(step, tally);
	if (load == 0 && step->probe && !collected->ramp && probe_feed(step->probe, tally))
		step_ask_stop(step);
	if (!error && step->feed_loads == step->stage->load_count)
		error = step_feed_flush(step);
	return error;
}

static int logs_tell(struct step *step, uint32_t load)
{
	const struct run_observer *observer = step->context->observer;
	struct logged_io ios[LOG_TAKE];
	uint32_t count;
	int error = 0;

	while (!error && (count = collector_take_outliers(step->collectors[load], ios, LOG_TAKE))) {
		if (step->hiccups)
			hiccup_watch_tag(step->hiccups, step->start_ns, ios, count);
		error = observer->outliers(observer->context, step->record.id, ios, count);
	}
	while (!error && (count = collector_take_samples(step->collectors[load], ios, LOG_TAKE)))
		error = observer->samples(observer->context, step->record.id, ios, count);
	return error;
}

/* When the last worker of a load ended; 0 = some still work. */
static uint64_t load_ended_ns(const struct board *board, uint32_t load)
{
	uint64_t end = 0;

	for (uint32_t i = 0; i < board->worker_count; i++) {
		const struct worker_board *worker = &board->worker[i];

		if (worker->load != load)
			continue;
		if (__atomic_load_n(&worker->state, __ATOMIC_ACQUIRE) < WORKER_DONE)
			return 0;
		if (worker->finished_ns > end)
			end = worker->finished_ns;
	}
	return end;
}

void step_loads_close(struct step *step)
{
	for (uint32_t load = 0; load < step->stage->load_count; load++) {
		uint64_t end = step->load_closed[load] ? 0 : load_ended_ns(step->stage->board, load);

		if (!end)
			continue;
		collector_finish(step->collectors[load], end);
		step->load_closed[load] = true;
	}
}

int step_collect(struct step *step, uint64_t now_ns)
{
	struct collected collected;
	bool any = true;
	int error = 0;

	step_loads_close(step);
	while (any && !error) {
		any = false;
		for (uint32_t load = 0; load < step->stage->load_count && !error; load++) {
			if (!collector_next(step->collectors[load], now_ns, &collected))
				continue;
			any = true;
			error = interval_tell(step, load, &collected);
		}
	}
	for (uint32_t load = 0; load < step->stage->load_count && !error; load++)
		error = logs_tell(step, load);
	return error;
}
