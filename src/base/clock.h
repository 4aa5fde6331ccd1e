/* clock: the time that recording and pacing use, in ns.
 *
 * A real clock counts as CLOCK_MONOTONIC does (same zero). Source: the kernel's vDSO, or the time stamp
 * counter where it is invariant and a calibration against CLOCK_MONOTONIC_RAW holds (decided by
 * clock_init_tsc). A virtual clock is set by its owner (the simulated drive's event loop). One clock is read
 * by many threads; only clock_recheck and clock_set write it, from one thread.
 *
 * A counter clock is linear between two rechecks: a recheck measures the counter's rate and the distance to
 * CLOCK_MONOTONIC, and installs a new line that starts where the old one will be a little later (no step) and
 * meets CLOCK_MONOTONIC a second after that. It is installed before it starts, and a reader whose line was
 * replaced while it read reads again: so nobody, however long it was kept from running, sees time step
 * back. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include "base/fault.h"

enum clock_source { CLOCK_VDSO, CLOCK_TSC, CLOCK_VIRTUAL };

#define CLOCK_LINES 4u

struct clock_line {		/* ns = ns_base + ((tsc - tsc_base) * mult >> 32) */
	uint64_t tsc_base, ns_base;
	int64_t mult;		/* ns per tick, 32.32 fixed point */
};

struct clock_sample {		/* one moment on all three */
	uint64_t tsc, monotonic_ns, raw_ns;
	uint64_t doubt_ns;	/* how far apart the three readings may be */
};

struct clock {
	enum clock_source source;
	/* the newest, modulo CLOCK_LINES; the one before it counts until it starts */
	uint32_t line;
	struct clock_line lines[CLOCK_LINES];
	/* vDSO after a fall-back: added so that time never steps back */
	uint64_t lead_ns;
	uint64_t virtual_ns;
	struct clock_sample first, last;	/* of the counter's calibration; the writer's only */
};

static inline uint64_t clock_monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

static inline uint64_t clock_boot_ns(void)	/* goes on while the computer is suspended */
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

static inline uint64_t clock_wall_ns(void)	/* since 1970, for labels only: it may step */
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

/* The moment of a counter reading; also for one a little before the line's base. */
static inline uint64_t clock_line_ns(const struct clock_line *line, uint64_t tsc)
{
	const int64_t ticks = (int64_t)(tsc - __atomic_load_n(&line->tsc_base, __ATOMIC_RELAXED));
	const int64_t mult = __atomic_load_n(&line->mult, __ATOMIC_RELAXED);

	return __atomic_load_n(&line->ns_base, __ATOMIC_RELAXED) + (uint64_t)(((__int128)ticks * mult) >> 32);
}

/* The same, with line number `line` as the newest. */
static inline uint64_t clock_tsc_ns(const struct clock *clock, uint32_t line, uint64_t tsc)
{
	const struct clock_line *current = &clock->lines[line % CLOCK_LINES];

	if (__builtin_expect(tsc < __atomic_load_n(&current->tsc_base, __ATOMIC_RELAXED), 0))
		current = &clock->lines[(line - 1) % CLOCK_LINES];
	return clock_line_ns(current, tsc);
}

#if defined(__x86_64__)
static inline uint64_t clock_read_tsc(const struct clock *clock)
{
	uint64_t now_ns;
	uint32_t line;

	do {
		line = __atomic_load_n(&clock->line, __ATOMIC_ACQUIRE);
		now_ns = clock_tsc_ns(clock, line, __builtin_ia32_rdtsc());
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (__builtin_expect(line != __atomic_load_n(&clock->line, __ATOMIC_RELAXED), 0));
	return now_ns;
}
#endif

static inline uint64_t clock_now_ns(const struct clock *clock)
{
	const enum clock_source source = __atomic_load_n(&clock->source, __ATOMIC_ACQUIRE);

#if defined(__x86_64__)
	if (source == CLOCK_TSC)
		return clock_read_tsc(clock);
#endif
	if (source == CLOCK_VIRTUAL)
		return clock->virtual_ns;
	return clock_monotonic_ns() + clock->lead_ns;
}

void clock_init_vdso(struct clock *clock);
void clock_init_virtual(struct clock *clock);
/* The time stamp counter if it is safe: invariant by CPUID, not given up by the kernel (clocksource list),
 * two short windows agree within 50 ppm. Takes about 2 ms (up to 80 where reading the time is slow, as under
 * valgrind). 0, or -EOPNOTSUPP with the reason in the fault: the clock is then a working vDSO clock. */
int clock_init_tsc(struct clock *clock, struct fault *fault);
/* Call about once a second from one thread. 0 = all is well (always, for other sources); -ESTALE = the
 * counter ran more than 100 ppm away from CLOCK_MONOTONIC_RAW since the last recheck, or backwards: the clock
 * is a vDSO clock from now on, and the fault says why. Time doesn't step back by that, unless the counter had
 * jumped by over a millisecond. */
int clock_recheck(struct clock *clock, struct fault *fault);
/* The same with a sample given instead of taken, for tests. */
int clock_recheck_sample(struct clock *clock, const struct clock_sample *sample, struct fault *fault);
/* of one clock_now_ns(), measured now (under 0.1 ms) */
double clock_cost_ns(const struct clock *clock);
static inline void clock_set(struct clock *clock, uint64_t now_ns) { clock->virtual_ns = now_ns; }
const char *clock_source_name(enum clock_source source);
