/* Groups, what their members take from them, and loads that run together. */
#include "fixture.h"

static void members_take_the_groups_values_and_keep_their_own(void **state)
{
	struct plan *plan = plan_of(PLAN_NATIVE,
		"[global]\nbs=4k\niodepth=1\n"
		"[g]\nkind=group\nvary.bs=8k 16k\niodepth=5\n"
		"[a]\nin=g\n"
		"[b]\nin=g\nbs=64k\niodepth=7\n"
		"[c]\n");
	struct plan_instance *a = instance_of(plan, "a", 1, 0), *b = instance_of(plan, "b", 1, 0);
	struct plan_instance *c = instance_of(plan, "c", 0, 0);

	assert_int_equal(a->loads[0].sizes[0].part[0].bytes_min, 16384);
	assert_int_equal(a->loads[0].iodepth, 5);
	assert_int_equal(b->loads[0].sizes[0].part[0].bytes_min, 65536);
	assert_int_equal(b->loads[0].iodepth, 7);
	assert_int_equal(c->loads[0].sizes[0].part[0].bytes_min, 4096);
	assert_int_equal(step_of(plan, "a")->group, (int32_t)step_of(plan, "g")->index);
	assert_int_equal(step_of(plan, "a")->depth, 1);
	assert_int_equal(plan_step_points(plan, step_of(plan, "a")->index), 2);
	assert_int_equal(plan->point_total, 5);
	free(a);
	free(b);
	free(c);
	plan_free(plan);
}

static void groups_nest(void **state)
{
	struct plan *plan = plan_of(PLAN_NATIVE,
		"[outer]\nkind=group\nvary.bs=4k 8k\n"
		"[inner]\nkind=group\nin=outer\nvary.iodepth=1 2 3\n"
		"[a]\nin=inner\nvary.numjobs=1 2\n"
		"[b]\nin=outer\n");
	struct plan_place place = { .step = 2, .group_point = { 1, 2 }, .point = 1 };
	struct plan_instance *instance = calloc(1, sizeof(*instance));

	assert_int_equal(step_of(plan, "a")->depth, 2);
	assert_int_equal(plan_step_points(plan, 2), 12);
	assert_int_equal(plan_instantiate(plan, &place, NULL, instance, NULL), 0);
	assert_string_equal(value_of(instance, "bs"), "8192");
	assert_string_equal(value_of(instance, "iodepth"), "3");
	assert_string_equal(value_of(instance, "numjobs"), "2");
	assert_int_equal(plan->point_total, 12 + 2);
	free(instance);
	plan_free(plan);
}

static void groups_end_after_25_rounds_unless_max_says_otherwise(void **state)
{
	struct plan *plan = plan_of(PLAN_NATIVE, "[g]\nkind=group\nuntil=snia\ntrack=a "
						 "iops\n[a]\nin=g\nruntime=1m\n"
						 "[h]\nkind=group\nuntil=snia\nmax=7\ntrack=b "
						 "mean\n[b]\nin=h\nruntime=1m\n");
	const struct plan_step *g = step_of(plan, "g"), *h = step_of(plan, "h");

	assert_int_equal(g->until[0].kind, STOP_SNIA);
	assert_int_equal(g->until[0].round_ns, 0);
	assert_int_equal(g->max[0].kind, STOP_ROUNDS);
	assert_int_equal(g->max[0].rounds, 25);
	assert_int_equal(h->max[0].rounds, 7);
	assert_int_equal(g->track_count, 1);
	assert_string_equal(g->track[0].step, "a");
	assert_string_equal(g->track[0].point, "");
	assert_string_equal(g->track[0].figure, "iops");
	assert_string_equal(h->track[0].figure, "mean");
	plan_free(plan);
}

static void joined_loads_run_with_their_leader(void **state)
{
	struct plan *plan = plan_of(PLAN_NATIVE,
		"[main]\nrw=randread\nvary.iodepth=1 32\nruntime=1m\ninterval=2s\n"
		"[noise]\nwith=main\nrw=write\nbs=1m\nnumjobs=@iodepth\n"
		"[short]\nwith=main\nruntime=5s\n[after]\n");
	struct plan_instance *instance = instance_of(plan, "main", 0, 1);

	assert_int_equal(instance->load_count, 3);
	assert_int_equal(instance->runtime_ns, 60000000000ull);
	assert_int_equal(instance->interval_ns, 2000000000ull);
	assert_string_equal(instance->loads[1].name, "noise");
	assert_int_equal(instance->loads[1].numjobs, 32);
	assert_true(instance->loads[1].time_based && instance->loads[1].runtime_ns == 0);
	assert_int_equal(instance->loads[2].runtime_ns, 5000000000ull);
	assert_int_equal(step_of(plan, "noise")->joined_to, 0);
	assert_int_equal(plan->point_total, 3);
	free(instance);
	plan_free(plan);
}

