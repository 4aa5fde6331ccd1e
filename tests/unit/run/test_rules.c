/* What decides when a step ends: limits, stop rules, coverage; and what later steps know: figures and picks. */
#include <errno.h>
#include <math.h>
#include "../plan/fixture.h"
#include "run/coverage.h"
#include "run/figures.h"
#include "run/step_limits.h"
#include "run/stop.h"

#define MEBI (1ull << 20)
#define SECOND 1000000000ull

/* -- coverage -- */

static void nothing_is_known_of_a_block_device_until_it_is_purged(void **state)
{
	struct coverage coverage = { 0 };

	assert_true(coverage_has(&coverage, 0, 1000));
	coverage_purged(&coverage);
	assert_false(coverage_has(&coverage, 0, 1));
	coverage_written(&coverage, 0, 1000);
	assert_true(coverage_has(&coverage, 0, 1000));
	assert_false(coverage_has(&coverage, 0, 1001));
	coverage_purged(&coverage);
	assert_false(coverage_has(&coverage, 0, 1000));
}

static void written_parts_join_where_they_touch(void **state)
{
	struct coverage coverage = { 0 };

	coverage_purged(&coverage);
	coverage_written(&coverage, 100, 200);
	coverage_written(&coverage, 200, 300);
	coverage_written(&coverage, 50, 120);
	assert_true(coverage_has(&coverage, 50, 300));
	coverage_written(&coverage, 400, 410);		/* apart and smaller: forgotten, which errs on the safe side */
	assert_true(coverage_has(&coverage, 50, 300));
	assert_false(coverage_has(&coverage, 400, 410));
	coverage_written(&coverage, 1000, 9000);	/* apart and larger: kept instead */
	assert_true(coverage_has(&coverage, 1000, 9000));
	coverage_written(&coverage, 5, 5);
	assert_true(coverage_has(&coverage, 1000, 9000));
}

/* -- limits -- */

static int limits(const char *lines, uint64_t target_bytes, uint32_t block, struct stage *stage,
		  struct fault *fault)
{
	static struct run_target target;
	static struct plan *plan;
	static struct plan_instance *instance;
	char text[1024];

	free(instance);
	plan_free(plan);
	snprintf(text, sizeof(text), "[a]\n%s", lines);
	plan = plan_of(PLAN_NATIVE, text);
	instance = instance_of(plan, "a", 0, 0);
	target.subject = (struct guard_subject){ .kind = TARGET_BLOCK, .size_bytes = target_bytes, .block_bytes = block };
	*stage = (struct stage){ .instance = instance, .load_count = 1, .load = { { .load = &instance->loads[0], .at = &target } } };
	*fault = (struct fault){ 0 };
	return step_limits_resolve(stage, step_of(plan, "a"), fault);
}

static void limits_follow_from_options_and_conditions(void **state)
{
	static const struct { const char *lines; uint64_t runtime_ns, budget; } cases[] = {
		{ "rw=read\nbs=4k\n", 0, 64 * MEBI },
		{ "rw=read\nbs=4k\nsize=1m\n", 0, MEBI },
		{ "rw=read\nbs=4k\nsize=1m\nio_size=3m\n", 0, 3 * MEBI },
		{ "rw=read\nbs=4k\nruntime=5s\n", 5 * SECOND, UINT64_MAX },
		{ "rw=write\nbs=4k\nuntil=written:2x\n", 0, 128 * MEBI },
		{ "rw=write\nbs=4k\nuntil=written:2x\nnumjobs=4\n", 0, 32 * MEBI },
		{ "rw=write\nbs=4k\nrange=0%..25%\nuntil=written:2r\n", 0, 32 * MEBI },
		{ "rw=write\nbs=4k\nuntil=written:10m\nmax=time:7s\n", 7 * SECOND, 10 * MEBI },
		{ "rw=randrw\nbs=4k\nuntil=written:10m\n", 0, UINT64_MAX },	/* watched by stop.c */
		{ "rw=write\nbs=4k\nuntil=drop:30%\nmax=time:9s\n", 9 * SECOND, UINT64_MAX },
		{ "rw=write\nbs=4k\nuntil=time:3s\n", 3 * SECOND, UINT64_MAX },
	};
	struct stage *stage = calloc(1, sizeof(*stage));
	struct fault fault;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (limits(cases[i].lines, 64 * MEBI, 512, stage, &fault))
			fail_msg("%s: %s", cases[i].lines, fault.text);
		if (stage->runtime_ns != cases[i].runtime_ns || stage->load[0].budget_bytes != cases[i].budget)
			fail_msg("%s: %lu ns, %lu bytes", cases[i].lines, stage->runtime_ns,
				 stage->load[0].budget_bytes);
	}
	free(stage);
}

