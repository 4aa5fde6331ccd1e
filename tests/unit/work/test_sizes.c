#include "fixture.h"
#include <math.h>
#include <string.h>

static void a_split_has_its_shares_by_count(void **state)
{
	/* no part divides another one; a share below one percent */
	struct load_sizes split = { .count = 4, .part = { { 4 * KIB, 4 * KIB, .672 }, { 512, 512, .004 },
							  { 24 * KIB, 24 * KIB, .3 }, { 64 * KIB, 64 * KIB, .024 } } };
	const enum load_rw kinds[] = { LOAD_RANDREAD, LOAD_WRITE, LOAD_RANDRW };

	for (int k = 0; k < 3; k++) {
		struct load load = load_make(kinds[k], 4 * KIB);
		struct work_config config = config_make(&load, 64 * GIB);
		struct work *work;
		uint32_t counts[4] = { 0 };

		load_sizes_set(&load, split);
		work = work_make(&config);
		for (int i = 0; i < 1000000; i++) {
			uint32_t bytes = io_next(work).bytes;

			for (int p = 0; p < 4; p++)
				counts[p] += bytes == split.part[p].bytes_min;
		}
		assert_int_equal(counts[0] + counts[1] + counts[2] + counts[3], 1000000);
		for (int p = 0; p < 4; p++)
			assert_true(fabs(counts[p] / 1e6 - split.part[p].share) <
				    5 * sqrt(split.part[p].share / 1e6));
		work_free(work);
	}
}

static void a_range_draws_each_multiple_equally_often(void **state)
{
	struct load load = load_make(LOAD_RANDREAD, 4 * KIB);
	struct load_sizes range = { .count = 1, .part = { { 4 * KIB, 64 * KIB, 1 } } };
	struct work_config config = config_make(&load, GIB);
	struct work *work;
	uint32_t counts[16] = { 0 };

	load_sizes_set(&load, range);
	work = work_make(&config);
	for (int i = 0; i < 160000; i++) {
		struct io io = io_next(work);

		assert_int_equal(io.bytes % (4 * KIB), 0);
		assert_int_equal(io.offset % (4 * KIB), 0);
		assert_in_range(io.bytes, 4 * KIB, 64 * KIB);
		counts[io.bytes / (4 * KIB) - 1]++;
	}
	assert_true(chi_square(counts, 16) < chi_square_limit(15));
	work_free(work);
}

static void a_very_long_range_keeps_its_ends_and_its_mean(void **state)
{
	struct load load = load_make(LOAD_RANDREAD, 4 * KIB);
	struct load_sizes range = { .count = 1, .part = { { 512, 16 * MIB, 1 } } };
	struct work_config config = config_make(&load, 64 * GIB);
	struct work *work;
	uint32_t low = UINT32_MAX, high = 0;
	double sum = 0;

	load_sizes_set(&load, range);
	work = work_make(&config);
	for (int i = 0; i < 200000; i++) {
		uint32_t bytes = io_next(work).bytes;

		low = bytes < low ? bytes : low;
		high = bytes > high ? bytes : high;
		sum += bytes;
	}
	assert_int_equal(low, 512);
	assert_int_equal(high, 16 * MIB);
	assert_true(fabs(sum / 200000 / (8 * MIB) - 1) < 0.01);
	work_free(work);
}

static void each_direction_has_its_own_size(void **state)
{
	const enum load_rw kinds[] = { LOAD_RW, LOAD_RANDRW };

	for (int k = 0; k < 2; k++) {
		struct load load = load_make(kinds[k], 4 * KIB);
		struct work_config config = config_make(&load, GIB);
		struct work *work;

		load.sizes[IO_WRITE].part[0] = (struct load_size){ 64 * KIB, 64 * KIB, 1 };
		load.sizes[IO_TRIM].part[0] = (struct load_size){ MIB, MIB, 1 };
		work = work_make(&config);
		for (int i = 0; i < 10000; i++) {
			struct io io = io_next(work);

			assert_int_equal(io.bytes, io.op == IO_READ ? 4 * KIB : 64 * KIB);
			if (kinds[k] == LOAD_RANDRW)
				assert_int_equal(io.offset % io.bytes, 0);
		}
		assert_int_equal(work_io_bytes_max(&load, 512), 64 * KIB);
		work_free(work);
	}
}

static void sizes_are_rounded_up_to_whole_blocks(void **state)
{
	struct load load = load_make(LOAD_RANDWRITE, 512);
	struct load_sizes composite = { .count = 3, .part = { { 512, 512, .2 }, { 1536, 1536, .2 },
							     { 4 * KIB, 4 * KIB, .6 } } };
	struct work_config config = config_make(&load, GIB);
	struct work *work;

	load_sizes_set(&load, composite);
	config.block_bytes = 4096;
	work = work_make(&config);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(io_next(work).bytes, 4096);
	assert_int_equal(work_io_bytes_max(&load, 4096), 4096);
	assert_true(work_io_bytes_mean(&load, IO_WRITE, 4096) == 4096);
	assert_true(fabs(work_io_bytes_mean(&load, IO_WRITE, 512) - (.2 * 512 + .2 * 1536 + .6 * 4096)) < 1e-6);
	work_free(work);
}

static void every_position_of_every_size_is_equally_likely(void **state)
{
	struct load load = load_make(LOAD_RANDREAD, 4 * KIB);
	struct load_sizes split = { .count = 2, .part = { { 4 * KIB, 4 * KIB, .5 }, { 16 * KIB, 16 * KIB, .5 } } };
	struct work_config config = config_make(&load, 32 * 4 * KIB);
	struct work *work;
	uint32_t small[32] = { 0 }, big[29] = { 0 };

	load_sizes_set(&load, split);
	work = work_make(&config);
	for (int i = 0; i < 200000; i++) {
		struct io io = io_next(work);

		if (io.bytes == 4 * KIB)
			small[io.offset / (4 * KIB)]++;
		else
			big[io.offset / (4 * KIB)]++;
	}
	assert_true(chi_square(small, 32) < chi_square_limit(31));
	assert_true(chi_square(big, 29) < chi_square_limit(28));
	work_free(work);
}

static void impossible_sizes_are_refused(void **state)
{
	const struct load_size bad[] = { { 0, 0, 1 }, { 8 * KIB, 4 * KIB, 1 }, { 2 * MIB, 2 * MIB, 1 },
					 { 4 * KIB, 2 * MIB, 1 }, { UINT32_MAX, UINT32_MAX, 1 },
					 { 4 * KIB, 4 * KIB, 0 }, { 4 * KIB, 4 * KIB, -1 } };

	for (int i = 0; i < 7; i++) {
		struct load load = load_make(LOAD_RANDREAD, 4 * KIB);
		struct work_config config = config_make(&load, MIB);
		struct fault fault = { .text = "" };
		struct work *work;

		load.sizes[IO_READ].part[0] = bad[i];
		assert_int_equal(work_new(&config, &work, &fault), -22);
		assert_non_null(strstr(fault.text, "block size"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_split_has_its_shares_by_count),
		cmocka_unit_test(a_range_draws_each_multiple_equally_often),
		cmocka_unit_test(a_very_long_range_keeps_its_ends_and_its_mean),
		cmocka_unit_test(each_direction_has_its_own_size),
		cmocka_unit_test(sizes_are_rounded_up_to_whole_blocks),
		cmocka_unit_test(every_position_of_every_size_is_equally_likely),
		cmocka_unit_test(impossible_sizes_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
