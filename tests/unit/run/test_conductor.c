/* The walk through a plan, on a simulated drive: order, rounds, points, repeats, picks, fills, interruption. */
#include <errno.h>
#include "../plan/fixture.h"
#include "base/text.h"
#include "drive/drive_sim.h"
#include "run/run.h"

struct seen {
	struct text order;		/* "name[point]:repeat@round " of each step that ended */
	struct text events;		/* kinds */
	char paths[4096];
	uint64_t last_id, intervals, ios[64][4];
	uint32_t steps, paths_twice;
	uint32_t workers[64];
	int refuse_interval, refuse_step;	/* -errno of the observer */
	volatile sig_atomic_t interrupted;
	uint32_t interrupt_at;		/* intervals; 0 = never */
};

static int step_begin(void *context, const struct step_record *step)
{
	struct seen *seen = context;

	assert_int_equal(step->id, seen->last_id + 1);
	seen->last_id = step->id;
	assert_int_equal(step->status, RUN_RUNNING);
	return seen->refuse_step;
}

static int load_begin(void *context, const struct load_record *load)
{
	struct seen *seen = context;

	assert_true(load->step < 64);
	seen->workers[load->step] = load->workers;
	return 0;
}

static int interval(void *context, const struct interval_record *record)
{
	struct seen *seen = context;

	seen->intervals++;
	if (seen->interrupt_at && seen->intervals >= seen->interrupt_at)
		seen->interrupted = 1;
	if (!record->ramp && record->step < 64)
		seen->ios[record->step][record->load] += tally_ios(record->tally);
	return seen->refuse_interval;
}

static int logged(void *context, uint64_t step, const struct logged_io *ios, uint32_t count)
{
	return 0;
}

static int telemetry(void *context, const struct telemetry_record *rows, uint32_t count)
{
	return 0;
}

static int event(void *context, const struct event_record *event)
{
	struct seen *seen = context;

	text_printf(&seen->events, "%s ", event->kind);
	return 0;
}

static int load_end(void *context, const struct load_record *load)
{
	struct seen *seen = context;

	assert_int_equal(tally_ios(load->total), seen->ios[load->step][load->load]);	/* sums over intervals are the total */
	return 0;
}

static int step_end(void *context, const struct step_record *step)
{
	struct seen *seen = context;
	char path[600];

	text_printf(&seen->order, "%s[%u]:%u@%u ", step->name, step->point, step->repeat, step->round);
	snprintf(path, sizeof(path), "|%s|", step->path);
	seen->paths_twice += strcmp(step->name, "prepare") && strstr(seen->paths, path) != NULL;
	strncat(seen->paths, path, sizeof(seen->paths) - strlen(seen->paths) - 1);
	seen->steps++;
	assert_int_not_equal(step->status, RUN_RUNNING);
	return 0;
}

static void seen_release(struct seen *seen)
{
	text_release(&seen->order);
	text_release(&seen->events);
	*seen = (struct seen){ 0 };
}

static int run_on(const char *sim, const char *text, struct seen *seen, struct run_outcome *outcome)
{
	const struct run_observer observer = { seen, step_begin, load_begin, interval, logged, logged, telemetry, event, load_end,
					       step_end, NULL };
	struct plan *plan = plan_of(PLAN_NATIVE, text);
	struct run_target target = { .subject.kind = TARGET_SIM };
	struct run_config config = { .plan = plan, .targets = &target, .target_count = 1, .seed = 1,
				     .interrupted = &seen->interrupted, .observer = &observer };
	struct fault fault = { 0 };
	int error;

	if (drive_sim_open(sim, 1, &target.sim, &fault))
		fail_msg("%s", fault.text);
	coverage_purged(&target.coverage);
	error = run_plan(&config, outcome);
	drive_sim_close(&target.sim);
	plan_free(plan);
	return error;
}

static void order_is(const char *text, const char *expected)
{
	struct seen seen = { 0 };
	struct run_outcome outcome;

	assert_int_equal(run_on("theory,shrink=256", text, &seen, &outcome), 0);
	assert_int_equal(outcome.status, RUN_COMPLETE);
	assert_string_equal(text_data(&seen.order), expected);
	assert_int_equal(seen.paths_twice, 0);
	seen_release(&seen);
}