static void ranges_and_blocks_that_do_not_fit_are_faults(void **state)
{
	static const struct { const char *lines; uint32_t block; const char *text; } cases[] = {
		{ "rw=read\nbs=4k\nsize=1g\n", 512, "beyond" },
		{ "rw=read\nbs=4k\noffset=64m\n", 512, "beyond" },
		{ "rw=read\nbs=520\n", 512, "520" },
		{ "rw=read\nbs=4104\n", 4096, "4104" },
		{ "rw=randread\nbs=4k-10k\n", 4096, "10240" },
		{ "rw=randrw\nbs=4k,6k\n", 4096, "6144" },
		{ "rw=randread\nbssplit=4k/50:4224/50\n", 4096, "4224" },
	};
	struct stage *stage = calloc(1, sizeof(*stage));
	struct fault fault;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(limits(cases[i].lines, 64 * MEBI, cases[i].block, stage, &fault), -EINVAL);
		if (!strstr(fault.text, cases[i].text))
			fail_msg("%s: %s", cases[i].lines, fault.text);
	}
	/* of another direction, or below one block (such points are skipped and told): no fault */
	assert_int_equal(limits("rw=randread\nbs=4k,6k\n", 64 * MEBI, 4096, stage, &fault), 0);
	assert_int_equal(limits("rw=randread\nbs=512\n", 64 * MEBI, 4096, stage, &fault), 0);
	assert_int_equal(step_limits_blocks(stage->load[0].load, 4096, false, &fault), -EINVAL);
	free(stage);
}

static void written_means_capacity_range_or_bytes(void **state)
{
	const struct stop_rule capacity = { .kind = STOP_WRITTEN, .capacities = 1.5 }, range = { .ranges = 2 }, bytes = { .bytes = 7 };

	assert_int_equal(step_limits_written_bytes(&capacity, 1000, 100), 1500);
	assert_int_equal(step_limits_written_bytes(&range, 1000, 100), 200);
	assert_int_equal(step_limits_written_bytes(&bytes, 1000, 100), 7);
}

/* -- stop rules -- */

static struct plan *stop_plan;
static struct plan_instance *stop_instance;

static void stop_of(struct stop *stop, const char *lines)
{
	char text[512];

	free(stop_instance);
	plan_free(stop_plan);
	snprintf(text, sizeof(text), "[a]\nrw=randwrite\nbs=4k\n%s", lines);
	stop_plan = plan_of(PLAN_NATIVE, text);
	stop_instance = instance_of(stop_plan, "a", 0, 0);
	stop_init(stop, &(struct stop_config){
		.instance = stop_instance, .target_bytes = 1000 * MEBI, .range_bytes = 100 * MEBI, .scale = 1 });
}

/* Feeds seconds of so many MiB until it stops; returns how many, or `most`. */
static uint32_t seconds_until(struct stop *stop, uint64_t (*mebi)(uint32_t second), uint32_t most)
{
	for (uint32_t i = 0; i < most; i++) {
		const uint64_t bytes = mebi(i) * MEBI;
		int met = stop_feed(stop, i * SECOND, (i + 1) * SECOND, bytes / 4096, bytes, bytes);

		assert_true(met >= 0);
		if (met)
			return i + 1;
	}
	return most;
}

static uint64_t steady_speed(uint32_t second)
{
	return 10;
}

static uint64_t cliff_at_20(uint32_t second)
{
	return second < 20 ? 100 : 60;
}

static uint64_t slow_wave(uint32_t second)
{
	return 100 + second % 2 * 20;
}

