/* scale: from numbers to places on an axis, and the ticks that people read.
 *
 * A scale maps [low, high] (high > low; > 0 for logarithmic kinds) to [from, to] in pixels; from > to turns
 * it round. Pure arithmetic, no allocation. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum scale_kind {
	SCALE_LINEAR,
	SCALE_LOG10,
	SCALE_LOG2,
	SCALE_NINES,	/* value is a share p in [0, 1): place goes with -log10(1 - p) */
};

struct scale {
	enum scale_kind kind;
	double low, high;
	double from, to;
};

/* Place of a value; values outside are clamped to the ends, NaN stays NaN. */
double scale_place(const struct scale *scale, double value);

/* What the numbers on an axis are, and so how a tick is written. */
enum scale_unit {
	UNIT_NUMBER,		/* 0, 2.5, 1 000 */
	UNIT_COUNT,		/* 0, 500, 20 k, 1.5 M */
	UNIT_RATE,		/* bytes per second: 250 MB/s */
	UNIT_LATENCY,		/* ns: 10 us, 1 ms, 1 s */
	UNIT_TIME,		/* ns on the time axis: 30 s, 5 min, 2 h: one unit per axis */
	UNIT_BYTES,		/* powers of two: 4 KiB */
	UNIT_CAPACITY,		/* powers of ten: 250 GB */
	UNIT_SHARE,		/* 0..1 as percent: 50 %, 99.9 % */
};

#define TICKS_MAX 24
struct tick {
	double value;
	bool minor;		/* a line without a label */
	char label[24];		/* UTF-8 */
};

/* Round numbers within [low, high], at most `wanted` labelled ones (2 .. TICKS_MAX / 2); returns how many. */
uint32_t scale_ticks(const struct scale *scale, enum scale_unit unit, uint32_t wanted,
		     struct tick ticks[TICKS_MAX]);

/* Smallest step of 1, 2, 2.5, 5 times a power of ten that is >= rough (> 0). */
double scale_step(double rough);
/* Smallest step of 1, 2, 5, 10, 15, 30 s or min, 1, 2, 3, 6, 12 h or whole days, in ns, that is >= rough. */
double scale_time_step(double rough_ns);
/* Linear axis from 0 to a round number >= highest: 1 when nothing is above 0. */
double scale_round_up(double highest, uint32_t wanted);
