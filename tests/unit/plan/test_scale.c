/* --scale multiplies durations and sizes of the plan, and nothing else. */
#include "fixture.h"

static struct plan_instance *scaled(double scale, const char *step, const char *text)
{
	struct plan_options options = options_of(PLAN_NATIVE);
	struct plan *plan;
	struct plan_instance *instance;

	options.scale = scale;
	plan = plan_of_options(&options, text);
	assert_close(plan->scale, scale);
	instance = instance_of(plan, step, 0, 0);
	plan_free(plan);
	return instance;
}

static void durations_shrink(void **state)
{
	struct plan_instance *i =
		scaled(0.01, "a", "[a]\nruntime=100s\nramp_time=10s\nstartdelay=1s\nthinktime=500\n");

	assert_int_equal(i->runtime_ns, 1000000000ull);
	assert_int_equal(i->loads[0].ramp_ns, 100000000ull);
	assert_int_equal(i->loads[0].startdelay_ns, 10000000ull);
	assert_int_equal(i->loads[0].thinktime_ns,
			 500000ull); /* part of the load, not a duration of the plan */
	assert_int_equal(i->interval_ns, 10000000ull);
	free(i);
	i = scaled(0.1, "a", "[a]\ngive_up=5m\n[b]\nwith=a\ngive_up=0\n");
	assert_int_equal(i->give_up_ns, 300000000000ull);	/* the drive's time; and the leading load's */
	free(i);
	i = scaled(0.1, "a", "[a]\nruntime=1s\n");
	assert_int_equal(i->give_up_ns, 600000000000ull);
	free(i);
	i = scaled(0.1, "a", "[a]\nkind=idle\nruntime=30s\n");
	assert_int_equal(i->runtime_ns, 3000000000ull);
	free(i);
	i = scaled(0.1, "a", "[a]\nduty=5s/10s*360\n");
	assert_int_equal(i->duty_on_ns, 500000000ull);
	assert_int_equal(i->duty_off_ns, 1000000000ull);
	assert_int_equal(i->duty_count, 360);
	free(i);
}

static void stops_shrink(void **state)
{
	struct plan_instance *i = scaled(0.1, "a",
					 "[a]\nrw=write\nuntil=written:2x time:1h written:10g written:1r "
					 "snia:1m/31m\n");

	assert_close(i->until[0].capacities, 0.2);
	assert_int_equal(i->until[1].time_ns, 360000000000ull);
	assert_int_equal(i->until[2].bytes, 1ull << 30);
	assert_close(i->until[3].ranges, 1);	/* the range itself shrinks */
	assert_int_equal(i->until[4].round_ns, 6000000000ull);
	assert_int_equal(i->until[4].every_ns, 186000000000ull);
	free(i);
}

static void sizes_shrink_to_whole_blocks(void **state)
{
	struct plan_instance *i = scaled(0.5, "a", "[a]\nsize=10g\noffset=20%\nbs=64k\nio_size=100m\n");

	assert_int_equal(i->loads[0].size.bytes, 5ull << 30);
	assert_close(i->loads[0].offset.share, 0.1);
	assert_int_equal(i->loads[0].io_size.bytes, 50ull << 20);
	assert_int_equal(i->loads[0].sizes[0].part[0].bytes_min, 65536);
	free(i);
	i = scaled(0.0001, "a", "[a]\nsize=10m\nbs=64k\n");
	assert_int_equal(i->loads[0].size.bytes, 4 * 65536);
	free(i);
	i = scaled(0.001, "a", "[a]\nsize=1g\n");
	assert_int_equal(i->loads[0].size.bytes % 4096, 0);
	free(i);
}

