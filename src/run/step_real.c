/* A step on a real target: the measuring process works, this side looks on, collects and decides when to stop
 * waiting. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "run/child.h"
#include "run/drain.h"
#include "run/measuring.h"
#include "run/silence.h"
#include "run/step_parts.h"
#include "run/telemetry.h"

#define TICK_MS 20
#define CEILING_WORTH_NS 3000000000ull	/* a step of so long may end 1 % later */
#define GRACE_NS 60000000ull

static int child_main(void *context)
{
	struct step *step = context;
	const struct run_config *config = step->context->config;

	return measuring_main(step->stage, config->target_count);
}

static uint32_t phase(const struct step *step)
{
	return __atomic_load_n(&step->stage->board->phase, __ATOMIC_ACQUIRE);
}

/* Takes the saying. */
static int event_tell(struct step *step, uint64_t now_ns, const char *kind, struct saying *saying,
		      const char *json)
{
	struct event_record event = {
		.t_ns = now_ns - step->context->run_start_ns, .step = step->record.id,
		.kind = kind, .data_json = json,
	};

	return event_say(step->context->observer, &event, saying);
}

/* Which clock the measuring process reads, when that is news: at the first step, or after a fall-back. */
static int clock_tell(struct step *step, uint64_t now_ns)
{
	const struct board *board = step->stage->board;
	const char *name = clock_source_name(__atomic_load_n(&board->clock_source, __ATOMIC_ACQUIRE));
	struct saying saying = { 0 };
	char json[96];

	if (step->context->clock_used && !strcmp(step->context->clock_used, name))
		return 0;
	step->context->clock_used = name;
	saying_add(&saying,
		   board->clock_source == CLOCK_TSC
			   ? "time is read from the time stamp counter, %.0f ns each time"
			   : "time is read from the kernel's clock (vDSO), %.0f ns each time",
		   (double)board->clock_cost_ns);
	if (board->clock_note.text[0])
		saying_add(&saying, ": %s", board->clock_note.text);
	snprintf(json, sizeof(json), "{\"clock\":\"%s\",\"cost_ns\":%.1f%s}", name, (double)board->clock_cost_ns,
		 board->clock_given_up ? ",\"given_up\":true" : "");
	return event_tell(step, now_ns, "clock", &saying, json);
}

static int ceiling_tell(struct step *step, uint64_t now_ns)
{
	const struct board *board = step->stage->board;
	struct saying saying = { 0 };
	char json[64];

	if (!board->ceiling_iops || step->context->ceiling_iops > 0)
		return 0;
	step->context->ceiling_iops = board->ceiling_iops;
	saying_add(&saying, "this program's ceiling here: %.0f no-ops per second on one core",
		   board->ceiling_iops);
	snprintf(json, sizeof(json), "{\"iops\":%.0f}", board->ceiling_iops);
	return event_tell(step, now_ns, "ceiling", &saying, json);
}

/* Once a second: what the host did to us. */
static int hiccups_tell(struct step *step, uint64_t now_ns)
{
	const struct run_observer *observer = step->context->observer;
	struct hiccup_watch *watch = step->hiccups;
	struct telemetry_record rows[] = {
		{ .name = "host_pauses", .value = (double)watch->second_pauses },
		{ .name = "host_pause_max_us", .value = (double)watch->second_pause_ns_max / 1e3 },
		{ .name = "worker_wait_us", .value = (double)watch->second_wait_ns / 1e3 },
	};

	for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		rows[i].t_ns = now_ns - step->context->run_start_ns;
		rows[i].step = step->record.id;
		rows[i].target = -1;
	}
	watch->second_pauses = watch->second_pause_ns_max = watch->second_wait_ns = 0;
	return observer->telemetry(observer->context, rows, sizeof(rows) / sizeof(rows[0]));
}

static void late_text(double ns, char text[32])
{
	if (isnan(ns))
		snprintf(text, 32, "null");
	else
		snprintf(text, 32, "%.0f", ns);
}

