#include "run/hiccup.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include "analyze/confidence.h"
#include "base/text.h"
#include "base/units.h"
#include "run/board.h"

#define PERIOD_NS 1000000u
#define RECHECK_NS 1000000000ull
#define METER_STACK (64u << 10)
#define LATE_SHARE_MAX 0.001	/* of a quiet computer (analyze/bottleneck.c) */
#define LATE_MIN 3u		/* one or two in a few dozen are chance */
#define LATE_EXPECTED_MIN 3.69	/* wake-ups beyond, as for any percentile (analyze/confidence.h) */

/* -- the measuring side -- */

struct meter_place {
	struct hiccup_meter *meter;
	uint32_t number;
	bool bound;
	cpu_set_t cpus;
};

static void log_push(struct hiccup_meter *meter, const struct hiccup *hiccup)
{
	struct hiccup_log *log = &meter->board->hiccups;

	pthread_mutex_lock(&meter->mutex);
	if (log->head - __atomic_load_n(&log->tail, __ATOMIC_ACQUIRE) < HICCUP_LOG_ENTRIES) {
		log->entry[log->head % HICCUP_LOG_ENTRIES] = *hiccup;
		__atomic_store_n(&log->head, log->head + 1, __ATOMIC_RELEASE);
	} else {
		log->dropped++;
	}
	pthread_mutex_unlock(&meter->mutex);
}

static void sleep_until(uint64_t at_ns)
{
	const struct timespec time = {
		.tv_sec = (time_t)(at_ns / 1000000000u),
		.tv_nsec = (long)(at_ns % 1000000000u),
	};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}

static void clock_watch(struct hiccup_meter *meter)
{
	struct board *board = meter->board;

	if (clock_recheck(meter->clock, &board->clock_note) != -ESTALE)
		return;
	board->clock_given_up = true;
	__atomic_store_n(&board->clock_source, meter->clock->source, __ATOMIC_RELEASE);
}

/* Real time where it is allowed: otherwise the workers themselves could keep this thread from running. */
static void meter_settle(const struct meter_place *place)
{
	const struct sched_param first = { .sched_priority = 1 };

	prctl(PR_SET_NAME, "hiccup-meter");
	prctl(PR_SET_TIMERSLACK, 1);
	if (place->bound)
		pthread_setaffinity_np(pthread_self(), sizeof(place->cpus), &place->cpus);
	pthread_setschedparam(pthread_self(), SCHED_FIFO, &first);
}

static void *meter_main(void *context)
{
	struct meter_place place = *(struct meter_place *)context;
	struct hiccup_meter *meter = place.meter;
	uint64_t due_ns = clock_monotonic_ns(), recheck_ns = due_ns + RECHECK_NS;

	__atomic_store_n(&((struct meter_place *)context)->meter, NULL, __ATOMIC_RELEASE);	/* copied */
	meter_settle(&place);
	while (!__atomic_load_n(&meter->stop, __ATOMIC_ACQUIRE)) {
		uint64_t now_ns;

		due_ns += PERIOD_NS;
		sleep_until(due_ns);
		now_ns = clock_monotonic_ns();
		if (now_ns - due_ns > HICCUP_NS && now_ns > due_ns) {
			log_push(meter, &(struct hiccup){ due_ns, now_ns, -1 });
			due_ns = now_ns;
		}
		if (place.number == 0 && now_ns >= recheck_ns) {
			clock_watch(meter);
			recheck_ns = now_ns + RECHECK_NS;
		}
	}
	return NULL;
}

/* "0-3,8" as a set; false when there is nothing in it that this process may use. */
static bool cpus_parse(const char *text, const cpu_set_t *allowed, cpu_set_t *ret_cpus)
{
	unsigned int first, last;
	int used;

	CPU_ZERO(ret_cpus);
	while (sscanf(text, "%u%n", &first, &used) == 1) {
		text += used;
		last = first;
		if (*text == '-' && sscanf(text + 1, "%u%n", &last, &used) == 1)
			text += 1 + used;
		for (unsigned int cpu = first; cpu <= last && cpu < CPU_SETSIZE; cpu++)
			if (CPU_ISSET(cpu, allowed))
				CPU_SET(cpu, ret_cpus);
		if (*text == ',')
			text++;
	}
	return CPU_COUNT(ret_cpus) > 0;
}

static bool node_cpus(uint32_t node, cpu_set_t *ret_cpus)
{
	struct text text = { 0 };
	cpu_set_t allowed;
	char path[64];
	bool any = false;

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%u/cpulist", node);
	if (!sched_getaffinity(0, sizeof(allowed), &allowed) && !text_read_file(&text, path, 65536))
		any = cpus_parse(text_data(&text), &allowed, ret_cpus);
	text_release(&text);
	return any;
}

