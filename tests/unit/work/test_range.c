#include "fixture.h"
#include <stdlib.h>
#include <string.h>

static struct amount in_bytes(uint64_t bytes)
{
	return (struct amount){ .unit = AMOUNT_BYTES, .bytes = bytes };
}

static struct amount in_share(double share)
{
	return (struct amount){ .unit = AMOUNT_SHARE, .share = share };
}

static struct work_range resolve(const struct load *load, uint64_t target_bytes, uint32_t worker)
{
	struct work_range range;
	struct fault fault = { .text = "" };

	if (work_range_resolve(load, target_bytes, 512, worker, &range, &fault))
		fail_msg("%s", fault.text);
	assert_int_equal(range.addressed_bytes, range.segments > 1 ? range.addressed_bytes : range.bytes);
	return range;
}

static void assert_range(const struct load *load, uint64_t target_bytes, uint64_t start, uint64_t bytes)
{
	struct work_range range = resolve(load, target_bytes, 0);

	assert_int_equal(range.start, start);
	assert_int_equal(range.bytes, bytes);
}

static void unset_is_the_whole_target_in_whole_blocks(void **state)
{
	struct load load = load_make(LOAD_READ, 4 * KIB);

	assert_range(&load, GIB + 511, 0, GIB);
	assert_range(&load, 4 * KIB, 0, 4 * KIB);
}

static void offset_and_size_cut_a_piece(void **state)
{
	struct load load = load_make(LOAD_READ, 4 * KIB);

	load.offset = in_bytes(64 * MIB);
	assert_range(&load, GIB, 64 * MIB, GIB - 64 * MIB);
	load.size = in_bytes(MIB);
	assert_range(&load, GIB, 64 * MIB, MIB);
	load.offset = in_share(0.5);
	load.size = in_share(0.25);
	assert_range(&load, GIB, 512 * MIB, 256 * MIB);
	load.size = in_share(0.75);	/* to the end at most */
	assert_range(&load, GIB, 512 * MIB, 512 * MIB);
	load.offset = in_share(1.0 / 3);	/* aligned to 1 MiB */
	load.size.unit = AMOUNT_UNSET;
	assert_range(&load, GIB, 341 * MIB, 683 * MIB);
	load.offset = in_share(0);
	load.size = (struct amount){ .unit = AMOUNT_SHARE, .share = 0.5, .bytes = 3 * MIB };	/* min(50%,3m) */
	assert_range(&load, GIB, 0, 3 * MIB);
}

static void range_bounds_offset_and_size(void **state)
{
	struct load load = load_make(LOAD_READ, 4 * KIB);

	load.range_to = in_share(0.75);
	assert_range(&load, 4 * GIB, 0, 3 * GIB);
	load.range_from = in_share(0.25);
	assert_range(&load, 4 * GIB, GIB, 2 * GIB);
	load.offset = in_share(0.5);
	assert_range(&load, 4 * GIB, 2 * GIB, GIB);
	load.offset = in_bytes(MIB);
	load.size = in_bytes(MIB);
	assert_range(&load, 4 * GIB, GIB + MIB, MIB);
}

static void workers_cover_the_same_range_unless_offset_increment_parts_them(void **state)
{
	struct load load = load_make(LOAD_READ, 4 * KIB);

	assert_int_equal(resolve(&load, GIB, 3).start, 0);
	load.size = in_bytes(16 * MIB);
	load.offset_increment = in_bytes(16 * MIB);
	assert_int_equal(resolve(&load, GIB, 3).start, 48 * MIB);
	assert_int_equal(resolve(&load, GIB, 3).bytes, 16 * MIB);
	load.offset_increment = in_share(0.25);
	load.size = in_share(0.25);
	for (uint32_t worker = 0; worker < 4; worker++)
		assert_int_equal(resolve(&load, GIB, worker).start, worker * 256 * MIB);
}

static void assert_refused(const struct load *load, uint64_t target_bytes, uint32_t worker, const char *why)
{
	struct work_range range;
	struct fault fault = { .text = "" };

	assert_int_equal(work_range_resolve(load, target_bytes, 512, worker, &range, &fault), -22);
	if (!strstr(fault.text, why))
		fail_msg("\"%s\" doesn't say \"%s\"", fault.text, why);
}

