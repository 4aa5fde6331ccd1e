#include "run/step_parts.h"

#include <math.h>

#define PROGRESS_EVERY_NS 200000000ull

void step_progress_note(struct step *step, const struct tally *tally)
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

void step_progress_tell(struct step *step, uint64_t now_ns)
{
	const struct run_observer *observer = step->context->observer;
	uint64_t wall = clock_monotonic_ns();

	if (!observer->progress || wall - step->last_progress_ns < PROGRESS_EVERY_NS)
		return;
	step->last_progress_ns = wall;
	progress_limits(step, now_ns);
	step->progress.step = step->record.name;
	step->progress.phase = now_ns < step->start_ns + step->stage->ramp_ns ? "ramp" : "measure";
	step->progress.target = (uint32_t)(step->context->target - step->context->config->targets);
	step->progress.target_count = step->context->side_by_side;
	step->progress.step_number = step->context->number;
	step->progress.step_count = step->context->count;
	step->progress.elapsed_ns = now_ns - step->context->run_start_ns;
	step->progress.notice = step->notice[0] ? step->notice : NULL;
	observer->progress(observer->context, &step->progress);
}