/* At the end of a step: the pauses of the host in it, as an event "hiccup". */
static int hiccups_sum_tell(struct step *step, uint64_t now_ns)
{
	const struct hiccup_watch *watch = step->hiccups;
	const uint64_t duration_ns = now_ns - step->start_ns;
	struct saying saying = { 0 };
	char json[400], late[2][32];

	late_text(hiccup_watch_late_ns(watch, duration_ns, 0.999), late[0]);
	late_text(hiccup_watch_late_ns(watch, duration_ns, 0.9999), late[1]);
	if (!watch->pauses && !watch->waits)
		return 0;
	saying_add(&saying,
		   "the host paused %" PRIu64
		   " times for more than 0.1 ms, %.1f ms at most; workers waited %.1f ms "
		   "for a processor; %" PRIu64 " of the slow I/Os overlap that",
		   watch->pauses, (double)watch->pause_ns_max / 1e6, (double)watch->wait_ns / 1e6,
		   watch->tagged);
	snprintf(json, sizeof(json),
		 "{\"pauses\":%" PRIu64 ",\"pause_ns\":%" PRIu64 ",\"pause_ns_max\":%" PRIu64
		 ",\"waits\":%" PRIu64 ",\"wait_ns\":%" PRIu64 ",\"outliers_tagged\":%" PRIu64
		 ",\"late_p99_9_ns\":%s,\"late_p99_99_ns\":%s}",
		 watch->pauses, watch->pause_ns, watch->pause_ns_max, watch->waits, watch->wait_ns,
		 watch->tagged, late[0], late[1]);
	return event_tell(step, now_ns, "hiccup", &saying, json);
}

static void hiccups_take(struct step *step, uint64_t now_ns)
{
	const uint64_t before = step->hiccups->recent_count;

	hiccup_watch_take(step->hiccups, now_ns);
	step_stalls_pause(step, before);
}

/* At the start line: the workers are ready, and start with those of the other targets. */
static void line_cross(struct step *step)
{
	if (!step->line_due || phase(step) != BOARD_READY)
		return;
	step->line_due = false;
	together_start(step->context->together, step->context->config->interrupted);
	__atomic_store_n(&step->stage->board->go, 1, __ATOMIC_RELEASE);
}

static int look_on(struct step *step, struct telemetry *telemetry)
{
	uint64_t now = clock_monotonic_ns();
	int error = 0;

	line_cross(step);
	hiccups_take(step, now);
	if (!step->started && phase(step) == BOARD_RUNNING) {
		error = step_begin(step);
		if (!error)
			error = ceiling_tell(step, now);
	}
	if (!error && step->started)
		error = clock_tell(step, now);
	if (!error && step->started && now >= telemetry->next_ns)
		error = hiccups_tell(step, now);
	if (!error && step->started)
		error = step_tick(step, now);
	if (error >= 0 && step->started)
		error = step_watch(step, now);
	if (error >= 0)
		error = telemetry_tick(telemetry, now, step->record.id);
	return error < 0 ? error : 0;
}

static void finished_note(struct step *step, uint64_t *ret_end_ns)
{
	const struct board *board = step->stage->board;
	uint64_t end = 0;

	for (uint32_t i = 0; i < board->worker_count; i++) {
		const struct worker_board *worker = &board->worker[i];

		if (worker->finished_ns > end)
			end = worker->finished_ns;
		if (worker->error)
			step_fail_io(step, worker);
	}
	*ret_end_ns = end ? end : clock_monotonic_ns();
}

static uint64_t known(uint64_t count)
{
	return count == DRIVE_UNKNOWN ? 0 : count;
}

/* What the block layer counted between the start line and the last completion, as an event "block_layer" for
 * each target. */
static int counters_tell(struct step *step, uint64_t now_ns)
{
	const struct board *board = step->stage->board;
	struct drive_counters delta;
	struct saying saying = { 0 };
	char json[640];
	int error = 0;

	for (uint32_t i = 0; i < board->counted && !error; i++) {
		drive_counters_delta(&board->counters[i].before, &board->counters[i].after, &delta);
		snprintf(json, sizeof(json),
			 "{\"target\":%u,\"reads\":%" PRIu64 ",\"read_merges\":%" PRIu64
			 ",\"read_bytes\":%" PRIu64 ",\"writes\":%" PRIu64 ",\"write_merges\":%" PRIu64
			 ",\"write_bytes\":%" PRIu64 ",\"discards\":%" PRIu64 ",\"discard_merges\":%" PRIu64
			 ",\"discard_bytes\":%" PRIu64 ",\"flushes\":%" PRIu64 "}",
			 board->counters[i].target, delta.reads, delta.read_merges, delta.read_bytes,
			 delta.writes, delta.write_merges, delta.write_bytes, known(delta.discards),
			 known(delta.discard_merges), known(delta.discard_bytes), known(delta.flushes));
		saying_add(&saying, "counted by the block layer during this step");
		error = event_tell(step, now_ns, "block_layer", &saying, json);
	}
	return error;
}

