#include <errno.h>
#include "analyze/bottleneck.h"
#include "analyze/ratio.h"
#include "base/random.h"
#include "check.h"

static double normal(struct random *random)
{
	return sqrt(-2 * log(1 - random_double(random))) * cos(2 * M_PI * random_double(random));
}

/* Counted with the recurrence of Mann & Whitney in Python integers. */
static void mann_whitney_is_exact(void **state)
{
	static const struct { uint32_t n, m, u; double p; } golden[] = {
		{ 4, 4, 0, 0.0142857142857143 }, { 5, 5, 2, 0.0158730158730159 }, { 6, 6, 5, 0.0205627705627706 },
		{ 7, 7, 8, 0.0189393939393939 }, { 8, 8, 13, 0.0249417249417249 }, { 3, 7, 4, 0.0916666666666667 },
		{ 10, 12, 40, 0.101483655663222 }, { 20, 20, 127, 0.0245451625946862 },
		{ 30, 25, 250, 0.0172917250662388 },
	};

	for (size_t i = 0; i < COUNT(golden); i++)
		assert_near(mann_whitney_cdf(golden[i].n, golden[i].m, golden[i].u), golden[i].p, 1e-9);
	assert_near(mann_whitney_cdf(100, 100, 10000), 1, 1e-9);
	assert_near(mann_whitney_cdf(100, 99, 4949) + mann_whitney_cdf(100, 99, 4950), 1, 1e-9);	/* symmetry */
}

/* scipy 1.10: mannwhitneyu(method="exact"); ratios and interval from the sorted quotients. */
static void golden_comparisons(void **state)
{
	static const double a[] = { 100, 103, 98, 101, 99 }, b[] = { 108, 112, 107, 110, 109 };
	static const double c[] = { 5, 6, 7, 8, 9, 10 }, d[] = { 7.5, 8.5, 9.5, 10.5, 11.5, 12.5 };
	struct ratio ratio;

	assert_int_equal(ratio_compare(a, 5, b, 5, RATIO_MARGIN, true, &ratio), 0);
	assert_near(ratio.p, 0.007936507936507936, 1e-12);
	assert_near(ratio.ratio, 1.09, 1e-12);
	assert_near(ratio.low, 1.058252427184466, 1e-12);
	assert_near(ratio.high, 1.1224489795918366, 1e-12);
	assert_near(ratio.confidence, 0.9682539682539683, 1e-12);
	assert_int_equal(ratio.verdict, RATIO_FASTER);
	assert_int_equal(ratio_compare(b, 5, a, 5, RATIO_MARGIN, true, &ratio), 0);
	assert_int_equal(ratio.verdict, RATIO_SLOWER);
	assert_int_equal(ratio_compare(a, 5, b, 5, RATIO_MARGIN, false, &ratio), 0);
	assert_int_equal(ratio.verdict, RATIO_SLOWER);		/* more latency is worse */
	assert_int_equal(ratio_compare(c, 6, d, 6, RATIO_MARGIN, true, &ratio), 0);
	assert_near(ratio.p, 0.06493506493506493, 1e-12);
	assert_near(ratio.ratio, 1.334634781503914, 1e-12);
	assert_near(ratio.low, 0.95, 1e-12);
	assert_near(ratio.high, 1.9, 1e-12);
	assert_int_equal(ratio.verdict, RATIO_CANNOT_TELL);
	assert_true(ratio.needs_runs > 6);
}

static void equal_drives_are_the_same_and_few_runs_cannot_tell(void **state)
{
	static const double a[] = { 1000, 1001, 999, 1002, 998 }, b[] = { 1000.5, 1001.5, 999.5, 1000, 998.5 };
	static const double c[] = { 100, 101, 102 }, d[] = { 120, 121, 122 };
	static const double e[] = { 60129 }, f[] = { 60131 }, g[] = { 62500 };
	struct ratio ratio;

	assert_int_equal(ratio_compare(a, 5, b, 5, RATIO_MARGIN, true, &ratio), 0);
	assert_int_equal(ratio.verdict, RATIO_SAME);
	assert_int_equal(ratio_compare(c, 3, d, 3, RATIO_MARGIN, true, &ratio), 0);
	assert_int_equal(ratio.verdict, RATIO_CANNOT_TELL);
	assert_true(ratio.indicative);
	assert_near(ratio.p, 0.1, 1e-12);
	assert_true(isnan(ratio.low));
	assert_int_equal(ratio.needs_runs, RATIO_RUNS_MIN);
	assert_int_equal(ratio_compare(e, 1, f, 1, RATIO_MARGIN, true, &ratio), 0);
	assert_false(ratio.indicative); /* of nothing: it is within the margin */
	assert_int_equal(ratio_compare(f, 1, e, 1, RATIO_MARGIN, true, &ratio), 0);
	assert_false(ratio.indicative);
	assert_int_equal(ratio_compare(e, 1, g, 1, RATIO_MARGIN, true, &ratio), 0);
	assert_true(ratio.indicative);
	assert_int_equal(ratio_compare(c, 0, d, 3, RATIO_MARGIN, true, &ratio), -EINVAL);
	assert_int_equal(ratio_compare((double[]){ 0, 1, 2, 3 }, 4, d, 3, RATIO_MARGIN, true, &ratio), -EINVAL);
}

