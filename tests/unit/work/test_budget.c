#include "fixture.h"
#include <string.h>
#include "base/random.h"

static uint64_t drain(struct work *work, uint64_t *ret_bytes, uint32_t batch)
{
	struct io ios[64];
	uint64_t count = 0, bytes = 0;
	uint32_t got;

	while ((got = work_next(work, ios, batch)) > 0) {
		for (uint32_t i = 0; i < got; i++) {
			bytes += ios[i].bytes;
			count += ios[i].op <= IO_TRIM;
		}
	}
	assert_int_equal(work_next(work, ios, 1), 0);
	assert_int_equal(work_issued_bytes(work), bytes);
	assert_int_equal(work_issued_ios(work), count);
	*ret_bytes = bytes;
	return count;
}

static void a_budget_is_kept_to_the_byte(void **state)
{
	const uint64_t budgets[] = { 0, 511, 512, 4 * KIB, 5 * KIB + 100, MIB, 10 * MIB + 1536 };
	const enum load_rw kinds[] = { LOAD_WRITE, LOAD_RANDREAD, LOAD_RANDRW, LOAD_RW };

	for (int k = 0; k < 4; k++) {
		for (int b = 0; b < 7; b++) {
			for (int map = 0; map < 2; map++) {
				struct load load = load_make(kinds[k], 4 * KIB);
				struct work_config config = config_make(&load, 3 * MIB + 512);
				struct work *work;
				uint64_t bytes;

				load.random_map = map;
				config.budget_bytes = budgets[b];
				work = work_make(&config);
				drain(work, &bytes, 64);
				assert_int_equal(bytes, budgets[b] / 512 * 512);
				work_free(work);
			}
		}
	}
}

static void a_budget_of_ios_is_kept_too(void **state)
{
	struct load load = load_make(LOAD_RANDRW, 4 * KIB);
	struct work_config config = config_make(&load, GIB);
	struct work *work;
	uint64_t bytes;

	config.budget_ios = 1001;
	work = work_make(&config);
	assert_int_equal(drain(work, &bytes, 64), 1001);
	assert_int_equal(bytes, 1001 * 4 * KIB);
	work_free(work);
}

/* F03: what the warm-up wrote doesn't shorten the measurement. */
static void a_budget_can_start_after_the_warm_up(void **state)
{
	struct load load = load_make(LOAD_WRITE, 4 * KIB);
	struct work_config config = config_make(&load, GIB);
	struct work *work = work_make(&config);
	struct io ios[64];
	uint64_t bytes = 0;
	uint32_t got;

	for (int i = 0; i < 100; i++)
		assert_int_equal(work_next(work, ios, 64), 64);
	work_budget_set(work, 4000 * KIB, UINT64_MAX);
	while ((got = work_next(work, ios, 64)) > 0)
		for (uint32_t i = 0; i < got; i++)
			bytes += ios[i].bytes;
	assert_int_equal(bytes, 4000 * KIB);
	assert_int_equal(work_issued_bytes(work), 6400 * 4 * KIB + 4000 * KIB);
	work_free(work);
}

/* The last I/O was cut: the next one goes on right behind it. */
static void a_cut_io_leaves_the_position_behind_itself(void **state)
{
	struct load load = load_make(LOAD_WRITE, 64 * KIB);
	const uint64_t target = MIB + 60 * KIB;
	struct work_config config = config_make(&load, target);
	struct work *work;
	uint64_t expected = 0, bytes;

	config.budget_bytes = 100 * KIB;
	work = work_make(&config);
	drain(work, &bytes, 64);
	assert_int_equal(work_position(work), 100 * KIB);
	work_budget_set(work, UINT64_MAX, UINT64_MAX);
	for (expected = 100 * KIB; expected < target; ) {
		struct io io = io_next(work);

		assert_int_equal(io.offset, expected);
		assert_true(io.bytes <= 64 * KIB);
		expected += io.bytes;
	}
	assert_int_equal(expected, target);
	work_free(work);
}

