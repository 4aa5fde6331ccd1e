#include "fixture.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SECTOR 512

/* Counts visits of each sector over the I/Os of one pass (bytes of the range); returns the number of I/Os. */
static uint32_t visit_pass(struct work *work, uint8_t *visits, uint64_t bytes)
{
	uint64_t done = 0;
	uint32_t ios = 0;

	while (done < bytes) {
		struct io io = io_next(work);

		for (uint64_t at = io.offset; at < io.offset + io.bytes; at += SECTOR)
			visits[at / SECTOR]++;
		done += io.bytes;
		ios++;
	}
	assert_int_equal(done, bytes);
	return ios;
}

static void assert_once_per_pass(const struct load *load, uint64_t target_bytes, int passes)
{
	struct work_config config = config_make(load, target_bytes);
	struct work *work = work_make(&config);
	uint64_t sectors = target_bytes / SECTOR;
	uint8_t *visits = test_calloc(sectors, 1);

	for (int pass = 1; pass <= passes; pass++) {
		visit_pass(work, visits, sectors * SECTOR);
		for (uint64_t i = 0; i < sectors; i++)
			assert_int_equal(visits[i], pass);
	}
	test_free(visits);
	work_free(work);
}

static void each_block_comes_exactly_once_per_pass(void **state)
{
	const uint64_t targets[] = { 4 * KIB, 8 * KIB, 12 * KIB, 100 * KIB, MIB, 7 * MIB + 3 * SECTOR, 64 * MIB,
				     64 * MIB + 4 * KIB };
	const enum load_rw directions[] = { LOAD_RANDREAD, LOAD_RANDWRITE, LOAD_RANDRW, LOAD_RANDTRIM };

	for (int t = 0; t < 8; t++) {
		for (int d = 0; d < 4; d++) {
			struct load load = load_make(directions[d], 4 * KIB);

			load.random_map = true;
			assert_once_per_pass(&load, targets[t], 3);
		}
	}
}

static void lfsr_is_the_same_map(void **state)
{
	struct load load = load_make(LOAD_RANDWRITE, 4 * KIB);

	load.generator_lfsr = true;
	assert_once_per_pass(&load, 5 * MIB, 2);
}

static void mixed_sizes_cover_everything_once_too(void **state)
{
	const struct load_sizes mixes[] = {
		{ .count = 1, .part = { { 4 * KIB, 64 * KIB, 1 } } },
		{ .count = 2, .part = { { 4 * KIB, 4 * KIB, .9 }, { 16 * KIB, 16 * KIB, .1 } } },
		{ .count = 3, .part = { { 512, 512, .04 }, { 4 * KIB, 4 * KIB, .66 }, { 24 * KIB, 24 * KIB, .3 } } },
		{ .count = 1, .part = { { 512, MIB, 1 } } },
	};
	const uint64_t targets[] = { MIB, 13 * MIB + 7 * SECTOR, 64 * MIB };

	for (int m = 0; m < 4; m++) {
		for (int t = 0; t < 3; t++) {
			struct load load = load_make(LOAD_RANDRW, 4 * KIB);

			load.random_map = true;
			load_sizes_set(&load, mixes[m]);
			assert_once_per_pass(&load, targets[t], 2);
		}
	}
}

static void mixed_sizes_keep_their_shares_by_count_and_directions(void **state)
{
	struct load load = load_make(LOAD_RANDRW, 4 * KIB);
	struct load_sizes split = { .count = 3, .part = { { 4 * KIB, 4 * KIB, .6 }, { 8 * KIB, 8 * KIB, .3 },
							  { 64 * KIB, 64 * KIB, .1 } } };
	struct work_config config = config_make(&load, 4 * GIB);
	struct work *work;
	uint32_t counts[2][3] = { { 0 } };

	load.random_map = true;
	load.read_share = 0.7;
	load_sizes_set(&load, split);
	work = work_make(&config);
	for (int i = 0; i < 200000; i++) {
		struct io io = io_next(work);

		counts[io.op][io.bytes == 4 * KIB ? 0 : io.bytes == 8 * KIB ? 1 : 2]++;
	}
	for (int op = 0; op < 2; op++)
		for (int part = 0; part < 3; part++)
			assert_true(fabs(counts[op][part] / 2e5 - split.part[part].share * (op ? .3 : .7)) < 0.005);
	work_free(work);
}

