#include "report/scale.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/units.h"

static double transform(enum scale_kind kind, double value)
{
	switch (kind) {
	case SCALE_LOG10:
		return log10(value);
	case SCALE_LOG2:
		return log2(value);
	case SCALE_NINES:
		return -log10(1 - value);
	case SCALE_LINEAR:
		break;
	}
	return value;
}

double scale_place(const struct scale *scale, double value)
{
	double low = transform(scale->kind, scale->low), high = transform(scale->kind, scale->high);

	if (isnan(value))
		return value;
	value = fmin(fmax(value, scale->low), scale->high);
	return scale->from + (transform(scale->kind, value) - low) / (high - low) * (scale->to - scale->from);
}

double scale_step(double rough)
{
	double power = pow(10, floor(log10(rough)));
	static const double steps[] = { 1, 2, 2.5, 5, 10 };

	for (int i = 0; i < 4; i++)
		if (steps[i] * power >= rough * (1 - 1e-9))
			return steps[i] * power;
	return 10 * power;
}

double scale_time_step(double rough_ns)
{
	static const double seconds[] = { 1,   2,   5,	  10,	15,   30,    60,    120,  300,
					  600, 900, 1800, 3600, 7200, 10800, 21600, 43200 };

	if (rough_ns < 1e9)
		return scale_step(rough_ns);
	for (uint32_t i = 0; i < sizeof(seconds) / sizeof(*seconds); i++)
		if (seconds[i] * 1e9 >= rough_ns)
			return seconds[i] * 1e9;
	return ceil(rough_ns / 86400e9) * 86400e9;
}

double scale_round_up(double highest, uint32_t wanted)
{
	double step;

	if (!(highest > 0) || !isfinite(highest))
		return 1;
	step = scale_step(highest / wanted);
	return ceil(highest / step * (1 - 1e-9)) * step;
}

/* -- labels -- */

static void number_label(double value, char label[24])
{
	snprintf(label, 24, "%.6g", value);
}

/* Below a hundredth of a percent in parts per million: 0.00001 % is a row of zeros that nobody counts. */
static void share_label(double share, char label[24])
{
	if (share > 0 && share < 0.99e-4)
		snprintf(label, 24, "%.6g ppm", share * 1e6);
	else
		snprintf(label, 24, "%.9g %%", share * 100);
}

/* 1000000 -> "1 ms": ticks are round, so three significant digits suffice. */
static void latency_label(double ns, char label[24])
{
	static const char *const names[] = { "ns", "\xc2\xb5s", "ms", "s" };
	int power = 0;

	while (ns >= 1000 * (1 - 1e-9) && power < 3) {
		ns /= 1000;
		power++;
	}
	snprintf(label, 24, "%.6g %s", ns, names[power]);
}

static void decimal_label(double value, const char *const *names, int last, char label[24])
{
	int power = 0;

	while (fabs(value) >= 1000 * (1 - 1e-9) && power < last) {
		value /= 1000;
		power++;
	}
	snprintf(label, 24, "%.4g%s%s", value, names[power][0] ? " " : "", names[power]);
}

static void time_label(double ns, double unit_ns, char label[24])
{
	const char *name = unit_ns >= 3600e9 ? "h" : unit_ns >= 60e9 ? "min" : unit_ns >= 1e9 ? "s" : "ms";

	snprintf(label, 24, "%.4g %s", ns / unit_ns, name);
}

static void tick_label(struct tick *tick, enum scale_unit unit, double time_unit)
{
	static const char *const counts[] = { "", "k", "M", "G", "T" };
	static const char *const rates[] = { "B/s", "kB/s", "MB/s", "GB/s", "TB/s" };
	static const char *const capacities[] = { "B", "kB", "MB", "GB", "TB", "PB" };
	char size[UNITS_TEXT];

	switch (unit) {
	case UNIT_NUMBER:
		number_label(tick->value, tick->label);
		break;
	case UNIT_COUNT:
		decimal_label(tick->value, counts, 4, tick->label);
		break;
	case UNIT_RATE:
		decimal_label(tick->value, rates, 4, tick->label);
		break;
	case UNIT_LATENCY:
		latency_label(tick->value, tick->label);
		break;
	case UNIT_TIME:
		time_label(tick->value, time_unit, tick->label);
		break;
	case UNIT_BYTES:
		snprintf(tick->label, sizeof(tick->label), "%.20s",
			 size_format((uint64_t)(tick->value + 0.5), size));
		break;
	case UNIT_CAPACITY:
		decimal_label(tick->value, capacities, 5, tick->label);
		break;
	case UNIT_SHARE:
		share_label(tick->value, tick->label);
		break;
	}
}

