#include "fixture.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void every_block_is_equally_likely(void **state)
{
	const uint32_t sizes[] = { 4 * KIB, 12 * KIB };	/* power of two and not */

	for (int s = 0; s < 2; s++) {
		struct load load = load_make(LOAD_RANDREAD, sizes[s]);
		struct work_config config = config_make(&load, 1000ull * sizes[s] + 512);
		struct work *work = work_make(&config);
		uint32_t counts[1000] = { 0 };

		for (int i = 0; i < 1000000; i++) {
			struct io io = io_next(work);

			assert_int_equal(io.offset % sizes[s], 0);
			assert_int_equal(io.bytes, sizes[s]);
			counts[io.offset / sizes[s]]++;	/* 1000 blocks: the tail of 512 bytes isn't one */
		}
		assert_true(chi_square(counts, 1000) < chi_square_limit(999));
		work_free(work);
	}
}

static void offsets_are_multiples_of_what_is_asked_for(void **state)
{
	static const struct { uint32_t bytes, align; uint64_t range, places; } cases[] = {
		{ 512, 4 * KIB, 64 * KIB, 16 },		/* JESD219: small blocks at the places of large ones */
		{ 4 * KIB, 512, 64 * KIB, 121 },
		{ 4 * KIB, 12 * KIB, 60 * KIB, 5 },
		{ 4 * KIB, MIB, 64 * KIB, 1 },
	};

	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		for (int zoned = 0; zoned < (cases[c].places < 4 ? 1 : 2); zoned++) {
			struct load load = load_make(LOAD_RANDREAD, cases[c].bytes);
			struct work_config config;
			struct work *work;
			uint8_t seen[128] = { 0 };
			uint64_t places = 0;

			load.align_bytes[0] = load.align_bytes[1] = load.align_bytes[2] = cases[c].align;
			if (zoned) {
				load.distribution = DISTRIBUTION_ZONED;
				load.zone_count = 2;
				load.zone[0] = (struct load_zone){ 0.5, 0.25 };
				load.zone[1] = (struct load_zone){ 0.5, 0.75 };
			}
			config = config_make(&load, cases[c].range);
			work = work_make(&config);
			for (int i = 0; i < 20000; i++) {
				struct io io = io_next(work);

				assert_int_equal(io.offset % cases[c].align, 0);
				assert_int_equal(io.bytes, cases[c].bytes);
				assert_true(io.offset + io.bytes <= cases[c].range);
				seen[io.offset / cases[c].align] = 1;
			}
			for (int i = 0; i < 128; i++)
				places += seen[i];
			assert_int_equal(places, cases[c].places);
			work_free(work);
		}
	}
}

static void neighbours_are_independent(void **state)
{
	struct load load = load_make(LOAD_RANDRW, 4 * KIB);
	struct work_config config = config_make(&load, 16 * 4 * KIB);
	struct work *work = work_make(&config);
	uint32_t pairs[256] = { 0 }, with_op[32] = { 0 };
	uint64_t before = io_next(work).offset / (4 * KIB);

	for (int i = 0; i < 512000; i++) {
		struct io io = io_next(work);
		uint64_t block = io.offset / (4 * KIB);

		pairs[before * 16 + block]++;
		with_op[block * 2 + io.op]++;
		before = block;
	}
	assert_true(chi_square(pairs, 256) < chi_square_limit(255));
	assert_true(chi_square(with_op, 32) < chi_square_limit(31));
	work_free(work);
}

/* E08: one capacity of writes drawn with replacement meets 1 - 1/e of the blocks. */
static void one_capacity_with_replacement_meets_63_percent_of_the_blocks(void **state)
{
	enum { BLOCKS = 1 << 20 };
	struct load load = load_make(LOAD_RANDWRITE, 4 * KIB);
	struct work_config config = config_make(&load, (uint64_t)BLOCKS * 4 * KIB);
	struct work *work = work_make(&config);
	uint8_t *seen = test_calloc(BLOCKS, 1);
	uint32_t unique = 0;

	for (int i = 0; i < BLOCKS; i++) {
		uint8_t *block = &seen[io_next(work).offset / (4 * KIB)];

		unique += !*block;
		*block = 1;
	}
	assert_true(fabs((double)unique / BLOCKS - (1 - exp(-1))) < 0.002);	/* 4 deviations */
	test_free(seen);
	work_free(work);
}

static void the_mix_is_exact_in_the_long_run_and_random_in_order(void **state)
{
	const double shares[] = { 0.005, 0.3, 0.5, 0.7, 0.99 };

	for (int s = 0; s < 5; s++) {
		struct load load = load_make(LOAD_RANDRW, 4 * KIB);
		struct work_config config;
		struct work *work;
		int64_t reads = 0, pairs = 0, before = 0;

		load.read_share = shares[s];
		config = config_make(&load, GIB);
		work = work_make(&config);
		for (int i = 1; i <= 1000000; i++) {
			int64_t read = io_next(work).op == IO_READ;

			reads += read;
			pairs += read & before;
			before = read;
			assert_true(fabs((double)reads - shares[s] * i) < 60);
		}
		/* a read after a read is as likely as two independent ones */
		assert_true(fabs((double)pairs / 1e6 - shares[s] * shares[s]) < 0.003);
		work_free(work);
	}
}

static void mixes_of_0_and_100_percent_are_pure(void **state)
{
	for (int reads = 0; reads <= 1; reads++) {
		struct load load = load_make(LOAD_RANDRW, 4 * KIB);
		struct work_config config;
		struct work *work;

		load.read_share = reads;
		config = config_make(&load, GIB);
		work = work_make(&config);
		for (int i = 0; i < 10000; i++)
			assert_int_equal(io_next(work).op, reads ? IO_READ : IO_WRITE);
		work_free(work);
	}
}

