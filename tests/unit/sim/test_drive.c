/* The drive through its contract: reads, writes, trims, map cache, heat, injected faults, truth. */
#include "fixture.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>
#include "sim/sim.h"
#include "sim/thermal.h"
#include "sim/truth.h"

static struct load_result result;

static void unwritten_pages_are_read_without_flash(void **state)
{
	struct sim_drive *drive = drive_make("theory", 1);
	uint64_t now_ns = io_do(drive, IO_WRITE, 0, 4096, 0);

	now_ns = io_do(drive, IO_FLUSH, 0, 0, now_ns) + S;
	assert_in_range(io_do(drive, IO_READ, 8192, 4096, now_ns) - now_ns, 1, 10 * US);
	now_ns += MS;
	assert_in_range(io_do(drive, IO_READ, 0, 4096, now_ns) - now_ns, 50 * US, 70 * US);
	now_ns = io_do(drive, IO_TRIM, 0, 4096, now_ns + MS) + MS;
	assert_in_range(io_do(drive, IO_READ, 0, 4096, now_ns) - now_ns, 1, 10 * US);
	sim_drive_free(drive);
}

static void data_in_the_buffer_is_read_from_memory(void **state)
{
	struct sim_drive *drive = drive_make("theory", 1);
	const uint64_t now_ns = io_do(drive, IO_WRITE, 0, 4096, 0);
	struct sim_truth truth;

	assert_in_range(io_do(drive, IO_READ, 0, 4096, now_ns) - now_ns, 1, 10 * US);
	sim_drive_truth(drive, &truth);
	assert_int_equal(truth.buffer_hits, 1);
	sim_drive_free(drive);
}

static void a_full_buffer_holds_writes_back_to_the_flashs_rate(void **state)
{
	struct sim_drive *drive = drive_make("theory,link_write_mbps=100000,channel_mbps=100000", 1);
	const struct load load = {
		.pattern = LOAD_SEQUENTIAL, .bytes = 131072, .depth = 16, .write_share = 1, .count = 20000
	};

	load_run(drive, &load, 0, &result);
	assert_near(load_iops(&result) * 131072, 16 * 8 * 4096 / 300e-6, 0.02);
	sim_drive_free(drive);
}

static void a_flush_without_protection_takes_a_program_and_with_it_none(void **state)
{
	static const char *const specs[] = { "theory", "theory,plp=on", "theory,flush_lies=on" };
	static const uint64_t least[] = { 300 * US, 20 * US, 20 * US };

	for (int i = 0; i < 3; i++) {
		struct sim_drive *drive = drive_make(specs[i], 1);
		const uint64_t now_ns = io_do(drive, IO_WRITE, 0, 4096, 0);

		assert_in_range(io_do(drive, IO_FLUSH, 0, 0, now_ns) - now_ns, least[i], least[i] + 150 * US);
		sim_drive_free(drive);
	}
}

static void without_write_cache_a_write_takes_a_program(void **state)
{
	struct sim_drive *drive = drive_make("theory", 1);
	uint64_t now_ns = io_do(drive, IO_WRITE, 0, 4096, 0);

	assert_true(now_ns < 20 * US);
	sim_drive_set_write_cache(drive, false);
	assert_true(io_do(drive, IO_WRITE, 4096, 4096, now_ns) - now_ns > 300 * US);
	sim_drive_free(drive);
}

static void part_of_a_page_is_read_before_it_is_written(void **state)
{
	struct sim_drive *drive = drive_make("theory,precondition=sequential", 1);

	assert_true(io_do(drive, IO_WRITE, 0, 512, 0) > 50 * US);
	assert_true(io_do(drive, IO_WRITE, 1 << 20, 4096, S) - S < 20 * US);
	sim_drive_free(drive);
}

static void whole_pages_inside_a_trim_are_forgotten_only(void **state)
{
	struct sim_drive *drive = drive_make("theory,precondition=sequential", 1);
	struct sim_truth truth;

	io_do(drive, IO_TRIM, 512, 3 * 4096, 0);
	sim_drive_truth(drive, &truth);
	assert_int_equal(truth.trimmed_pages, 2);
	assert_int_equal(truth.mapped_pages, truth.user_pages - 2);
	sim_drive_free(drive);
}

static void a_drive_that_was_trimmed_whole_is_like_new(void **state)
{
	struct sim_drive *drive = drive_make("tlc-consumer,shrink=64,precondition=steady", 1);
	struct sim_truth truth;
	const uint64_t done_ns = drive_trim(drive, S);

	assert_true(done_ns > S);
	sim_drive_truth(drive, &truth);
	assert_int_equal(truth.mapped_pages, 0);
	assert_true(truth.free_superblocks < truth.superblocks / 2);	/* erased when there is time */
	io_do(drive, IO_WRITE, 0, 4096, done_ns + 60 * S);
	sim_drive_truth(drive, &truth);
	assert_in_range(truth.free_superblocks, truth.superblocks - 3, truth.superblocks);
	sim_drive_free(drive);
}

