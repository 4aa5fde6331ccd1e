/* Timelines: credit, flash, front, gate, jitter, buffer. */
#include "fixture.h"

#include <math.h>
#include "sim/buffer.h"
#include "sim/credit.h"
#include "sim/flash.h"
#include "sim/front.h"
#include "sim/gate.h"

static void a_free_resource_ends_after_the_time_needed(void **state)
{
	struct sim_credit credit;

	assert_int_equal(sim_credit_init(&credit, 3000, SIM_CREDIT_CHANNEL), 0);
	assert_int_equal(sim_credit_reserve(&credit, 1000000, 3000), 1003000);
	sim_credit_release(&credit);
}

static void a_reservation_in_the_future_does_not_block_the_time_before(void **state)
{
	struct sim_credit credit;

	assert_int_equal(sim_credit_init(&credit, 3000, SIM_CREDIT_CHANNEL), 0);
	assert_int_equal(sim_credit_reserve(&credit, 9 * MS, 3000), 9 * MS + 3000);
	assert_int_equal(sim_credit_reserve(&credit, 1 * MS, 3000), 1 * MS + 3000);
	sim_credit_release(&credit);
}

static void a_busy_resource_gives_exactly_its_rate(void **state)
{
	struct sim_credit credit;
	uint64_t end_ns = 0;

	assert_int_equal(sim_credit_init(&credit, 3000, SIM_CREDIT_CHANNEL), 0);
	for (int i = 0; i < 2000; i++)	/* all wanted at once */
		end_ns = sim_credit_reserve(&credit, 5 * MS, 3000);
	assert_near((double)(end_ns - 5 * MS), 2000 * 3000.0, 0.002);
	sim_credit_release(&credit);
}

/* More is wanted at once than the ring holds, and later on again while that goes on. */
static void a_queue_longer_than_the_ring_gives_exactly_its_rate(void **state)
{
	const uint64_t one_ns = 100 * MS;	/* the ring: 8192 x 4096 ns = 33 ms */
	struct sim_credit credit;
	uint64_t end_ns = 0;

	assert_int_equal(sim_credit_init(&credit, 3000, SIM_CREDIT_CHANNEL), 0);
	for (int i = 0; i < 4; i++)
		end_ns = sim_credit_reserve(&credit, 5 * MS, one_ns);
	assert_near((double)(end_ns - 5 * MS), 4.0 * one_ns, 0.001);
	end_ns = sim_credit_reserve(&credit, 200 * MS, one_ns);
	assert_near((double)(end_ns - 5 * MS), 5.0 * one_ns, 0.001);
	end_ns = sim_credit_reserve(&credit, 2000 * MS, 3000);	/* long after */
	assert_int_equal(end_ns, 2000 * MS + 3000);
	sim_credit_release(&credit);
}

/* Large I/Os that wait for each other pass the link at its rate: eight of 16 MiB, started anew as they end. */
static void large_reads_pass_the_link_at_its_rate(void **state)
{
	const struct sim_params params = params_make("sata-tlc");
	const uint32_t pages = 4096;
	uint64_t free_ns[8] = { 0 }, last_ns = 0;
	struct sim_front front;

	assert_int_equal(sim_front_init(&front, &params, 1), 0);
	for (int i = 0; i < 400; i++) {
		uint64_t end_ns = 0;

		for (uint32_t page = 0; page < pages; page += 4) {	/* as the flash has them: over 10 ms, in any order */
			const uint64_t ready_ns = free_ns[i % 8] + page * 2654435761u % 10 * MS;
			const uint64_t sent_ns = sim_front_send(&front, 4, ready_ns);

			end_ns = sent_ns > end_ns ? sent_ns : end_ns;
		}
		free_ns[i % 8] = last_ns = end_ns;
	}
	assert_near(400.0 * pages * 4096 / ((double)last_ns / 1e9) / 1e6 / params.link_read_mbps, 1, 0.02);
	sim_front_release(&front);
}

static struct sim_geometry geometry_make(const char *spec)
{
	const struct sim_params params = params_make(spec);
	struct sim_geometry geometry;

	assert_int_equal(sim_geometry_init(&geometry, &params, NULL), 0);
	return geometry;
}

static struct sim_flash flash_make(const char *spec, struct sim_geometry *geometry)
{
	const struct sim_params params = params_make(spec);
	struct sim_flash flash;

	*geometry = geometry_make(spec);
	assert_int_equal(sim_flash_init(&flash, geometry, &params, 1), 0);
	return flash;
}

#define PLAIN "theory,read_us=50,program_us=1000,channel_mbps=1000,suspend_us=10"

static void reads_of_one_die_follow_each_other(void **state)
{
	struct sim_geometry geometry;
	struct sim_flash flash = flash_make(PLAIN, &geometry);
	const uint64_t first = sim_flash_read(&flash, (struct sim_place){ 0, 0, 0 }, 1, 0);
	const uint64_t second = sim_flash_read(&flash, (struct sim_place){ 0, 1, 0 }, 1, 0);
	const uint64_t other = sim_flash_read(&flash, (struct sim_place){ 1, 0, 0 }, 1, 0);

	assert_int_equal(first, 50 * US + 4096);
	assert_int_equal(second, 2 * first);
	assert_int_equal(other, first);
	sim_flash_release(&flash);
}

