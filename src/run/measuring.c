#include "run/measuring.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>
#include "guard/guard_fs.h"
#include "run/ceiling.h"
#include "run/hiccup.h"
#include "run/step_limits.h"
#include "run/placement.h"

#define THREAD_STACK (256u << 10)
#define SLEEP_MAX_NS 50000000ull	/* how soon a sleeping worker sees `stop` */
#define SPIN_NS 100000ull		/* nearer than this an arrival is waited for awake */
#define WAKE_EARLY_NS 60000ull
#define LINE_NAP_NS 50000ull	/* how soon the start is seen */
#define OPEN_TRIES 25
#define OPEN_PAUSE_NS 20000000ull

enum gate { GATE_CLOSED, GATE_GO, GATE_GIVE_UP };

struct measuring {
	const struct stage *stage;
	struct target *targets;		/* opened ones, by index; kind unset = not opened */
	struct clock clock;
	pthread_mutex_t mutex;		/* guards the two counts and the fault, before the start only */
	pthread_cond_t changed;
	uint32_t ready, failed;
	uint32_t gate;			/* enum gate: a futex, so that thousands of workers pass without
					 * queueing for the mutex */
};

struct measuring_thread {
	struct measuring *measuring;
	struct worker_board *entry;
	pthread_t thread;
};

static void sleep_ns(uint64_t ns)
{
	struct timespec time = { .tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000) };

	nanosleep(&time, NULL);
}

/* With nothing in flight: until the next I/O is due, in slices. */
static void worker_sleep(struct worker *worker, uint64_t now_ns, uint64_t wake_ns)
{
	uint64_t left = wake_ns > now_ns ? wake_ns - now_ns : 0;

	recorder_boundary(worker->ring, now_ns);
	if (left <= SPIN_NS || now_ns < worker->spin_until_ns)
		return;
	left -= WAKE_EARLY_NS;
	sleep_ns(left < SLEEP_MAX_NS ? left : SLEEP_MAX_NS);
}

/* More could be submitted right now: look what has completed, but do not wait for it. */
static bool worker_has_room(const struct worker *worker, uint64_t wake_ns, uint64_t now_ns)
{
	if (worker->finished || !worker->free_count || worker->resume_ns > now_ns)
		return false;
	return !worker->open_loop || wake_ns <= now_ns + SPIN_NS;
}

static int worker_reap(struct worker *worker, uint64_t now_ns, uint64_t wake_ns)
{
	const uint32_t in_flight = worker->engine->in_flight;
	uint32_t least = worker->reap_min < in_flight ? worker->reap_min : in_flight;
	uint64_t timeout = ENGINE_WAIT_FOREVER;

	if (worker_has_room(worker, wake_ns, now_ns))
		least = 0;
	else if (wake_ns != worker->deadline_ns && wake_ns != WORKER_NEVER)
		timeout = wake_ns > now_ns + WAKE_EARLY_NS ? wake_ns - now_ns - WAKE_EARLY_NS : 0;
	return engine_reap(worker->engine, worker->done, worker->reap_max, least, timeout);
}

static void worker_loop(struct worker *worker)
{
	const bool single = worker_is_single(worker);
	uint64_t now = clock_now_ns(worker->clock);

	for (;;) {
		uint64_t wake;
		int count;

		if (single && !worker->engine->in_flight && !worker->stock_placed)
			now = worker_run_single(worker, now);
		wake = worker_issue(worker, now);

		if (!worker->engine->in_flight) {
			if (worker_is_done(worker))
				break;
			worker_sleep(worker, now, wake);
			now = clock_now_ns(worker->clock);
			continue;
		}
		count = worker_reap(worker, now, wake);
		if (count > 0) {
			now = worker->done[count - 1].done_ns;
			worker_complete(worker, worker->done, (uint32_t)count);
			continue;
		}
		now = clock_now_ns(worker->clock);
		recorder_boundary(worker->ring, now);
		if (count < 0 && count != -EINTR && count != -ETIME) {
			worker->entry->error = count;
			worker->end = WORKER_END_ERROR;
			break;
		}
	}
}

