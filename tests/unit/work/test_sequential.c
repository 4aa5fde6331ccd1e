#include "fixture.h"

static void a_pass_covers_every_byte_in_order_and_shortens_the_last(void **state)
{
	struct load load = load_make(LOAD_READ, 128 * KIB);
	struct work_config config = config_make(&load, MIB + 512 * 3);
	struct work *work = work_make(&config);
	uint64_t expected = 0;

	for (int i = 0; i < 9; i++) {
		struct io io = io_next(work);

		assert_int_equal(io.offset, expected);
		assert_int_equal(io.op, IO_READ);
		assert_int_equal(io.bytes, i == 8 ? 512 * 3 : 128 * KIB);
		expected += io.bytes;
	}
	assert_int_equal(expected, MIB + 512 * 3);
	assert_int_equal(io_next(work).offset, 0);
	assert_int_equal(work_position(work), 128 * KIB);
	work_free(work);
}

static void batches_of_any_size_give_the_same_stream(void **state)
{
	struct load load = load_make(LOAD_RW, 12 * KIB);
	struct work_config config = config_make(&load, MIB);
	struct work *one = work_make(&config), *many = work_make(&config);
	struct io batch[300];

	for (uint32_t size = 1; size < 300; size++) {
		assert_int_equal(work_next(many, batch, size), size);
		for (uint32_t i = 0; i < size; i++) {
			struct io io = io_next(one);

			assert_int_equal(io.offset, batch[i].offset);
			assert_int_equal(io.bytes, batch[i].bytes);
			assert_int_equal(io.op, batch[i].op);
		}
	}
	work_free(one);
	work_free(many);
}

/* Each ends with -1; in KiB. Those with one segment are what fio 3.33 does. */
static void holes_are_left_and_ways_back_are_gone(void **state)
{
	static const struct { int skip, bytes, range, segments, offset[20]; } cases[] = {
		{ 4, 4, 64, 1, { 0, 8, 16, 24, 32, 40, 48, 56, 0, 8, -1 } },
		{ 8, 8, 64, 1, { 0, 16, 32, 48, 0, 16, -1 } },
		{ -8, 4, 64, 1, { 0, 56, 52, 48, 44, 40, 36, 32, 28, 24, 20, 16, 12, 8, 4, 0, 56, 52, -1 } },
		{ -16, 8, 64, 1, { 0, 48, 40, 32, 24, 16, 8, 0, 48, -1 } },
		{ -8, 8, 64, 1, { 0, 0, 0, -1 } },
		{ 100, 4, 64, 1, { 0, 0, 0, -1 } },
		{ -100, 4, 64, 1, { 0, 0, 0, -1 } },
	};

	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct load load = load_make(LOAD_WRITE, (uint32_t)cases[c].bytes * KIB);
		struct work_config config;
		struct work *work;

		load.rw_skip = cases[c].skip * (int64_t)KIB;
		config = config_make(&load, (uint64_t)cases[c].range * KIB);
		work = work_make(&config);
		for (int i = 0; cases[c].offset[i] >= 0; i++) {
			struct io io = io_next(work);

			if (io.offset != (uint64_t)cases[c].offset[i] * KIB)
				fail_msg("skip %d, I/O %d: %lu", cases[c].skip, i, io.offset);
			assert_int_equal(io.bytes, cases[c].bytes * KIB);
			assert_int_equal(io.op, IO_WRITE);
		}
		work_free(work);
	}
}

/* rw=randread:N: each random place begins a run of N, which the end of the range may cut. */
static void random_places_are_followed(void **state)
{
	for (int identical = 0; identical < 2; identical++) {
		struct load load = load_make(LOAD_RANDREAD, 4 * KIB);
		struct work_config config;
		struct work *work;
		uint64_t runs = 0, left = 0, expected = 0, starts[16] = { 0 };

		load.rw_each = 4;
		load.rw_identical = identical;
		config = config_make(&load, 64 * KIB);
		work = work_make(&config);
		for (int i = 0; i < 64000; i++) {
			struct io io = io_next(work);

			assert_int_equal(io.offset % (4 * KIB), 0);
			if (left && expected < 64 * KIB) {
				assert_int_equal(io.offset, expected);
				left--;
			} else {
				runs++;
				starts[io.offset / (4 * KIB)]++;
				left = 3;
			}
			expected = io.offset + (identical ? 0 : io.bytes);
		}
		/* runs that begin in one of the last three blocks are shorter: 58 I/Os for 16 places */
		assert_in_range(runs, identical ? 16000 : 17400, identical ? 16000 : 17900);
		for (int i = 0; i < 16; i++)
			assert_in_range(starts[i], 850, 1250);
		work_free(work);
	}
}

static void a_mix_has_one_position(void **state)
{
	struct load load = load_make(LOAD_RW, 4 * KIB);
	struct work_config config = config_make(&load, MIB);
	struct work *work = work_make(&config);
	uint32_t ops[2] = { 0, 0 };

	for (uint32_t i = 0; i < 256; i++) {
		struct io io = io_next(work);

		assert_int_equal(io.offset, i * 4 * KIB);
		ops[io.op]++;
	}
	assert_in_range(ops[0], 98, 158);
	work_free(work);
}

static void it_continues_where_another_stopped(void **state)
{
	struct load load = load_make(LOAD_WRITE, 64 * KIB);
	struct work_config config = config_make(&load, MIB);
	struct work *work;

	load.offset_continue = true;
	config.continue_offset = 960 * KIB + 512;
	work = work_make(&config);
	assert_int_equal(io_next(work).offset, 960 * KIB + 512);
	{
		struct io last = io_next(work);	/* wrapped: the first one was cut at the end */

		assert_int_equal(last.offset, 0);
	}
	work_free(work);
	config.continue_offset = MIB;	/* stopped at the very end */
	work = work_make(&config);
	assert_int_equal(io_next(work).offset, 0);
	work_free(work);
}

static void trims_are_trims(void **state)
{
	struct load load = load_make(LOAD_TRIM, 64 * KIB);
	struct work_config config = config_make(&load, MIB);
	struct work *work = work_make(&config);
	struct io io = io_next(work);

	assert_int_equal(io.op, IO_TRIM);
	assert_int_equal(io.bytes, 64 * KIB);
	work_free(work);
}

static void mixed_sizes_stay_gapless(void **state)
{
	struct load load = load_make(LOAD_RW, 4 * KIB);
	struct load_sizes split = { .count = 2, .part = { { 4 * KIB, 4 * KIB, .5 }, { 8 * KIB, 64 * KIB, .5 } } };
	struct work_config config = config_make(&load, 10 * MIB);
	struct work *work;
	uint64_t expected = 0;

	load_sizes_set(&load, split);
	work = work_make(&config);
	for (int i = 0; i < 20000; i++) {
		struct io io = io_next(work);

		assert_int_equal(io.offset, expected);
		expected = (expected + io.bytes) % (10 * MIB);
	}
	work_free(work);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pass_covers_every_byte_in_order_and_shortens_the_last),
		cmocka_unit_test(batches_of_any_size_give_the_same_stream),
		cmocka_unit_test(holes_are_left_and_ways_back_are_gone),
		cmocka_unit_test(random_places_are_followed),
		cmocka_unit_test(a_mix_has_one_position),
		cmocka_unit_test(it_continues_where_another_stopped),
		cmocka_unit_test(trims_are_trims),
		cmocka_unit_test(mixed_sizes_stay_gapless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