static void meter_add(struct hiccup_meter *meter, const struct meter_place *place)
{
	struct meter_place given = *place;
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, METER_STACK);
	if (!pthread_create(&meter->thread[meter->count], &attributes, meter_main, &given)) {
		meter->count++;
		while (__atomic_load_n(&given.meter, __ATOMIC_ACQUIRE))
			sched_yield();
	}
	pthread_attr_destroy(&attributes);
}

void hiccup_meter_start(struct hiccup_meter *meter, struct board *board, struct clock *clock)
{
	struct meter_place place = { .meter = meter };

	*meter = (struct hiccup_meter){ .board = board, .clock = clock, .mutex = PTHREAD_MUTEX_INITIALIZER };
	for (uint32_t node = 0; node < HICCUP_NODES; node++) {
		place.bound = node_cpus(node, &place.cpus);
		place.number = meter->count;
		if (place.bound)
			meter_add(meter, &place);
	}
	if (!meter->count)	/* no nodes to be seen */
		meter_add(meter, &place);
}

void hiccup_meter_stop(struct hiccup_meter *meter)
{
	__atomic_store_n(&meter->stop, true, __ATOMIC_RELEASE);
	for (uint32_t i = 0; i < meter->count; i++)
		pthread_join(meter->thread[i], NULL);
	meter->count = 0;
}

/* -- before a run -- */

static void noise_judge(struct hiccup_noise *noise)
{
	noise->noisy = noise->late >= LATE_MIN &&
		       confidence_poisson_rate(noise->late, noise->wakes).low > LATE_SHARE_MAX;
}

static bool heard_enough(const struct hiccup_ear *ear)
{
	const uint32_t end = __atomic_load_n(&ear->end, __ATOMIC_ACQUIRE);

	return end == EAR_NOW || (end == EAR_CLEAR && (!ear->noise.late || ear->noise.noisy));
}

static void *ear_main(void *context)
{
	struct hiccup_ear *ear = context;
	struct hiccup_noise *noise = &ear->noise;
	uint64_t due_ns;

	meter_settle(&(struct meter_place){ .bound = false });
	due_ns = clock_monotonic_ns();
	while (noise->wakes < ear->wakes_max && !heard_enough(ear)) {
		uint64_t now_ns;

		due_ns += PERIOD_NS;
		sleep_until(due_ns);
		now_ns = clock_monotonic_ns();
		noise->wakes++;
		if (now_ns > due_ns + HICCUP_NS) {
			noise->late++;
			noise->longest_ns = now_ns - due_ns > noise->longest_ns ? now_ns - due_ns : noise->longest_ns;
			due_ns = now_ns;
		}
		if (noise->late)
			noise_judge(noise);
	}
	return NULL;
}

int hiccup_ear_open(struct hiccup_ear *ear, uint32_t wakes_max)
{
	int error;

	*ear = (struct hiccup_ear){ .wakes_max = wakes_max };
	error = -pthread_create(&ear->thread, NULL, ear_main, ear);
	ear->listening = !error;
	return error;
}

void hiccup_ear_close(struct hiccup_ear *ear, enum hiccup_ear_end end)
{
	if (!ear->listening)
		return;
	__atomic_store_n(&ear->end, end, __ATOMIC_RELEASE);
	pthread_join(ear->thread, NULL);
	ear->listening = false;
}

void hiccup_noise_say(const struct hiccup_noise *noise, struct saying *saying)
{
	char longest[UNITS_TEXT];

	saying_add(saying,
		   "this computer is noisy now: of %u wake-ups of a thread that watches it %u came more than 0.1 ms late, at worst "
		   "%s; the slowest I/Os of a fast drive would be its own",
		   noise->wakes, noise->late, duration_format(noise->longest_ns, longest));
}

/* -- the front side -- */

void hiccup_watch_init(struct hiccup_watch *watch, const struct board *board, int pid)
{
	memset(watch, 0, sizeof(*watch));
	memset(watch->delay_ns, 0xff, sizeof(watch->delay_ns));
	histogram_clear(&watch->pause_times);
	watch->board = board;
	watch->pid = pid;
}

static void recent_add(struct hiccup_watch *watch, const struct hiccup *hiccup)
{
	watch->recent[watch->recent_count++ % HICCUP_LOG_ENTRIES] = *hiccup;
}

/* Had the step begun by then? What the host does while it is prepared is none of the step's. */
static bool begun(const struct hiccup_watch *watch, uint64_t ns)
{
	const uint64_t start_ns = __atomic_load_n(&watch->board->start_ns, __ATOMIC_RELAXED);

	return start_ns && ns > start_ns;
}