/* -- ticks -- */

struct tick_list {
	struct tick *ticks;
	uint32_t count;
	enum scale_unit unit;
	double time_unit;
};

static void add(struct tick_list *list, const struct scale *scale, double value, bool minor)
{
	double slack = (scale->high - scale->low) * 1e-9;
	struct tick *tick;

	if (list->count == TICKS_MAX || value < scale->low - slack || value > scale->high + slack)
		return;
	tick = &list->ticks[list->count++];
	*tick = (struct tick){ .value = value, .minor = minor };
	if (!minor)
		tick_label(tick, list->unit, list->time_unit);
}

/* The unit of a time axis: the largest in which every tick is whole, or tenths of a second. */
static double time_unit(double step_ns)
{
	return step_ns >= 3600e9 ? 3600e9 : step_ns >= 60e9 ? 60e9 : step_ns >= 0.99e8 ? 1e9 : 1e6;
}

static void linear_ticks(struct tick_list *list, const struct scale *scale, uint32_t wanted)
{
	double rough = (scale->high - scale->low) / wanted;
	double step = list->unit == UNIT_TIME ? scale_time_step(rough) : scale_step(rough);
	double first = ceil(scale->low / step - 1e-9);

	list->time_unit = time_unit(step);
	for (uint32_t i = 0; i < TICKS_MAX && (first + i) * step <= scale->high * (1 + 1e-9); i++)
		add(list, scale, (first + i) * step, false);
}

/* Decades; with few of them 1-2-5 as well; with many, every second or third one; even steps where that leaves
 * less than two. */
static void decade_ticks(struct tick_list *list, const struct scale *scale, uint32_t wanted)
{
	int low = (int)floor(log10(scale->low) + 1e-9), high = (int)ceil(log10(scale->high) - 1e-9);
	int every = 1;

	while ((high - low) / every + 1 > (int)wanted)
		every++;
	for (int power = low; power <= high; power++) {
		double decade = pow(10, power);
		bool fine = (uint32_t)(high - low) * 3 <= wanted;

		add(list, scale, decade, (power - low) % every != 0);
		if (fine)
			add(list, scale, 2 * decade, false);
		if (fine)
			add(list, scale, 5 * decade, false);
	}
	if (list->count < 2) {
		list->count = 0;
		linear_ticks(list, scale, wanted);
	}
}

static void doubling_ticks(struct tick_list *list, const struct scale *scale, uint32_t wanted)
{
	int low = (int)ceil(log2(scale->low) - 1e-9), high = (int)floor(log2(scale->high) + 1e-9);
	int every = 1;

	while ((high - low) / every + 1 > (int)wanted)
		every++;
	for (int power = low; power <= high; power += every)
		add(list, scale, pow(2, power), false);
}

static void nines_ticks(struct tick_list *list, const struct scale *scale)
{
	add(list, scale, 0, false);
	add(list, scale, 0.5, false);
	for (int nines = 1; nines < 12; nines++)
		add(list, scale, 1 - pow(10, -nines), false);
}

uint32_t scale_ticks(const struct scale *scale, enum scale_unit unit, uint32_t wanted,
		     struct tick ticks[TICKS_MAX])
{
	struct tick_list list = { .ticks = ticks, .unit = unit, .time_unit = 1e9 };

	switch (scale->kind) {
	case SCALE_LINEAR:
		linear_ticks(&list, scale, wanted);
		break;
	case SCALE_LOG10:
		decade_ticks(&list, scale, wanted);
		break;
	case SCALE_LOG2:
		doubling_ticks(&list, scale, wanted);
		break;
	case SCALE_NINES:
		nines_ticks(&list, scale);
		break;
	}
	return list.count;
}