/* E04: how many I/Os there are doesn't depend on luck. */
static void a_thousand_seeds_give_the_same_number_of_ios(void **state)
{
	for (uint64_t seed = 0; seed < 1000; seed++) {
		struct load load = load_make(LOAD_RANDRW, 128 * KIB);
		struct work_config config = config_make(&load, 64 * MIB);
		struct work *work;
		uint64_t bytes;

		load.seed = seed == 999 ? 47827 : seed;
		load.random_map = seed % 2;
		load.percentage_random[IO_READ] = load.percentage_random[IO_WRITE] = 0.5;
		config.budget_bytes = 64 * MIB;
		work = work_make(&config);
		assert_int_equal(drain(work, &bytes, 16), 512);
		assert_int_equal(bytes, 64 * MIB);
		work_free(work);
	}
}

static void syncs_follow_every_so_many_writes(void **state)
{
	struct load load = load_make(LOAD_RANDRW, 4 * KIB);
	struct work_config config = config_make(&load, GIB);
	struct work *work;
	struct io ios[50];
	uint32_t writes = 0, fsyncs = 0, flushes = 0, reads = 0, got;

	load.fsync_every = 8;
	load.fdatasync_every = 3;
	config.budget_ios = 2400;
	work = work_make(&config);
	while ((got = work_next(work, ios, 50)) > 0) {
		for (uint32_t i = 0; i < got; i++) {
			writes += ios[i].op == IO_WRITE;
			reads += ios[i].op == IO_READ;
			fsyncs += ios[i].op == IO_FSYNC;
			flushes += ios[i].op == IO_FLUSH;
			assert_true(ios[i].op <= IO_TRIM || (ios[i].bytes == 0 && ios[i].offset == 0));
			/* never late: at the latest before the next write */
			if (ios[i].op == IO_READ || ios[i].op == IO_WRITE) {
				uint32_t before = writes - (ios[i].op == IO_WRITE);

				assert_int_equal(fsyncs, before / 8);
				assert_int_equal(flushes, before / 3);
			}
		}
	}
	assert_int_equal(reads + writes, 2400);
	assert_int_equal(fsyncs, writes / 8);
	assert_int_equal(flushes, writes / 3);
	work_free(work);
}

static void reads_alone_never_sync(void **state)
{
	struct load load = load_make(LOAD_RANDREAD, 4 * KIB);
	struct work_config config = config_make(&load, GIB);
	struct work *work;

	load.fsync_every = 1;
	work = work_make(&config);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(io_next(work).op, IO_READ);
	work_free(work);
}

static void fsync_1_alternates(void **state)
{
	struct load load = load_make(LOAD_WRITE, 4 * KIB);
	struct work_config config = config_make(&load, GIB);
	struct work *work;

	load.fsync_every = 1;
	config.budget_ios = 3;
	work = work_make(&config);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(io_next(work).op, IO_WRITE);
		assert_int_equal(io_next(work).op, IO_FSYNC);
	}
	assert_int_equal(work_next(work, &(struct io){ 0 }, 1), 0);
	work_free(work);
}

/* ---- any load at all ---- */

static void random_sizes(struct random *random, struct load_sizes *sizes)
{
	sizes->count = 1 + (uint32_t)random_below(random, 4);
	for (uint32_t i = 0; i < sizes->count; i++) {
		struct load_size *part = &sizes->part[i];

		part->bytes_min = 512 * (1 + (uint32_t)random_below(random, 40));
		part->bytes_max = random_below(random, 2) ? part->bytes_min :
				  part->bytes_min + (uint32_t)random_below(random, 100000);
		part->share = 1.0 / sizes->count;
	}
}

static struct load random_load(struct random *random)
{
	struct load load = load_make((enum load_rw)random_below(random, 8),
				     512 * (1 + (uint32_t)random_below(random, 64)));