static uint64_t timeval_ns(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_usec * 1000;
}

/* What the thread used between the start line and now. */
static void usage_note(struct worker_board *entry, const struct rusage *start)
{
	struct rusage now;
	unsigned int cpu, node;

	getrusage(RUSAGE_THREAD, &now);
	entry->node = getcpu(&cpu, &node) ? -1 : (int32_t)node;
	entry->cpu_user_ns = timeval_ns(&now.ru_utime) - timeval_ns(&start->ru_utime);
	entry->cpu_system_ns = timeval_ns(&now.ru_stime) - timeval_ns(&start->ru_stime);
	entry->switches_voluntary = (uint64_t)(now.ru_nvcsw - start->ru_nvcsw);
	entry->switches_involuntary = (uint64_t)(now.ru_nivcsw - start->ru_nivcsw);
}

static void measuring_fail(struct measuring *measuring, int error, const struct fault *fault)
{
	struct board *board = measuring->stage->board;

	pthread_mutex_lock(&measuring->mutex);
	if (!measuring->failed++) {
		board->error = error;
		board->fault = *fault;
	}
	pthread_cond_broadcast(&measuring->changed);
	pthread_mutex_unlock(&measuring->mutex);
}

/* Says ready, waits for the start line; false: somebody failed, nobody starts. */
static bool start_wait(struct measuring *measuring)
{
	uint32_t gate;

	pthread_mutex_lock(&measuring->mutex);
	measuring->ready++;
	pthread_cond_signal(&measuring->changed);
	pthread_mutex_unlock(&measuring->mutex);
	while ((gate = __atomic_load_n(&measuring->gate, __ATOMIC_ACQUIRE)) == GATE_CLOSED)
		syscall(SYS_futex, &measuring->gate, FUTEX_WAIT_PRIVATE, GATE_CLOSED, NULL, NULL, 0);
	return gate == GATE_GO;
}

static void engine_note(struct board *board, const struct worker *worker, uint32_t load)
{
	if (worker->entry->number)
		return;
	strncpy(board->load[load].engine, worker->engine->ops->name, sizeof(board->load[load].engine) - 1);
	snprintf(board->load[load].note, sizeof(board->load[load].note), "%s", worker->engine->note);
}

static void *thread_main(void *argument)
{
	struct measuring_thread *thread = argument;
	struct measuring *measuring = thread->measuring;
	const struct stage *stage = measuring->stage;
	const struct stage_load *load = &stage->load[thread->entry->load];
	struct worker_config config;
	struct worker worker = { 0 };
	struct fault fault = { 0 };
	int error;

	__atomic_store_n(&thread->entry->thread, gettid(), __ATOMIC_RELEASE);
	prctl(PR_SET_TIMERSLACK, 1);
	board_ready(thread->entry, stage->layout);
	stage_worker_config(stage, thread->entry, &measuring->targets[load->target], &measuring->clock,
			    &config);
	error = placement_bind(load->load, thread->entry->number, &config.sqpoll_cpu, &fault);
	if (!error)
		error = worker_init(&worker, &config, &fault);
	if (error) {
		measuring_fail(measuring, error, &fault);
	} else {
		engine_note(stage->board, &worker, thread->entry->load);
		if (start_wait(measuring)) {
			struct rusage start;

			getrusage(RUSAGE_THREAD, &start);
			worker_start(&worker, stage->board->start_ns);
			worker_loop(&worker);
			usage_note(thread->entry, &start);
			worker_finish(&worker, clock_now_ns(&measuring->clock));
		}
	}
	worker_release(&worker);
	return NULL;
}

/* The process of the step before may still be on its way out: a device that is taken gets a moment to come
 * free. */