static double read_us(const char *spec, double range)
{
	struct sim_drive *drive = drive_make(spec, 1);
	struct load load = { .bytes = 4096, .depth = 1, .count = 60000, .seed = 1, .range = range };

	load_run(drive, &load, 0, &result);	/* fills the map cache */
	load.seed = 2;
	load_run(drive, &load, result.end_ns, &result);
	sim_drive_free(drive);
	return load_mean_ns(&result) / 1e3;
}

#define HMB "sn850,precondition=sequential,map_cache_mb=64,jitter=0,page_types=off"

static void beyond_the_map_cache_reads_cost_a_flash_read_more(void **state)
{
	const double inside = read_us(HMB, 0.06), quarter = read_us(HMB, 0.25), whole = read_us(HMB, 1);
	/* 64 MB hold the map of 64 GiB; the rest misses. */
	const double covered = 64 * 1024 * 1024 / 4096 * 4096.0 * 1024 / 1000.2e9;

	assert_near(inside, 68.6, 0.02);
	assert_near(quarter, 68.6 + 55 * (1 - covered / 0.25), 0.03);
	assert_near(whole, 68.6 + 55 * (1 - covered), 0.03);
}

static void temperature_follows_the_exact_solution(void **state)
{
	const struct sim_params params = params_make("sn850,shrink=1");
	struct sim_thermal thermal;

	sim_thermal_init(&thermal, &params);
	for (uint64_t now_ns = 100 * MS; now_ns <= 60 * S; now_ns += 100 * MS)
		sim_thermal_advance(&thermal, 0, 200000000, now_ns);	/* 2 GB/s */
	/* 30 + 9 K/W * (1.2 + 2.2 + 2.2 W), time constant 126 s, from 30 + 9 * 1.2 */
	assert_near(thermal.temperature_c, 80.4 + (40.8 - 80.4) * exp(-60 / 126.0), 0.001);
	assert_near(sim_thermal_at(&thermal, 60 * S + 126 * S),
		    40.8 + (thermal.temperature_c - 40.8) * exp(-1), 0.001);
}

#define HOT "sn850,shrink=64,ambient_c=35,heat_resistance=10.5,heat_capacity=14,throttle_mbps=600,slc_gb=0"

static void a_hot_drive_throttles_in_a_saw_tooth(void **state)
{
	static struct load_row rows[400];
	struct sim_drive *drive = drive_make(HOT, 1);
	const struct load load = { .pattern = LOAD_SEQUENTIAL,
				   .bytes = 131072,
				   .depth = 32,
				   .write_share = 1,
				   .until_ns = 24 * S,
				   .interval_ns = 100 * MS,
				   .series = rows,
				   .series_rows = 400 };
	struct sim_truth truth;
	uint64_t least = UINT64_MAX, most = 0;

	load_run(drive, &load, 0, &result);
	sim_drive_truth(drive, &truth);
	/* First throttle after about 325 s of the real drive. */
	assert_near((double)truth.first_throttle_ns / 1e9 * 64, 325, 0.1);
	assert_true(truth.throttle_count > 3);
	assert_in_range((uint64_t)truth.hottest_c, 90, 91);
	for (int i = 120; i < 230; i++) {
		least = rows[i].ios < least ? rows[i].ios : least;
		most = rows[i].ios > most ? rows[i].ios : most;
	}
	assert_near((double)least * 131072 * 10 / 1e6, 600, 0.05);
	assert_near((double)most * 131072 * 10 / 1e6, 2130, 0.08);
	sim_drive_free(drive);
}

static void injected_stalls_leave_empty_intervals(void **state)
{
	static struct load_row rows[100];
	struct sim_drive *drive = drive_make("theory,precondition=sequential,stall=1s/300ms/2s", 1);
	const struct load load = { .bytes = 4096,
				   .depth = 8,
				   .until_ns = 6 * S,
				   .interval_ns = 100 * MS,
				   .series = rows,
				   .series_rows = 100,
				   .seed = 1 };

	load_run(drive, &load, 0, &result);
	for (int i = 0; i < 60; i++)
		assert_int_equal(rows[i].ios == 0, i % 20 >= 10 && i % 20 < 13);
	assert_in_range(result.max_ns, 300 * MS, 301 * MS);
	sim_drive_free(drive);
}

static void injected_errors_come_at_their_rate_and_cost_time(void **state)
{
	struct sim_drive *drive =
		drive_make("theory,precondition=sequential,error_rate=0.01,error_at_s=1,error_ms=20", 1);
	const struct load load = { .bytes = 4096, .depth = 8, .count = 1000000, .seed = 1 };
	struct sim_truth truth;

	load_run(drive, &load, 0, &result);
	assert_int_equal(result.ios, 1000000);
	sim_drive_truth(drive, &truth);
	assert_int_equal(truth.injected_errors, result.errors);
	assert_in_range(result.errors, 8000, 10000);	/* none in the first second */
	assert_true(result.max_ns > 20 * MS);
	sim_drive_free(drive);
}