static void independent_planes_read_at_the_same_time(void **state)
{
	struct sim_geometry geometry;
	struct sim_flash flash = flash_make(PLAIN ",independent_planes=on", &geometry);
	const uint64_t first = sim_flash_read(&flash, (struct sim_place){ 0, 0, 0 }, 1, 0);

	assert_in_range(sim_flash_read(&flash, (struct sim_place){ 0, 1, 0 }, 1, 0), first, first + 5 * US);
	assert_true(sim_flash_read(&flash, (struct sim_place){ 0, 0, 0 }, 1, 0) > first + 45 * US);
	sim_flash_release(&flash);
}

/* A read on a die that programs, with each priority: when it ends, counted from the program's start. */
static uint64_t read_during_program(const char *spec, uint32_t programs)
{
	struct sim_geometry geometry;
	struct sim_flash flash = flash_make(spec, &geometry);
	uint64_t start_ns, end_ns;

	start_ns = sim_flash_program(&flash, 0, SIM_MODE_NATIVE, 0) - MS;
	while (--programs)
		sim_flash_program(&flash, 0, SIM_MODE_NATIVE, 0);
	end_ns = sim_flash_read(&flash, (struct sim_place){ 0, 0, 0 }, 1, start_ns + 400 * US);
	sim_flash_release(&flash);
	return end_ns - start_ns;
}

static void a_read_suspends_waits_or_queues_as_told(void **state)
{
	const uint64_t read_ns = 50 * US + 4096;

	assert_int_equal(read_during_program(PLAIN ",read_priority=suspend", 2),
			 400 * US + 10 * US + read_ns);
	assert_in_range(read_during_program(PLAIN ",read_priority=wait", 2), MS + read_ns - 1,
			MS + read_ns + 70 * US);
	assert_in_range(read_during_program(PLAIN ",read_priority=none", 2), 2 * MS + read_ns - 1,
			2 * MS + read_ns + 70 * US);
}

static void a_suspended_program_ends_later_by_what_the_read_took(void **state)
{
	struct sim_geometry geometry;
	struct sim_flash flash = flash_make(PLAIN ",read_priority=suspend", &geometry);
	const uint64_t end_ns = sim_flash_program(&flash, 0, SIM_MODE_NATIVE, 0);

	sim_flash_read(&flash, (struct sim_place){ 0, 0, 0 }, 1, end_ns - 500 * US);
	assert_int_equal(flash.program_free_ns[0], end_ns + 60 * US);
	sim_flash_release(&flash);
}

static void slc_programs_are_shorter(void **state)
{
	struct sim_geometry geometry;
	struct sim_flash flash = flash_make("sn850,jitter=0", &geometry);

	assert_true(sim_flash_program(&flash, 0, SIM_MODE_NATIVE, 0) > 1450 * US);
	assert_in_range(sim_flash_program(&flash, 1, SIM_MODE_SLC, 0), 250 * US, 400 * US);
	sim_flash_release(&flash);
}

static void erases_cost_the_same_share_at_every_shrink(void **state)
{
	struct sim_geometry geometry;
	struct sim_flash flash = flash_make("theory,capacity_gb=256,shrink=16,erase_us=3000", &geometry);

	for (int i = 0; i < 32; i++)
		sim_flash_erase(&flash, 0);
	for (uint32_t die = 0; die < geometry.dies; die++)
		assert_int_equal(flash.program_free_ns[die], 2 * 3 * MS);
	sim_flash_release(&flash);
}

static void retries_happen_at_their_rate_and_take_their_time(void **state)
{
	struct sim_geometry geometry;
	struct sim_flash flash = flash_make(PLAIN ",retry_rate=0.1,retries=3", &geometry);
	uint32_t slow = 0;

	for (uint64_t i = 0; i < 20000; i++)
		slow += sim_flash_read(&flash, (struct sim_place){ 0, 0, 0 }, 1, i * MS) - i * MS > 190 * US;
	assert_int_equal(slow, flash.retried);
	assert_near(slow, 2000, 0.08);
	sim_flash_release(&flash);
}

static void jitter_has_mean_one_and_its_sigma(void **state)
{
	struct sim_jitter jitter;
	struct random random;
	double sum = 0, squares = 0;

	random_init(&random, 1, 1);
	sim_jitter_init(&jitter, 0.05, 3, true);
	for (int i = 0; i < 100000; i++) {
		const double value = (double)sim_jitter_apply(&jitter, &random, MS) / MS;

		sum += value;
		squares += value * value;
	}
	assert_near(sum / 1e5, 1, 0.001);
	assert_near(sqrt(squares / 1e5 - sum / 1e5 * (sum / 1e5)), 0.05, 0.03);
}

