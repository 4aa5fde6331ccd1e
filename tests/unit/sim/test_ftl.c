/* Geometry, map, victims, collection, SLC cache, contents. */
#include "fixture.h"

#include <errno.h>
#include <string.h>
#include "sim/ftl.h"
#include "sim/steady.h"

static void division_by_multiplication_is_exact(void **state)
{
	static const uint32_t divisors[] = { 1,	  2,	3,     5,     7,       16,	  48,
					     768, 3968, 15360, 65535, 1000003, UINT32_MAX };
	struct random random;

	random_init(&random, 1, 1);
	for (size_t i = 0; i < sizeof(divisors) / sizeof(divisors[0]); i++) {
		const struct sim_divider divider = sim_divider(divisors[i]);

		for (int k = 0; k < 20000; k++) {
			const uint32_t number = (uint32_t)random_u64(&random) >> (k % 32);

			assert_int_equal(sim_divide(&divider, number), number / divisors[i]);
			assert_int_equal(sim_remainder(&divider, number), number % divisors[i]);
		}
		assert_int_equal(sim_divide(&divider, UINT32_MAX), UINT32_MAX / divisors[i]);
	}
}

static void pages_are_striped_die_by_die(void **state)
{
	const struct sim_params params = params_make("sn850");
	struct sim_geometry geometry;

	assert_int_equal(sim_geometry_init(&geometry, &params, NULL), 0);
	assert_int_equal(geometry.unit_pages[SIM_MODE_NATIVE], 48);
	assert_int_equal(geometry.unit_pages[SIM_MODE_SLC], 16);
	assert_int_equal(geometry.dies, 16);
	assert_int_equal(sim_locate(&geometry, SIM_MODE_NATIVE, 47).die, 0);
	assert_int_equal(sim_locate(&geometry, SIM_MODE_NATIVE, 47).type, 2);
	assert_int_equal(sim_locate(&geometry, SIM_MODE_NATIVE, 47).plane, 3);
	assert_int_equal(sim_locate(&geometry, SIM_MODE_NATIVE, 48).die, 1);
	assert_int_equal(sim_locate(&geometry, SIM_MODE_NATIVE, 48 * 16).die, 0);
	assert_int_equal(sim_locate(&geometry, SIM_MODE_SLC, 16).die, 1);
	assert_int_equal(sim_locate(&geometry, SIM_MODE_NATIVE, 4).plane, 1);
}

static void spare_is_exact_whatever_the_superblocks_size(void **state)
{
	static const char *const specs[] = { "sn850", "sn850,shrink=4", "sn850,shrink=64", "840pro",
					     "intel750" };

	for (size_t i = 0; i < 5; i++) {
		const struct sim_params params = params_make(specs[i]);
		struct sim_geometry geometry;

		assert_int_equal(sim_geometry_init(&geometry, &params, NULL), 0);
		assert_near((geometry.superblocks + geometry.spare_missing) * geometry.superblock_pages /
				    geometry.user_pages, 1 + params.spare / 100, 1e-5);
	}
}

static void shrinking_divides_capacity_and_caches_only(void **state)
{
	const struct sim_params real = params_make("sn850,shrink=1"), small = params_make("sn850,shrink=16");
	struct sim_geometry big, little;
	struct sim_slc slc_big, slc_little;

	assert_int_equal(sim_geometry_init(&big, &real, NULL), 0);
	assert_int_equal(sim_geometry_init(&little, &small, NULL), 0);
	sim_slc_init(&slc_big, &real, &big);
	sim_slc_init(&slc_little, &small, &little);
	assert_near(big.user_pages, 16.0 * little.user_pages, 1e-6);
	assert_near(slc_big.limit_pages, 16.0 * slc_little.limit_pages, 1e-5);
	assert_int_equal(big.dies, little.dies);
	assert_int_equal(big.unit_pages[0], little.unit_pages[0]);
	assert_near(big.superblocks, little.superblocks, 0.1);
}

static struct sim_ftl *ftl_make(const char *spec)
{
	static struct sim_ftl ftl;
	const struct sim_params params = params_make(spec);

	assert_int_equal(sim_ftl_init(&ftl, &params, 1, NULL), 0);
	return &ftl;
}

