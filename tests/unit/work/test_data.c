#include "fixture.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "work/data.h"

static double zlib_share(const void *bytes, size_t count)
{
	uLongf packed = compressBound(count);
	void *buffer = test_malloc(packed);

	assert_int_equal(compress2(buffer, &packed, bytes, count, 6), Z_OK);
	test_free(buffer);
	return (double)packed / (double)count;
}

static int by_hash(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

/* Share of pieces of `piece` bytes whose contents occur once or first. */
static double unique_share(const uint8_t *bytes, size_t count, size_t piece)
{
	size_t pieces = count / piece, unique = 0;
	uint64_t *hash = test_malloc(pieces * sizeof(*hash));

	for (size_t i = 0; i < pieces; i++) {
		hash[i] = 14695981039346656037ull;
		for (size_t at = 0; at < piece; at += 8) {
			uint64_t word;

			memcpy(&word, bytes + i * piece + at, 8);
			hash[i] = (hash[i] ^ word) * 1099511628211ull;
			hash[i] ^= hash[i] >> 29;
		}
	}
	qsort(hash, pieces, sizeof(*hash), by_hash);
	for (size_t i = 0; i < pieces; i++)
		unique += i == 0 || hash[i] != hash[i - 1];
	test_free(hash);
	return (double)unique / (double)pieces;
}

static struct data *data_make(const struct load *load, uint64_t stream)
{
	struct data *data;

	assert_int_equal(data_new(load, 1, stream, &data), 0);
	return data;
}

/* What a worker with `depth` slots used in turn writes: `ios` writes of io_bytes, one after the other. */
static uint8_t *written(const struct load *load, uint32_t depth, uint32_t io_bytes, uint32_t ios)
{
	struct data *data = data_make(load, 0);
	uint64_t slot_bytes = data_slot_bytes(data, depth, io_bytes);
	uint8_t *slots = test_malloc(slot_bytes * depth), *file = test_malloc((size_t)io_bytes * ios);

	data_fill(data, slots, slot_bytes * depth);
	for (uint32_t i = 0; i < ios; i++) {
		uint8_t *slot = slots + slot_bytes * (i % depth), *from = data_next(data, slot, io_bytes, (uint64_t)i * io_bytes);

		assert_true(from >= slot && from + io_bytes <= slot + slot_bytes);
		memcpy(file + (size_t)i * io_bytes, from, io_bytes);
	}
	test_free(slots);
	data_free(data);
	return file;
}

static void default_data_neither_compresses_nor_repeats(void **state)
{
	const struct { uint32_t depth, bytes; } cases[] = {
		{ 1, 512 }, { 1, 4 * KIB }, { 32, 4 * KIB }, { 128, 4 * KIB }, { 7, 12 * KIB }, { 1, 128 * KIB },
		{ 32, MIB }, { 1, 520 },
	};

	for (int i = 0; i < 8; i++) {
		struct load load = load_make(LOAD_WRITE, cases[i].bytes);
		uint32_t ios = 9 * MIB / cases[i].bytes;
		size_t count = (size_t)ios * cases[i].bytes;
		uint8_t *file = written(&load, cases[i].depth, cases[i].bytes, ios);

		assert_true(zlib_share(file, count) > 0.99);
		assert_true(unique_share(file, count, cases[i].bytes < 4096 ? cases[i].bytes / 8 * 8 : 4096) == 1);
		test_free(file);
	}
}

static void refilled_data_is_all_new(void **state)
{
	struct load load = load_make(LOAD_WRITE, 4 * KIB);
	uint8_t *file;

	load.refill_buffers = true;
	file = written(&load, 1, 4 * KIB, 4096);
	assert_true(zlib_share(file, 16 * MIB) > 0.99);
	assert_true(unique_share(file, 16 * MIB, 64) == 1);
	test_free(file);
}

/* E10 */
static void compressible_data_compresses_by_the_share_asked_for(void **state)
{
	const double shares[] = { 0.1, 0.3, 0.5, 0.7, 0.9 };

	for (int s = 0; s < 5; s++) {
		for (int refill = 0; refill < 2; refill++) {
			for (uint32_t chunk = 0; chunk <= 64 * KIB; chunk = chunk ? chunk * 128 : 512) {
				struct load load = load_make(LOAD_WRITE, 8 * KIB);
				uint8_t *file;
				double got;

				load.compress_share = shares[s];
				load.compress_chunk_bytes = chunk;
				load.refill_buffers = refill;
				file = written(&load, 4, 8 * KIB, 128);
				got = 1 - zlib_share(file, MIB);
				if (fabs(got - shares[s]) > 0.03)
					fail_msg("asked %g, got %g, chunk %u", shares[s], got, chunk);
				assert_true(unique_share(file, MIB, 8 * KIB) == 1);
				test_free(file);
			}
		}
	}
}

static void writes_longer_than_a_chunk_keep_the_share(void **state)
{
	struct load load = load_make(LOAD_WRITE, 4 * KIB);
	struct load_sizes split = { .count = 2, .part = { { 4 * KIB, 4 * KIB, .5 }, { 6 * KIB, 6 * KIB, .5 } } };
	uint8_t *file;

	load_sizes_set(&load, split);
	load.compress_share = 0.6;
	load.refill_buffers = true;
	file = written(&load, 1, 6 * KIB, 300);
	assert_true(fabs(1 - zlib_share(file, 1800 * KIB) - 0.6) < 0.03);
	test_free(file);
}

static void copies_make_up_the_share_asked_for_also_in_small_files(void **state)
{
	const double shares[] = { 0.1, 0.5, 0.9, 0.99 };
	const uint32_t blocks[] = { 200, 16384 };

	for (int s = 0; s < 4; s++) {
		for (int b = 0; b < 2; b++) {
			struct load load = load_make(LOAD_WRITE, 4 * KIB);
			uint8_t *file;
			double got;

			load.dedupe_share = shares[s];
			file = written(&load, 8, 4 * KIB, blocks[b]);
			got = 1 - unique_share(file, (size_t)blocks[b] * 4 * KIB, 4 * KIB);
			if (fabs(got - shares[s]) > 0.02)
				fail_msg("asked %g, got %g of %u blocks", shares[s], got, blocks[b]);
			test_free(file);
		}
	}
}

static void copies_and_compression_go_together(void **state)
{
	struct load load = load_make(LOAD_WRITE, 16 * KIB);
	uint8_t *file;

	load.dedupe_share = 0.4;
	load.compress_share = 0.5;
	file = written(&load, 1, 16 * KIB, 4096);
	assert_true(fabs(1 - unique_share(file, 64 * MIB, 16 * KIB) - 0.4) < 0.02);
	for (size_t i = 0; i < 64 * MIB; i += MIB)	/* copies lie mostly beyond zlib's window of two blocks */
		assert_true(zlib_share(file + i, 16 * KIB) < 0.53);
	test_free(file);
}

static void zero_buffers_are_zero(void **state)
{
	struct load load = load_make(LOAD_WRITE, 4 * KIB);
	uint8_t *file;

	load.zero_buffers = true;
	file = written(&load, 4, 4 * KIB, 256);
	for (size_t i = 0; i < MIB; i++)
		assert_int_equal(file[i], 0);
	test_free(file);
}

static void reads_of_a_mix_never_reach_what_is_written(void **state)
{
	struct load load = load_make(LOAD_RANDRW, 4 * KIB);
	struct data *data = data_make(&load, 0);
	uint64_t slot_bytes = data_slot_bytes(data, 4, 4 * KIB);
	uint8_t *slot = test_malloc(slot_bytes);

	assert_true(slot_bytes >= 8 * KIB);
	data_fill(data, slot, slot_bytes);
	for (int i = 0; i < 10000; i++)
		assert_true((uint8_t *)data_next(data, slot, 4 * KIB, 0) >= slot + 4 * KIB);
	test_free(slot);
	data_free(data);
}

/* Two alike, one asked for each I/O and one for a batch: the same buffers with the same contents. */
static void a_batch_is_its_ios_one_by_one(void **state)
{
	enum { SLOTS = 8, BATCHES = 50 };
	struct load loads[5];

	for (int k = 0; k < 5; k++)
		loads[k] = load_make(k < 4 ? LOAD_RANDWRITE : LOAD_RANDRW, 12 * KIB);
	loads[1].zero_buffers = true;
	loads[2].refill_buffers = true;
	loads[3].dedupe_share = 0.5;
	for (int k = 0; k < 5; k++) {
		struct data *one = data_make(&loads[k], 0), *all = data_make(&loads[k], 0);
		uint64_t slot_bytes = data_slot_bytes(one, SLOTS, 12 * KIB);
		uint8_t *of_one = test_malloc(slot_bytes * SLOTS), *of_all = test_malloc(slot_bytes * SLOTS);
		struct io ios[SLOTS];

		assert_int_equal(data_slot_bytes(all, SLOTS, 12 * KIB), slot_bytes);
		data_fill(one, of_one, slot_bytes * SLOTS);
		data_fill(all, of_all, slot_bytes * SLOTS);
		for (uint32_t i = 0; i < BATCHES * SLOTS; i++) {
			uint32_t slot = i % SLOTS;
			uint8_t *of_slot = of_one + slot_bytes * slot;

			ios[slot] = (struct io){ .op = k == 4 && i % 3 == 0 ? IO_READ : IO_WRITE, .offset = i * 4096ull,
						 .bytes = (i % 5 ? 12 : 4) * KIB, .buffer = of_all + slot_bytes * slot };
			if (ios[slot].op == IO_WRITE)
				of_slot = data_next(one, of_slot, ios[slot].bytes, ios[slot].offset);
			if (slot < SLOTS - 1)
				continue;
			data_next_each(all, ios, SLOTS);
			assert_int_equal((uint8_t *)ios[slot].buffer - of_all, of_slot - of_one);
			assert_memory_equal(of_all, of_one, slot_bytes * SLOTS);
		}
		test_free(of_one);
		test_free(of_all);
		data_free(one);
		data_free(all);
	}
}

static void loads_that_do_not_write_need_one_buffer_per_slot(void **state)
{
	const enum load_rw kinds[] = { LOAD_READ, LOAD_RANDREAD, LOAD_RANDTRIM };

	for (int k = 0; k < 3; k++) {
		struct load load = load_make(kinds[k], 4 * KIB);
		struct data *data = data_make(&load, 0);

		assert_int_equal(data_slot_bytes(data, 32, 4 * KIB), 4 * KIB);
		data_free(data);
	}
}

static void workers_and_seeds_write_different_data(void **state)
{
	struct load load = load_make(LOAD_WRITE, 4 * KIB);
	uint8_t buffer[3][4096];

	for (int i = 0; i < 3; i++) {
		struct data *data;

		assert_int_equal(data_new(&load, i == 2 ? 2 : 1, i == 1, &data), 0);
		data_fill(data, buffer[i], 4096);
		data_free(data);
	}
	assert_memory_not_equal(buffer[0], buffer[1], 4096);
	assert_memory_not_equal(buffer[0], buffer[2], 4096);
}

static void the_same_seed_writes_the_same_data(void **state)
{
	struct load load = load_make(LOAD_WRITE, 4 * KIB);
	uint8_t *one, *two;

	load.dedupe_share = 0.3;
	one = written(&load, 2, 4 * KIB, 100);
	two = written(&load, 2, 4 * KIB, 100);
	assert_memory_equal(one, two, 400 * KIB);
	test_free(one);
	test_free(two);
}

static void touching_one_buffer_makes_it_new_every_time(void **state)
{
	struct load load = load_make(LOAD_WRITE, 16 * KIB);
	struct data *data = data_make(&load, 0);
	uint8_t *file = test_malloc(16 * MIB), buffer[16 * KIB];

	data_fill(data, buffer, sizeof(buffer));
	for (uint32_t i = 0; i < 1024; i++) {
		data_touch(data, buffer, sizeof(buffer), i * sizeof(buffer));
		memcpy(file + i * sizeof(buffer), buffer, sizeof(buffer));
	}
	assert_true(unique_share(file, 16 * MIB, 4 * KIB) == 1);
	test_free(file);
	data_free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(default_data_neither_compresses_nor_repeats),
		cmocka_unit_test(refilled_data_is_all_new),
		cmocka_unit_test(compressible_data_compresses_by_the_share_asked_for),
		cmocka_unit_test(writes_longer_than_a_chunk_keep_the_share),
		cmocka_unit_test(copies_make_up_the_share_asked_for_also_in_small_files),
		cmocka_unit_test(copies_and_compression_go_together),
		cmocka_unit_test(zero_buffers_are_zero),
		cmocka_unit_test(reads_of_a_mix_never_reach_what_is_written),
		cmocka_unit_test(a_batch_is_its_ios_one_by_one),
		cmocka_unit_test(loads_that_do_not_write_need_one_buffer_per_slot),
		cmocka_unit_test(workers_and_seeds_write_different_data),
		cmocka_unit_test(the_same_seed_writes_the_same_data),
		cmocka_unit_test(touching_one_buffer_makes_it_new_every_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
