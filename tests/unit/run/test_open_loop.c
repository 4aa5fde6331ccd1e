/* Open loops as a simulated drive gets them: plan, conductor, workers, engine and virtual time are the
 * program's own. What is between the engine and the drive (sim_drive_submit, replaced when this test is
 * linked) notes when each read was meant to start, when it started and when the drive said that it ends. */
#include <math.h>
#include "../plan/fixture.h"
#include "drive/drive_sim.h"
#include "run/run.h"
#include "sim/sim.h"

#define COUNT 1000000u		/* arrivals that are judged */
#define OFFERED 1010000u	/* arrivals to be expected: a Poisson schedule varies by a thousand */
#define KS_LIMIT 1.95		/* one in a thousand honest samples is further from its law */

struct seen {
	uint64_t *intent_ns;		/* in the order in which the drive got them */
	uint64_t room, count;
	uint64_t late;			/* started after the intended time */
	uint64_t early;			/* before it: must not be */
	uint64_t response_ns;		/* sum, of all */
	/* what the program made of it, warm-up and measured part */
	uint64_t recorded, recorded_response_ns;
	uint64_t ramp;
};

static struct seen seen;	/* the drive's side has no context of ours */

int32_t __real_sim_drive_submit(struct sim_drive *drive, const struct io *io, uint64_t now_ns,
				const void *owner, uint64_t tag, uint64_t *ret_done_ns);
int32_t __wrap_sim_drive_submit(struct sim_drive *drive, const struct io *io, uint64_t now_ns,
				const void *owner, uint64_t tag, uint64_t *ret_done_ns);

int32_t __wrap_sim_drive_submit(struct sim_drive *drive, const struct io *io, uint64_t now_ns,
				const void *owner, uint64_t tag, uint64_t *ret_done_ns)
{
	const int32_t result = __real_sim_drive_submit(drive, io, now_ns, owner, tag, ret_done_ns);

	assert_true(seen.count < seen.room);
	assert_int_not_equal(*ret_done_ns, SIM_LATER);
	seen.intent_ns[seen.count++] = io->intent_ns;
	seen.late += now_ns > io->intent_ns;
	seen.early += now_ns < io->intent_ns;
	seen.response_ns += *ret_done_ns - io->intent_ns;
	return result;
}

static int on_step(void *context, const struct step_record *step) { return 0; }
static int on_load(void *context, const struct load_record *load) { return 0; }
static int on_logged(void *context, uint64_t step, const struct logged_io *ios, uint32_t count) { return 0; }
static int on_telemetry(void *context, const struct telemetry_record *rows, uint32_t count) { return 0; }
static int on_event(void *context, const struct event_record *event) { return 0; }

static int on_interval(void *context, const struct interval_record *record)
{
	seen.recorded += record->tally->op[IO_READ].ios;
	seen.ramp += record->ramp ? record->tally->op[IO_READ].ios : 0;
	seen.recorded_response_ns += record->tally->op[IO_READ].response.moments.sum_ns;
	return 0;
}

/* Runs "[a]\nrw=randread ... LINES" on the drive; `seen` then holds what it got. */
static void run_open(const char *sim, uint64_t room, const char *lines)
{
	const struct run_observer observer = {
		NULL, on_step, on_load, on_interval, on_logged, on_logged, on_telemetry, on_event, on_load,
		on_step, NULL
	};
	struct run_target target = { .subject.kind = TARGET_SIM };
	struct run_config config = {
		.targets = &target, .target_count = 1, .seed = 7, .allow_unwritten = true, .observer = &observer
	};
	struct run_outcome outcome;
	struct fault fault = { 0 };
	struct plan *plan;
	char text[512];

	seen = (struct seen){ .room = room };
	seen.intent_ns = test_malloc(room * sizeof(*seen.intent_ns));
	snprintf(text, sizeof(text), "[global]\nbs=4k\n[a]\nrw=randread\nsize=64m\niodepth=4096\n%s", lines);
	config.plan = plan = plan_of(PLAN_NATIVE, text);
	if (drive_sim_open(sim, 1, &target.sim, &fault))
		fail_msg("%s", fault.text);
	assert_int_equal(run_plan(&config, &outcome), 0);
	assert_int_equal(outcome.status, RUN_COMPLETE);
	drive_sim_close(&target.sim);
	plan_free(plan);
}

static void seen_release(void)
{
	test_free(seen.intent_ns);
	seen = (struct seen){ 0 };
}

/* Nothing that was due is missing, nothing started early, and what is recorded was counted from the
 * intended times. */
static void all_is_recorded(void)
{
	assert_int_equal(seen.early, 0);
	assert_int_equal(seen.recorded, seen.count);
	assert_int_equal(seen.recorded_response_ns, seen.response_ns);
}

static int upwards(const void *a, const void *b)
{
	const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

/* The share of gaps of at most so many whole ns between the whole ns of two moments that are exponentially
 * far apart: the mean of the exponential law over the ns in which the first moment may lie. */
static double gap_law(uint64_t gap_ns, double mean_ns)
{
	return 1 - mean_ns * exp(-(double)gap_ns / mean_ns) * -expm1(-1 / mean_ns);
}

/* Kolmogorov-Smirnov: how far the gaps are from the law, x sqrt(count). Sorts them. */
static double gaps_ks(uint64_t *gaps, uint32_t count, double mean_ns)
{
	double distance = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (i + 1 < count && gaps[i + 1] == gaps[i])
			continue;
		distance = fmax(distance, fabs(gap_law(gaps[i], mean_ns) - (i + 1.0) / count));
		if (i + 1 < count)	/* the step before the next value that occurs */
			distance = fmax(distance,
					fabs(gap_law(gaps[i + 1] - 1, mean_ns) - (i + 1.0) / count));
	}
	return distance * sqrt(count);
}