/* Every mapped page is valid exactly once, and all counters agree. */
static void map_check(struct sim_ftl *ftl)
{
	const struct sim_map *map = &ftl->map;
	uint64_t valid = 0, slc = 0, mapped = 0;

	sim_ftl_settle(ftl);
	for (uint32_t i = 0; i < ftl->geometry.user_pages; i++)
		if (map->physical[i] != SIM_NOWHERE) {
			mapped++;
			assert_int_equal(map->logical[map->physical[i]], i);
			assert_true(sim_map_is_valid(map, map->physical[i]));
		}
	for (uint32_t i = 0; i < ftl->geometry.superblocks; i++) {
		const struct sim_superblock *superblock = &map->superblocks[i];
		uint32_t count = 0;

		for (uint32_t at = 0; (at = sim_map_next_valid(map, i, at)) < superblock->capacity; at++)
			count++;
		assert_int_equal(count, superblock->valid);
		valid += superblock->valid;
		slc += superblock->mode == SIM_MODE_SLC ? superblock->valid : 0;
	}
	assert_int_equal(mapped, map->mapped);
	assert_int_equal(valid, map->mapped);
	assert_int_equal(slc, map->slc_valid);
}

static void page_trim(struct sim_ftl *ftl, uint32_t logical)
{
	sim_ftl_settle(ftl);
	sim_map_unmap(&ftl->map, logical);
}

static void the_map_stays_consistent_through_writes_trims_flushes_and_collection(void **state)
{
	static const char *const specs[] = {
		"theory,capacity_gb=0.5",
		"tlc-consumer,shrink=1,capacity_gb=2,slc_gb=0.5,slc_static_gb=0.1,dies=1,channels=2",
		"theory,capacity_gb=0.5,gc=choices",
		"theory,capacity_gb=0.5,gc=fifo,gc_batch=500",
		"840pro,shrink=1,capacity_gb=1,program_train=3,dies=1",
	};

	for (size_t k = 0; k < sizeof(specs) / sizeof(specs[0]); k++) {
		struct sim_ftl *ftl = ftl_make(specs[k]);
		struct random random;
		uint64_t now_ns = 1;

		random_init(&random, 1, k);
		for (uint64_t i = 0; i < 3ull * ftl->geometry.user_pages; i++) {
			const uint32_t logical = (uint32_t)random_below(&random, ftl->geometry.user_pages);
			const uint64_t dice = random_below(&random, 1000);

			if (dice == 0)
				now_ns = sim_ftl_flush(ftl, now_ns);
			else if (dice < 30)
				page_trim(ftl, logical);
			else
				assert_true(sim_ftl_write(ftl, logical, now_ns, now_ns));
			now_ns += 100;
			if (i % (ftl->geometry.user_pages / 2) == 0)
				map_check(ftl);
		}
		sim_ftl_tidy(ftl, 1000 * S);
		map_check(ftl);
		assert_int_equal(ftl->map.slc_valid, 0);
		assert_true(ftl->collect.counts.erased > 0);
		sim_ftl_release(ftl);
	}
}

static void victims_follow_their_policy(void **state)
{
	struct sim_ftl *ftl = ftl_make("theory,capacity_gb=0.5");
	struct sim_map *map = &ftl->map;
	struct random random;

	random_init(&random, 1, 1);
	assert_int_equal(sim_victim_pick(map, SIM_POLICY_GREEDY, 1, &random), SIM_NOWHERE);
	for (uint32_t i = 0; i < 10; i++) {
		const uint32_t index = sim_map_open(map, i == 6 ? SIM_MODE_SLC : SIM_MODE_NATIVE);

		map->superblocks[index].valid = i == 4 ? 3 : 10 + i;
		map->superblocks[index].state = i == 0 ? SIM_OPEN : SIM_CLOSED;
	}
	assert_int_equal(map->superblocks[sim_victim_pick(map, SIM_POLICY_GREEDY, 1, &random)].valid, 3);
	assert_int_equal(map->superblocks[sim_victim_pick(map, SIM_POLICY_FIFO, 1, &random)].valid, 11);
	assert_int_equal(map->superblocks[sim_victim_pick(map, SIM_POLICY_CHOICES, 200, &random)].valid, 3);
	assert_int_equal(map->superblocks[sim_victim_pick_slc(map)].valid, 16);
	sim_ftl_release(ftl);
}

