#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include "analyze/bootstrap.h"
#include "analyze/confidence.h"
#include "base/random.h"
#include "check.h"

static const double p50_p99_mean[] = { 0.5, 0.99, BOOTSTRAP_MEAN };

static struct histogram *scratch_new(void)
{
	struct histogram *histogram = calloc(1, sizeof(*histogram));

	histogram_clear(histogram);
	return histogram;
}

/* A piece of n I/Os, exponential with this mean. */
static void piece_add(struct bootstrap_sample *sample, struct histogram *scratch, uint32_t n, double mean_ns,
		      struct random *random)
{
	histogram_clear(scratch);
	for (uint32_t i = 0; i < n; i++)
		histogram_record(scratch, (uint64_t)(-log(1 - random_double(random)) * mean_ns));
	assert_int_equal(bootstrap_sample_add(sample, scratch), 0);
}

/* Independent I/Os: the interval is that of order statistics, and of the mean +- 1.96 sigma / sqrt(n). */
static void independent_ios_give_the_classical_intervals(void **state)
{
	const struct bootstrap_plan plan = { .p = p50_p99_mean, .count = 3, .seed = 1 };
	struct bootstrap_sample *sample = bootstrap_sample_new();
	struct histogram *scratch = scratch_new(), *all = scratch_new();
	struct bootstrap_figure figure[3];
	struct random random;

	random_init(&random, 1, 0);
	for (int i = 0; i < 200; i++) {
		piece_add(sample, scratch, 500, 1e6, &random);
		histogram_add(all, scratch);
	}
	assert_int_equal(bootstrap_figures(sample, &plan, figure), 0);
	for (int i = 0; i < 2; i++) {
		uint64_t low, high;

		assert_int_equal(confidence_ranks(100000, plan.p[i], &low, &high), 0);
		assert_near(figure[i].value, (double)histogram_percentile(all, plan.p[i]),
			    0.004 * figure[i].value);
		assert_near(figure[i].low, (double)histogram_rank_value(all, low), 0.009 * figure[i].value);
		assert_near(figure[i].high, (double)histogram_rank_value(all, high), 0.009 * figure[i].value);
	}
	assert_near(figure[2].value, histogram_mean_ns(all), 1e-6 * 1e6);
	assert_near(figure[2].high - figure[2].low, 2 * 1.96 * 1e6 / sqrt(100000),
		    0.15 * 2 * 1.96 * 1e6 / sqrt(100000));
	bootstrap_sample_free(sample);
	free(scratch);
	free(all);
}

static void same_seed_same_interval(void **state)
{
	struct bootstrap_plan plan = { .p = p50_p99_mean, .count = 3, .resamples = 200, .seed = 9 };
	struct bootstrap_sample *sample = bootstrap_sample_new();
	struct bootstrap_figure one[3], again[3], other[3];
	struct histogram *scratch = scratch_new();
	struct random random;

	random_init(&random, 2, 0);
	for (int i = 0; i < 30; i++)
		piece_add(sample, scratch, 100, 1e6, &random);
	assert_int_equal(bootstrap_figures(sample, &plan, one), 0);
	assert_int_equal(bootstrap_figures(sample, &plan, again), 0);
	plan.seed = 10;
	assert_int_equal(bootstrap_figures(sample, &plan, other), 0);
	assert_memory_equal(one, again, sizeof(one));
	assert_true(one[2].low != other[2].low);
	bootstrap_sample_free(sample);
	free(scratch);
}

static void too_little_is_refused(void **state)
{
	struct bootstrap_plan plan = { .p = p50_p99_mean, .count = 1 };
	struct bootstrap_sample *sample = bootstrap_sample_new();
	struct histogram *scratch = scratch_new();
	struct bootstrap_figure figure[3];

	assert_int_equal(bootstrap_figures(sample, &plan, figure), -ENODATA);
	assert_int_equal(bootstrap_sample_add(sample, scratch), 0);	/* empty: left out */
	assert_int_equal(bootstrap_figures(sample, &plan, figure), -ENODATA);
	histogram_record(scratch, 1000);
	for (uint32_t i = 0; i < BOOTSTRAP_PIECES_MIN - 1; i++)
		assert_int_equal(bootstrap_sample_add(sample, scratch), 0);
	assert_int_equal(bootstrap_sample_pieces(sample), BOOTSTRAP_PIECES_MIN - 1);
	assert_int_equal(bootstrap_figures(sample, &plan, figure), 0);
	assert_near(figure[0].value, 1000, 4);
	assert_true(isnan(figure[0].low) && isnan(figure[0].high));
	assert_int_equal(bootstrap_sample_add(sample, scratch), 0);
	assert_int_equal(bootstrap_figures(sample, &plan, figure), 0);
	assert_near(figure[0].low, 1000, 4);
	plan.count = 0;
	assert_int_equal(bootstrap_figures(sample, &plan, figure), -EINVAL);
	plan.count = 1;
	plan.p = (const double[]){ 1.0 };
	assert_int_equal(bootstrap_figures(sample, &plan, figure), -EINVAL);
	bootstrap_sample_free(sample);
	free(scratch);
}

