#include "run/step.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/units.h"

#define LOG_TAKE 512u
#define STALLS_LISTED 1000u
#define HANG_NS 5000000000ull		/* in flight for so long: told as a hang */
#define NOTICE_NS 1000000000ull		/* shown on the progress line */
#define PROGRESS_EVERY_NS 200000000ull

bool step_interrupted(const struct step *step)
{
	const volatile sig_atomic_t *interrupted = step->context->config->interrupted;

	return interrupted && *interrupted;
}

void step_ask_stop(struct step *step)
{
	if (step->stop_asked)
		return;
	step->stop_asked = true;
	step->stop_asked_ns = clock_monotonic_ns();
	__atomic_store_n(&step->stage->board->stop, 1, __ATOMIC_RELEASE);
}

/* One merger per target: a stall is when all workers on it are silent. */
static int stalls_new(struct step *step)
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

static int collectors_new(struct step *step)
{
	struct board *board = step->stage->board;
	uint64_t interval_ns = step->stage->instance->interval_ns;
	uint32_t at = 0;

	step->rings = calloc(board->worker_count, sizeof(*step->rings));
	if (!step->rings)
		return -ENOMEM;
	for (uint32_t i = 0; i < board->worker_count; i++)
		step->rings[i] = board->worker[i].ring;
	for (uint32_t load = 0; load < step->stage->load_count; load++) {
		struct collector_config config = {
			.rings = step->rings + at,
			.ring_count = step->stage->layout[load].workers,
			.grace_ns = step->grace_ns,
			.ramp_intervals = step->stage->ramp_ns / interval_ns,
			.samples_per_second = step->stage->samples_per_second,
		};
		int error = collector_new(&config, &step->collectors[load]);

		if (error)
			return error;
		at += config.ring_count;
	}
	return stalls_new(step);
}

/* One worker's: 1 where the engine is synchronous, whatever the load says. */
static uint32_t depth_of(const struct step *step, uint32_t load)
{
	const struct board *board = step->stage->board;

	for (uint32_t i = 0; i < board->worker_count; i++)
		if (board->worker[i].load == load)
			return board->worker[i].depth;
	return 0;
}

static void load_describe(struct step *step, uint32_t index)
{
	const struct stage_load *load = &step->stage->load[index];
	const struct run_target *target = &step->context->config->targets[load->target];
	struct load_record *record = &step->loads[index];
	struct work_range range = { 0 };

	work_range_resolve(load->load, run_target_bytes(target), run_target_block_bytes(target), 0, &range, NULL);
	*record = (struct load_record){
		.step = step->record.id,
		.load = index,
		.name = load->load->name,
		.target = load->target,
		.engine = step->stage->board->load[index].engine,
		.engine_note = step->stage->board->load[index].note[0] ? step->stage->board->load[index].note : NULL,
		.workers = step->stage->layout[index].workers,
		.depth_asked = depth_of(step, index),
		.open_loop = load->load->arrival != ARRIVAL_CLOSED,
		.rate_asked = load->load->arrival != ARRIVAL_CLOSED ? load->load->arrival_rate : 0,
		.range_start = range.start,
		.range_bytes = range.bytes,
	};
}

int step_begin(struct step *step)
{
	const struct run_observer *observer = step->context->observer;
	int error = collectors_new(step);

	step->started = true;
	step->start_ns = step->stage->board->start_ns;
	for (uint32_t i = 0; i < step->stage->load_count && !error; i++) {
		load_describe(step, i);
		error = observer->load_begin(observer->context, &step->loads[i]);
	}
	return error;
}

/* The interval in hand is complete over all loads: to the stop rules. */
static int feed_flush(struct step *step)
{
	int met = 0;

	if (!step->feed_loads)
		return 0;
	if (!step->feed_ramp)
		met = stop_feed(&step->stop, step->feed_start_ns, step->feed_end_ns, step->feed_ios, step->feed_bytes,
				step->feed_written);
	step->progress.iops = (double)step->feed_ios * 1e9 / (double)(step->feed_end_ns - step->feed_start_ns + 1);
	step->feed_loads = 0;
	step->feed_ios = step->feed_bytes = step->feed_written = 0;
	if (met > 0)
		step_ask_stop(step);
	return met < 0 ? met : 0;
}