static int target_open(struct guard_subject *subject, bool direct, struct target *target, struct fault *fault)
{
	int error = guard_open(subject, direct, target, fault);

	for (int i = 0; i < OPEN_TRIES && (error == -EPERM || error == -EBUSY); i++) {
		sleep_ns(OPEN_PAUSE_NS);
		error = guard_open(subject, direct, target, fault);
	}
	return error;
}

/* What a file asks of O_DIRECT is known now. */
static int loads_check(const struct measuring *measuring, struct fault *fault)
{
	const struct stage *stage = measuring->stage;
	int error = 0;

	for (uint32_t i = 0; i < stage->load_count && !error; i++)
		error = step_limits_blocks(stage->load[i].load,
					   measuring->targets[stage->load[i].target].block_bytes,
					   false, fault);
	return error;
}

static uint64_t limited(uint64_t bytes, uint64_t limit)
{
	return limit && limit < bytes ? limit : bytes;
}

static int targets_open(struct measuring *measuring, struct fault *fault)
{
	const struct stage *stage = measuring->stage;

	for (uint32_t i = 0; i < stage->load_count; i++) {
		uint32_t index = stage->load[i].target;
		struct run_target *target = stage->load[i].at;
		int error = 0;

		if (measuring->targets[index].size_bytes)
			continue;
		if (target->inside)
			error = guard_fs_enter(target->inside, fault);
		if (!error)
			error = target_open(&target->subject, stage->load[i].load->direct,
					    &measuring->targets[index], fault);
		if (error)
			return error;
		measuring->targets[index].size_bytes = limited(measuring->targets[index].size_bytes,
							       target->limit_bytes);
	}
	return loads_check(measuring, fault);
}

static int threads_start(struct measuring *measuring, struct measuring_thread *threads, uint32_t *ret_count)
{
	struct board *board = measuring->stage->board;
	pthread_attr_t attributes;
	int error = 0;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, THREAD_STACK);
	*ret_count = 0;
	for (uint32_t i = 0; i < board->worker_count && !error; i++) {
		threads[i] = (struct measuring_thread){ .measuring = measuring, .entry = &board->worker[i] };
		error = -pthread_create(&threads[i].thread, &attributes, thread_main, &threads[i]);
		if (!error)
			(*ret_count)++;
	}
	pthread_attr_destroy(&attributes);
	return error;
}

static bool is_counted(const struct board *board, uint32_t target)
{
	for (uint32_t i = 0; i < board->counted; i++)
		if (board->counters[i].target == target)
			return true;
	return false;
}

/* The counters of all targets that are block devices of their own. */
static void counters_begin(struct measuring *measuring)
{
	const struct stage *stage = measuring->stage;
	struct board *board = stage->board;

	for (uint32_t i = 0; i < stage->load_count && board->counted < BOARD_COUNTED_MAX; i++) {
		const struct guard_subject *subject = &stage->load[i].at->subject;
		struct board_counters *counters = &board->counters[board->counted];

		if (subject->kind != TARGET_BLOCK || is_counted(board, stage->load[i].target) ||
		    drive_counters(NULL, subject->dev, &counters->before))
			continue;
		counters->target = stage->load[i].target;
		board->counted++;
	}
}

static const struct guard_subject *subject_of(const struct stage *stage, uint32_t target)
{
	for (uint32_t i = 0; i < stage->load_count; i++)
		if (stage->load[i].target == target)
			return &stage->load[i].at->subject;
	return NULL;
}

/* Those that cannot be read any more are taken out. */
static void counters_end(struct measuring *measuring)
{
	struct board *board = measuring->stage->board;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < board->counted; i++) {
		struct board_counters counters = board->counters[i];

		if (!drive_counters(NULL, subject_of(measuring->stage, counters.target)->dev,
				    &counters.after))
			board->counters[kept++] = counters;
	}
	board->counted = kept;
}