static void free_superblocks_stay_at_the_reserve(void **state)
{
	struct sim_ftl *ftl = ftl_make("theory,capacity_gb=2,spare=7");
	struct random random;
	uint32_t least = UINT32_MAX, most = 0;

	assert_int_equal(sim_precondition(ftl, SIM_PRECONDITION_STEADY, 1), 0);
	random_init(&random, 1, 1);
	for (uint32_t i = 0; i < ftl->geometry.user_pages; i++) {
		assert_true(sim_ftl_write(ftl, (uint32_t)random_below(&random, ftl->geometry.user_pages),
					  SIM_UNTIMED, 0));
		least = ftl->map.free_count < least ? ftl->map.free_count : least;
		most = i > 10000 && ftl->map.free_count > most ? ftl->map.free_count : most;
	}
	assert_in_range(least, 9, 14);
	assert_in_range(most, 11, 16);
	sim_ftl_release(ftl);
}

static void wear_is_even(void **state)
{
	struct sim_ftl *ftl = ftl_make("theory,capacity_gb=0.5,spare=20");
	struct random random;
	uint32_t most = 0;
	uint64_t sum = 0;

	random_init(&random, 1, 1);
	for (uint64_t i = 0; i < 20ull * ftl->geometry.user_pages; i++)
		sim_ftl_write(ftl, (uint32_t)random_below(&random, ftl->geometry.user_pages), SIM_UNTIMED, 0);
	for (uint32_t i = 0; i < ftl->geometry.superblocks; i++) {
		sum += ftl->map.superblocks[i].erases;
		most = ftl->map.superblocks[i].erases > most ? ftl->map.superblocks[i].erases : most;
	}
	assert_int_equal(sum, ftl->collect.counts.erased);
	assert_true(most < 2.0 * (double)sum / ftl->geometry.superblocks);
	sim_ftl_release(ftl);
}

static void the_slc_cache_holds_what_it_says(void **state)
{
	struct sim_ftl *ftl = ftl_make("sn850,shrink=64");
	uint32_t written = 0, logical = 0;

	while (!ftl->slc.exhausted)
		assert_true(sim_ftl_write(ftl, logical++, SIM_UNTIMED, 0));
	sim_ftl_settle(ftl);
	written = ftl->map.slc_valid;
	assert_near((double)written * 4096 * 64, 290e9, 0.01);
	/* Then 0.9 pages are folded per page written, until it is empty. */
	while (ftl->map.slc_valid)
		assert_true(sim_ftl_write(ftl, logical++, SIM_UNTIMED, 0));
	assert_near(logical - written, written / 0.9, 0.02);
	assert_near((double)ftl->collect.counts.folded, written, 0.001);
	/* It stays closed until idle time. */
	for (int i = 0; i < 100000; i++)
		sim_ftl_write(ftl, logical++, SIM_UNTIMED, 0);
	sim_ftl_settle(ftl);
	assert_int_equal(ftl->map.slc_valid, 0);
	sim_ftl_tidy(ftl, 1 * S);
	for (int i = 0; i < 100000; i++)
		sim_ftl_write(ftl, logical++, SIM_UNTIMED, 0);
	sim_ftl_settle(ftl);
	assert_true(ftl->map.slc_valid > 80000);
	sim_ftl_release(ftl);
}

static void a_full_drive_keeps_only_its_static_cache(void **state)
{
	struct sim_ftl *ftl = ftl_make("tlc-consumer,shrink=64");
	struct random random;

	assert_int_equal(sim_precondition(ftl, SIM_PRECONDITION_SEQUENTIAL, 1), 0);
	random_init(&random, 1, 1);
	while (!ftl->slc.exhausted)
		assert_true(sim_ftl_write(ftl, (uint32_t)random_below(&random, ftl->geometry.user_pages),
					  SIM_UNTIMED, 0));
	sim_ftl_settle(ftl);
	assert_in_range(ftl->map.slc_valid, 0, ftl->slc.static_pages + ftl->geometry.slc_pages);
	assert_true(ftl->map.slc_valid >= ftl->slc.static_pages / 2);
	sim_ftl_release(ftl);
}

