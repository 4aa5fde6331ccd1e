/* Self-checks of open loops: did the program keep its schedule, and could the drive follow? A response time
 * counts only when both hold (docs/decisions). */
#include <math.h>
#include <stdio.h>
#include "assay/check.h"

#define ACHIEVED_LEAST 0.995		/* of the offered rate */
#define ACHIEVED_SIGMAS 3.0		/* Poisson arrivals vary in number */
#define LATE_SHARE 0.1			/* lateness p99 against service p50 */
#define LATE_NS 5000u			/* ... or this, when that is less */
#define GROWTH_INTERVALS_MIN 10u	/* fewer say nothing about a slope */
#define GROWTH_LIMIT 1.96

struct growth {
	uint32_t load;
	double rate;			/* offered, per second */
	uint32_t count;
	double sum, sum_squares;	/* of I/Os by which an interval fell behind */
	uint64_t index;			/* of the interval in hand */
	double behind;			/* of it; its ops come one after the other */
	bool any;
};

static void growth_flush(struct growth *growth)
{
	if (!growth->any)
		return;
	growth->count++;
	growth->sum += growth->behind;
	growth->sum_squares += growth->behind * growth->behind;
	growth->any = false;
}

static int growth_row(void *context, const struct interval_row *row, const struct histogram *service)
{
	struct growth *growth = context;

	(void)service;
	if (row->ramp)
		return 0;
	if (growth->any && row->index != growth->index)
		growth_flush(growth);
	if (!growth->any) {
		growth->any = true;
		growth->index = row->index;
		growth->behind = growth->rate * (double)interval_sent_ns(row) / 1e9;
	}
	if (row->op <= IO_TRIM)
		growth->behind -= (double)(row->ios + row->errors);
	return 0;
}

/* The longest that an I/O of it took from its intended start. */
static double response_longest_s(const struct load_record *load)
{
	uint64_t longest_ns = 0;

	for (int op = 0; op <= IO_TRIM; op++)
		if (load->total->op[op].response.moments.n && load->total->op[op].response.moments.max_ns > longest_ns)
			longest_ns = load->total->op[op].response.moments.max_ns;
	return (double)longest_ns / 1e9;
}

/* Whether the queue before the drive grew over the whole of the load: I/Os that each interval fell behind,
 * their mean above zero by more than chance. Random arrivals may be too few as well, all over the load: I/Os that
 * are behind wait, so that some took at least the time in which so many arrive (half of it, as they may be behind
 * by chance on top). */
static int queue_grows(const struct evidence *evidence, const struct load_record *load, bool *ret_grows)
{
	struct growth growth = { .rate = load->rate_asked };
	int error = store_each_interval(evidence->store, load->step, (int)load->load, false, growth_row,
					&growth);
	double mean, deviation;

	*ret_grows = false;
	growth_flush(&growth);
	if (error || growth.count < GROWTH_INTERVALS_MIN)
		return error;
	mean = growth.sum / growth.count;
	deviation = sqrt(fmax(0, growth.sum_squares / growth.count - mean * mean) / growth.count);
	*ret_grows = mean > GROWTH_LIMIT * deviation && mean * growth.count > (1 - ACHIEVED_LEAST) * growth.rate &&
		     response_longest_s(load) > mean * growth.count / growth.rate / 2;
	return 0;
}

struct punctual {
	double offered, achieved;	/* I/Os of the measured part */
	uint64_t late_p99_ns, late_limit_ns;
};

static struct punctual punctual_of(const struct load_record *load)
{
	struct histogram lateness = { 0 }, service = { 0 };	/* 37 KB each */
	struct punctual punctual = { 0 };

	histogram_clear(&lateness);
	histogram_clear(&service);
	for (int op = 0; op <= IO_TRIM; op++) {
		histogram_add(&lateness, &load->total->op[op].lateness);
		histogram_add(&service, &load->total->op[op].service);
		punctual.achieved += (double)(load->total->op[op].ios + load->total->op[op].errors);
	}
	punctual.offered = load->rate_asked * tally_seconds(load->total);
	punctual.late_p99_ns = histogram_percentile(&lateness, 0.99);
	punctual.late_limit_ns = (uint64_t)(LATE_SHARE * (double)histogram_percentile(&service, 0.5));
	if (punctual.late_limit_ns < LATE_NS)
		punctual.late_limit_ns = LATE_NS;
	return punctual;
}

/* A search looks for the rate that is too much: its probes are to find it. */
static bool is_probe(const struct evidence *evidence, const struct load_record *load)
{
	const struct step_record *step = evidence_step(evidence, load->step);

	return step && step->note && !strncmp(step->note, "search, probe ", 14);
}

/* What is wrong with it, and how far: above 1, what was offered was not done; up to 1, it was late. */
static int load_judge(const struct evidence *evidence, const struct load_record *load, struct saying *fault,
		      double *ret_badness)
{
	const struct punctual punctual = punctual_of(load);
	const double least = ACHIEVED_LEAST * punctual.offered - ACHIEVED_SIGMAS * sqrt(punctual.offered);
	bool grows;
	int error = queue_grows(evidence, load, &grows);

	*ret_badness = 2 - punctual.achieved / punctual.offered;
	if (error)
		return error;
	if (grows)
		saying_add(fault,
			   "Load '%s' is unstable: %.0f I/Os per second were offered, more than the drive "
			   "can do (%.2f %% were done).",
			   load->name, load->rate_asked, 100 * punctual.achieved / punctual.offered);
	else if (punctual.achieved < least)
		saying_add(fault, "Load '%s' did %.2f %% of the I/Os that were offered (%.0f per second).",
			   load->name, 100 * punctual.achieved / punctual.offered, load->rate_asked);
	else if (punctual.late_p99_ns > punctual.late_limit_ns) {
		*ret_badness = 1 - (double)punctual.late_limit_ns / (double)punctual.late_p99_ns;
		saying_add(fault,
			   "Load '%s' was started late: 1 %% of its I/Os by more than %.1f µs (limit %.1f "
			   "µs), so response times hold the program's or the queue's delay too.",
			   load->name, (double)punctual.late_p99_ns / 1e3,
			   (double)punctual.late_limit_ns / 1e3);
	}
	return 0;
}

int check_open_loop(const struct evidence *evidence)
{
	struct saying worst = { 0 };
	double most = 0;
	uint32_t looked = 0, bad = 0;

	for (uint32_t i = 0; i < evidence->load_count; i++) {
		const struct load_record *load = &evidence->loads[i];
		struct saying fault = { 0 };
		double badness;
		int error;

		if (!load->open_loop || !load->total || !tally_ios(load->total) || !(load->rate_asked > 0) ||
		    is_probe(evidence, load))
			continue;
		looked++;
		error = load_judge(evidence, load, &fault, &badness);
		if (error)
			return error;
		if (!fault.pieces)
			continue;
		if (!bad++ || badness > most) {
			worst = fault;
			most = badness;
		}
	}
	if (!looked)
		return check_put(evidence, "open_loop_kept", CHECK_NOT_APPLICABLE,
				 "No load but the probes of searches has a schedule.");
	if (bad > 1)
		return check_put(evidence, "open_loop_kept", CHECK_FAILED,
				 "%u of %u loads with a schedule did not keep it. The worst: %p", bad, looked,
				 &worst);
	if (bad)
		return check_put(evidence, "open_loop_kept", CHECK_FAILED, "%p", &worst);
	return check_put(evidence, "open_loop_kept", CHECK_PASSED,
			 "Every I/O was offered when the schedule said, and the drive followed.");
}