/* The gaps between the first COUNT + 1 intended times, in order of size. */
static uint64_t *gaps_sorted(void)
{
	uint64_t *gaps = test_malloc(COUNT * sizeof(*gaps));

	assert_true(seen.count > COUNT);
	for (uint32_t i = 0; i < COUNT; i++) {
		assert_true(seen.intent_ns[i + 1] >= seen.intent_ns[i]);
		gaps[i] = seen.intent_ns[i + 1] - seen.intent_ns[i];
	}
	qsort(gaps, COUNT, sizeof(*gaps), upwards);
	return gaps;
}

static void rate_and_gaps_are_poisson(double rate)
{
	const double reached = COUNT * 1e9 / (double)(seen.intent_ns[COUNT] - seen.intent_ns[0]);
	uint64_t *gaps = gaps_sorted();
	const double right = gaps_ks(gaps, COUNT, 1e9 / rate), wrong = gaps_ks(gaps, COUNT, 1.01e9 / rate);

	if (fabs(reached / rate - 1) > 0.003 || right > KS_LIMIT)
		fail_msg("%g I/O per second: %g reached, KS %g", rate, reached, right);
	assert_true(wrong > KS_LIMIT);		/* the test sees one percent */
	test_free(gaps);
}

static const char fast[] = "theory,channels=32,dies=8,link_read_mbps=20000";

static void a_million_poisson_arrivals_at_each_rate(void **state)
{
	static const uint32_t rates[] = { 1000, 10000, 100000, 1000000 };

	for (size_t i = 0; i < sizeof(rates) / sizeof(*rates); i++) {
		char lines[128];

		snprintf(lines, sizeof(lines), "arrival=poisson:%u\nruntime=%ums\n", rates[i],
			 OFFERED / (rates[i] / 1000));
		run_open(fast, OFFERED + 10000, lines);
		all_is_recorded();
		rate_and_gaps_are_poisson(rates[i]);
		seen_release();
	}
}

/* B01: rates are of I/Os, whatever their sizes are. */
static void the_sizes_of_the_ios_are_nothing_to_the_gaps(void **state)
{
	run_open(fast, OFFERED + 10000, "bssplit=8k/90:16k/10\narrival=poisson:100000\nruntime=10100ms\n");
	all_is_recorded();
	rate_and_gaps_are_poisson(100000);
	seen_release();
}

/* Their queues are independent; the drive gets them all in order of time. */
static void workers_together_make_one_poisson_stream(void **state)
{
	run_open(fast, OFFERED + 10000, "arrival=poisson:100000\nnumjobs=4\nruntime=10100ms\n");
	all_is_recorded();
	rate_and_gaps_are_poisson(100000);
	seen_release();
}

/* What the drive does is nothing to the schedule: a silence of one second in which tens of thousands
 * become due. */
static void poisson_arrivals_go_on_while_the_drive_is_silent(void **state)
{
	run_open("theory,channels=32,dies=8,link_read_mbps=20000,stall_at_s=4,stall_s=1", OFFERED + 10000,
		 "arrival=poisson:100000\nruntime=10100ms\n");
	all_is_recorded();
	assert_true(seen.late > 90000);
	rate_and_gaps_are_poisson(100000);
	seen_release();
}

/* The i-th arrival is due i gaps after the first, whole ns of it seen. */
static void arrivals_are_constant(double rate, uint64_t expected)
{
	if (seen.count != expected)
		fail_msg("%g I/O per second: %lu arrivals instead of %lu", rate, seen.count, expected);
	for (uint64_t i = 0; i < seen.count; i++) {
		const long double due = (long double)i * 1e9L / (long double)rate;
		const long double off = (long double)(seen.intent_ns[i] - seen.intent_ns[0]) - due;

		if (fabsl(off) > 1)
			fail_msg("%g I/O per second: arrival %lu is %Lg ns off", rate, i, off);
	}
}

static void a_million_constant_arrivals_without_drift(void **state)
{
	static const double rates[] = { 1000, 10000, 100000, 1000000, 700001, 333333.25 };

	for (size_t i = 0; i < sizeof(rates) / sizeof(*rates); i++) {
		const uint64_t ms = (uint64_t)(OFFERED / rates[i] * 1000);
		char lines[128];

		snprintf(lines, sizeof(lines), "arrival=constant:%.2f\nruntime=%lums\n", rates[i], ms);
		run_open(fast, OFFERED + 10, lines);
		all_is_recorded();
		assert_true(seen.count > COUNT);
		arrivals_are_constant(rates[i], (uint64_t)ceil((double)ms * rates[i] / 1000));
		seen_release();
	}
}

static void a_silent_drive_and_a_warm_up_move_no_constant_arrival(void **state)
{
	run_open("theory,channels=32,dies=8,link_read_mbps=20000,stall_at_s=4,stall_s=1", OFFERED + 10,
		 "arrival=constant:100000\nramp_time=3s\nruntime=7100ms\n");
	all_is_recorded();
	arrivals_are_constant(100000, OFFERED);
	assert_int_equal(seen.ramp, 300000);
	assert_true(seen.late > 90000);
	seen_release();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_million_poisson_arrivals_at_each_rate),
		cmocka_unit_test(the_sizes_of_the_ios_are_nothing_to_the_gaps),
		cmocka_unit_test(workers_together_make_one_poisson_stream),
		cmocka_unit_test(poisson_arrivals_go_on_while_the_drive_is_silent),
		cmocka_unit_test(a_million_constant_arrivals_without_drift),
		cmocka_unit_test(a_silent_drive_and_a_warm_up_move_no_constant_arrival),
	};

	return cmocka_run_group_tests_name("open_loop", tests, NULL, NULL);
}