	load.read_share = random_double(random);
	load.seed = random_u64(random);
	load.random_map = random_below(random, 2);
	load.distribution = random_below(random, 2) ? DISTRIBUTION_RANDOM :
			    (enum load_distribution)random_below(random, 4);
	load.distribution_theta = 0.01 + 0.98 * random_double(random);
	load.distribution_center = random_below(random, 2) ? -1 : random_double(random);
	if (random_below(random, 2))
		for (int op = 0; op < 3; op++)
			random_sizes(random, &load.sizes[op]);
	if (random_below(random, 3) == 0)
		load.percentage_random[random_below(random, 3)] = random_double(random);
	if (random_below(random, 3) == 0)
		load.fsync_every = 1 + (uint32_t)random_below(random, 20);
	if (random_below(random, 3) == 0) {
		load.range_to = (struct amount){ .unit = AMOUNT_SHARE, .share = 0.1 + 0.6 * random_double(random) };
		load.range_segments = 1 + (uint32_t)random_below(random, 8);
	} else if (random_below(random, 2)) {
		load.offset = (struct amount){ .unit = AMOUNT_SHARE, .share = 0.5 * random_double(random) };
		load.size = (struct amount){ .unit = AMOUNT_SHARE, .share = 0.3 + 0.7 * random_double(random) };
	}
	return load;
}

static void every_io_of_any_load_is_inside_aligned_and_paid_for(void **state)
{
	const uint32_t blocks[] = { 512, 520, 4096, 4104, 1 };
	struct random random;

	random_init(&random, 20260101, 0);
	for (int round = 0; round < 3000; round++) {
		struct load load = random_load(&random);
		struct work_config config = config_make(&load, 20 * MIB + random_below(&random, 40 * MIB));
		struct work_range range;
		struct fault fault = { .text = "" };
		struct work *work;
		struct io ios[32];
		uint64_t sum = 0;
		uint32_t got, bytes_max;

		config.block_bytes = blocks[random_below(&random, 5)];
		config.budget_bytes = random_below(&random, 30 * MIB);
		config.seed = random_u64(&random);
		bytes_max = work_io_bytes_max(&load, config.block_bytes);
		if (work_range_resolve(&load, config.target_bytes, config.block_bytes, 0, &range, &fault))
			fail_msg("round %d: %s", round, fault.text);
		if (work_new(&config, &work, &fault))
			fail_msg("round %d: %s", round, fault.text);
		while ((got = work_next(work, ios, 1 + (uint32_t)random_below(&random, 32))) > 0) {
			for (uint32_t i = 0; i < got; i++) {
				if (ios[i].op > IO_TRIM)
					continue;
				assert_true(ios[i].bytes > 0 && ios[i].bytes <= bytes_max);
				assert_int_equal(ios[i].offset % config.block_bytes, 0);
				assert_int_equal(ios[i].bytes % config.block_bytes, 0);
				assert_true(ios[i].offset >= range.start);
				assert_true(ios[i].offset + ios[i].bytes <= range.start + range.bytes);
				sum += ios[i].bytes;
			}
		}
		assert_int_equal(sum, config.budget_bytes / config.block_bytes * config.block_bytes);
		work_free(work);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_budget_is_kept_to_the_byte),
		cmocka_unit_test(a_budget_of_ios_is_kept_too),
		cmocka_unit_test(a_budget_can_start_after_the_warm_up),
		cmocka_unit_test(a_cut_io_leaves_the_position_behind_itself),
		cmocka_unit_test(a_thousand_seeds_give_the_same_number_of_ios),
		cmocka_unit_test(syncs_follow_every_so_many_writes),
		cmocka_unit_test(reads_alone_never_sync),
		cmocka_unit_test(fsync_1_alternates),
		cmocka_unit_test(every_io_of_any_load_is_inside_aligned_and_paid_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