static void scaled_sizes_hold_a_few_of_the_plans_largest_blocks(void **state)
{
	struct plan_instance *i = scaled(0.0001, "a", "[a]\nsize=50%\nbs=4k\n[b]\nvary.bs=4k 1m\n");
	const struct amount *size = &i->loads[0].size;

	assert_int_equal(amount_resolve(size, 1ull << 40, 0), (uint64_t)((1ull << 40) * 0.00005));
	assert_int_equal(amount_resolve(size, 1ull << 30, 0), 4 << 20);	/* four blocks of 1 MiB */
	assert_int_equal(amount_resolve(size, 4 << 20, 0), 2 << 20);	/* but not more than the plan says */
	free(i);
	i = scaled(0.0001, "a", "[a]\nbs=1m\n");
	assert_int_equal(amount_resolve(&i->loads[0].range_to, 1ull << 30, 0), 4 << 20);
	assert_int_equal(amount_resolve(&i->loads[0].range_to, 3 << 20, 0), 3 << 20);
	free(i);
	i = scaled(0.0001, "a", "[a]\noffset=50%\nsize=2m\nbs=1m\nio_size=100m\n");
	assert_int_equal(i->loads[0].size.bytes, 2 << 20);
	assert_int_equal(i->loads[0].io_size.bytes, 1 << 20);
	assert_int_equal(i->loads[0].offset.bytes_least, 0);
	free(i);
	i = scaled(0.0001, "a", "[a]\nbs=1m\nsize=min(6.25%,64g)\n");
	assert_int_equal(amount_resolve(&i->loads[0].size, 1ull << 40, 0),
			 0x68d000); /* 64 GiB scaled, in whole 4 KiB */
	assert_int_equal(amount_resolve(&i->loads[0].size, 1ull << 30, 0), 4 << 20);
	assert_int_equal(amount_resolve(&i->loads[0].size, 16 << 20, 0), 1 << 20);
	free(i);
}

static void ranges_shrink(void **state)
{
	struct plan_instance *i = scaled(0.1, "a", "[a]\nrange=0%..50%\n");

	assert_close(i->loads[0].range_to.share, 0.05);
	free(i);
	i = scaled(0.1, "a", "[a]\nrange=75%/2048\n");
	assert_close(i->loads[0].range_to.share, 0.075);
	assert_int_equal(i->loads[0].range_segments, 204);
	free(i);
	i = scaled(0.1, "a", "[a]\n");
	assert_close(i->loads[0].range_to.share, 0.1);
	assert_int_equal(i->loads[0].range_to.unit, AMOUNT_SHARE);
	free(i);
	i = scaled(0.1, "a", "[a]\nkind=purge\n");
	assert_int_equal(i->loads[0].range_to.unit, AMOUNT_UNSET);
	free(i);
	i = scaled(0.1, "a", "[a]\nsize=min(50%,10g)\n");
	assert_close(i->loads[0].size.share, 0.05);
	assert_int_equal(i->loads[0].size.bytes, 1ull << 30);
	free(i);
}

static void a_longer_plan_is_possible(void **state)
{
	struct plan_instance *i = scaled(3, "a", "[a]\nruntime=10s\nsize=50%\n");

	assert_int_equal(i->runtime_ns, 30000000000ull);
	assert_close(i->loads[0].size.share, 1);
	assert_int_equal(i->interval_ns, 1000000000ull);
	free(i);
	i = scaled(1e9, "a", "[a]\nruntime=1000d\n");
	assert_int_equal(i->runtime_ns, 9000000000000000000ull);
	free(i);
}

static void rates_are_checked_unscaled(void **state)
{
	struct plan_instance *i = scaled(0.001, "a", "[a]\narrival=constant:10\nruntime=1s\n");

	assert_close(i->loads[0].arrival_rate, 10);
	free(i);
}

static void amounts_resolve(void **state)
{
	struct amount unset = { 0 }, bytes = { AMOUNT_BYTES, 5 }, half = { AMOUNT_SHARE, 0, 0.5 };
	struct amount capped = { AMOUNT_SHARE, 30, 0.5 }, all = { AMOUNT_SHARE, 0, 1 };

	assert_int_equal(amount_resolve(&unset, 100, 7), 7);
	assert_int_equal(amount_resolve(&bytes, 100, 7), 5);
	assert_int_equal(amount_resolve(&half, 100, 7), 50);
	assert_int_equal(amount_resolve(&capped, 100, 7), 30);
	assert_int_equal(amount_resolve(&capped, 40, 7), 20);
	assert_int_equal(amount_resolve(&all, UINT64_MAX, 7), UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(durations_shrink),
		cmocka_unit_test(stops_shrink),
		cmocka_unit_test(sizes_shrink_to_whole_blocks),
		cmocka_unit_test(scaled_sizes_hold_a_few_of_the_plans_largest_blocks),
		cmocka_unit_test(ranges_shrink),
		cmocka_unit_test(a_longer_plan_is_possible),
		cmocka_unit_test(rates_are_checked_unscaled),
		cmocka_unit_test(amounts_resolve),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