/* E16 among others: a size of 0 never means the whole device. */
static void what_cannot_be_addressed_is_refused(void **state)
{
	struct load plain = load_make(LOAD_READ, 4 * KIB), load = plain;

	assert_refused(&load, 511, 0, "smaller than one block");
	load.size = in_bytes(0);
	assert_refused(&load, GIB, 0, "size is 0");
	load.size = in_share(0);
	assert_refused(&load, GIB, 0, "size is 0");
	load.size = in_bytes(100);
	assert_refused(&load, GIB, 0, "smaller than one block");
	load.size = in_bytes(2 * GIB);
	assert_refused(&load, GIB, 0, "beyond");
	load.size = in_bytes(UINT64_MAX);
	assert_refused(&load, GIB, 0, "beyond");
	load = plain;
	load.offset = in_bytes(GIB);
	assert_refused(&load, GIB, 0, "beyond");
	load.offset = in_bytes(0);
	load.offset_increment = in_bytes(512 * MIB);
	assert_refused(&load, GIB, 2, "worker 3");
	load.offset_increment = in_bytes(UINT64_MAX / 2);
	assert_refused(&load, GIB, 3, "worker 4");
	load = plain;
	load.range_from = in_share(0.5);
	load.range_to = in_share(0.5);
	assert_refused(&load, GIB, 0, "range is empty");
	load = plain;
	load.range_segments = 2048;
	load.range_to = in_share(1);
	assert_refused(&load, GIB, 0, "keep them apart");
	assert_refused(&load, MIB / 2, 0, "smaller than");
}

