/* The interval of a percentile: the same 60,000 reads in 60 s, of them 120 slow, spread out or in bursts. */
#include "made_run.h"
#include "assay/evidence.h"
#include "assay/tail.h"

#define SECOND 1000000000ull
#define SECONDS 60u
#define SLOW 120u
#define READS 1000u	/* a second */

/* In which second the slow read of this rank happens: each burst has as many of the lower half as of the
 * upper. */
static uint32_t second_of(uint32_t rank, uint32_t bursts)
{
	return rank % (SLOW / 2) * bursts / (SLOW / 2) * (SECONDS / bursts);
}

static void interval_put(struct made_run *made, uint32_t second, uint32_t bursts, struct tally *tally)
{
	const struct interval_record record = { .step = 1, .index = second + 1, .tally = tally };
	uint32_t slow = 0;

	tally_clear(tally);
	tally->start_ns = second * SECOND;
	tally->end_ns = tally->start_ns + SECOND;
	tally->spans = 1;
	for (uint32_t rank = 0; rank < SLOW; rank++)
		if (second_of(rank, bursts) == second) {
			histogram_record(&tally->op[IO_READ].service, 10000000 + rank * 200000ull);
			slow++;
		}
	for (uint32_t i = slow; i < READS; i++)
		histogram_record(&tally->op[IO_READ].service, 100000);
	tally->op[IO_READ].ios = READS;
	assert_int_equal(store_put_interval(made->store, &record), 0);
	histogram_add(&made->total->op[IO_READ].service, &tally->op[IO_READ].service);
	made->total->op[IO_READ].ios += READS;
}

/* As tail_of. */
static int tail_in_bursts(uint32_t bursts, struct tail *ret_tail)
{
	struct tally *tally = calloc(1, sizeof(*tally));
	struct evidence evidence;
	struct made_run made;
	int result;

	made_run_init(&made);
	tally_clear(made.total);
	made.step.duration_ns = made.run.duration_ns = made.total->end_ns = SECONDS * SECOND;
	made_run_write(&made);
	for (uint32_t i = 0; i < SECONDS; i++)
		interval_put(&made, i, bursts, tally);
	made.load.total = made.total;
	assert_int_equal(store_put_load(made.store, &made.load), 0);
	assert_int_equal(evidence_open(made.store, &evidence), 0);
	result = tail_of(&evidence, &evidence.loads[0], IO_READ, 0.999, ret_tail);
	evidence_release(&evidence);
	made_run_release(&made);
	free(tally);
	return result;
}

static void spread_out_each_read_counts(void **state)
{
	struct tail tail;

	assert_int_equal(tail_in_bursts(60, &tail), 1);
	assert_float_equal(tail.effective, SECONDS * READS, 0.5);
	assert_float_equal(tail.value_ns, 10e6 + 59 * 2e5, 1e5);	/* 60 lie beyond */
	assert_true(tail.low_ns > 18e6 && tail.low_ns < 20e6);	/* 60 +- 15 */
	assert_true(tail.high_ns > 24e6 && tail.high_ns < 26e6);
}

static void bursts_widen_the_interval(void **state)
{
	struct tail tail;

	/* six bursts of 10 beyond: the variance is ten times that of 60 independent ones */
	assert_int_equal(tail_in_bursts(6, &tail), 1);
	assert_true(tail.effective > 4000 && tail.effective < 7000);
	assert_float_equal(tail.value_ns, 10e6 + 59 * 2e5, 1e5);
	assert_true(tail.low_ns < 12e6);
	assert_true(tail.high_ns > 29e6);
}

static void two_bursts_carry_no_interval(void **state)
{
	struct tail tail;

	assert_int_equal(tail_in_bursts(2, &tail), 0);
}

/* 2000 reads: 1980 of 100 us, 20 slow ones; the host may have delayed 15 of them. */
static void what_the_host_delayed_can_be_left_out(void **state)
{
	struct logged_io ios[22] = { 0 };
	struct evidence evidence;
	struct made_run made;
	double without;
	uint64_t left_out;

	made_run_init(&made);
	tally_clear(made.total);
	made_run_add(&made, IO_READ, 1980, 4096, 100000);
	for (uint32_t i = 0; i < 22; i++) {
		ios[i] = (struct logged_io){ .service_ns = 10000000 + i * 1000000ull, .result = 4096, .op = IO_READ };
		ios[i].flags = i < 15 || i >= 20 ? LOGGED_HOST : 0;
		if (i < 20)
			made_run_add(&made, IO_READ, 1, 4096, ios[i].service_ns);
	}
	ios[20].op = IO_WRITE;		/* not of these */
	ios[21].load = 1;
	made_run_write(&made);
	assert_int_equal(store_put_outliers(made.store, 1, ios, 22), 0);
	assert_int_equal(evidence_open(made.store, &evidence), 0);
	assert_int_equal(tail_without_host(&evidence, &evidence.loads[0], IO_READ, 0.995, &without, &left_out), 0);
	assert_int_equal(left_out, 15);
	assert_float_equal(without, 100000, 500);	/* with them 19 ms: ten lie beyond */
	assert_int_equal(tail_without_host(&evidence, &evidence.loads[0], IO_READ, 0.999, &without, &left_out), 0);
	assert_float_equal(without, 28e6, 2e5);	/* rank 1984 of 1985 */
	evidence_release(&evidence);
	made_run_release(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spread_out_each_read_counts),
		cmocka_unit_test(bursts_widen_the_interval),
		cmocka_unit_test(two_bursts_carry_no_interval),
		cmocka_unit_test(what_the_host_delayed_can_be_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