static void pause_count(struct hiccup_watch *watch, uint64_t ns)
{
	watch->pauses++;
	watch->second_pauses++;
	watch->pause_ns += ns;
	histogram_record(&watch->pause_times, ns);
	if (ns > watch->pause_ns_max)
		watch->pause_ns_max = ns;
	if (ns > watch->second_pause_ns_max)
		watch->second_pause_ns_max = ns;
}

static void pauses_take(struct hiccup_watch *watch)
{
	struct hiccup_log *log = (struct hiccup_log *)&watch->board->hiccups;
	const uint64_t head = __atomic_load_n(&log->head, __ATOMIC_ACQUIRE);

	for (; log->tail < head; __atomic_store_n(&log->tail, log->tail + 1, __ATOMIC_RELEASE)) {
		const struct hiccup *hiccup = &log->entry[log->tail % HICCUP_LOG_ENTRIES];

		recent_add(watch, hiccup);
		if (begun(watch, hiccup->to_ns))
			pause_count(watch, hiccup->to_ns - hiccup->from_ns);
	}
}

double hiccup_watch_late_ns(const struct hiccup_watch *watch, uint64_t duration_ns, double p)
{
	const double wakes = (double)duration_ns / PERIOD_NS, beyond = wakes * (1 - p);

	if (beyond < LATE_EXPECTED_MIN)
		return NAN;
	if ((double)watch->pauses <= beyond)
		return 0;
	return (double)histogram_percentile(&watch->pause_times, 1 - beyond / (double)watch->pauses);
}

/* How long a thread has stood in a run queue since it began; false = not to be had. */
static bool delay_read(int pid, int thread, uint64_t *ret_ns)
{
	struct text text = { 0 };
	char path[64];
	bool known;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat", pid, thread);
	known = !text_read_file(&text, path, 256) && sscanf(text_data(&text), "%*u %" SCNu64, ret_ns) == 1;
	text_release(&text);
	return known;
}

static void wait_take(struct hiccup_watch *watch, uint32_t worker, uint64_t now_ns)
{
	const int thread = __atomic_load_n(&watch->board->worker[worker].thread, __ATOMIC_ACQUIRE);
	const bool in_step = begun(watch, watch->taken_ns);
	uint64_t delay_ns, ns = 0;

	if (!thread || !delay_read(watch->pid, thread, &delay_ns))
		return;
	if (watch->delay_ns[worker] != UINT64_MAX && delay_ns > watch->delay_ns[worker])
		ns = delay_ns - watch->delay_ns[worker];
	if (in_step) {
		watch->wait_ns += ns;
		watch->second_wait_ns += ns;
		watch->waits += ns > HICCUP_NS;
	}
	if (ns > HICCUP_NS)
		recent_add(watch, &(struct hiccup){ watch->taken_ns, now_ns, (int32_t)worker });
	watch->delay_ns[worker] = delay_ns;
}

void hiccup_watch_take(struct hiccup_watch *watch, uint64_t now_ns)
{
	pauses_take(watch);
	for (uint32_t i = 0; i < watch->board->worker_count && i < HICCUP_WORKERS; i++)
		wait_take(watch, i, now_ns);
	watch->taken_ns = now_ns;
}

static bool overlaps(const struct hiccup_watch *watch, const struct hiccup *hiccup, uint64_t from_ns,
		     uint64_t to_ns, const struct logged_io *io)
{
	if (hiccup->to_ns <= from_ns || hiccup->from_ns >= to_ns)
		return false;
	if (hiccup->worker < 0)
		return true;
	return watch->board->worker[hiccup->worker].load == io->load &&
	       watch->board->worker[hiccup->worker].number == io->worker;
}

void hiccup_watch_tag(struct hiccup_watch *watch, uint64_t start_ns, struct logged_io *ios, uint32_t count)
{
	const uint64_t end = watch->recent_count;
	const uint64_t first = end > HICCUP_LOG_ENTRIES ? end - HICCUP_LOG_ENTRIES : 0;

	for (struct logged_io *io = ios; io < ios + count; io++) {
		const uint64_t from_ns = start_ns + io->submit_ns, to_ns = from_ns + io->service_ns;

		for (uint64_t i = first; i < end && !(io->flags & LOGGED_HOST); i++)
			if (overlaps(watch, &watch->recent[i % HICCUP_LOG_ENTRIES], from_ns, to_ns, io)) {
				io->flags |= LOGGED_HOST;
				watch->tagged++;
			}
	}
}