static int upwards(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

/* Finds the segments by walking them sequentially. */
static void walk_segments(const struct load *load, uint64_t target_bytes, uint64_t layout_seed,
			  uint64_t *starts, uint64_t each)
{
	struct work_config config = config_make(load, target_bytes);
	struct work *work;
	uint64_t end = UINT64_MAX;
	uint32_t found = 0;

	config.layout_seed = layout_seed;
	work = work_make(&config);
	for (uint64_t done = 0; done < each * 2048; ) {
		struct io io = io_next(work);

		if (io.offset != end)
			starts[found++] = io.offset;
		end = io.offset + io.bytes;
		done += io.bytes;
		assert_true(end <= target_bytes);
	}
	assert_int_equal(found, 2048);
	work_free(work);
}

static void segments_are_equal_random_and_do_not_touch(void **state)
{
	struct load load = load_make(LOAD_WRITE, MIB);
	const uint64_t target = 64 * GIB;
	uint64_t starts[2048], other[2048], coarse[2048], each;
	uint32_t eighths[8] = { 0 }, same = 0;

	load.range_to = in_share(0.75);
	load.range_segments = 2048;
	each = resolve(&load, target, 0).addressed_bytes / 2048;
	assert_int_equal(each, 24 * MIB);	/* 0.75 x 64 GiB / 2048 */
	walk_segments(&load, target, 1, starts, each);
	for (int i = 1; i < 2048; i++) {
		assert_true(starts[i] > starts[i - 1] + each);
		assert_int_equal(starts[i] % (32 * KIB), 0);
	}
	for (int i = 0; i < 2048; i++)
		eighths[starts[i] * 8 / target]++;
	for (int i = 0; i < 8; i++)
		assert_in_range(eighths[i], 225, 290);	/* 256 expected */
	walk_segments(&load, target, 2, other, each);
	for (int i = 0; i < 2048; i++)
		same += starts[i] == other[i];
	assert_true(same < 100);
	load.sizes[IO_WRITE].part[0] = (struct load_size){ 96 * KIB, 96 * KIB, 1 };
	load.seed = 99;
	walk_segments(&load, target, 1, coarse, each);
	assert_memory_equal(starts, coarse, sizeof(starts));	/* all loads meet in the same segments */
}

/* On small targets too: a block of 4 KiB that begins at another place is two pages for the drive. */
static void segments_begin_and_end_with_a_page(void **state)
{
	static const uint64_t targets[] = { 600 * MIB, 7812 * MIB + 512, 8 * GIB, 100 * GIB };
	static uint64_t starts[2048];
	struct load load = load_make(LOAD_WRITE, 64 * KIB);

	load.range_segments = 2048;
	load.range_to = in_share(0.75);
	for (size_t t = 0; t < sizeof(targets) / sizeof(*targets); t++) {
		struct work_range range;

		assert_int_equal(work_range_resolve(&load, targets[t], 512, 0, &range, NULL), 0);
		assert_int_equal(range.addressed_bytes / 2048 % 4096, 0);
		walk_segments(&load, targets[t] / 512 * 512, 1, starts, range.addressed_bytes / 2048);
		for (int i = 0; i < 2048; i++)
			assert_int_equal(starts[i] % 4096, 0);
	}
}

static void random_loads_stay_inside_their_segments_and_fill_them_evenly(void **state)
{
	const uint64_t target = 8 * GIB;

	for (int kind = 0; kind < 6; kind++) {
		struct load load = load_make(LOAD_RANDRW, 4 * KIB);
		struct load walk = load_make(LOAD_WRITE, MIB);
		struct load_sizes split = { .count = 2, .part = { { 4 * KIB, 4 * KIB, .5 }, { 20 * KIB, 60 * KIB, .5 } } };
		struct work_config config = config_make(&load, target);
		uint64_t starts[2048], each;
		uint32_t counts[2048] = { 0 };
		struct work *work;

		load.range_to = walk.range_to = in_share(0.5);
		load.range_segments = walk.range_segments = 2048;
		load.random_map = kind == 1 || kind == 3;
		if (kind == 2 || kind == 3 || kind == 5)
			load_sizes_set(&load, split);
		if (kind >= 4) {
			load.distribution = DISTRIBUTION_ZONED;
			load.zone_count = 1;
			load.zone[0] = (struct load_zone){ 1, 1 };
		}
		each = resolve(&load, target, 0).addressed_bytes / 2048;
		walk_segments(&walk, target, 0, starts, each);
		qsort(starts, 2048, sizeof(*starts), upwards);
		work = work_make(&config);
		for (int i = 0; i < 204800; i++) {
			struct io io = io_next(work);
			uint32_t low = 0, high = 2048;

			while (high - low > 1) {
				uint32_t middle = (low + high) / 2;

				*(starts[middle] <= io.offset ? &low : &high) = middle;
			}
			assert_true(io.offset >= starts[low] && io.offset + io.bytes <= starts[low] + each);
			counts[low]++;
		}
		if (kind != 3)	/* cells of many small blocks come in lumps */
			assert_true(chi_square(counts, 2048) < chi_square_limit(2047));
		work_free(work);
	}
}

static void budgets_follow_io_size_and_loops(void **state)
{
	struct load load = load_make(LOAD_READ, 4 * KIB);
	struct work_range range;

	load.size = in_bytes(MIB);
	range = resolve(&load, GIB, 0);
	assert_int_equal(work_budget_bytes(&load, &range), MIB);
	load.loops = 3;
	assert_int_equal(work_budget_bytes(&load, &range), 3 * MIB);
	load.io_size = in_bytes(4 * MIB);
	assert_int_equal(work_budget_bytes(&load, &range), 12 * MIB);
	load.io_size = in_share(0.5);
	assert_int_equal(work_budget_bytes(&load, &range), 3 * MIB / 2);
	load.time_based = true;
	assert_int_equal(work_budget_bytes(&load, &range), UINT64_MAX);
	load.time_based = false;
	load.loops = UINT32_MAX;
	load.io_size = in_bytes(1ull << 60);
	assert_int_equal(work_budget_bytes(&load, &range), UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unset_is_the_whole_target_in_whole_blocks),
		cmocka_unit_test(offset_and_size_cut_a_piece),
		cmocka_unit_test(range_bounds_offset_and_size),
		cmocka_unit_test(workers_cover_the_same_range_unless_offset_increment_parts_them),
		cmocka_unit_test(what_cannot_be_addressed_is_refused),
		cmocka_unit_test(segments_are_equal_random_and_do_not_touch),
		cmocka_unit_test(segments_begin_and_end_with_a_page),
		cmocka_unit_test(random_loads_stay_inside_their_segments_and_fill_them_evenly),
		cmocka_unit_test(budgets_follow_io_size_and_loops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