#define SHORT "bs=64k\nsize=1m\n"

static void steps_run_in_the_order_written(void **state)
{
	order_is("[c]\nrw=write\n" SHORT "[a]\nrw=write\n" SHORT "[b]\nkind=note\ntext=words\n",
		 "c[0]:0@0 a[0]:0@0 b[0]:0@0 ");
}

static void points_in_the_order_written_and_repeats_around_them(void **state)
{
	order_is("[s]\nrw=write\nsize=1m\nvary.bs=64k 128k\nrepeat=2\n",
		 "s[0]:0@0 s[1]:0@0 s[0]:1@0 s[1]:1@0 ");
}

static void a_group_is_repeated_as_a_whole(void **state)
{
	order_is("[g]\nkind=group\nmax=2\nuntil=snia\ntrack=b iops\n[a]\nin=g\nrw=write\n" SHORT "[b]\nin=g\nrw=write\n" SHORT,
		 "a[0]:0@0 b[0]:0@0 a[0]:0@1 b[0]:0@1 ");
}

static void groups_nest_and_their_points_move_all_members(void **state)
{
	order_is("[g]\nkind=group\nvary.iodepth=1 2\n[h]\nkind=group\nin=g\n[a]\nin=h\nrw=write\n" SHORT "[b]\nin=g\nrw=write\n" SHORT,
		 "a[0]:0@0 b[0]:0@0 a[1]:0@0 b[1]:0@0 ");
}

static void a_group_ends_when_five_rounds_are_steady(void **state)
{
	struct seen seen = { 0 };
	struct run_outcome outcome;

	assert_int_equal(run_on("theory,shrink=256", "[fill]\nkind=fill\nrw=write\nbs=1m\nuntil=written:1r\n"
				"[g]\nkind=group\nuntil=snia\ntrack=a iops\nmax=25\n[a]\nin=g\nrw=randread\nbs=4k\nruntime=200ms\n",
				&seen, &outcome), 0);
	assert_int_equal(outcome.status, RUN_COMPLETE);
	assert_int_equal(seen.steps, 1 + 5);
	assert_non_null(strstr(text_data(&seen.events), "steady"));
	seen_release(&seen);
}

static void reads_of_a_fresh_drive_are_filled_first_and_once(void **state)
{
	order_is("[a]\nrw=randread\nbs=4k\nsize=1m\n[b]\nrw=read\nbs=4k\nsize=1m\n",
		 "prepare[0]:0@0 a[0]:0@0 b[0]:0@0 ");
	order_is("[w]\nkind=fill\nrw=write\nbs=64k\nsize=1m\nuntil=written:1r\n[a]\nrw=randread\nbs=4k\nsize=1m\n",
		 "w[0]:0@0 a[0]:0@0 ");
	order_is("[w]\nrw=write\nbs=64k\nsize=1m\n[p]\nkind=purge\n[a]\nrw=randread\nbs=4k\nsize=1m\n",
		 "w[0]:0@0 p[0]:0@0 prepare[0]:0@0 a[0]:0@0 ");
}

static void a_pick_moves_a_later_step(void **state)
{
	struct seen seen = { 0 };
	struct run_outcome outcome;

	assert_int_equal(run_on("theory,shrink=256", "[w]\nkind=fill\nrw=write\nbs=1m\nsize=16m\nuntil=written:1r\n"
				"[s]\nrw=randread\nbs=4k\nsize=16m\nvary.numjobs=1 2 8\nruntime=200ms\npick.top=s max iops\n"
				"pick.low=s min iops\n"
				"[a]\nrw=randread\nbs=4k\nsize=16m\nnumjobs=@top.numjobs\nruntime=100ms\n"
				"[b]\nrw=randread\nbs=4k\nsize=16m\nnumjobs=@low.numjobs\nruntime=100ms\n", &seen, &outcome), 0);
	assert_int_equal(outcome.status, RUN_COMPLETE);
	assert_int_equal(seen.workers[5], 8);
	assert_int_equal(seen.workers[6], 1);
	seen_release(&seen);
}

