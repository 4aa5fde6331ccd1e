#include "base/clock.h"

#include <errno.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "base/text.h"

#define CALIBRATION_TRIES 12		/* readings per sample; the tightest counts */
#define CALIBRATION_WINDOW_NS 1000000u
#define CALIBRATION_WINDOW_NS_MAX 30000000u
#define CALIBRATION_DOUBT_PPM 60.0	/* a longer window when the readings leave more */
#define CALIBRATION_LIMIT_PPM 50.0
#define RECHECK_LIMIT_PPM 100.0
#define RECHECK_NS_MIN 100000000u	/* a shorter distance says nothing about a rate */
#define SLEW_PPM_MAX 200.0		/* how much faster or slower the clock runs to meet CLOCK_MONOTONIC */
#define LEAD_NS_MAX 1000000u
#define AHEAD_NS 20000000u		/* from measuring a line to its start: it must be installed by then */

void clock_init_vdso(struct clock *clock)
{
	*clock = (struct clock){ .source = CLOCK_VDSO };
}

void clock_init_virtual(struct clock *clock)
{
	*clock = (struct clock){ .source = CLOCK_VIRTUAL };
}

const char *clock_source_name(enum clock_source source)
{
	switch (source) {
	case CLOCK_VDSO:
		return "vdso";
	case CLOCK_TSC:
		return "tsc";
	case CLOCK_VIRTUAL:
		return "virtual";
	}
	return "?";
}

double clock_cost_ns(const struct clock *clock)
{
	const uint64_t start_ns = clock_monotonic_ns();
	volatile uint64_t sink;

	for (int i = 0; i < 1000; i++)
		sink = clock_now_ns(clock);
	(void)sink;
	return (double)(clock_monotonic_ns() - start_ns) / 1000;
}

static double ppm_apart(double a, double b)
{
	return (a > b ? a - b : b - a) / b * 1e6;
}

/* ns of CLOCK_MONOTONIC (or its raw form) per tick between two samples. */
static double clock_rate(const struct clock_sample *from, const struct clock_sample *to)
{
	return (double)(to->monotonic_ns - from->monotonic_ns) / (double)(to->tsc - from->tsc);
}

static double clock_rate_raw(const struct clock_sample *from, const struct clock_sample *to)
{
	return (double)(to->raw_ns - from->raw_ns) / (double)(to->tsc - from->tsc);
}

static double clock_doubt_ppm(const struct clock_sample *from, const struct clock_sample *to)
{
	return (double)(from->doubt_ns + to->doubt_ns) / (double)(to->raw_ns - from->raw_ns) * 1e6;
}

static void clock_install(struct clock *clock, const struct clock_line *line)
{
	const uint32_t next = clock->line + 1;
	struct clock_line *place = &clock->lines[next % CLOCK_LINES];

	__atomic_store_n(&place->tsc_base, line->tsc_base, __ATOMIC_RELAXED);
	__atomic_store_n(&place->ns_base, line->ns_base, __ATOMIC_RELAXED);
	__atomic_store_n(&place->mult, line->mult, __ATOMIC_RELAXED);
	__atomic_store_n(&clock->line, next, __ATOMIC_RELEASE);
}

static int clock_give_up(struct clock *clock, const struct clock_sample *sample)
{
	const uint64_t counter_ns = clock_tsc_ns(clock, clock->line, sample->tsc);
	const uint64_t lead_ns = counter_ns - sample->monotonic_ns;

	clock->lead_ns = lead_ns <= LEAD_NS_MAX ? lead_ns : 0;
	__atomic_store_n(&clock->source, CLOCK_VDSO, __ATOMIC_RELEASE);
	return -ESTALE;
}

/* The line that starts where the current one will be soon, and meets CLOCK_MONOTONIC after another such
 * distance. */
static struct clock_line clock_next_line(const struct clock *clock, const struct clock_sample *sample)
{
	const uint64_t now_ns = clock_tsc_ns(clock, clock->line, sample->tsc);
	const double distance_ns = (double)(sample->monotonic_ns - clock->last.monotonic_ns);
	const double rate = clock_rate(&clock->last, sample);
	const uint64_t start_tsc = sample->tsc + (uint64_t)(AHEAD_NS / rate);
	double behind = (double)(int64_t)(sample->monotonic_ns - now_ns) / distance_ns * 1e6;