static void page_types_differ_and_average_to_one(void **state)
{
	for (uint32_t bits = 2; bits <= 4; bits++) {
		struct sim_jitter jitter;
		uint64_t sum = 0;

		sim_jitter_init(&jitter, 0, bits, true);
		for (uint32_t type = 0; type < bits; type++)
			sum += sim_jitter_type(&jitter, type, 1000000);
		assert_near((double)sum / bits, 1e6, 1e-4);
		assert_true(sim_jitter_type(&jitter, 0, 1000) < sim_jitter_type(&jitter, bits - 1, 1000));
	}
}

static void the_gate_admits_as_many_as_the_drive_holds(void **state)
{
	struct sim_gate gate;

	assert_int_equal(sim_gate_init(&gate, 2), 0);
	for (uint64_t done = 100; done <= 200; done += 100) {
		assert_int_equal(sim_gate_enter(&gate, 5), 5);
		sim_gate_take(&gate, done);
	}
	assert_int_equal(sim_gate_enter(&gate, 6), 100);
	sim_gate_take(&gate, 150);
	assert_int_equal(sim_gate_enter(&gate, 6), 150);
	sim_gate_take(&gate, 500);
	assert_int_equal(sim_gate_enter(&gate, 6), 200);
	assert_int_equal(sim_gate_enter(&gate, 300), 300);
	sim_gate_release(&gate);
}

static void a_page_is_admitted_when_the_page_a_buffer_before_is_programmed(void **state)
{
	struct sim_buffer buffer;

	assert_int_equal(sim_buffer_init(&buffer, 4, 10), 0);
	for (uint32_t i = 0; i < 4; i++)
		sim_buffer_push(&buffer, i, i, SIM_NOWHERE, i);
	sim_buffer_programmed(&buffer, 2, 700);	/* pages 2 and 3 */
	assert_int_equal(sim_buffer_back(&buffer, 1)->logical, 3);
	assert_int_equal(sim_buffer_back(&buffer, 1)->release_ns, 700);
	assert_true(sim_buffer_admission(&buffer) == UINT64_MAX);	/* page 0 is still there */
	sim_buffer_push(&buffer, 4, 4, SIM_NOWHERE, 4);
	sim_buffer_push(&buffer, 5, 5, SIM_NOWHERE, 5);
	assert_int_equal(sim_buffer_admission(&buffer), 700);
	sim_buffer_release(&buffer);
}

static void the_link_is_slower_while_throttling(void **state)
{
	const struct sim_params params = params_make("theory,link_write_mbps=4096,throttle_mbps=409.6");
	struct sim_front front;
	uint64_t before_ns;

	assert_int_equal(sim_front_init(&front, &params, 1), 0);
	assert_int_equal(sim_front_write(&front, 10, 0, 0), 1 * US + 10 * US);
	before_ns = front.in_free_ns;
	sim_front_throttle(&front, true);
	assert_int_equal(sim_front_write(&front, 10, 0, 0) - before_ns, 100 * US);
	sim_front_release(&front);
}

/* 1 GB/s either way: data to the drive and from it, wanted at the same time. */
static void sata_carries_one_way_at_a_time(void **state)
{
	for (int sata = 0; sata < 2; sata++) {
		const struct sim_params params = params_make(sata ? "theory,interface=sata,link_write_mbps=4096,link_read_mbps=4096"
								  : "theory,interface=pcie,link_write_mbps=4096,link_read_mbps=4096");
		struct sim_front front;
		uint64_t written_ns = 0, read_ns = 0;

		assert_int_equal(sim_front_init(&front, &params, 1), 0);
		for (int i = 0; i < 100; i++) {
			written_ns = sim_front_write(&front, 100, 0, 0);
			read_ns = sim_front_send(&front, 100, 0);
		}
		assert_near((double)(written_ns > read_ns ? written_ns : read_ns), (sata ? 20000.0 : 10000.0) * US, 0.02);
		sim_front_release(&front);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_free_resource_ends_after_the_time_needed),
		cmocka_unit_test(a_reservation_in_the_future_does_not_block_the_time_before),
		cmocka_unit_test(a_queue_longer_than_the_ring_gives_exactly_its_rate),
		cmocka_unit_test(large_reads_pass_the_link_at_its_rate),
		cmocka_unit_test(a_busy_resource_gives_exactly_its_rate),
		cmocka_unit_test(reads_of_one_die_follow_each_other),
		cmocka_unit_test(independent_planes_read_at_the_same_time),
		cmocka_unit_test(a_read_suspends_waits_or_queues_as_told),
		cmocka_unit_test(a_suspended_program_ends_later_by_what_the_read_took),
		cmocka_unit_test(slc_programs_are_shorter),
		cmocka_unit_test(erases_cost_the_same_share_at_every_shrink),
		cmocka_unit_test(retries_happen_at_their_rate_and_take_their_time),
		cmocka_unit_test(jitter_has_mean_one_and_its_sigma),
		cmocka_unit_test(page_types_differ_and_average_to_one),
		cmocka_unit_test(the_gate_admits_as_many_as_the_drive_holds),
		cmocka_unit_test(a_page_is_admitted_when_the_page_a_buffer_before_is_programmed),
		cmocka_unit_test(the_link_is_slower_while_throttling),
		cmocka_unit_test(sata_carries_one_way_at_a_time),
	};

	return cmocka_run_group_tests_name("sim/timing", tests, NULL, NULL);
}