static uint64_t first_offsets(struct load *load, uint64_t seed, uint64_t load_seed, uint32_t worker)
{
	struct work_config config;
	struct work *work;
	uint64_t hash = 14695981039346656037ull;

	load->seed = load_seed;
	config = config_make(load, GIB);
	config.seed = seed;
	config.worker = worker;
	config.workers = 4;
	work = work_make(&config);
	for (int i = 0; i < 100; i++) {
		struct io io = io_next(work);

		hash = (hash ^ io.offset ^ io.op) * 1099511628211ull;
	}
	work_free(work);
	return hash;
}

/* E02 */
static void seeds_change_the_sequence_and_the_same_seed_repeats_it(void **state)
{
	for (int map = 0; map < 2; map++) {
		struct load load = load_make(LOAD_RANDRW, 4 * KIB);
		uint64_t first;

		load.random_map = map;
		first = first_offsets(&load, 1, 1, 0);
		assert_int_equal(first_offsets(&load, 1, 1, 0), first);
		assert_int_not_equal(first_offsets(&load, 1, 2, 0), first);
		assert_int_not_equal(first_offsets(&load, 2, 1, 0), first);
		assert_int_not_equal(first_offsets(&load, 1, 1, 1), first);
		load.section = 1;
		assert_int_not_equal(first_offsets(&load, 1, 1, 0), first);
	}
}

/* Golden value: the stream must not change between machines or versions without anybody noticing. */
static void the_stream_of_seed_1_is_what_it_always_was(void **state)
{
	struct load load = load_make(LOAD_RANDRW, 4 * KIB);

	assert_int_equal(first_offsets(&load, 1, 1, 0), 0x23ab01b7e18038c4ull);
}

static void rounds_get_seeds_of_their_own(void **state)
{
	assert_int_not_equal(work_seed(1, 0), work_seed(1, 1));
	assert_int_not_equal(work_seed(1, 0), work_seed(2, 0));
	assert_int_not_equal(work_seed(work_seed(1, 2), 3), work_seed(work_seed(1, 3), 2));
	assert_int_equal(work_seed(7, 9), work_seed(7, 9));
}

static void percentage_random_goes_on_after_the_last_one(void **state)
{
	const double shares[] = { 0, 0.2, 0.75 };

	for (int s = 0; s < 3; s++) {
		struct load load = load_make(LOAD_RANDREAD, 4 * KIB);
		struct work_config config;
		struct work *work;
		uint64_t end = 0;
		uint32_t onward = 0;

		load.percentage_random[IO_READ] = shares[s];
		config = config_make(&load, GIB);
		work = work_make(&config);
		for (int i = 0; i < 100000; i++) {
			struct io io = io_next(work);

			onward += io.offset == end % GIB;
			end = io.offset + io.bytes;
		}
		assert_true(fabs(onward / 1e5 - (1 - shares[s])) < 0.01);
		work_free(work);
	}
}

static void percentage_random_is_by_direction(void **state)
{
	struct load load = load_make(LOAD_RANDRW, 4 * KIB);
	struct work_config config = config_make(&load, GIB);
	struct work *work;
	uint64_t end = 0;
	uint32_t onward[2] = { 0, 0 }, ops[2] = { 0, 0 };

	load.percentage_random[IO_READ] = 0.9;
	load.percentage_random[IO_WRITE] = 0.1;
	work = work_make(&config);
	for (int i = 0; i < 100000; i++) {
		struct io io = io_next(work);

		onward[io.op] += io.offset == end % GIB;
		ops[io.op]++;
		end = io.offset + io.bytes;
	}
	assert_true(fabs((double)onward[IO_READ] / ops[IO_READ] - 0.1) < 0.01);
	assert_true(fabs((double)onward[IO_WRITE] / ops[IO_WRITE] - 0.9) < 0.01);
	work_free(work);
}

/* E22: sectors that are no power of two */
static void odd_sectors_are_aligned_by_remainder(void **state)
{
	const uint32_t blocks[] = { 512, 520, 528, 4096, 4104, 4224 };

	for (int b = 0; b < 6; b++) {
		struct load load = load_make(LOAD_RANDWRITE, 4 * KIB);
		struct work_config config = config_make(&load, 100000ull * blocks[b] + 17);
		struct work *work;

		config.block_bytes = blocks[b];
		work = work_make(&config);
		for (int i = 0; i < 10000; i++) {
			struct io io = io_next(work);

			assert_int_equal(io.offset % blocks[b], 0);
			assert_int_equal(io.bytes % blocks[b], 0);
			assert_true(io.bytes >= 4 * KIB && io.bytes < 4 * KIB + blocks[b]);
			assert_true(io.offset + io.bytes <= 100000ull * blocks[b]);
		}
		work_free(work);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_block_is_equally_likely),
		cmocka_unit_test(offsets_are_multiples_of_what_is_asked_for),
		cmocka_unit_test(neighbours_are_independent),
		cmocka_unit_test(one_capacity_with_replacement_meets_63_percent_of_the_blocks),
		cmocka_unit_test(the_mix_is_exact_in_the_long_run_and_random_in_order),
		cmocka_unit_test(mixes_of_0_and_100_percent_are_pure),
		cmocka_unit_test(seeds_change_the_sequence_and_the_same_seed_repeats_it),
		cmocka_unit_test(the_stream_of_seed_1_is_what_it_always_was),
		cmocka_unit_test(rounds_get_seeds_of_their_own),
		cmocka_unit_test(percentage_random_goes_on_after_the_last_one),
		cmocka_unit_test(percentage_random_is_by_direction),
		cmocka_unit_test(odd_sectors_are_aligned_by_remainder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
