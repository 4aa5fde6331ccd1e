#include "run/probe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/units.h"

#define ACHIEVED_MIN 0.995		/* of the offered rate; below, the queue grows for ever */
#define ACHIEVED_SIGMAS 3		/* Poisson arrivals vary in number */

double probe_allowed(const struct plan_expect *limit)
{
	double percent;

	if (limit->figure[0] != 'p' || double_parse(limit->figure + 1, &percent))
		return 0;
	return 1 - percent / 100;
}

void probe_init(struct probe *probe, const struct plan_expect *limit, double rate_asked, uint64_t planned,
		bool early)
{
	*probe = (struct probe){
		.limit = limit,
		.rate_asked = rate_asked,
		.allowed = probe_allowed(limit),
		.early = early,
	};
	exceedance_init(&probe->test, probe->allowed, planned);
}

static bool op_counts(const struct probe *probe, enum io_op op)
{
	const char *direction = probe->limit->direction;

	return !direction || !strcmp(direction, io_op_name(op));
}

static const struct histogram *times_of(const struct probe *probe, const struct op_tally *tally)
{
	const char *clock = probe->limit->clock;
	bool response = clock ? !strcmp(clock, "response") : probe->rate_asked > 0;

	return response ? &tally->response : &tally->service;
}

/* I/Os of `limit_ns` and more; a slot counts by its middle, as percentiles do. */
static uint64_t count_from(const struct histogram *histogram, uint64_t limit_ns)
{
	uint32_t slot = histogram_slot(limit_ns), last;
	uint64_t middle, count = 0;

	if (!histogram->moments.n || histogram->moments.max_ns < limit_ns)
		return 0;
	if (histogram->moments.min_ns >= limit_ns)
		return histogram->moments.n;
	middle = histogram_slot_low(slot, HISTOGRAM_BITS) +
		 (histogram_slot_width(slot, HISTOGRAM_BITS) - 1) / 2;
	if (middle < limit_ns)
		slot++;
	last = histogram_slot(histogram->moments.max_ns);
	for (; slot <= last; slot++)
		count += histogram->slot[slot];
	return count;
}

struct counts {
	uint64_t n, exceeding, marked;		/* all, from the limit on, from half of it on */
};

static struct counts count_tally(const struct probe *probe, const struct tally *tally)
{
	const uint64_t limit_ns = (uint64_t)probe->limit->limit;
	struct counts counts = { 0 };

	for (int op = 0; op < IO_OPS; op++) {
		const struct histogram *times = times_of(probe, &tally->op[op]);

		if (!op_counts(probe, (enum io_op)op))
			continue;
		counts.n += times->moments.n;
		counts.exceeding += count_from(times, limit_ns);
		counts.marked += count_from(times, limit_ns / 2);
	}
	return counts;
}

bool probe_feed(struct probe *probe, const struct tally *interval)
{
	struct counts counts;

	if (probe->rate_asked <= 0)
		return false;
	counts = count_tally(probe, interval);
	if (probe->allowed <= 0)
		probe->decided |= counts.exceeding > 0;	/* of a maximum: one is too much */
	else
		probe->decided = exceedance_feed(&probe->test, counts.n, counts.exceeding,
						 counts.marked) != EXCEEDANCE_OPEN;
	probe->stopped = probe->decided && probe->early;
	return probe->stopped;
}

static uint64_t value_of(const struct probe *probe, const struct tally *total)
{
	struct histogram *merged = calloc(1, sizeof(*merged));
	uint64_t value = 0;

	if (!merged)
		return 0;
	histogram_clear(merged);
	for (int op = 0; op < IO_OPS; op++)
		if (op_counts(probe, (enum io_op)op))
			histogram_add(merged, times_of(probe, &total->op[op]));
	if (merged->moments.n)
		value = probe->allowed > 0 ? histogram_percentile(merged, 1 - probe->allowed) :
				     merged->moments.max_ns;
	free(merged);
	return value;
}

/* Does the drive keep up? An unstable queue may take longer than the probe to reach the limit. */
static bool keeps_up(const struct probe *probe, const struct tally *total)
{
	double offered = probe->rate_asked * tally_seconds(total);
	double least = ACHIEVED_MIN * offered - ACHIEVED_SIGMAS * sqrt(offered);

	return (double)tally_ios(total) >= least;
}

static void note_write(struct probe *probe)
{
	char value[UNITS_TEXT];

	if (probe->rate_asked <= 0) {
		snprintf(probe->note, sizeof(probe->note), "search, probe %u: %s", probe->number,
			 probe->purpose);
		return;
	}
	snprintf(probe->note, sizeof(probe->note),
		 "search, probe %u: %s at %.6g per second: %s is %s, %s%s%s", probe->number,
		 probe->purpose, probe->rate_asked, probe->limit->figure,
		 duration_format(probe->value_ns, value), probe->meets ? "meets " : "exceeds ",
		 probe->limit->text, probe->decided ? "" : " (not by much)");
}

void probe_finish(struct probe *probe, const struct tally *total)
{
	double seconds = tally_seconds(total);
	struct counts counts = count_tally(probe, total);
	bool few;

	probe->n = counts.n;
	probe->exceeding = counts.exceeding;
	probe->reached = seconds > 0 ? (double)tally_ios(total) / seconds : 0;
	probe->value_ns = value_of(probe, total);
	few = (double)probe->exceeding <= probe->allowed * (double)probe->n;
	if (probe->test.verdict != EXCEEDANCE_OPEN)
		few = probe->test.verdict == EXCEEDANCE_BELOW;
	else if (probe->allowed <= 0)
		probe->decided = probe->n > 0;
	probe->meets = probe->n > 0 && few;
	if (probe->meets && !keeps_up(probe, total)) {
		probe->meets = false;
		probe->decided = true;
	}
	note_write(probe);
}