/* Written over in order, a full drive is full of garbage that costs nothing to erase, and its cache has room
 * again. */
static void idle_time_makes_room_for_the_static_cache(void **state)
{
	static const char *const specs[] = { "tlc-consumer,shrink=64", "qlc-consumer,shrink=64", "sata-tlc,shrink=16" };

	for (size_t i = 0; i < sizeof(specs) / sizeof(*specs); i++) {
		struct sim_ftl *ftl = ftl_make(specs[i]);
		uint32_t at = 0;

		ftl->slc.refill = false;
		assert_int_equal(sim_precondition(ftl, SIM_PRECONDITION_SEQUENTIAL, 1), 0);
		while (at < ftl->geometry.user_pages / 2)
			assert_true(sim_ftl_write(ftl, at++, SIM_UNTIMED, 0));
		sim_ftl_settle(ftl);
		assert_true(ftl->map.free_count < sim_slc_wants_free(&ftl->slc));
		sim_ftl_tidy(ftl, 600 * S);
		map_check(ftl);
		assert_true(ftl->map.free_count >= sim_slc_wants_free(&ftl->slc));
		ftl->slc.exhausted = 0;
		while (!ftl->slc.exhausted)
			assert_true(sim_ftl_write(ftl, at++, SIM_UNTIMED, 0));
		sim_ftl_settle(ftl);
		assert_true(ftl->map.slc_valid >= ftl->slc.static_pages);
		sim_ftl_release(ftl);
	}
}

/* Written over at random, it has to be collected for. */
static void idle_time_collects_for_the_static_cache(void **state)
{
	struct sim_ftl *ftl = ftl_make("tlc-consumer,shrink=64");
	struct random random;
	uint64_t moved;

	assert_int_equal(sim_precondition(ftl, SIM_PRECONDITION_STEADY, 1), 0);
	random_init(&random, 1, 1);
	for (uint32_t i = 0; i < ftl->geometry.user_pages; i++)
		assert_true(sim_ftl_write(ftl, (uint32_t)random_below(&random, ftl->geometry.user_pages), SIM_UNTIMED, 0));
	moved = ftl->counts.background_pages;
	sim_ftl_tidy(ftl, 600 * S);
	map_check(ftl);
	assert_true(ftl->counts.background_pages > moved);
	assert_in_range(ftl->map.free_count, sim_slc_wants_free(&ftl->slc), sim_slc_wants_free(&ftl->slc) + 2);
	sim_ftl_release(ftl);
}

static void a_drive_without_static_cache_only_erases_when_idle(void **state)
{
	struct sim_ftl *ftl = ftl_make("m8peg,shrink=64");
	uint32_t empty = 0;

	assert_int_equal(sim_precondition(ftl, SIM_PRECONDITION_SEQUENTIAL, 1), 0);
	for (uint32_t at = 0; at < ftl->geometry.user_pages / 2; at++)
		assert_true(sim_ftl_write(ftl, at, SIM_UNTIMED, 0));
	sim_ftl_settle(ftl);
	for (uint32_t i = 0; i < ftl->geometry.superblocks; i++)
		empty += ftl->map.superblocks[i].state == SIM_CLOSED && !ftl->map.superblocks[i].valid;
	assert_true(empty > 10);
	empty += ftl->map.free_count;
	sim_ftl_tidy(ftl, 600 * S);
	map_check(ftl);
	assert_in_range(ftl->map.free_count, empty - 1, empty);	/* one may be a victim in work */
	assert_int_equal(ftl->counts.background_pages, 0);
	sim_ftl_release(ftl);
}