	if (behind > SLEW_PPM_MAX)
		behind = SLEW_PPM_MAX;
	if (behind < -SLEW_PPM_MAX)
		behind = -SLEW_PPM_MAX;
	return (struct clock_line){
		.tsc_base = start_tsc, .ns_base = clock_tsc_ns(clock, clock->line, start_tsc),
		.mult = (int64_t)(rate * (1 + behind * 1e-6) * 4294967296.0),
	};
}

/* 1 = `sample` gives a new line, 0 = it says too little, -ESTALE = the counter is given up. */
static int clock_judge(struct clock *clock, const struct clock_sample *sample, struct fault *fault)
{
	const uint64_t distance_ns = sample->raw_ns - clock->last.raw_ns;
	double drift_ppm, doubt_ppm;

	if (sample->tsc <= clock->last.tsc) {
		fault_system(fault, -ESTALE,
			     "the time stamp counter ran backwards; the kernel's clock is used from here on");
		return clock_give_up(clock, sample);
	}
	if (distance_ns < RECHECK_NS_MIN)
		return 0;
	doubt_ppm = clock_doubt_ppm(&clock->last, sample);
	drift_ppm =
		ppm_apart(clock_rate_raw(&clock->last, sample), clock_rate_raw(&clock->first, &clock->last));
	if (doubt_ppm > RECHECK_LIMIT_PPM) /* this thread was held up while it read: nothing can be said */
		return 0;
	if (drift_ppm > RECHECK_LIMIT_PPM + doubt_ppm + clock_doubt_ppm(&clock->first, &clock->last)) {
		fault_system(fault, -ESTALE,
			     "the time stamp counter drifted by %.0f ppm against CLOCK_MONOTONIC_RAW; the "
			     "kernel's clock is used from here on",
			     drift_ppm);
		return clock_give_up(clock, sample);
	}
	return 1;
}

static void clock_go_on(struct clock *clock, const struct clock_line *line, const struct clock_sample *sample)
{
	clock_install(clock, line);
	clock->last = *sample;
}

int clock_recheck_sample(struct clock *clock, const struct clock_sample *sample, struct fault *fault)
{
	struct clock_line line;
	int verdict;

	if (clock->source != CLOCK_TSC)
		return 0;
	verdict = clock_judge(clock, sample, fault);
	if (verdict <= 0)
		return verdict;
	line = clock_next_line(clock, sample);
	clock_go_on(clock, &line, sample);
	return 0;
}

#if defined(__x86_64__)
static uint64_t clock_raw_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

/* Both kernel clocks between two readings of the counter, several times: the try with the shortest distance
 * counts. */
static struct clock_sample clock_take_sample(void)
{
	struct clock_sample best = { .doubt_ns = UINT64_MAX };
	uint64_t ticks_min = UINT64_MAX;

	for (int i = 0; i < CALIBRATION_TRIES; i++) {
		const uint64_t before = __builtin_ia32_rdtsc();
		const uint64_t monotonic_ns = clock_monotonic_ns();
		const uint64_t raw_ns = clock_raw_ns();
		const uint64_t monotonic2_ns = clock_monotonic_ns();
		const uint64_t after = __builtin_ia32_rdtsc();

		if (after - before >= ticks_min)
			continue;
		ticks_min = after - before;
		best = (struct clock_sample){
			.tsc = before + ticks_min / 2,
			.raw_ns = raw_ns,
			.doubt_ns = (monotonic2_ns - monotonic_ns) / 2,
			.monotonic_ns = monotonic_ns + (monotonic2_ns - monotonic_ns) / 2,
		};
	}
	return best;
}

static bool clock_tsc_is_invariant(void)	/* Intel SDM 17.17.1; AMD APM volume 3, E.4.7 */
{
	unsigned int eax, ebx, ecx, edx;

	return __get_cpuid(0x80000007u, &eax, &ebx, &ecx, &edx) && edx & 1u << 8;
}

