/* The worker: budgets to the byte, warm-up, deadlines, duty cycles, thinking, stopping, errors. */
#include <errno.h>
#include "bench.h"

static void a_budget_is_kept_to_the_byte(void **state)
{
	static const struct { const char *lines; uint64_t ios, bytes; } cases[] = {
		{ "rw=randread\nbs=4k\nsize=1m\nio_size=40k\n", 10, 40 << 10 },
		{ "rw=write\nbs=4k\nsize=64k\n", 16, 64 << 10 },
		{ "rw=write\nbs=4k\nsize=64k\nloops=3\n", 48, 192 << 10 },
		{ "rw=randwrite\nbs=4k\nsize=1m\nio_size=10k\n", 3, 10 << 10 },
		{ "rw=read\nbs=48k\nsize=100k\n", 3, 100 << 10 },
		{ "rw=randtrim\nbs=64k\nsize=1m\nio_size=256k\n", 4, 0 },
		{ "rw=randrw\nbs=4k\nsize=1m\nio_size=400k\niodepth=32\n", 100, 400 << 10 },
		{ "rw=randread\nbs=4k\nio_size=50%\n", 2048, 8 * MEBI },
		{ "rw=randread\nbs=4k\nsize=1m\nnumber_ios=9\niodepth=4\n", 9, 36 << 10 },
		{ "rw=randread\nbs=4k\nruntime=10s\nnumber_ios=9\n", 9, 36 << 10 },
		{ "rw=write\nbs=4k\nsize=64k\nnumber_ios=5\nloops=2\n", 10, 40 << 10 },
		{ "rw=write\nbs=64k\nuntil=written:300k\n", 5, 300 << 10 },
		{ "rw=write\nbs=64k\nuntil=written:1r\nsize=25%\n", 64, 4 * MEBI },
		{ "rw=randwrite\nbs=64k\nuntil=written:2x\niodepth=8\n", 512, 32 * MEBI },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench bench;

		bench_init(&bench, cases[i].lines, 16 * MEBI, 0);
		bench_run(&bench, MS, 100000);
		if (bench.ios != cases[i].ios || bench.bytes != cases[i].bytes)
			fail_msg("%s: %lu I/Os of %lu bytes", cases[i].lines, bench.ios, bench.bytes);
		assert_int_equal(bench_entry(&bench)->end, WORKER_END_SIZE);
		assert_int_equal(bench_entry(&bench)->state, WORKER_DONE);
		bench_release(&bench);
	}
}

static void workers_of_one_load_share_what_it_may_write(void **state)
{
	uint64_t sum = 0;

	for (uint32_t worker = 0; worker < 4; worker++) {
		struct bench bench;

		bench_init(&bench, "rw=randwrite\nbs=4k\nnumjobs=4\nuntil=written:1x\n", 16 * MEBI, worker);
		bench_run(&bench, MS, 100000);
		sum += bench.bytes;
		bench_release(&bench);
	}
	assert_int_equal(sum, 16 * MEBI);
}

static void the_deadline_ends_it_and_nothing_starts_after_it(void **state)
{
	struct bench bench;

	bench_init(&bench, "rw=randread\nbs=4k\niodepth=4\nruntime=100ms\n", 16 * MEBI, 0);
	bench_run(&bench, MS, 1000);
	assert_int_equal(bench_entry(&bench)->end, WORKER_END_TIME);
	assert_true(bench.last_ns < 100 * MS);
	assert_true(bench_now(&bench) <= 101 * MS);
	assert_int_equal(bench_entry(&bench)->finished_ns, bench.start_ns + bench_now(&bench));
	bench_release(&bench);
}

static void the_budget_counts_from_the_end_of_the_warm_up(void **state)
{
	struct bench bench;
	uint64_t warm;

	bench_init(&bench, "rw=randread\nbs=4k\nsize=1m\nio_size=40k\nramp_time=50ms\ninterval=10ms\n",
		   16 * MEBI, 0);
	while (bench_now(&bench) < 49 * MS)
		assert_true(bench_step(&bench, MS));
	warm = bench.ios + bench.worker.engine->in_flight;
	assert_true(warm >= 45);		/* more than the whole budget: the warm-up has none */
	bench_run(&bench, MS, 1000);
	assert_int_equal(bench.ios, warm + 10);
	assert_int_equal(bench_entry(&bench)->end, WORKER_END_SIZE);
	bench_release(&bench);
}

