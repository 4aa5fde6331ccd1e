#include "run/together.h"

#include <time.h>

#define LINE_SLICE_MS 50
#define LINE_SLICES 200 /* 10 s: somebody hangs while it opens its target */

/* -- one observer for all -- */

#define TELL(call)                                        \
	do {                                              \
		struct together *together = context;      \
		int error;                                \
                                                          \
		pthread_mutex_lock(&together->telling);   \
		error = together->observer->call;         \
		pthread_mutex_unlock(&together->telling); \
		return error;                             \
	} while (0)

static int tell_step_begin(void *context, const struct step_record *step)
{
	TELL(step_begin(together->observer->context, step));
}

static int tell_load_begin(void *context, const struct load_record *load)
{
	TELL(load_begin(together->observer->context, load));
}

static int tell_interval(void *context, const struct interval_record *interval)
{
	TELL(interval(together->observer->context, interval));
}

static int tell_outliers(void *context, uint64_t step, const struct logged_io *ios, uint32_t count)
{
	TELL(outliers(together->observer->context, step, ios, count));
}

static int tell_samples(void *context, uint64_t step, const struct logged_io *ios, uint32_t count)
{
	TELL(samples(together->observer->context, step, ios, count));
}

static int tell_telemetry(void *context, const struct telemetry_record *rows, uint32_t count)
{
	TELL(telemetry(together->observer->context, rows, count));
}

static int tell_event(void *context, const struct event_record *event)
{
	TELL(event(together->observer->context, event));
}

static int tell_load_end(void *context, const struct load_record *load)
{
	TELL(load_end(together->observer->context, load));
}

static int tell_step_end(void *context, const struct step_record *step)
{
	TELL(step_end(together->observer->context, step));
}

static void tell_progress(void *context, const struct run_progress *progress)
{
	struct together *together = context;

	pthread_mutex_lock(&together->telling);
	if (together->observer->progress)
		together->observer->progress(together->observer->context, progress);
	pthread_mutex_unlock(&together->telling);
}

void together_init(struct together *together, uint32_t members, const struct run_observer *observer)
{
	*together = (struct together){
		.members = members,
		.observer = observer,
		.told = {
			.context = together,
			.step_begin = tell_step_begin, .load_begin = tell_load_begin,
			.interval = tell_interval, .outliers = tell_outliers, .samples = tell_samples,
			.telemetry = tell_telemetry, .event = tell_event,
			.load_end = tell_load_end, .step_end = tell_step_end, .progress = tell_progress,
		},
	};
	pthread_mutex_init(&together->mutex, NULL);
	pthread_mutex_init(&together->telling, NULL);
	pthread_cond_init(&together->changed, NULL);
}

void together_release(struct together *together)
{
	pthread_mutex_destroy(&together->mutex);
	pthread_mutex_destroy(&together->telling);
	pthread_cond_destroy(&together->changed);
}

/* -- two places to meet; under the mutex -- */

static void meeting_close(struct together *together)
{
	if (!together->members || together->waiting < together->members)
		return;
	together->starters = together->next_starters;
	together->waiting = together->next_starters = together->at_line = 0;
	together->meetings++;
	pthread_cond_broadcast(&together->changed);
}

static void line_open(struct together *together)
{
	if (!together->at_line || together->at_line < together->starters)
		return;
	together->at_line = together->starters = 0;
	together->starts++;
	pthread_cond_broadcast(&together->changed);
}

static void wait_for(struct together *together, uint32_t ms)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += (long)ms * 1000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_cond_clockwait(&together->changed, &together->mutex, CLOCK_MONOTONIC, &until);
}

bool together_meet(struct together *together, bool starts, uint32_t slice_ms,
		   const volatile sig_atomic_t *interrupted, uint64_t *ticket)
{
	bool met;

	pthread_mutex_lock(&together->mutex);
	if (!*ticket) {
		*ticket = together->meetings + 1ull;
		together->waiting++;
		together->next_starters += starts;
		meeting_close(together);
	}
	if (together->meetings + 1ull == *ticket)
		wait_for(together, slice_ms);
	met = together->meetings + 1ull != *ticket;
	if (!met && interrupted && *interrupted) {
		together->waiting--;
		together->next_starters -= starts;
		met = true;
	}
	pthread_mutex_unlock(&together->mutex);
	return met;
}

void together_start(struct together *together, const volatile sig_atomic_t *interrupted)
{
	uint32_t start;

	pthread_mutex_lock(&together->mutex);
	start = together->starts;
	together->at_line++;
	line_open(together);
	for (int i = 0; i < LINE_SLICES && together->starts == start && !(interrupted && *interrupted); i++)
		wait_for(together, LINE_SLICE_MS);
	if (together->starts == start) { /* goes alone */
		together->at_line--;
		together->starters -= together->starters > 0;
	}
	pthread_mutex_unlock(&together->mutex);
}

void together_start_not(struct together *together)
{
	pthread_mutex_lock(&together->mutex);
	together->starters -= together->starters > 0;
	line_open(together);
	pthread_mutex_unlock(&together->mutex);
}

void together_leave(struct together *together)
{
	pthread_mutex_lock(&together->mutex);
	together->members--;
	meeting_close(together);
	pthread_mutex_unlock(&together->mutex);
}

bool together_resumed(struct together *together)
{
	return together && __atomic_exchange_n(&together->resumed, true, __ATOMIC_RELAXED);
}