static void idle_time_folds_as_much_as_it_has_time_for(void **state)
{
	struct sim_ftl *ftl = ftl_make("sn850,shrink=64");
	uint32_t before;

	for (uint32_t i = 0; i < 400000; i++)
		sim_ftl_write(ftl, i, SIM_UNTIMED, 0);
	sim_ftl_settle(ftl);
	before = ftl->map.slc_valid;
	sim_ftl_tidy(ftl, 100 * MS);
	assert_near(before - ftl->map.slc_valid, 100 * MS / sim_flash_background_ns(&ftl->flash), 0.01);
	assert_int_equal(ftl->counts.background_pages, before - ftl->map.slc_valid);
	sim_ftl_release(ftl);
}

static void a_flush_pads_the_open_unit_and_waits_for_it(void **state)
{
	struct sim_ftl *ftl = ftl_make("theory,capacity_gb=0.5");

	sim_ftl_write(ftl, 1, 1000, 1000);
	assert_true(sim_ftl_flush(ftl, 2000) >= 2000 + 300 * US);
	assert_int_equal(ftl->counts.padded_pages, ftl->geometry.unit_pages[0] - 1);
	assert_int_equal(sim_ftl_flush(ftl, 10 * MS), 10 * MS);	/* nothing left to do */
	map_check(ftl);
	sim_ftl_release(ftl);
}

static void what_is_unmapped_is_erased_in_idle_time(void **state)
{
	struct sim_ftl *ftl = ftl_make("sn850,shrink=64");

	for (uint32_t i = 0; i < 300001; i++)
		sim_ftl_write(ftl, i, SIM_UNTIMED, 0);
	sim_ftl_settle(ftl);
	for (uint32_t i = 0; i < 300001; i++)
		sim_map_unmap(&ftl->map, i);
	sim_ftl_tidy(ftl, 10000 * MS);
	map_check(ftl);
	assert_int_equal(ftl->map.mapped, 0);
	/* all but the one that is being written */
	assert_int_equal(ftl->map.free_count, ftl->geometry.superblocks - 1);
	assert_true(sim_ftl_write(ftl, 7, SIM_UNTIMED, 0));
	map_check(ftl);
	sim_ftl_release(ftl);
}

static void contents_keep_parts_of_pages(void **state)
{
	struct sim_contents contents = { 0 };
	uint8_t data[4096], back[4096];

	memset(data, 0xa5, sizeof(data));
	assert_int_equal(sim_contents_init(&contents, 8), 0);
	sim_contents_write(&contents, 3, SIM_NOWHERE, 512, data, 512);
	sim_contents_read(&contents, 3, 0, back, 4096);
	assert_int_equal(back[511], 0);
	assert_int_equal(back[512], 0xa5);
	assert_int_equal(back[1024], 0);
	sim_contents_write(&contents, 4, 3, 0, data, 512);
	sim_contents_read(&contents, 4, 0, back, 4096);
	assert_memory_equal(back, data, 1024);
	sim_contents_read(&contents, SIM_NOWHERE, 0, back, 4096);
	assert_int_equal(back[600], 0);
	sim_contents_release(&contents);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(division_by_multiplication_is_exact),
		cmocka_unit_test(pages_are_striped_die_by_die),
		cmocka_unit_test(spare_is_exact_whatever_the_superblocks_size),
		cmocka_unit_test(shrinking_divides_capacity_and_caches_only),
		cmocka_unit_test(the_map_stays_consistent_through_writes_trims_flushes_and_collection),
		cmocka_unit_test(victims_follow_their_policy),
		cmocka_unit_test(free_superblocks_stay_at_the_reserve),
		cmocka_unit_test(wear_is_even),
		cmocka_unit_test(the_slc_cache_holds_what_it_says),
		cmocka_unit_test(a_full_drive_keeps_only_its_static_cache),
		cmocka_unit_test(idle_time_makes_room_for_the_static_cache),
		cmocka_unit_test(idle_time_collects_for_the_static_cache),
		cmocka_unit_test(a_drive_without_static_cache_only_erases_when_idle),
		cmocka_unit_test(idle_time_folds_as_much_as_it_has_time_for),
		cmocka_unit_test(a_flush_pads_the_open_unit_and_waits_for_it),
		cmocka_unit_test(what_is_unmapped_is_erased_in_idle_time),
		cmocka_unit_test(contents_keep_parts_of_pages),
	};

	return cmocka_run_group_tests_name("sim/ftl", tests, NULL, NULL);
}
