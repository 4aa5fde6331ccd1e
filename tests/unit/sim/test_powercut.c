/* What a power cut takes. */
#include "fixture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "sim/sim.h"
#include "sim/truth.h"

static struct load_result result;

/* Steady random writes until a moment, then the cut: what was lost. */
static struct sim_cut cut_after_load(const char *spec, struct sim_drive **ret_drive)
{
	struct sim_drive *drive = drive_make(spec, 1);
	const struct load load = {
		.bytes = 4096, .depth = 32, .write_share = 1, .until_ns = 20 * S, .seed = 1
	};
	struct sim_cut cut;

	load_run(drive, &load, 0, &result);
	assert_int_equal(sim_drive_power_cut(drive, result.end_ns, &cut), 0);
	if (ret_drive)
		*ret_drive = drive;
	else
		sim_drive_free(drive);
	return cut;
}

static void an_unprotected_drive_loses_what_is_buffered(void **state)
{
	struct sim_drive *drive;
	const struct sim_cut cut = cut_after_load("840pro,precondition=steady", &drive);
	struct sim_truth truth;

	/* At most the buffer of 8 MiB, at least a unit: the prototype of the model lost 198 pages here. */
	assert_in_range(cut.lost_pages, 16, 2048);
	assert_int_equal(cut.acked_pages, cut.lost_pages);
	assert_int_equal(cut.lost_flushed_pages, 0);
	sim_drive_truth(drive, &truth);
	assert_int_equal(truth.lost_pages, cut.lost_pages);
	assert_int_equal(truth.power_cuts, 1);
	sim_drive_free(drive);
}

static void a_protected_drive_loses_nothing(void **state)
{
	const struct sim_cut cut = cut_after_load("p3700,precondition=steady", NULL);

	assert_true(cut.acked_pages > 100);
	assert_int_equal(cut.lost_pages, 0);
	assert_int_equal(cut.rolled_back_pages, 0);
}

static void a_drive_works_on_after_a_cut(void **state)
{
	struct sim_drive *drive;
	const struct sim_cut cut = cut_after_load("840pro,precondition=steady,boot_ms=700", &drive);
	const struct load load = {
		.bytes = 4096, .depth = 32, .write_share = 0.5, .count = 100000, .seed = 2
	};

	assert_int_equal(cut.ready_ns, result.end_ns + 700 * MS);
	load_run(drive, &load, cut.ready_ns, &result);
	assert_int_equal(result.errors, 0);
	sim_drive_free(drive);
}

#define KEPT "theory,capacity_gb=0.2,contents=on,program_us=3000,"

struct kept {
	struct sim_drive *drive;
	uint32_t buffer[1024];
	uint64_t now_ns;
};

static void version_write(struct kept *kept, uint32_t page, uint32_t version)
{
	const struct io io = {
		.offset = (uint64_t)page * 4096, .bytes = 4096, .op = IO_WRITE, .buffer = kept->buffer
	};

	for (int i = 0; i < 1024; i++)
		kept->buffer[i] = version;
	assert_int_equal(sim_drive_submit(kept->drive, &io, kept->now_ns, NULL, 0, &kept->now_ns), 4096);
}

static int32_t version_read(struct kept *kept, uint32_t page)
{
	const struct io io = {
		.offset = (uint64_t)page * 4096, .bytes = 4096, .op = IO_READ, .buffer = kept->buffer
	};

	return sim_drive_submit(kept->drive, &io, kept->now_ns, NULL, 0, &kept->now_ns);
}

static struct sim_cut cut_now(struct kept *kept)
{
	struct sim_cut cut;

	assert_int_equal(sim_drive_power_cut(kept->drive, kept->now_ns, &cut), 0);
	kept->now_ns = cut.ready_ns;
	return cut;
}

static void flush_now(struct kept *kept)
{
	kept->now_ns = io_do(kept->drive, IO_FLUSH, 0, 0, kept->now_ns);
}

static void lost_pages_are_back_at_the_version_before(void **state)
{
	struct kept kept = { .drive = drive_make(KEPT "jitter=0", 1) };
	struct sim_cut cut;

	for (uint32_t page = 0; page < 100; page++)
		version_write(&kept, page, 1);
	flush_now(&kept);
	kept.now_ns += S;
	for (uint32_t page = 0; page < 10; page++)
		version_write(&kept, page, 2);
	for (uint32_t page = 0; page < 5; page++)
		version_write(&kept, page, 3);
	version_write(&kept, 500, 9);
	cut = cut_now(&kept);
	assert_int_equal(cut.lost_pages, 16);
	for (uint32_t page = 0; page < 100; page++) {
		assert_int_equal(version_read(&kept, page), 4096);
		assert_int_equal(kept.buffer[0], 1);
	}
	assert_int_equal(version_read(&kept, 500), 4096);
	assert_int_equal(kept.buffer[0], 0);
	sim_drive_free(kept.drive);
}