/* The kernel takes the counter off this list when its own watchdog finds it unstable. */
static bool clock_kernel_trusts_tsc(void)
{
	static const char *const path = "/sys/devices/system/clocksource/clocksource0/available_clocksource";
	struct text text = { 0 };
	bool trusts = text_read_file(&text, path, 4096) == 0 && strstr(text_data(&text), "tsc");

	text_release(&text);
	return trusts;
}

static void clock_pause(uint64_t ns)
{
	const struct timespec pause = { .tv_nsec = (long)ns };

	nanosleep(&pause, NULL);
}

static int clock_calibrate(struct clock *clock, uint64_t window_ns, struct fault *fault)
{
	struct clock_sample middle;
	double apart_ppm, doubt_ppm;

	clock->first = clock_take_sample();
	clock_pause(window_ns);
	middle = clock_take_sample();
	clock_pause(window_ns);
	clock->last = clock_take_sample();
	if (middle.tsc <= clock->first.tsc || clock->last.tsc <= middle.tsc)
		return fault_system(fault, -EOPNOTSUPP,
				    "the time stamp counter runs backwards on this machine");
	apart_ppm = ppm_apart(clock_rate_raw(&clock->first, &middle), clock_rate_raw(&middle, &clock->last));
	doubt_ppm = clock_doubt_ppm(&clock->first, &middle) + clock_doubt_ppm(&middle, &clock->last);
	if (doubt_ppm > 2 * CALIBRATION_DOUBT_PPM)
		return fault_system(fault, -EAGAIN,
				    "reading the time takes too long to calibrate the time stamp counter");
	if (apart_ppm > CALIBRATION_LIMIT_PPM + doubt_ppm)
		return fault_system(fault, -EOPNOTSUPP,
				    "the time stamp counter is unsteady: two calibrations are %.0f ppm "
				    "apart",
				    apart_ppm);
	/* another core's counter may be a little before the start */
	for (uint32_t i = 0; i < CLOCK_LINES; i++)
		clock_install(clock, &(struct clock_line){
			.tsc_base = clock->last.tsc, .ns_base = clock->last.monotonic_ns,
			.mult = (int64_t)(clock_rate(&clock->first, &clock->last) * 4294967296.0),
		});
	clock->source = CLOCK_TSC;
	return 0;
}

int clock_init_tsc(struct clock *clock, struct fault *fault)
{
	uint64_t window_ns = CALIBRATION_WINDOW_NS;
	struct fault cause = { 0 };
	int err;

	clock_init_vdso(clock);
	if (!clock_tsc_is_invariant())
		return fault_system(fault, -EOPNOTSUPP,
				    "this processor's time stamp counter isn't invariant");
	if (!clock_kernel_trusts_tsc())
		return fault_system(fault, -EOPNOTSUPP,
				    "the kernel doesn't trust the time stamp counter here");
	do {
		err = clock_calibrate(clock, window_ns, &cause);
		window_ns *= 3;
	} while (err == -EAGAIN && window_ns <= CALIBRATION_WINDOW_NS_MAX);
	return err ? fault_system(fault, -EOPNOTSUPP, "%s", cause.text) : 0;
}

int clock_recheck(struct clock *clock, struct fault *fault)
{
	struct clock_sample sample;
	struct clock_line line;
	int verdict;

	if (clock->source != CLOCK_TSC)
		return 0;
	sample = clock_take_sample();
	/* the last one hasn't even started */
	if (sample.tsc < clock->lines[clock->line % CLOCK_LINES].tsc_base)
		return 0;
	verdict = clock_judge(clock, &sample, fault);
	if (verdict <= 0)
		return verdict;
	line = clock_next_line(clock, &sample);
	/* else this thread was held up: the next recheck will do */
	if (__builtin_ia32_rdtsc() < line.tsc_base)
		clock_go_on(clock, &line, &sample);
	return 0;
}
#else
int clock_init_tsc(struct clock *clock, struct fault *fault)
{
	clock_init_vdso(clock);
	return fault_system(fault, -EOPNOTSUPP,
			    "the counter of this kind of processor isn't used as a clock");
}

int clock_recheck(struct clock *clock, struct fault *fault)
{
	return 0;
}
#endif