/* Two equal drives with 3 % from run to run: a wrong verdict in at most 5 % of comparisons. */
static void equal_drives_are_seldom_called_different(void **state)
{
	struct random random;
	int wrong = 0;

	random_init(&random, 1, 0);
	for (int trial = 0; trial < 400; trial++) {
		double a[5], b[5];
		struct ratio ratio;

		for (int i = 0; i < 5; i++) {
			a[i] = 1000 * exp(0.03 * normal(&random));
			b[i] = 1000 * exp(0.03 * normal(&random));
		}
		assert_int_equal(ratio_compare(a, 5, b, 5, RATIO_MARGIN, true, &ratio), 0);
		wrong += ratio.verdict == RATIO_FASTER || ratio.verdict == RATIO_SLOWER;
	}
	assert_in_range(wrong, 0, 20);
}

static void holm_steps_down(void **state)
{
	double p[] = { 0.01, 0.04, 0.03, 0.005 };

	holm_adjust(p, 4);
	assert_near(p[0], 0.03, 1e-12);
	assert_near(p[1], 0.06, 1e-12);
	assert_near(p[2], 0.06, 1e-12);
	assert_near(p[3], 0.02, 1e-12);
}

/* One drive against each of three others, all the same: of the families of verdicts, few hold a wrong one. */
static void several_comparisons_are_judged_together(void **state)
{
	struct ratio clear[3] = {
		{ .verdict = RATIO_FASTER, .p = 0.004 }, { .verdict = RATIO_SLOWER, .p = 0.03 }, { .verdict = RATIO_SAME, .p = 0.9 },
	};
	int alone = 0, together = 0;
	struct random random;

	assert_int_equal(ratio_judge_together(clear, 3), 0);
	assert_int_equal(clear[0].verdict, RATIO_FASTER);
	assert_int_equal(clear[1].verdict, RATIO_CANNOT_TELL);	/* 2 x 0.03 */
	assert_int_equal(clear[2].verdict, RATIO_SAME);
	assert_near(clear[0].p, 0.012, 1e-12);
	random_init(&random, 2, 0);
	for (int trial = 0; trial < 400; trial++) {
		struct ratio ratios[4];
		double y[5][6];

		for (int i = 0; i < 30; i++)
			y[i / 6][i % 6] = 1000 * exp(0.06 * normal(&random));
		for (int i = 0; i < 4; i++)
			assert_int_equal(ratio_compare(y[0], 6, y[i + 1], 6, RATIO_MARGIN, true, &ratios[i]),
					 0);
		for (int i = 0; i < 4; i++)
			if (ratios[i].verdict == RATIO_FASTER || ratios[i].verdict == RATIO_SLOWER) {
				alone++;
				break;
			}
		assert_int_equal(ratio_judge_together(ratios, 4), 0);
		for (int i = 0; i < 4; i++)
			if (ratios[i].verdict == RATIO_FASTER || ratios[i].verdict == RATIO_SLOWER) {
				together++;
				break;
			}
	}
	print_message("# four equal drives against a fifth: a wrong verdict in %d of 400 families, %d without Holm\n", together, alone);
	assert_in_range(together, 0, 28);
	assert_true(alone > together);
}

/* -- bottleneck: one row per verdict -- */

static struct bottleneck_evidence busy_drive(void)
{
	struct bottleneck_evidence evidence;

	bottleneck_evidence_init(&evidence);
	evidence.bytes_per_second = 1e9;
	evidence.iops = 250000;
	evidence.depth_asked = 32;
	evidence.depth_reached = 31.8;
	evidence.littles_difference = 0.01;
	evidence.link_bytes_per_second = evidence.link_max_bytes_per_second = link_pcie_bytes_per_second(3, 4, 256);
	evidence.worker_cpu_busiest = 0.4;
	evidence.irq_cpu_busiest = 0.2;
	evidence.steal = 0;
	evidence.temperature_c = 45;
	evidence.temperature_warning_c = 80;
	evidence.throttle_seconds = 0;
	evidence.tool_ceiling_iops = 2e6;
	return evidence;
}