static void the_run_time_counts_from_the_end_of_the_warm_up(void **state)
{
	struct bench bench;

	bench_init(&bench, "rw=randread\nbs=4k\nramp_time=50ms\nruntime=30ms\ninterval=10ms\n", 16 * MEBI, 0);
	bench_run(&bench, MS, 1000);
	assert_true(bench_now(&bench) >= 80 * MS && bench_now(&bench) <= 82 * MS);
	bench_release(&bench);
}

static uint64_t duty_bad;

static void duty_watch(struct bench *bench, uint64_t since, uint32_t count)
{
	duty_bad += since % (30 * MS) > 10 * MS;	/* at the border exactly it may still be on */
}

static void duty_cycles_send_in_their_on_time_only(void **state)
{
	struct bench bench;

	duty_bad = 0;
	bench_init(&bench, "rw=randread\nbs=4k\nduty=10ms/20ms*3\n", 16 * MEBI, 0);
	bench.on_submit = duty_watch;
	bench_run(&bench, MS, 1000);
	assert_int_equal(duty_bad, 0);
	assert_true(bench.ios >= 27 && bench.ios <= 33);
	assert_true(bench.last_ns >= 65 * MS && bench.last_ns <= 71 * MS);
	assert_int_equal(bench_entry(&bench)->end, WORKER_END_TIME);
	bench_release(&bench);
}

static uint64_t think_last, think_gap_min, think_burst, think_burst_max;

static void think_watch(struct bench *bench, uint64_t since, uint32_t count)
{
	const uint64_t gap = since - think_last;

	if (think_burst && gap > 2 * MS) {
		think_gap_min = gap < think_gap_min ? gap : think_gap_min;
		think_burst = 0;
	}
	think_burst += count;
	think_burst_max = think_burst > think_burst_max ? think_burst : think_burst_max;
	think_last = since;
}

static void it_thinks_after_each_block_of_ios(void **state)
{
	struct bench bench;

	think_last = think_burst = think_burst_max = 0;
	think_gap_min = UINT64_MAX;
	bench_init(&bench, "rw=randread\nbs=4k\niodepth=2\nio_size=128k\nthinktime=20ms\nthinktime_blocks=4\n", 16 * MEBI, 0);
	bench.on_submit = think_watch;
	bench_run(&bench, MS, 1000);
	assert_int_equal(bench.ios, 32);
	assert_int_equal(think_burst_max, 4);
	assert_true(think_gap_min >= 20 * MS);
	bench_release(&bench);
}

static void a_start_delay_holds_the_first_io_back(void **state)
{
	struct bench bench;

	bench_init(&bench, "rw=randread\nbs=4k\nio_size=16k\nstartdelay=50ms\n", 16 * MEBI, 0);
	bench_run(&bench, MS, 1000);
	assert_in_range(bench.first_ns, 50 * MS, 51 * MS);
	assert_int_equal(bench.ios, 4);
	bench_release(&bench);
}

static void stop_ends_it_after_what_is_in_flight(void **state)
{
	struct bench bench;
	uint64_t submitted;

	bench_init(&bench, "rw=randread\nbs=4k\niodepth=8\nruntime=10s\n", 16 * MEBI, 0);
	for (int i = 0; i < 5; i++)
		assert_true(bench_step(&bench, MS));
	submitted = bench.ios + bench.worker.engine->in_flight;
	__atomic_store_n(&bench.stage.board->stop, 1, __ATOMIC_RELEASE);
	bench_run(&bench, MS, 3);
	assert_int_equal(bench.ios, submitted);
	assert_int_equal(bench_entry(&bench)->end, WORKER_END_STOP);
	bench_release(&bench);
}

static uint64_t last_alone, last_count;

/* The last submission is one I/O, with nothing else in flight. */
static void last_watch(struct bench *bench, uint64_t since, uint32_t count)
{
	last_alone = bench->worker.engine->in_flight == 1;
	last_count = count;
}