static void directions_of_different_size_share_one_map(void **state)
{
	struct load load = load_make(LOAD_RANDRW, 4 * KIB);

	load.random_map = true;
	load.sizes[IO_WRITE].part[0] = (struct load_size){ 32 * KIB, 32 * KIB, 1 };
	assert_once_per_pass(&load, 33 * MIB, 2);
}

static void the_second_pass_has_another_order(void **state)
{
	struct load load = load_make(LOAD_RANDREAD, 4 * KIB);
	struct work_config config = config_make(&load, 4 * MIB);
	struct work *work;
	uint64_t first[1024];
	uint32_t same = 0;

	load.random_map = true;
	work = work_make(&config);
	for (int i = 0; i < 1024; i++)
		first[i] = io_next(work).offset;
	for (int i = 0; i < 1024; i++)
		same += io_next(work).offset == first[i];
	assert_true(same < 10);	/* 1 expected */
	work_free(work);
}

static uint64_t pieces_hash(struct work *work, uint64_t bytes)
{
	uint64_t sum = 0, done = 0;

	while (done < bytes) {
		struct io io = io_next(work);

		sum += (io.offset * 0x9e3779b97f4a7c15ull) ^ (io.bytes * 0xd1b54a32d192ed03ull);
		done += io.bytes;
	}
	return sum;	/* whatever the order */
}

static void the_second_pass_is_cut_into_other_pieces(void **state)
{
	struct load load = load_make(LOAD_RANDWRITE, 4 * KIB);
	struct load_sizes split = { .count = 2, .part = { { 4 * KIB, 4 * KIB, .5 }, { 16 * KIB, 16 * KIB, .5 } } };
	struct work_config config = config_make(&load, 64 * MIB);
	struct work *work;

	load.random_map = true;
	load_sizes_set(&load, split);
	work = work_make(&config);
	assert_int_not_equal(pieces_hash(work, 64 * MIB), pieces_hash(work, 64 * MIB));
	work_free(work);
}

/* The order: no part of the range is favoured at any time, steps from one block to the next are those of
 * random numbers (the distance of two independent blocks round a ring is uniform), over many keys. */
static void the_order_looks_random(void **state)
{
	const uint64_t counts[] = { 4096, 5000, 65536, 100003, 1 << 20 };

	for (int c = 0; c < 5; c++) {
		for (uint64_t seed = 0; seed < 200; seed++) {
			struct load load = load_make(LOAD_RANDREAD, 4 * KIB);
			struct work_config config = config_make(&load, counts[c] * 4 * KIB);
			struct work *work;
			uint32_t pairs[256] = { 0 }, steps[64] = { 0 };
			uint64_t before;
			uint32_t count = counts[c] / 4 < 100000 ? (uint32_t)counts[c] / 4 : 100000;

			load.random_map = true;
			config.seed = seed;
			work = work_make(&config);
			before = io_next(work).offset / (4 * KIB);
			for (uint32_t i = 1; i < count; i++) {
				uint64_t block = io_next(work).offset / (4 * KIB);

				pairs[before * 16 / counts[c] * 16 + block * 16 / counts[c]]++;
				steps[(block + counts[c] - before) % counts[c] * 64 / counts[c]]++;
				before = block;
			}
			assert_true(chi_square(pairs, 256) < chi_square_limit(255));
			assert_true(chi_square(steps, 64) < chi_square_limit(63));
			work_free(work);
		}
	}
}

static void it_needs_no_memory(void **state)
{
	struct load load = load_make(LOAD_RANDWRITE, 4 * KIB);
	struct work_config config = config_make(&load, 1ull << 50);
	struct work *work;

	load.random_map = true;
	assert_true(work_memory_bytes(&config) < 4096);
	work = work_make(&config);
	for (int i = 0; i < 1000; i++)
		assert_true(io_next(work).offset < 1ull << 50);
	work_free(work);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_block_comes_exactly_once_per_pass),
		cmocka_unit_test(lfsr_is_the_same_map),
		cmocka_unit_test(mixed_sizes_cover_everything_once_too),
		cmocka_unit_test(mixed_sizes_keep_their_shares_by_count_and_directions),
		cmocka_unit_test(directions_of_different_size_share_one_map),
		cmocka_unit_test(the_second_pass_has_another_order),
		cmocka_unit_test(the_second_pass_is_cut_into_other_pieces),
		cmocka_unit_test(the_order_looks_random),
		cmocka_unit_test(it_needs_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