static void one_command_hangs_and_the_others_do_not(void **state)
{
	struct sim_drive *drive = drive_make("theory,precondition=sequential,hang_at_s=1", 1);
	const struct io io = { .bytes = 4096, .op = IO_READ };
	uint64_t done_ns;

	io_do(drive, IO_READ, 0, 4096, S - 1);
	assert_int_equal(sim_drive_submit(drive, &io, S, NULL, 0, &done_ns), -EIO);
	assert_true(done_ns > 100 * 3600 * S);
	assert_true(io_do(drive, IO_READ, 0, 4096, S + 1) < S + MS);
	sim_drive_free(drive);
}

static void contents_survive_collection_and_are_read_back(void **state)
{
	struct sim_drive *drive = drive_make("theory,capacity_gb=0.2,contents=on", 1);
	const uint32_t pages = (uint32_t)(sim_drive_capacity_bytes(drive) / 4096);
	uint32_t *versions = calloc(pages, sizeof(*versions));
	uint32_t buffer[1024];
	struct random random;
	struct sim_truth truth;
	uint64_t now_ns = 0;

	random_init(&random, 3, 3);
	for (uint32_t i = 1; i < 6 * pages; i++) {
		const uint32_t page = (uint32_t)random_below(&random, pages);
		struct io io = {
			.offset = (uint64_t)page * 4096, .bytes = 4096, .op = IO_WRITE, .buffer = buffer
		};

		versions[page] = buffer[0] = buffer[1023] = i;
		assert_int_equal(sim_drive_submit(drive, &io, now_ns, NULL, 0, &now_ns), 4096);
	}
	for (uint32_t page = 0; page < pages; page++) {
		const struct io io = {
			.offset = (uint64_t)page * 4096, .bytes = 4096, .op = IO_READ, .buffer = buffer
		};

		assert_int_equal(sim_drive_submit(drive, &io, now_ns, NULL, 0, &now_ns), 4096);
		assert_int_equal(buffer[0], versions[page]);
		assert_int_equal(buffer[1023], versions[page]);
	}
	sim_drive_truth(drive, &truth);
	assert_true(truth.moved_pages > pages);
	assert_true(sim_drive_keeps_contents(drive));
	free(versions);
	sim_drive_free(drive);
}

static void truth_is_one_json_object_with_what_was_counted(void **state)
{
	struct sim_drive *drive = drive_make("tlc-consumer,shrink=64", 1);
	const struct load load = { .bytes = 4096, .depth = 8, .write_share = 1, .count = 10000, .seed = 1 };
	json_error_t error;
	json_t *truth;
	char *text;

	load_run(drive, &load, 0, &result);
	text = sim_drive_truth_json(drive);
	assert_non_null(text);
	truth = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	assert_non_null(truth);
	assert_int_equal(json_integer_value(json_object_get(truth, "host_pages")), 10000);
	assert_int_equal(json_integer_value(json_object_get(truth, "shrink")), 64);
	assert_string_equal(json_string_value(json_object_get(truth, "profile")), "tlc-consumer");
	assert_true(json_integer_value(json_object_get(truth, "slc_bytes")) > 30000000);
	assert_true(json_is_real(json_object_get(truth, "write_amplification")));
	assert_true(json_is_real(json_object_get(truth, "alpha_effective")));
	json_decref(truth);
	free(text);
	sim_drive_free(drive);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unwritten_pages_are_read_without_flash),
		cmocka_unit_test(data_in_the_buffer_is_read_from_memory),
		cmocka_unit_test(a_full_buffer_holds_writes_back_to_the_flashs_rate),
		cmocka_unit_test(a_flush_without_protection_takes_a_program_and_with_it_none),
		cmocka_unit_test(without_write_cache_a_write_takes_a_program),
		cmocka_unit_test(part_of_a_page_is_read_before_it_is_written),
		cmocka_unit_test(whole_pages_inside_a_trim_are_forgotten_only),
		cmocka_unit_test(a_drive_that_was_trimmed_whole_is_like_new),
		cmocka_unit_test(beyond_the_map_cache_reads_cost_a_flash_read_more),
		cmocka_unit_test(temperature_follows_the_exact_solution),
		cmocka_unit_test(a_hot_drive_throttles_in_a_saw_tooth),
		cmocka_unit_test(injected_stalls_leave_empty_intervals),
		cmocka_unit_test(injected_errors_come_at_their_rate_and_cost_time),
		cmocka_unit_test(one_command_hangs_and_the_others_do_not),
		cmocka_unit_test(contents_survive_collection_and_are_read_back),
		cmocka_unit_test(truth_is_one_json_object_with_what_was_counted),
	};

	return cmocka_run_group_tests_name("sim/drive", tests, NULL, NULL);
}
