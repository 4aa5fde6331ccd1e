/* Hard disks: seek and rotation, order, cache, RAID 0, completions known later. */
#include "fixture.h"

#include <errno.h>
#include "sim/sim.h"

static struct load_result result;

/* Runs the load on a new drive into `result`; returns IOPS. */
static double hdd_run(const char *spec, const struct load *load)
{
	struct sim_drive *drive = drive_make(spec, 1);

	load_run(drive, load, 0, &result);
	assert_int_equal(result.errors, 0);
	sim_drive_free(drive);
	return load_iops(&result);
}

static void a_random_read_takes_overhead_seek_half_a_turn_and_transfer(void **state)
{
	hdd_run("hdd", &(struct load){ .bytes = 4096, .depth = 1, .count = 20000, .seed = 1 });
	/* 0.3 + 0.8 + 11.5 * E sqrt|x - y| (8/15) + 60000 / 7200 / 2 + 0.027 ms */
	assert_near(load_mean_ns(&result) / 1e6, 0.3 + 0.8 + 11.5 * 8 / 15 + 4.167 + 0.027, 0.01);
	assert_true(result.max_ns < 30 * MS);
}

static void a_longer_queue_makes_shorter_ways(void **state)
{
	struct load load = { .bytes = 4096, .count = 5000, .seed = 1 };
	double before = 0, iops;

	for (load.depth = 1; load.depth <= 32; load.depth *= load.depth == 1 ? 4 : 2) {
		iops = hdd_run("hdd", &load);
		assert_true(iops > before * 1.05);
		before = iops;
	}
	load.depth = 128;	/* no more than 32 are chosen among */
	assert_near(hdd_run("hdd", &load), before, 0.05);
}

static void nobody_starves(void **state)
{
	hdd_run("hdd", &(struct load){ .bytes = 4096, .depth = 32, .count = 20000, .seed = 1 });
	assert_true((double)result.max_ns < 6 * load_mean_ns(&result));
}

static void sequential_reads_run_at_the_media_rate(void **state)
{
	struct sim_drive *drive = drive_make("hdd,capacity_gb=100", 1);
	struct load load = { .pattern = LOAD_SEQUENTIAL, .bytes = 1 << 20, .depth = 1, .count = 1000 };

	load_run(drive, &load, 0, &result);
	assert_near(load_iops(&result) * load.bytes / 1e6, 200, 0.02);	/* outer tracks */
	sim_drive_free(drive);
}

static void cached_writes_are_acknowledged_early_until_the_cache_is_full(void **state)
{
	struct sim_drive *drive = drive_make("hdd", 1);
	const struct load few = { .bytes = 4096, .depth = 1, .write_share = 1, .count = 60, .seed = 1 };
	const struct load many = { .bytes = 4096, .depth = 8, .write_share = 1, .count = 5000, .seed = 1 };

	load_run(drive, &few, 0, &result);
	assert_true(result.max_ns < MS);
	load_run(drive, &many, result.end_ns, &result);
	assert_true(load_iops(&result) < 400 && load_iops(&result) > 120);
	sim_drive_free(drive);
}

static void a_flush_waits_for_the_cache(void **state)
{
	struct sim_drive *drive = drive_make("hdd", 1);
	const struct io flush = { .op = IO_FLUSH };
	struct sim_done done = { 0 };
	uint64_t done_ns, now_ns;
	int owner;

	assert_int_equal(sim_drive_submit(drive, &flush, 0, &owner, 1, &done_ns), 0);
	assert_true(done_ns < MS);	/* nothing to do */
	for (uint64_t i = 0; i < 10; i++)
		io_do(drive, IO_WRITE, i * 100000000, 4096, MS);
	assert_int_equal(sim_drive_submit(drive, &flush, MS, &owner, 77, &done_ns), 0);
	assert_true(done_ns == SIM_LATER);
	while ((now_ns = sim_drive_next_event_ns(drive)) != SIM_LATER)
		if (sim_drive_reap(drive, &owner, now_ns, &done))
			break;
	assert_int_equal(done.tag, 77);
	assert_int_equal(done.result, 0);
	assert_in_range(done.done_ns, 20 * MS, 200 * MS);
	assert_true(sim_drive_next_event_ns(drive) == SIM_LATER);
	sim_drive_free(drive);
}