static void an_fsync_is_the_last_of_all_unless_the_user_waits_for_the_prompt(void **state)
{
	static const struct { const char *lines; uint32_t stop, ios; } cases[] = {
		{ "rw=write\nbs=4k\nsize=64k\niodepth=8\nend_fsync=1\n", BOARD_STOP_NOT, 17 },
		{ "rw=write\nbs=4k\nsize=64k\nend_fsync=1\n", BOARD_STOP_NOT, 17 },
		{ "rw=write\nbs=4k\nsize=64k\nfsync_on_close=1\nend_fsync=0\n", BOARD_STOP_NOT, 17 },
		{ "rw=write\nbs=4k\narrival=constant:1000\nruntime=50ms\nend_fsync=1\n", BOARD_STOP_NOT, 51 },
		{ "rw=write\nbs=4k\nruntime=10s\nend_fsync=1\n", BOARD_STOP_ENDED, 4 },
		{ "rw=write\nbs=4k\nruntime=10s\nend_fsync=1\n", BOARD_STOP_INTERRUPTED, 3 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench bench;

		bench_init(&bench, cases[i].lines, 16 * MEBI, 0);
		bench.on_submit = last_watch;
		for (int k = 0; k < 3 && cases[i].stop; k++)
			assert_true(bench_step(&bench, MS));
		__atomic_store_n(&bench.stage.board->stop, cases[i].stop, __ATOMIC_RELEASE);
		bench_run(&bench, MS, 1000);
		if (bench.ios != cases[i].ios)
			fail_msg("%s: %lu I/Os instead of %u", cases[i].lines, bench.ios, cases[i].ios);
		assert_true(last_alone && last_count == 1);
		bench_release(&bench);
	}
}

static void the_queue_is_filled_and_never_over_its_depth(void **state)
{
	static const uint32_t depths[] = { 1, 2, 7, 32, 256 };

	for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
		struct bench bench;
		char lines[128];

		snprintf(lines, sizeof(lines), "rw=randread\nbs=4k\nruntime=20ms\niodepth=%u\n", depths[i]);
		bench_init(&bench, lines, 16 * MEBI, 0);
		for (uint32_t k = 0; k < 12; k++)
			worker_issue(&bench.worker, clock_now_ns(&bench.clock));
		assert_int_equal(bench.worker.engine->in_flight, depths[i]);
		bench_run(&bench, MS, 1000);
		assert_true(bench.in_flight_max <= depths[i]);
		bench_release(&bench);
	}
}

static void a_batch_is_as_large_as_asked(void **state)
{
	struct bench bench;

	bench_init(&bench, "rw=randread\nbs=4k\nruntime=20ms\niodepth=16\niodepth_batch_submit=4\n"
			   "iodepth_batch_complete_min=4\niodepth_batch_complete_max=8\n", 16 * MEBI, 0);
	assert_int_equal(bench.worker.batch_submit, 4);
	assert_int_equal(bench.worker.reap_min, 4);
	assert_int_equal(bench.worker.reap_max, 8);
	worker_issue(&bench.worker, clock_now_ns(&bench.clock));
	assert_int_equal(bench.worker.engine->in_flight % 4, 0);
	bench_run(&bench, MS, 1000);
	bench_release(&bench);
}

/* The null engine answers everything at once. */
static void batches_grow_to_the_queue_on_a_target_that_answers_at_once(void **state)
{
	struct io_done done[128];
	struct bench bench;
	uint32_t count;

	bench_init(&bench, "rw=randread\nbs=4k\nruntime=1s\niodepth=128\n", 16 * MEBI, 0);
	assert_int_equal(bench.worker.batch_submit, 32);
	for (int i = 0; i < 5; i++)
		assert_true(bench_step(&bench, 1000));
	assert_int_equal(bench.submitted_max, 128);
	assert_int_equal(bench.in_flight_max, 128);
	count = (uint32_t)engine_reap(bench.worker.engine, done, 100, 0, 0);	/* a part is still under way */
	assert_int_equal(count, 100);
	worker_complete(&bench.worker, done, count);
	assert_int_equal(bench.worker.batch_submit, 32);
	bench_release(&bench);

	bench_init(&bench, "rw=randread\nbs=4k\nruntime=1s\niodepth=128\niodepth_batch_submit=16\n",
		   16 * MEBI, 0);
	for (int i = 0; i < 5; i++)
		assert_true(bench_step(&bench, 1000));
	assert_int_equal(bench.submitted_max, 16);	/* as asked */
	bench_release(&bench);
}