static void check_verdict(const struct bottleneck_evidence *evidence, enum bottleneck want,
			  enum bottleneck_tag tag)
{
	struct bottleneck_verdict verdict;

	bottleneck_judge(evidence, &verdict);
	assert_string_equal(bottleneck_name(verdict.verdict), bottleneck_name(want));
	if (tag < BOTTLENECK_TAGS)
		assert_true(verdict.tag[tag]);
	assert_int_equal(verdict.next != NULL, want == BOTTLENECK_UNKNOWN);
	if (want != BOTTLENECK_UNKNOWN)
		assert_true(verdict.number_count > 0);
}

static void each_limit_is_named(void **state)
{
	struct bottleneck_evidence evidence = busy_drive();

	check_verdict(&evidence, BOTTLENECK_DRIVE, BOTTLENECK_TAGS);
	evidence.bytes_per_second = 3.4e9;
	check_verdict(&evidence, BOTTLENECK_LINK, TAG_LINK_LIMITED);
	evidence = busy_drive();
	evidence.worker_cpu_busiest = 0.99;
	evidence.depth_reached = 5;
	check_verdict(&evidence, BOTTLENECK_HOST_CPU, TAG_CPU_LIMITED);
	evidence = busy_drive();
	evidence.irq_cpu_busiest = 0.95;
	check_verdict(&evidence, BOTTLENECK_HOST_CPU, TAG_IRQ_LIMITED);
	evidence = busy_drive();
	evidence.iops = 1.9e6;
	check_verdict(&evidence, BOTTLENECK_HOST_CPU, TAG_TOOL_NEAR);
	evidence = busy_drive();
	evidence.depth_reached = 16;
	check_verdict(&evidence, BOTTLENECK_HOST_QUEUE, TAG_QUEUE_LIMITED);
	evidence = busy_drive();
	evidence.perturbation_ratio = 1.2;
	check_verdict(&evidence, BOTTLENECK_HOST_QUEUE, TAG_HOST_LIMITED);
	evidence = busy_drive();		/* a CPU that looks full is none, when more of it gains nothing */
	evidence.worker_cpu_busiest = 0.99;
	check_verdict(&evidence, BOTTLENECK_UNKNOWN, BOTTLENECK_TAGS);
	evidence.perturbation_ratio = 1.01;
	check_verdict(&evidence, BOTTLENECK_DRIVE, BOTTLENECK_TAGS);
	evidence = busy_drive();
	evidence.temperature_c = 79;
	check_verdict(&evidence, BOTTLENECK_THERMAL, TAG_THROTTLED);
	evidence = busy_drive();
	evidence.littles_difference = 0.2;
	check_verdict(&evidence, BOTTLENECK_UNKNOWN, TAG_ACCOUNTING);
}

static void a_load_that_asks_for_little_is_its_own_limit(void **state)
{
	struct bottleneck_evidence evidence = busy_drive();

	evidence.deeper_ratio = 1.04;
	check_verdict(&evidence, BOTTLENECK_DRIVE, BOTTLENECK_TAGS);
	evidence.deeper_ratio = 1.06;
	check_verdict(&evidence, BOTTLENECK_LOAD, TAG_LOAD_PACED);
	evidence.bytes_per_second = 3.4e9;		/* a full link is full, whatever a longer queue did */
	check_verdict(&evidence, BOTTLENECK_LINK, TAG_LINK_LIMITED);
	evidence = busy_drive();			/* an open loop that waits for its next I/O in a loop */
	evidence.depth_asked = 0;
	evidence.worker_cpu_busiest = 1;
	evidence.offered_share = 0.999;
	check_verdict(&evidence, BOTTLENECK_LOAD, TAG_LOAD_PACED);
	evidence.offered_share = 0.9;
	check_verdict(&evidence, BOTTLENECK_HOST_CPU, TAG_CPU_LIMITED);
	evidence.worker_cpu_busiest = 0.4;
	check_verdict(&evidence, BOTTLENECK_DRIVE, BOTTLENECK_TAGS);
	evidence.offered_chance = 0.1;			/* few I/Os: that may be chance */
	check_verdict(&evidence, BOTTLENECK_LOAD, TAG_LOAD_PACED);
}

