/* The drive as a queue: laws that hold for any. */
#include "fixture.h"

#include <stdio.h>
#include <string.h>
#include "sim/truth.h"

static struct load_result result;

#define ONE_DIE \
	"theory,capacity_gb=1,channels=1,dies=1,planes=1,page_kb=4,precondition=sequential,read_us=100," \
	"channel_mbps=100000,link_read_mbps=100000,read_us_fixed=0,read_us_command=0"

/* Poisson arrivals at one die of 100 us: the mean response of M/D/1 is s + rho s / (2 (1 - rho)). */
static void one_die_responds_as_md1_says(void **state)
{
	static const double loads[] = { 0.5, 0.8, 0.9 };

	for (size_t i = 0; i < 3; i++) {
		struct sim_drive *drive = drive_make(ONE_DIE, 1);
		const double service_ns = 100 * US + 41, rho = loads[i] * service_ns / (100 * US);
		const struct load load = { .bytes = 4096,
					   .depth = 4096,
					   .rate = loads[i] * 10000,
					   .seed = 5 + i,
					   .count = i == 2 ? 6000000 : 2000000 };

		load_run(drive, &load, 0, &result);
		assert_near(load_mean_ns(&result), service_ns * (1 + rho / (2 * (1 - rho))), 0.02);
		sim_drive_free(drive);
	}
}

static const struct {
	const char *spec;
	struct load load;
} runs[] = {
	{ "sn850,precondition=sequential", { .bytes = 4096, .depth = 64, .count = 200000, .seed = 1 } },
	{ "sn850,precondition=steady",
	  { .bytes = 4096, .depth = 32, .write_share = 1, .count = 200000, .seed = 1 } },
	{ "840pro,precondition=steady",
	  { .bytes = 4096, .depth = 256, .write_share = 0.5, .count = 200000, .seed = 1 } },
	{ "intel750,precondition=steady",
	  { .bytes = 4096, .depth = 32, .write_share = 0.3, .count = 200000, .seed = 1 } },
	{ "tlc-consumer", { .bytes = 131072, .depth = 8, .write_share = 1, .count = 50000, .seed = 1 } },
	{ "qlc-consumer", { .bytes = 65536, .depth = 4, .write_share = 0.7, .count = 50000, .seed = 1 } },
	{ "sata-tlc",
	  { .bytes = 4096, .depth = 8, .write_share = 1, .rate = 20000, .count = 100000, .seed = 1 } },
	{ "tlc-datacenter,precondition=steady",
	  { .bytes = 8192, .depth = 128, .write_share = 0.3, .count = 100000, .seed = 1 } },
	{ "hdd-raid0", { .bytes = 4096, .depth = 32, .count = 5000, .seed = 1 } },
	{ "hdd", { .bytes = 65536, .depth = 4, .write_share = 0.5, .count = 5000, .seed = 1 } },
};

static void littles_law_holds_on_every_run(void **state)
{
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		struct sim_drive *drive = drive_make(runs[i].spec, 1);
		const double rate = runs[i].load.rate;
		double seconds;

		load_run(drive, &runs[i].load, 0, &result);
		assert_int_equal(result.ios, runs[i].load.count);
		assert_int_equal(result.errors, 0);
		seconds = (double)(result.end_ns - result.start_ns) / 1e9;
		assert_near(result.flight_ns / 1e9 / seconds,
			    load_iops(&result) * load_mean_ns(&result) / 1e9, 0.005);
		if (rate == 0)	/* a closed loop is always full, but for its end */
			assert_near(result.flight_ns / 1e9 / seconds, runs[i].load.depth, 0.03);
		sim_drive_free(drive);
	}
}

static void throughput_never_exceeds_its_bounds(void **state)
{
	static const uint32_t depths[] = { 1, 2, 4, 16, 64, 256 };
	double before = 0;

	for (size_t i = 0; i < 6; i++) {
		struct sim_drive *drive = drive_make("theory,precondition=sequential", 1);
		const struct load load = { .bytes = 4096, .depth = depths[i], .count = 100000, .seed = 1 };
		const double least_ns = 1 * US + 50 * US + 4096 + 1365 + 5 * US; /* alone on the drive */
		double iops;

		load_run(drive, &load, 0, &result);
		iops = load_iops(&result);
		assert_true(iops <= depths[i] * 1e9 / least_ns * 1.001);	/* N / R0 */
		assert_true(iops <= 16 * 1e9 / (50 * US + 4096));		/* dies */
		assert_true(iops <= 1e9 / 1365.0);				/* link */
		assert_true(iops <= 1e9 / 1000.0);				/* controller */
		assert_true(iops > before);
		before = iops;
		if (depths[i] == 1)
			assert_near(load_mean_ns(&result), least_ns, 0.001);
		sim_drive_free(drive);
	}
}