static uint64_t falling(uint32_t second)
{
	return second < 600 ? 1000 - second : 400;
}

static void written_ends_a_step(void **state)
{
	struct stop stop;

	stop_of(&stop, "until=written:1r");
	assert_int_equal(seconds_until(&stop, steady_speed, 1000), 10);
	assert_string_equal(stop.reason, "written");
	assert_int_equal(stop_feed(&stop, 0, 0, 0, 0, 0), 1);	/* met stays met */
	stop_release(&stop);
	stop_of(&stop, "until=drop:50%\nmax=written:250m");
	assert_int_equal(seconds_until(&stop, steady_speed, 1000), 25);
	stop_release(&stop);
}

static void a_drop_ends_a_step_and_a_wave_does_not(void **state)
{
	struct stop stop;
	uint32_t seconds;

	stop_of(&stop, "until=drop:30%\nmax=time:1h");
	seconds = seconds_until(&stop, cliff_at_20, 1000);
	assert_in_range(seconds, 21, 26);
	assert_string_equal(stop.reason, "drop");
	stop_release(&stop);
	stop_of(&stop, "until=drop:30%\nmax=time:1h");
	assert_int_equal(seconds_until(&stop, slow_wave, 500), 500);
	stop_release(&stop);
}

static void snia_rounds_of_one_step_end_it_when_five_are_steady(void **state)
{
	struct stop stop;

	stop_of(&stop, "until=snia:1m/1m\nmax=time:10h");
	assert_int_equal(seconds_until(&stop, steady_speed, 10000), 300);
	assert_string_equal(stop.reason, "snia");
	stop_release(&stop);
	stop_of(&stop, "until=snia:1m/3m\nmax=time:10h");
	assert_int_equal(seconds_until(&stop, steady_speed, 10000), 4 * 180 + 60);
	stop_release(&stop);
	stop_of(&stop, "until=snia:1m/1m\nmax=time:10h");
	assert_in_range(seconds_until(&stop, falling, 10000), 301, 900);
	stop_release(&stop);
}

/* -- figures and picks -- */

static const char figures_text[] =
	"[sweep]\nrw=randread\nvary.numjobs/iodepth=1/1 8/4 32/32\nruntime=1s\n"
	"pick.top=sweep max iops\npick.good=sweep max iops where mean<5ms\npick.least=sweep min iops\npick.middle=sweep mid iops\n"
	"pick.point=sweep[numjobs=8]\n"
	"[use]\nrw=randread\nnumjobs=@top.numjobs\nruntime=1s\n";

static void figure_put(struct figures *figures, const struct plan *plan, uint32_t point, uint32_t round,
		       double iops, double mean_ns)
{
	struct plan_instance *instance = instance_of(plan, "sweep", 0, point);
	struct figure place = { .step = step_of(plan, "sweep")->index, .round = round };
	struct tally *tally = calloc(1, sizeof(*tally));
	const struct tally *totals[] = { tally };

	tally_clear(tally);
	tally->op[IO_READ].ios = (uint64_t)iops;
	tally->op[IO_READ].bytes = (uint64_t)iops * 4096;
	tally->op[IO_READ].service.moments.sum_ns = (uint64_t)(iops * mean_ns);
	tally->op[IO_READ].service.moments.n = (uint64_t)iops;
	assert_int_equal(figures_add(figures, instance, totals, 1, SECOND, place), 0);
	free(tally);
	free(instance);
}

static const struct figure *picked(const struct figures *figures, const struct plan *plan, const char *name)
{
	const struct plan_step *step = step_of(plan, "sweep");

	for (uint32_t i = 0; i < step->pick_count; i++)
		if (!strcmp(step->pick[i].name, name))
			return figures_pick(figures, plan, &step->pick[i], 0);
	fail_msg("no pick %s", name);
	return NULL;
}