static void every_kind_carries_what_it_needs(void **state)
{
	struct plan *plan = plan_of(PLAN_NATIVE,
		"[clean]\nkind=purge\nmethod=trim\nrange=0%..50%\n"
		"[fill]\nkind=fill\n"
		"[rest]\nkind=idle\nruntime=0\n"
		"[words]\nkind=note\ntext=plug in the second drive @ port 2\n"
		"[make]\nkind=mkfs\nfs=ext4\nsize=80%\n"
		"[in-fs]\non=make\nwrite_cache=off\n"
		"[app]\nkind=app\ncommand=true\n"
		"[play]\nkind=replay\ntrace=/tmp/t\n"
		"[cut]\nkind=powercut\n");
	struct plan_instance *clean = instance_of(plan, "clean", 0, 0),
			     *fill = instance_of(plan, "fill", 0, 0);
	struct plan_instance *make = instance_of(plan, "make", 0, 0), *rest = instance_of(plan, "rest", 0, 0);
	struct plan_instance *in_fs = instance_of(plan, "in-fs", 0, 0);

	assert_int_equal(clean->purge, PURGE_TRIM);
	assert_close(clean->loads[0].range_to.share, 0.5);
	assert_int_equal(fill->loads[0].rw, LOAD_WRITE);
	assert_int_equal(fill->loads[0].sizes[1].part[0].bytes_min, 128 << 10);
	assert_int_equal(fill->loads[0].iodepth, 32);
	assert_int_equal(fill->until[0].kind, STOP_WRITTEN);
	assert_close(fill->until[0].ranges, 2);
	assert_true(fill->loads[0].time_based);
	assert_int_equal(rest->load_count, 0);
	assert_int_equal(rest->runtime_ns, 0);
	assert_string_equal(step_of(plan, "words")->text, "plug in the second drive @ port 2");
	assert_string_equal(make->fs, "ext4");
	assert_close(make->loads[0].size.share, 0.8);
	assert_int_equal(step_of(plan, "in-fs")->on_step, (int32_t)step_of(plan, "make")->index);
	assert_int_equal(in_fs->write_cache, WRITE_CACHE_OFF);
	assert_string_equal(step_of(plan, "app")->command, "true");
	assert_string_equal(step_of(plan, "play")->trace, "/tmp/t");
	assert_true(plan->purges && plan->writes && plan->reads && plan->runs_commands);
	free(clean);
	free(fill);
	free(make);
	free(rest);
	free(in_fs);
	plan_free(plan);
}

static void a_fill_does_not_take_the_plans_load(void **state)
{
	struct plan *plan = plan_of(PLAN_NATIVE, "[global]\nrw=randread\nbs=4k\niodepth=1\nnumjobs="
						 "8\nruntime=5\ndirect=1\n"
						 "[fill]\nkind=fill\n[a]\n");
	struct plan_instance *fill = instance_of(plan, "fill", 0, 0);

	assert_int_equal(fill->loads[0].rw, LOAD_WRITE);
	assert_int_equal(fill->loads[0].sizes[1].part[0].bytes_min, 128 << 10);
	assert_int_equal(fill->loads[0].iodepth, 32);
	assert_int_equal(fill->loads[0].numjobs, 1);
	assert_int_equal(fill->runtime_ns, 0);
	assert_true(fill->loads[0].direct);
	free(fill);
	plan_free(plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_take_the_groups_values_and_keep_their_own),
		cmocka_unit_test(groups_nest),
		cmocka_unit_test(groups_end_after_25_rounds_unless_max_says_otherwise),
		cmocka_unit_test(joined_loads_run_with_their_leader),
		cmocka_unit_test(every_kind_carries_what_it_needs),
		cmocka_unit_test(a_fill_does_not_take_the_plans_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