static void the_same_seed_gives_the_same_run(void **state)
{
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		uint64_t checksums[2], ends[2];

		for (int again = 0; again < 2; again++) {
			struct sim_drive *drive = drive_make(runs[i].spec, 7);

			load_run(drive, &runs[i].load, 0, &result);
			checksums[again] = result.checksum;
			ends[again] = result.end_ns;
			sim_drive_free(drive);
		}
		assert_true(checksums[0] == checksums[1]);
		assert_true(ends[0] == ends[1]);
	}
}

static void another_seed_gives_another_run_and_another_serial(void **state)
{
	struct sim_drive *one = drive_make("sn850,precondition=sequential", 1);
	struct sim_drive *two = drive_make("sn850,precondition=sequential", 2);
	uint64_t checksum;

	assert_string_not_equal(sim_drive_serial(one), sim_drive_serial(two));
	load_run(one, &runs[0].load, 0, &result);
	checksum = result.checksum;
	load_run(two, &runs[0].load, 0, &result);
	assert_true(checksum != result.checksum);
	sim_drive_free(one);
	sim_drive_free(two);
}

static void commands_beyond_the_drives_queue_wait_in_the_host(void **state)
{
	const struct load load = { .bytes = 4096, .depth = 256, .count = 100000, .seed = 1 };
	struct sim_drive *drive = drive_make("840pro,precondition=sequential", 1);
	double deep;

	load_run(drive, &load, 0, &result);
	deep = load_iops(&result);
	assert_near(load_mean_ns(&result), 256 / deep * 1e9, 0.01);	/* counted from the host's issue */
	sim_drive_free(drive);
	drive = drive_make("840pro,precondition=sequential,queue_depth=1", 1);
	load_run(drive, &load, 0, &result);
	/* One at a time inside: as slow as queue depth 1. */
	assert_true(load_iops(&result) < 12000 && load_iops(&result) > 8000);
	sim_drive_free(drive);
}

struct steady {
	double iops, p99_ns, amplification;
};

/* p99 settles slowly: it depends on how the dies' programs fall into step. */
static struct steady steady_run(const char *spec, uint64_t settle)
{
	struct sim_drive *drive = drive_make(spec, 3);
	struct load load = { .bytes = 4096, .depth = 32, .write_share = 1, .seed = 1, .count = settle };
	struct sim_truth before, after;

	load_run(drive, &load, 0, &result);
	sim_drive_truth(drive, &before);
	load.count = 3000000;
	load.seed = 2;
	load_run(drive, &load, result.end_ns, &result);
	sim_drive_truth(drive, &after);
	sim_drive_free(drive);
	return (struct steady){ load_iops(&result), load_percentile_ns(&result, 0.99),
				sim_truth_amplification(&before, &after) };
}

static void results_do_not_depend_on_shrink(void **state)
{
	const struct steady four = steady_run("sn850,precondition=steady,shrink=4", 5000000);
	const struct steady sixteen = steady_run("sn850,precondition=steady,shrink=16", 5000000);
	const struct steady sixtyfour = steady_run("sn850,precondition=steady,shrink=64", 1000000);

	assert_near(four.iops, sixteen.iops, 0.01);
	assert_near(sixtyfour.iops, sixteen.iops, 0.01);
	assert_near(four.amplification, sixteen.amplification, 0.01);
	assert_near(sixtyfour.amplification, sixteen.amplification, 0.01);
	assert_near(four.p99_ns, sixteen.p99_ns, 0.1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_die_responds_as_md1_says),
		cmocka_unit_test(littles_law_holds_on_every_run),
		cmocka_unit_test(throughput_never_exceeds_its_bounds),
		cmocka_unit_test(the_same_seed_gives_the_same_run),
		cmocka_unit_test(another_seed_gives_another_run_and_another_serial),
		cmocka_unit_test(commands_beyond_the_drives_queue_wait_in_the_host),
		cmocka_unit_test(results_do_not_depend_on_shrink),
	};

	return cmocka_run_group_tests_name("sim/queueing", tests, NULL, NULL);
}