static void picks_name_the_point_that_was_asked_for(void **state)
{
	struct plan *plan = plan_of(PLAN_NATIVE, figures_text);
	struct figures figures = { 0 };

	assert_null(picked(&figures, plan, "top"));
	figure_put(&figures, plan, 0, 0, 1000, 1e6);
	figure_put(&figures, plan, 1, 0, 5000, 4e6);
	figure_put(&figures, plan, 2, 0, 9000, 30e6);
	assert_close(picked(&figures, plan, "top")->iops, 9000);
	assert_close(picked(&figures, plan, "good")->iops, 5000);
	assert_close(picked(&figures, plan, "least")->iops, 1000);
	assert_close(picked(&figures, plan, "middle")->iops, 5000);
	assert_close(picked(&figures, plan, "point")->iops, 5000);
	assert_close(picked(&figures, plan, "top")->mean_ns, 30e6);
	assert_close(picked(&figures, plan, "top")->bytes_per_second, 9000 * 4096.0);
	figures_release(&figures);
	plan_free(plan);
}

static void a_point_is_judged_by_the_mean_of_its_last_five_rounds(void **state)
{
	struct plan *plan = plan_of(PLAN_NATIVE, figures_text);
	struct figures figures = { 0 };

	for (uint32_t round = 0; round < 8; round++) {
		figure_put(&figures, plan, 0, round, 3000, 1e6);
		figure_put(&figures, plan, 1, round, round < 3 ? 100000 : 2000, 1e6);	/* the first rounds do not count */
		figure_put(&figures, plan, 2, round, 1000, 1e6);
	}
	assert_close(picked(&figures, plan, "top")->iops, 3000);
	assert_close(picked(&figures, plan, "least")->iops, 1000);
	figures_release(&figures);
	plan_free(plan);
}

static void points_are_matched_by_value_and_not_by_spelling(void **state)
{
	struct figure figure = { .value_count = 2, .values = {
		{ .key = "bs", .text = "4096", .numeric = true, .number = 4096 }, { .key = "rw", .text = "randread" } } };

	assert_true(figure_matches(&figure, ""));
	assert_true(figure_matches(&figure, NULL));
	assert_true(figure_matches(&figure, "bs=4k"));
	assert_true(figure_matches(&figure, "bs=4096 rw=randread"));
	assert_false(figure_matches(&figure, "bs=8k"));
	assert_false(figure_matches(&figure, "iodepth=1"));
	assert_false(figure_matches(&figure, "bs"));
}

static void what_a_step_reached_is_the_mean_of_its_last_points_repeats(void **state)
{
	struct plan *plan = plan_of(PLAN_NATIVE, figures_text);
	struct figures figures = { 0 };
	double iops = 0;

	assert_int_equal(figures_reached(&figures, plan, "sweep", 0, &iops), -ENOENT);
	figure_put(&figures, plan, 0, 0, 100, 1e6);
	figure_put(&figures, plan, 1, 0, 1000, 1e6);
	figure_put(&figures, plan, 1, 1, 2000, 1e6);
	assert_int_equal(figures_reached(&figures, plan, "sweep", 0, &iops), 0);
	assert_close(iops, 1500);
	assert_int_equal(figures_reached(&figures, plan, "sweep", 1, &iops), -ENOENT);
	assert_true(isnan(figure_value(&figures.figure[0], "no-such")));
	figures_release(&figures);
	plan_free(plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_known_of_a_block_device_until_it_is_purged),
		cmocka_unit_test(written_parts_join_where_they_touch),
		cmocka_unit_test(limits_follow_from_options_and_conditions),
		cmocka_unit_test(ranges_and_blocks_that_do_not_fit_are_faults),
		cmocka_unit_test(written_means_capacity_range_or_bytes),
		cmocka_unit_test(written_ends_a_step),
		cmocka_unit_test(a_drop_ends_a_step_and_a_wave_does_not),
		cmocka_unit_test(snia_rounds_of_one_step_end_it_when_five_are_steady),
		cmocka_unit_test(picks_name_the_point_that_was_asked_for),
		cmocka_unit_test(a_point_is_judged_by_the_mean_of_its_last_five_rounds),
		cmocka_unit_test(points_are_matched_by_value_and_not_by_spelling),
		cmocka_unit_test(what_a_step_reached_is_the_mean_of_its_last_points_repeats),
	};

	return cmocka_run_group_tests_name("rules", tests, NULL, NULL);
}