/* Seconds whose level wanders (AR 0.9): does the interval of the mean hold its truth? */
static bool wandering_covered(uint32_t block, struct random *random, struct histogram *scratch)
{
	const struct bootstrap_plan plan = {
		.p = (const double[]){ BOOTSTRAP_MEAN }, .count = 1, .resamples = 300, .block = block, .seed = 5,
	};
	struct bootstrap_sample *sample = bootstrap_sample_new();
	struct bootstrap_figure figure;
	double level = 0;

	for (int i = 0; i < 1500; i++) {
		level = 0.9 * level + 0.1 * (random_double(random) - 0.5);
		histogram_clear(scratch);
		for (int k = 0; k < 4; k++)
			histogram_record(scratch, (uint64_t)(1e6 * (1 + level)));
		bootstrap_sample_add(sample, scratch);
	}
	assert_int_equal(bootstrap_figures(sample, &plan, &figure), 0);
	bootstrap_sample_free(sample);
	return figure.low <= 1e6 && figure.high >= 1e6;
}

static void blocks_of_neighbours_hold_their_truth(void **state)
{
	struct histogram *scratch = scratch_new();
	int single = 0, blocks = 0, trials = 200;
	struct random random[2];

	random_init(&random[0], 4, 0);
	random_init(&random[1], 4, 0);
	for (int trial = 0; trial < trials; trial++) {
		single += wandering_covered(1, &random[0], scratch);
		blocks += wandering_covered(60, &random[1], scratch);
	}
	print_message("# mean of wandering seconds: covered in %d of %d by blocks of 60, in %d by single seconds\n", blocks,
		      trials, single);
	assert_true(blocks >= trials * 88 / 100);
	assert_true(single < trials * 60 / 100);
	free(scratch);
}

/* One side of a comparison: runs differ by 3 %. */
static struct bootstrap_sample *runs_make(uint32_t runs, double mean_ns, struct random *random,
					  struct histogram *scratch)
{
	struct bootstrap_sample *sample = bootstrap_sample_new();

	for (uint32_t run = 0; run < runs; run++) {
		const double level = 1 + 0.03 * sqrt(12) * (random_double(random) - 0.5);

		assert_int_equal(bootstrap_sample_run(sample), 0);
		for (int i = 0; i < 12; i++)
			piece_add(sample, scratch, 300, mean_ns * level, random);
	}
	return sample;
}

static void ratios_of_runs_hold_their_truth(void **state)
{
	static const double p[] = { 0.5, 0.9 };
	const struct bootstrap_plan plan = { .p = p, .count = 2, .resamples = 300, .seed = 5 };
	struct histogram *scratch = scratch_new();
	int covered[2] = { 0 }, pooled = 0, trials = 150;
	struct random random;

	random_init(&random, 6, 0);
	for (int trial = 0; trial < trials; trial++) {
		struct bootstrap_sample *a = runs_make(8, 1e6, &random, scratch);
		struct bootstrap_sample *b = runs_make(8, 1.2e6, &random, scratch);
		struct bootstrap_figure ratio[2];

		assert_int_equal(bootstrap_ratios(a, b, &plan, ratio), 0);
		for (int i = 0; i < 2; i++) {
			covered[i] += ratio[i].low <= 1.2 && ratio[i].high >= 1.2;
			assert_true(ratio[i].low <= ratio[i].value && ratio[i].value <= ratio[i].high);
		}
		pooled += ratio[0].low > 1;
		bootstrap_sample_free(a);
		bootstrap_sample_free(b);
	}
	print_message("# ratio 1.2 of two drives, 8 runs each: covered at the median in %d, at p90 in %d of %d; told apart in %d\n",
		      covered[0], covered[1], trials, pooled);
	assert_true(covered[0] >= trials * 86 / 100 && covered[1] >= trials * 86 / 100);
	assert_true(pooled >= trials * 99 / 100);
	free(scratch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(independent_ios_give_the_classical_intervals),
		cmocka_unit_test(same_seed_same_interval),
		cmocka_unit_test(too_little_is_refused),
		cmocka_unit_test(blocks_of_neighbours_hold_their_truth),
		cmocka_unit_test(ratios_of_runs_hold_their_truth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