static void an_honest_flush_keeps_everything_and_a_lying_one_does_not(void **state)
{
	for (int lies = 0; lies < 2; lies++) {
		struct kept kept = { .drive = drive_make(lies ? KEPT "flush_lies=on" : KEPT "flush_lies=off",
							 1) };
		struct sim_cut cut;

		for (uint32_t page = 0; page < 20; page++)
			version_write(&kept, page, 7);
		flush_now(&kept);
		cut = cut_now(&kept);
		assert_int_equal(cut.lost_pages, lies ? 20 : 0);
		assert_int_equal(cut.lost_flushed_pages, lies ? 20 : 0);
		assert_int_equal(version_read(&kept, 0), 4096);
		assert_int_equal(kept.buffer[0], lies ? 0 : 7);
		sim_drive_free(kept.drive);
	}
}

static void map_updates_after_the_last_journal_are_rolled_back(void **state)
{
	struct kept kept = { .drive = drive_make(KEPT "journal_ms=100", 1) };
	struct sim_cut cut;

	for (uint32_t page = 0; page < 300; page++)
		version_write(&kept, page, 1);
	kept.now_ns = 150 * MS;			/* all of it programmed, and in the journal of 100 ms */
	for (uint32_t page = 0; page < 256; page++)
		version_write(&kept, page, 2);
	kept.now_ns = 190 * MS;			/* programmed as well, but not in a journal */
	cut = cut_now(&kept);
	assert_true(cut.rolled_back_pages >= 200);
	assert_int_equal(version_read(&kept, 3), 4096);
	assert_int_equal(kept.buffer[0], 1);
	sim_drive_free(kept.drive);
}

static void a_program_cut_short_destroys_older_pages_of_its_word_lines(void **state)
{
	struct kept kept = { .drive = drive_make(KEPT "bits=2,paired_damage=on,dies=1,channels=1", 1) };
	uint32_t unreadable = 0;
	struct sim_cut cut;

	for (uint32_t page = 0; page < 32; page++)	/* two units on the only die */
		version_write(&kept, page, 1);
	kept.now_ns += 4 * MS;				/* the first is done, the second half way */
	cut = cut_now(&kept);
	assert_int_equal(cut.lost_pages, 16);
	assert_int_equal(cut.damaged_pages, 16);
	for (uint32_t page = 0; page < 32; page++)
		unreadable += version_read(&kept, page) == -EIO;
	assert_int_equal(unreadable, 16);
	version_write(&kept, 0, 5);			/* writing heals */
	assert_int_equal(version_read(&kept, 0), 4096);
	sim_drive_free(kept.drive);
}

static void a_shorn_page_is_half_old_and_half_new(void **state)
{
	struct kept kept = { .drive = drive_make(KEPT "shorn_rate=1,dies=1,channels=1", 1) };
	struct sim_cut cut;

	for (uint32_t page = 0; page < 8; page++)
		version_write(&kept, page, 1);
	flush_now(&kept);
	for (uint32_t page = 0; page < 8; page++)
		version_write(&kept, page, 2);
	kept.now_ns += MS;
	cut = cut_now(&kept);
	assert_int_equal(cut.shorn_pages, 8);
	assert_int_equal(cut.lost_pages, 0);
	assert_int_equal(version_read(&kept, 3), 4096);
	assert_int_equal(kept.buffer[0], 2);
	assert_int_equal(kept.buffer[1023], 1);
	sim_drive_free(kept.drive);
}

static void a_killed_drive_refuses_everything(void **state)
{
	struct sim_drive *drive;
	const struct sim_cut cut = cut_after_load("840pro,precondition=steady,dead_rate=1", &drive);
	const struct io io = { .bytes = 4096, .op = IO_READ };
	uint64_t done_ns;

	assert_true(cut.dead);
	assert_int_equal(sim_drive_submit(drive, &io, cut.ready_ns, NULL, 0, &done_ns), -ENXIO);
	sim_drive_free(drive);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_unprotected_drive_loses_what_is_buffered),
		cmocka_unit_test(a_protected_drive_loses_nothing),
		cmocka_unit_test(a_drive_works_on_after_a_cut),
		cmocka_unit_test(lost_pages_are_back_at_the_version_before),
		cmocka_unit_test(an_honest_flush_keeps_everything_and_a_lying_one_does_not),
		cmocka_unit_test(map_updates_after_the_last_journal_are_rolled_back),
		cmocka_unit_test(a_program_cut_short_destroys_older_pages_of_its_word_lines),
		cmocka_unit_test(a_shorn_page_is_half_old_and_half_new),
		cmocka_unit_test(a_killed_drive_refuses_everything),
	};

	return cmocka_run_group_tests_name("sim/powercut", tests, NULL, NULL);
}
