/* clock: the time that recording and pacing use, in ns.
 *
 * A real clock counts as CLOCK_MONOTONIC does (same zero). Source: the kernel's vDSO, or the time stamp counter
 * where it is invariant and a calibration against CLOCK_MONOTONIC_RAW held (decided by clock_init_tsc). A
 * virtual clock is set by its owner (the simulated drive's event loop). One clock is read by many threads;
 * only clock_recheck and clock_set write it, from one thread. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum clock_source { CLOCK_VDSO, CLOCK_TSC, CLOCK_VIRTUAL };

struct clock {
	enum clock_source source;
	uint64_t tsc_base, ns_base;	/* one common moment of both */
	uint64_t tsc_mult;		/* ns = ((tsc - tsc_base) * tsc_mult) >> 32, 32.32 fixed point */
	uint64_t virtual_ns;
};

static inline uint64_t clock_monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

static inline uint64_t clock_wall_ns(void)	/* since 1970, for labels only: it may step */
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

static inline uint64_t clock_now_ns(const struct clock *clock)
{
#if defined(__x86_64__)
	if (clock->source == CLOCK_TSC)
		return clock->ns_base +
		       (uint64_t)(((unsigned __int128)(__builtin_ia32_rdtsc() - clock->tsc_base) * clock->tsc_mult) >> 32);
#endif
	if (clock->source == CLOCK_VIRTUAL)
		return clock->virtual_ns;
	return clock_monotonic_ns();
}

void clock_init_vdso(struct clock *clock);
void clock_init_virtual(struct clock *clock);
static inline void clock_set(struct clock *clock, uint64_t now_ns) { clock->virtual_ns = now_ns; }
const char *clock_source_name(enum clock_source source);