/* The measuring process has ended by itself: with its work done, with a fault, or by somebody's hand. */
static int child_ended(struct step *step, int status, uint64_t *ret_end_ns)
{
	const struct board *board = step->stage->board;
	uint64_t now = clock_monotonic_ns();
	int error = 0;

	*ret_end_ns = now;
	if (!step->started && board->start_ns)
		error = step_begin(step);
	if (error)
		return error;
	if (phase(step) == BOARD_FAILED) {
		step->end = STEP_END_FAILED;
		snprintf(step->text, sizeof(step->text), "%.255s",
			 board->fault.text[0] ? board->fault.text : strerror(-board->error));
	} else if (WIFSIGNALED(status) || phase(step) != BOARD_DONE) {
		step->end = STEP_END_FAILED;
		snprintf(step->text, sizeof(step->text), "the measuring process was ended by signal %d (%s)",
			 WTERMSIG(status), strsignal(WTERMSIG(status)));
	} else {
		finished_note(step, ret_end_ns);
	}
	return 0;
}

/* It hangs: what it recorded is on the board, so the step is sealed without it. */
static int give_up(struct step *step, struct child *child, uint64_t *ret_end_ns)
{
	int unfinished = 0;

	*ret_end_ns = clock_monotonic_ns();
	child_abandon(child);
	if (step->started)
		unfinished = step_give_up(step, *ret_end_ns);
	if (unfinished)
		return unfinished < 0 ? unfinished : 0;
	if (!step_interrupted(step))
		step->end = STEP_END_FAILED;
	snprintf(step->text, sizeof(step->text), phase(step) == BOARD_DONE ?
		 "the device hangs: all I/Os came back, but it does not take what the page cache still has" :
		 "the measuring process hangs in the kernel");
	return 0;
}

/* Only the first step that lasts long enough pays for it. */
static bool ceiling_wanted(const struct step *step)
{
	return step->context->first && !(step->context->ceiling_iops > 0) &&
	       step->stage->runtime_ns >= CEILING_WORTH_NS;
}

/* The guard looked at all there was before this step wrote: before the next one it need not read the device
 * again. */
static void content_known(struct step *step)
{
	const struct stage *stage = step->stage;

	for (uint32_t i = 0; i < stage->load_count; i++) {
		struct run_target *target = &step->context->config->targets[stage->load[i].target];
		struct guard_subject *subject = &target->subject;

		subject->examined_content = subject->writes;
	}
}

/* What is told of a step when its measuring process has ended, or was given up. */
static int end_tell(struct step *step, uint64_t end_ns)
{
	int error = 0;

	if (step->started) {
		hiccups_take(step, end_ns);
		error = clock_tell(step, end_ns);
	}
	if (!error && step->started)
		error = ceiling_tell(step, end_ns);
	if (!error)
		error = step_finish(step, end_ns);
	if (!error && step->started)
		error = hiccups_sum_tell(step, end_ns);
	return error ? error : counters_tell(step, end_ns);
}

static int real_run(struct step *step)
{
	struct telemetry telemetry;
	struct child child;
	struct drain drain;
	struct silence silence;
	uint64_t end_ns = 0;
	int status = 0, ended = 0;
	int error;

	telemetry_init(&telemetry, step->context);
	drain_init(&drain, step->stage);
	step->grace_ns = GRACE_NS;
	step->stage->board->ceiling_wanted = ceiling_wanted(step);
	step->stage->board->line = step->line_due;
	error = child_start(&child, child_main, step);
	if (error) {
		telemetry_release(&telemetry);
		return error;
	}
	silence_init(&silence, step->stage, drain.limit_ns, child.pid);
	telemetry.pid = child.pid;
	hiccup_watch_init(step->hiccups, step->stage->board, child.pid);
	while (!error && !ended) {
		ended = child_wait(&child, TICK_MS, &status);
		if (ended)
			break;
		if (step_interrupted(step)) {
			step->end = STEP_END_INTERRUPTED;
			step_ask_stop(step);
		}
		error = look_on(step, &telemetry);
		if (!error && (drain_is_hanging(&drain, step, clock_monotonic_ns()) ||
			       silence_is_hanging(&silence, step, clock_monotonic_ns())))
			break;
		drain_notice(&drain, step, clock_monotonic_ns());
		silence_notice(&silence, step);
	}
	if (!error)
		error = ended ? child_ended(step, status, &end_ns) : give_up(step, &child, &end_ns);
	else
		child_abandon(&child);
	if (step->started)
		content_known(step);
	if (!error)
		error = end_tell(step, end_ns);
	telemetry_release(&telemetry);
	return error;
}

int step_run_real(struct step *step)
{
	int error = -ENOMEM;

	step->hiccups = calloc(1, sizeof(*step->hiccups));
	if (step->hiccups)
		error = real_run(step);
	free(step->hiccups);
	step->hiccups = NULL;
	return error;
}