/* Others are tested beside this target: all start when all are ready. The front side says when. */
static void others_wait(struct board *board)
{
	if (!board->line)
		return;
	__atomic_store_n(&board->phase, BOARD_READY, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&board->go, __ATOMIC_ACQUIRE) &&
	       !__atomic_load_n(&board->stop, __ATOMIC_ACQUIRE))
		sleep_ns(LINE_NAP_NS);
}

/* The fastest clock that is safe here; what it is and costs goes to the board. Workers get ready meanwhile:
 * none of them reads it before the start line. */
static void clock_start(struct measuring *measuring)
{
	struct board *board = measuring->stage->board;

	clock_init_tsc(&measuring->clock, &board->clock_note);
	board->clock_source = measuring->clock.source;
	board->clock_cost_ns = (float)clock_cost_ns(&measuring->clock);
}

static void gate_set(struct measuring *measuring, enum gate gate)
{
	__atomic_store_n(&measuring->gate, gate, __ATOMIC_RELEASE);
	syscall(SYS_futex, &measuring->gate, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* Waits until every worker is ready (or one has failed), then lets them all go or gives up. */
static void start_line(struct measuring *measuring, uint32_t count)
{
	const struct stage *stage = measuring->stage;
	struct board *board = stage->board;
	bool failed;

	pthread_mutex_lock(&measuring->mutex);
	while (measuring->ready < count && !measuring->failed)
		pthread_cond_wait(&measuring->changed, &measuring->mutex);
	failed = measuring->failed;
	pthread_mutex_unlock(&measuring->mutex);
	if (failed) {
		gate_set(measuring, GATE_GIVE_UP);
	} else {
		others_wait(board);
		counters_begin(measuring);
		board_start(board, stage->layout, clock_now_ns(&measuring->clock));
		__atomic_store_n(&board->phase, BOARD_RUNNING, __ATOMIC_RELEASE);
		gate_set(measuring, GATE_GO);
	}
}

static void workers_run(struct measuring *measuring)
{
	struct board *board = measuring->stage->board;
	struct measuring_thread *threads = calloc(board->worker_count, sizeof(*threads));
	struct hiccup_meter meter;
	struct fault fault = { 0 };
	uint32_t count = 0;
	int error = threads ? threads_start(measuring, threads, &count) : -ENOMEM;

	if (error) {
		fault_system(&fault, error, "cannot start worker %u of %u: %s", count + 1,
			     board->worker_count, strerror(-error));
		measuring_fail(measuring, error, &fault);
	}
	clock_start(measuring);
	hiccup_meter_start(&meter, board, &measuring->clock);
	start_line(measuring, board->worker_count);
	for (uint32_t i = 0; i < count; i++)
		pthread_join(threads[i].thread, NULL);
	counters_end(measuring);
	hiccup_meter_stop(&meter);
	free(threads);
}

static void signals_ignore(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGINT, SIG_IGN);	/* the front process hears the user and says stop */
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
}

/* After the work, so that the first I/O doesn't wait for it. */
static void ceiling_measure(struct measuring *measuring)
{
	const struct stage *stage = measuring->stage;

	if (stage->board->ceiling_wanted)
		stage->board->ceiling_iops = ceiling_iops(&measuring->targets[stage->load[0].target],
							  &measuring->clock);
}

int measuring_main(const struct stage *stage, uint32_t target_count)
{
	struct measuring measuring = {
		.stage = stage,
		.mutex = PTHREAD_MUTEX_INITIALIZER,
		.changed = PTHREAD_COND_INITIALIZER,
	};
	struct board *board = stage->board;

	signals_ignore();
	measuring.targets = calloc(target_count, sizeof(*measuring.targets));
	if (!measuring.targets)
		board->error = fault_system(&board->fault, -ENOMEM, "out of memory");
	else
		board->error = targets_open(&measuring, &board->fault);
	if (!board->error)
		workers_run(&measuring);
	if (!board->error)
		ceiling_measure(&measuring);
	__atomic_store_n(&board->phase, board->error ? BOARD_FAILED : BOARD_DONE, __ATOMIC_RELEASE);
	return board->error ? 1 : 0;
}