static void progress_note(struct step *step, const struct tally *tally)
{
	static const double seconds_min = 1e-9;
	struct run_progress *progress = &step->progress;
	double seconds = (double)(tally->end_ns - tally->start_ns) / 1e9;
	const struct histogram *busiest = &tally->op[IO_READ].service;

	for (int op = 1; op < IO_OPS; op++)
		if (tally->op[op].service.moments.n > busiest->moments.n)
			busiest = &tally->op[op].service;
	seconds = seconds > seconds_min ? seconds : seconds_min;
	progress->iops = (double)tally_ios(tally) / seconds;
	progress->bytes_per_second = (double)tally_bytes(tally) / seconds;
	progress->read_iops = (double)tally->op[IO_READ].ios / seconds;
	progress->write_iops = (double)tally->op[IO_WRITE].ios / seconds;
	progress->p50_ns = histogram_percentile(busiest, 0.5);
	progress->p99_ns = histogram_percentile(busiest, 0.99);
	progress->max_ns = busiest->moments.n ? busiest->moments.max_ns : 0;
	progress->errors += tally_errors(tally);
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
		error = observer->outliers(observer->context, step->record.id, collected->top, collected->top_count);
	if (error)
		return error;
	if (step->feed_loads && step->feed_index != collected->index)
		error = feed_flush(step);
	step->feed_index = collected->index;
	step->feed_start_ns = tally->start_ns;
	step->feed_end_ns = tally->end_ns;
	step->feed_loads++;
	step->feed_ramp = collected->ramp;
	if (!collected->ramp) {
		step->feed_ios += tally_ios(tally);
		step->feed_bytes += tally_bytes(tally);
		step->feed_written += tally->op[IO_WRITE].bytes;
	}
	if (load == 0)
		progress_note(step, tally);
	if (load == 0 && step->probe && !collected->ramp && probe_feed(step->probe, tally))
		step_ask_stop(step);
	if (!error && step->feed_loads == step->stage->load_count)
		error = feed_flush(step);
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

/* A load that ends before the others has its own last interval and its own duration. */
static void loads_close(struct step *step)
{
	for (uint32_t load = 0; load < step->stage->load_count; load++) {
		uint64_t end = step->load_closed[load] ? 0 : load_ended_ns(step->stage->board, load);

		if (!end)
			continue;
		collector_finish(step->collectors[load], end);
		step->load_closed[load] = true;
	}
}

/* Takes the loads' intervals side by side, so that the stop rules see whole intervals. */
static int collect(struct step *step, uint64_t now_ns)
{
	struct collected collected;
	bool any = true;
	int error = 0;

	loads_close(step);
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

/* Share done and time left, by whichever limit comes first. */
static void progress_limits(struct step *step, uint64_t now_ns)
{
	struct run_progress *progress = &step->progress;
	const struct stage *stage = step->stage;
	uint64_t elapsed = now_ns > step->start_ns ? now_ns - step->start_ns : 0;
	uint64_t whole = stage->ramp_ns + stage->runtime_ns;
	const struct tally *total = collector_total(step->collectors[0]);
	double done = (double)tally_bytes(total);
	double budget = (double)stage->load[0].budget_bytes * stage->layout[0].workers;

	progress->share = NAN;
	progress->left_ns = UINT64_MAX;
	if (stage->runtime_ns) {
		progress->share = fmin(1, (double)elapsed / (double)whole);
		progress->left_ns = whole > elapsed ? whole - elapsed : 0;
	}
	if (stage->load[0].budget_bytes != UINT64_MAX && done > 0 &&
	    !(progress->share > done / budget)) {
		progress->share = fmin(1, done / budget);
		progress->left_ns = (uint64_t)((double)elapsed * (budget - done) / done);
	}
}

static void progress_tell(struct step *step, uint64_t now_ns)
{
	const struct run_observer *observer = step->context->observer;
	uint64_t wall = clock_monotonic_ns();

	if (!observer->progress || wall - step->last_progress_ns < PROGRESS_EVERY_NS)
		return;
	step->last_progress_ns = wall;
	progress_limits(step, now_ns);
	step->progress.step = step->record.name;
	step->progress.phase = now_ns < step->start_ns + step->stage->ramp_ns ? "ramp" : "measure";
	step->progress.step_number = step->context->number;
	step->progress.step_count = step->context->count;
	step->progress.elapsed_ns = now_ns - step->context->run_start_ns;
	step->progress.notice = step->notice[0] ? step->notice : NULL;
	observer->progress(observer->context, &step->progress);
}

void step_end_followers(struct step *step)
{
	const struct stage *stage = step->stage;
	bool any = false;

	for (uint32_t i = 0; i < stage->board->worker_count; i++) {
		const struct worker_board *worker = &stage->board->worker[i];

		if (stage->load[worker->load].follows)
			any = true;
		else if (__atomic_load_n(&worker->state, __ATOMIC_ACQUIRE) < WORKER_DONE)
			return;
	}
	if (any)
		step_ask_stop(step);
}

int step_tick(struct step *step, uint64_t now_ns)
{
	int error = collect(step, now_ns);

	step_end_followers(step);
	if (error)
		return error;
	for (uint32_t i = 0; i < step->stall_count; i++)
		stall_merger_advance(step->stalls[i], now_ns);
	progress_tell(step, now_ns);
	return step->stop.met;
}

static char *load_facts_json(const struct step *step, uint32_t load)
{
	const struct board *board = step->stage->board;
	struct text text = { 0 };
	const char *separator = "";
	uint64_t calls = 0;

	text_append(&text, "{\"workers\":[");
	for (uint32_t i = 0; i < board->worker_count; i++) {
		const struct worker_board *worker = &board->worker[i];

		if (worker->load != load)
			continue;
		text_printf(&text, "%s{\"cpu_user_ns\":%" PRIu64 ",\"cpu_system_ns\":%" PRIu64
				   ",\"switches_voluntary\":%" PRIu64 ",\"switches_involuntary\":%" PRIu64
				   ",\"engine_calls\":%" PRIu64 ",\"issued_bytes\":%" PRIu64 ",\"position\":%" PRIu64
				   ",\"finished_ns\":%" PRIu64 "}",
			    separator, worker->cpu_user_ns, worker->cpu_system_ns, worker->switches_voluntary,
			    worker->switches_involuntary, worker->engine_calls, worker->issued_bytes, worker->position,
			    worker->finished_ns > step->start_ns ? worker->finished_ns - step->start_ns : 0);
		separator = ",";
		calls += worker->engine_calls;
	}
	text_printf(&text, "],\"engine_calls\":%" PRIu64 "}", calls);
	return text_take(&text);
}

static int load_tell(struct step *step, uint32_t load)
{
	const struct run_observer *observer = step->context->observer;
	struct load_record *record = &step->loads[load];
	struct collector_facts facts;
	char *json = load_facts_json(step, load);
	int error;

	if (!json)
		return -ENOMEM;
	collector_facts(step->collectors[load], &facts);
	record->outliers_kept = facts.outliers_kept;
	record->outliers_seen = facts.outliers_seen;
	record->samples_every = facts.samples_every;
	record->facts_json = json;
	record->total = collector_total(step->collectors[load]);
	error = observer->load_end(observer->context, record);
	record->facts_json = NULL;
	free(json);
	return error;
}

/* Counts, and the times of the first STALLS_LISTED, since the step's start. */
static char *stalls_json(struct stall_merger *merger, uint32_t target, const struct stall_summary *summary)
{
	struct text text = { 0 };
	struct stall stall;

	text_printf(&text, "{\"target\":%u,\"longest_ns\":%" PRIu64 ",\"longest_start_ns\":%" PRIu64 ",\"count\":{", target,
		    summary->longest_ns, summary->longest_start_ns);
	for (int i = 0; i < STALL_BUCKETS; i++)
		text_printf(&text, "%s\"%s\":%" PRIu64, i ? "," : "", stall_bucket_name[i], summary->count[i]);
	text_printf(&text, "},\"missed\":%" PRIu64 ",\"list\":[", summary->incomplete);
	for (uint32_t i = 0; i < STALLS_LISTED && stall_merger_take(merger, &stall, 1); i++)
		text_printf(&text, "%s[%" PRIu64 ",%" PRIu64 "]", i ? "," : "", stall.start_ns, stall.end_ns - stall.start_ns);
	text_append(&text, "]}");
	return text_take(&text);
}

/* Told when there was any of 10 ms or more. */
static int stalls_tell(struct step *step, uint32_t index, const struct stall_summary *summary, uint64_t now_ns)
{
	const struct run_observer *observer = step->context->observer;
	struct event_record event = {
		.t_ns = now_ns - step->context->run_start_ns,
		.step = step->record.id,
		.kind = "stalls",
	};
	char text[160];
	char *json;
	int error;

	if (!summary->count[0])
		return 0;
	json = stalls_json(step->stalls[index], step->stall_target[index], summary);
	if (!json)
		return -ENOMEM;
	snprintf(text, sizeof(text), "%" PRIu64 " times of 10 ms or more in which I/Os were in flight and none completed",
		 summary->count[0]);
	event.text = text;
	event.data_json = json;
	error = observer->event(observer->context, &event);
	free(json);
	return error;
}

static int stalls_note(struct step *step, uint64_t now_ns)
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

int step_finish(struct step *step, uint64_t now_ns)
{
	int error;

	if (!step->started)
		return 0;
	loads_close(step);
	for (uint32_t load = 0; load < step->stage->load_count; load++)
		if (!step->load_closed[load])
			collector_finish(step->collectors[load], now_ns);
	error = collect(step, now_ns);
	if (!error)
		error = feed_flush(step);
	if (!error)
		error = stalls_note(step, now_ns);
	for (uint32_t load = 0; load < step->stage->load_count && !error; load++)
		error = load_tell(step, load);
	if (step->probe)
		probe_finish(step->probe, collector_total(step->collectors[0]));
	step->record.duration_ns = now_ns - step->start_ns;
	return error;
}

void step_release(struct step *step)
{
	for (uint32_t load = 0; load < PLAN_LOADS_MAX; load++)
		step->collectors[load] = collector_free(step->collectors[load]);
	for (uint32_t i = 0; i < step->stall_count; i++)
		step->stalls[i] = stall_merger_free(step->stalls[i]);
	stop_release(&step->stop);
	free(step->rings);
	free(step->target_rings);
	free(step->steady_json);
	step->steady_json = NULL;
	step->rings = step->target_rings = NULL;
}

static void inflight_describe(const struct inflight *entry, uint64_t now_ns, char *text, size_t bytes)
{
	char age[UNITS_TEXT];
	uint64_t age_ns = now_ns > entry->submit_ns ? now_ns - entry->submit_ns : 0;

	snprintf(text, bytes, "%s of %u bytes at offset %" PRIu64 ", in flight for %s",
		 io_op_name((enum io_op)entry->op), entry->bytes, entry->offset, duration_format(age_ns, age));
}

static int event_tell(struct step *step, const char *kind, const char *text, uint64_t now_ns)
{
	const struct run_observer *observer = step->context->observer;
	struct event_record event = {
		.t_ns = now_ns - step->context->run_start_ns,
		.step = step->record.id,
		.kind = kind,
		.text = text,
	};

	return observer->event(observer->context, &event);
}

int step_watch(struct step *step, uint64_t now_ns)
{
	const struct board *board = step->stage->board;
	struct inflight oldest = { .submit_ns = INFLIGHT_NONE }, entry;
	char what[160];

	for (uint32_t i = 0; i < board->worker_count; i++)
		if (inflight_oldest(board->worker[i].ring, &entry) && entry.submit_ns < oldest.submit_ns)
			oldest = entry;
	step->notice[0] = '\0';
	if (oldest.submit_ns == INFLIGHT_NONE || now_ns < oldest.submit_ns + NOTICE_NS)
		return 0;
	inflight_describe(&oldest, now_ns, what, sizeof(what));
	snprintf(step->notice, sizeof(step->notice), "slow: %s", what);
	if (step->hang_told || now_ns < oldest.submit_ns + HANG_NS)
		return 0;
	step->hang_told = true;
	return event_tell(step, "hang", what, now_ns);
}

int step_tell_unfinished(struct step *step, uint64_t now_ns)
{
	const struct board *board = step->stage->board;
	char what[160];
	int count = 0;

	for (uint32_t i = 0; i < board->worker_count; i++)
		for (uint32_t slot = 0; slot < board->worker[i].depth; slot++) {
			const struct inflight *entry = &board->worker[i].ring->inflight[slot];
			int error = 0;

			if (entry->submit_ns == INFLIGHT_NONE)
				continue;
			if (count++ < 64) {
				inflight_describe(entry, now_ns, what, sizeof(what));
				error = event_tell(step, "unfinished", what, now_ns);
			}
			if (count == 1)
				snprintf(step->text, sizeof(step->text), "%s", what);
			if (error)
				return error;
		}
	return count;
}

int step_give_up(struct step *step, uint64_t now_ns)
{
	char what[160];
	const int unfinished = step_tell_unfinished(step, now_ns);
	const int shown = (int)sizeof(what) - 1;

	if (unfinished <= 0)
		return unfinished;
	if (!step_interrupted(step))
		step->end = STEP_END_FAILED;
	snprintf(what, sizeof(what), "%.*s", shown, step->text);
	snprintf(step->text, sizeof(step->text), "the device hangs, %d I/Os never came back: %s", unfinished, what);
	return unfinished;
}