static void a_thousand_errors_in_a_row_are_a_dead_device(void **state)
{
	struct bench bench;

	bench_init(&bench, "rw=randread\nbs=4k\niodepth=4\nruntime=10s\n", 16 * MEBI, 0);
	bench.result = -EIO;
	bench_run(&bench, MS, 1000);
	assert_in_range(bench.ios, 1000, 1007);
	assert_int_equal(bench_entry(&bench)->end, WORKER_END_ERROR);
	assert_int_equal(bench_entry(&bench)->state, WORKER_FAILED);
	assert_int_equal(bench_entry(&bench)->error, -EIO);
	bench_release(&bench);
}

static void errors_between_good_ios_are_data(void **state)
{
	struct bench bench;

	bench_init(&bench, "rw=randread\nbs=4k\nruntime=5s\n", 16 * MEBI, 0);
	for (int i = 0; i < 4000; i++) {
		bench.result = i % 100 ? -EIO : 0;
		assert_true(bench_step(&bench, MS));
	}
	bench.result = 0;
	bench_run(&bench, MS, 2000);
	assert_int_equal(bench_entry(&bench)->end, WORKER_END_TIME);
	assert_int_equal(bench_entry(&bench)->error, 0);
	bench_release(&bench);
}

static void a_device_that_is_gone_ends_it_at_once(void **state)
{
	struct bench bench;

	bench_init(&bench, "rw=randread\nbs=4k\nruntime=10s\n", 16 * MEBI, 0);
	for (int i = 0; i < 10; i++)
		bench_step(&bench, MS);
	bench.result = -ENODEV;
	bench_run(&bench, MS, 3);
	assert_int_equal(bench_entry(&bench)->end, WORKER_END_ERROR);
	assert_int_equal(bench_entry(&bench)->error, -ENODEV);
	bench_release(&bench);
}

static void a_sequential_load_says_where_it_stopped(void **state)
{
	struct bench bench;

	bench_init(&bench, "rw=write\nbs=64k\nsize=4m\nio_size=1m\n", 16 * MEBI, 0);
	bench_run(&bench, MS, 1000);
	assert_int_equal(bench_entry(&bench)->position, MEBI);
	assert_int_equal(bench_entry(&bench)->issued_bytes, MEBI);
	bench_release(&bench);
}

static uint64_t open_due, open_late;

static void open_watch(struct bench *bench, uint64_t since, uint32_t count)
{
	open_due += count;
	open_late += open_due > since / (10 * MS) + 1;		/* before its time */
}

static void an_open_loop_follows_its_schedule(void **state)
{
	struct bench bench;

	open_due = open_late = 0;
	bench_init(&bench, "rw=randread\nbs=4k\narrival=constant:100\niodepth=8\nruntime=1s\n", 16 * MEBI, 0);
	bench.on_submit = open_watch;
	bench_run(&bench, MS, 2000);
	assert_in_range(bench.ios, 99, 101);
	assert_int_equal(open_late, 0);
	bench_release(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_budget_is_kept_to_the_byte),
		cmocka_unit_test(workers_of_one_load_share_what_it_may_write),
		cmocka_unit_test(the_deadline_ends_it_and_nothing_starts_after_it),
		cmocka_unit_test(the_budget_counts_from_the_end_of_the_warm_up),
		cmocka_unit_test(the_run_time_counts_from_the_end_of_the_warm_up),
		cmocka_unit_test(duty_cycles_send_in_their_on_time_only),
		cmocka_unit_test(it_thinks_after_each_block_of_ios),
		cmocka_unit_test(a_start_delay_holds_the_first_io_back),
		cmocka_unit_test(stop_ends_it_after_what_is_in_flight),
		cmocka_unit_test(an_fsync_is_the_last_of_all_unless_the_user_waits_for_the_prompt),
		cmocka_unit_test(the_queue_is_filled_and_never_over_its_depth),
		cmocka_unit_test(a_batch_is_as_large_as_asked),
		cmocka_unit_test(batches_grow_to_the_queue_on_a_target_that_answers_at_once),
		cmocka_unit_test(a_thousand_errors_in_a_row_are_a_dead_device),
		cmocka_unit_test(errors_between_good_ios_are_data),
		cmocka_unit_test(a_device_that_is_gone_ends_it_at_once),
		cmocka_unit_test(a_sequential_load_says_where_it_stopped),
		cmocka_unit_test(an_open_loop_follows_its_schedule),
	};

	return cmocka_run_group_tests_name("worker", tests, NULL, NULL);
}