static void slow_states_at_low_power_are_heat_at_full_power_garbage_collection(void **state)
{
	struct bottleneck_evidence evidence = busy_drive();

	evidence.slow_share = 0.3;
	evidence.power_slow_ratio = 0.7;
	check_verdict(&evidence, BOTTLENECK_THERMAL, TAG_THROTTLED);
	evidence.power_slow_ratio = 1.05;
	check_verdict(&evidence, BOTTLENECK_DRIVE, TAG_GARBAGE_COLLECTION);
}

static void warnings_stand_beside_the_verdict(void **state)
{
	struct bottleneck_evidence evidence = busy_drive();
	struct bottleneck_verdict verdict;

	evidence.link_max_bytes_per_second = link_pcie_bytes_per_second(4, 4, 256);
	evidence.steal = 0.05;
	evidence.drive_node = 1;
	evidence.worker_node = 0;
	bottleneck_judge(&evidence, &verdict);
	assert_int_equal(verdict.verdict, BOTTLENECK_DRIVE);
	assert_true(verdict.tag[TAG_LINK_DOWNGRADED]);
	assert_true(verdict.tag[TAG_NOISY]);
	assert_true(verdict.tag[TAG_PLACEMENT]);
	assert_int_equal(verdict.decisive_count, 3);
	assert_true(verdict.number_count > 3);
}

/* The limits of rules R4 and R7, each side of them. */
static void noise_and_placement_have_their_limits(void **state)
{
	struct bottleneck_evidence evidence = busy_drive();
	struct bottleneck_verdict verdict;

	evidence.drive_node = evidence.worker_node = 1;
	evidence.late_share = 0.0009;
	evidence.irq_one_cpu = 0.89;
	bottleneck_judge(&evidence, &verdict);
	assert_false(verdict.tag[TAG_NOISY]);
	assert_false(verdict.tag[TAG_PLACEMENT]);
	evidence.late_share = 0.0011;
	bottleneck_judge(&evidence, &verdict);
	assert_true(verdict.tag[TAG_NOISY]);
	evidence.irq_one_cpu = 0.91;
	bottleneck_judge(&evidence, &verdict);
	assert_true(verdict.tag[TAG_PLACEMENT]);
	evidence.irq_cpu_busiest = 0.04;		/* too little work to matter where it is done */
	bottleneck_judge(&evidence, &verdict);
	assert_false(verdict.tag[TAG_PLACEMENT]);
}

static void without_evidence_nothing_is_claimed(void **state)
{
	struct bottleneck_evidence evidence;
	struct bottleneck_verdict verdict;

	bottleneck_evidence_init(&evidence);
	bottleneck_judge(&evidence, &verdict);
	assert_int_equal(verdict.verdict, BOTTLENECK_UNKNOWN);
	assert_non_null(verdict.next);
	for (int tag = 0; tag < BOTTLENECK_TAGS; tag++)
		assert_false(verdict.tag[tag]);
}

static void link_ceilings_are_the_published_ones(void **state)
{
	assert_near(link_pcie_bytes_per_second(3, 4, 256) / 1e6, 3575, 5);
	assert_near(link_pcie_bytes_per_second(4, 4, 256) / 1e6, 7150, 10);
	assert_near(link_pcie_bytes_per_second(5, 4, 256) / 1e6, 14300, 20);
	assert_near(link_pcie_bytes_per_second(3, 4, 128) / 1e6, 3270, 10);
	assert_near(link_pcie_bytes_per_second(2, 4, 256) / 1e6, 1815, 5);
	assert_near(link_sata_bytes_per_second(6) / 1e6, 555, 1);
	assert_near(link_pcie_bytes_per_second(9, 4, 256), 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mann_whitney_is_exact),
		cmocka_unit_test(golden_comparisons),
		cmocka_unit_test(equal_drives_are_the_same_and_few_runs_cannot_tell),
		cmocka_unit_test(equal_drives_are_seldom_called_different),
		cmocka_unit_test(holm_steps_down),
		cmocka_unit_test(several_comparisons_are_judged_together),
		cmocka_unit_test(each_limit_is_named),
		cmocka_unit_test(a_load_that_asks_for_little_is_its_own_limit),
		cmocka_unit_test(slow_states_at_low_power_are_heat_at_full_power_garbage_collection),
		cmocka_unit_test(warnings_stand_beside_the_verdict),
		cmocka_unit_test(noise_and_placement_have_their_limits),
		cmocka_unit_test(without_evidence_nothing_is_claimed),
		cmocka_unit_test(link_ceilings_are_the_published_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