static void a_command_across_stripes_ends_with_its_last_part(void **state)
{
	struct sim_drive *drive = drive_make("hdd-raid0", 1);
	const struct io io = { .offset = 32768, .bytes = 1 << 20, .op = IO_READ };
	struct sim_done done = { 0 };
	uint64_t done_ns, now_ns;
	int owner, other, count = 0;

	assert_int_equal(sim_drive_submit(drive, &io, 0, &owner, 5, &done_ns), 1 << 20);
	assert_true(done_ns == SIM_LATER);
	while ((now_ns = sim_drive_next_event_ns(drive)) != SIM_LATER) {
		assert_int_equal(sim_drive_reap(drive, &other, now_ns, &done), 0);	/* not the other's */
		count += sim_drive_reap(drive, &owner, now_ns, &done);
	}
	assert_int_equal(count, 1);
	assert_int_equal(done.tag, 5);
	assert_int_equal(done.result, 1 << 20);
	sim_drive_free(drive);
}

static void a_forgotten_owners_commands_finish_unseen(void **state)
{
	struct sim_drive *drive = drive_make("hdd", 1);
	const struct io io = { .bytes = 4096, .op = IO_READ };
	struct sim_done done;
	uint64_t done_ns, now_ns;
	int owner;

	sim_drive_submit(drive, &io, 0, &owner, 5, &done_ns);
	sim_drive_forget(drive, &owner);
	while ((now_ns = sim_drive_next_event_ns(drive)) != SIM_LATER)
		assert_int_equal(sim_drive_reap(drive, &owner, now_ns, &done), 0);
	sim_drive_free(drive);
}

static void what_a_disk_cannot_do_is_said(void **state)
{
	struct sim_drive *drive = drive_make("hdd", 1);
	const struct io trim = { .bytes = 4096, .op = IO_TRIM };
	struct sim_cut cut;
	uint64_t done_ns;

	assert_int_equal(sim_drive_submit(drive, &trim, 0, NULL, 0, &done_ns), -EOPNOTSUPP);
	assert_int_equal(sim_drive_power_cut(drive, 0, &cut), -EOPNOTSUPP);
	sim_drive_free(drive);
}

static void two_disks_give_twice_one_and_errors_are_injected(void **state)
{
	const struct load load = { .bytes = 4096, .depth = 64, .count = 10000, .seed = 1 };
	const struct load half = { .bytes = 4096, .depth = 32, .count = 10000, .seed = 1 };
	const double one = hdd_run("hdd", &half);
	struct sim_drive *drive;

	assert_near(hdd_run("hdd-raid0", &load), 2 * one, 0.1);
	drive = drive_make("hdd,error_rate=0.1,error_ms=50", 1);
	load_run(drive, &half, 0, &result);
	assert_near((double)result.errors, 1000, 0.1);
	sim_drive_free(drive);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_random_read_takes_overhead_seek_half_a_turn_and_transfer),
		cmocka_unit_test(a_longer_queue_makes_shorter_ways),
		cmocka_unit_test(nobody_starves),
		cmocka_unit_test(sequential_reads_run_at_the_media_rate),
		cmocka_unit_test(cached_writes_are_acknowledged_early_until_the_cache_is_full),
		cmocka_unit_test(a_flush_waits_for_the_cache),
		cmocka_unit_test(a_command_across_stripes_ends_with_its_last_part),
		cmocka_unit_test(a_forgotten_owners_commands_finish_unseen),
		cmocka_unit_test(what_a_disk_cannot_do_is_said),
		cmocka_unit_test(two_disks_give_twice_one_and_errors_are_injected),
	};

	return cmocka_run_group_tests_name("sim/hdd", tests, NULL, NULL);
}