static void points_below_the_logical_block_are_skipped_and_told(void **state)
{
	struct seen seen = { 0 };
	struct run_outcome outcome;

	assert_int_equal(run_on("theory,shrink=256", "[s]\nrw=randwrite\nsize=1m\nvary.bs=512 4k\n", &seen, &outcome), 0);
	if (strstr(text_data(&seen.events), "skipped"))
		assert_string_equal(text_data(&seen.order), "s[1]:0@0 ");
	else
		assert_string_equal(text_data(&seen.order), "s[0]:0@0 s[1]:0@0 ");	/* a drive of 512-byte blocks */
	seen_release(&seen);
}

static void idle_takes_its_time_and_zero_is_legal(void **state)
{
	struct seen seen = { 0 };
	struct run_outcome outcome;

	assert_int_equal(run_on("theory,shrink=256", "[i]\nkind=idle\nruntime=2h\n[z]\nkind=idle\nruntime=0\n", &seen, &outcome), 0);
	assert_int_equal(outcome.status, RUN_COMPLETE);
	assert_int_equal(outcome.duration_ns, 7200ull * 1000000000);
	assert_string_equal(outcome.clock, "virtual");
	seen_release(&seen);
}

static void an_interruption_ends_the_run_with_what_there_is(void **state)
{
	struct seen seen = { .interrupt_at = 5 };
	struct run_outcome outcome;

	assert_int_equal(run_on("theory,shrink=256", "[a]\nrw=randwrite\nbs=4k\nruntime=1h\n[b]\nrw=write\n" SHORT, &seen, &outcome), 0);
	assert_int_equal(outcome.status, RUN_INTERRUPTED);
	assert_string_equal(text_data(&seen.order), "a[0]:0@0 ");
	assert_true(seen.intervals >= 5 && seen.intervals <= 7);
	assert_non_null(strstr(outcome.text, "'a'"));
	seen_release(&seen);
}

static void an_observer_that_refuses_ends_the_run_with_its_error(void **state)
{
	struct seen seen = { .refuse_interval = -ENOSPC };
	struct run_outcome outcome;

	assert_int_equal(run_on("theory,shrink=256", "[a]\nrw=randwrite\nbs=4k\nruntime=1h\n", &seen, &outcome), -ENOSPC);
	seen_release(&seen);
	seen.refuse_step = -EIO;
	assert_int_equal(run_on("theory,shrink=256", "[a]\nrw=write\n" SHORT, &seen, &outcome), -EIO);
	seen_release(&seen);
}

static void loads_of_one_step_run_together(void **state)
{
	struct seen seen = { 0 };
	struct run_outcome outcome;

	assert_int_equal(run_on("theory,shrink=256", "[a]\nrw=write\nbs=64k\nruntime=1s\n[b]\nwith=a\nrw=randwrite\nbs=4k\nruntime=1s\n",
				&seen, &outcome), 0);
	assert_string_equal(text_data(&seen.order), "a[0]:0@0 ");
	assert_int_equal(outcome.status, RUN_COMPLETE);
	seen_release(&seen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_run_in_the_order_written),
		cmocka_unit_test(points_in_the_order_written_and_repeats_around_them),
		cmocka_unit_test(a_group_is_repeated_as_a_whole),
		cmocka_unit_test(groups_nest_and_their_points_move_all_members),
		cmocka_unit_test(a_group_ends_when_five_rounds_are_steady),
		cmocka_unit_test(reads_of_a_fresh_drive_are_filled_first_and_once),
		cmocka_unit_test(a_pick_moves_a_later_step),
		cmocka_unit_test(points_below_the_logical_block_are_skipped_and_told),
		cmocka_unit_test(idle_takes_its_time_and_zero_is_legal),
		cmocka_unit_test(an_interruption_ends_the_run_with_what_there_is),
		cmocka_unit_test(an_observer_that_refuses_ends_the_run_with_its_error),
		cmocka_unit_test(loads_of_one_step_run_together),
	};

	return cmocka_run_group_tests_name("conductor", tests, NULL, NULL);
}
