#include "fixture.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK (4 * KIB)

/* Visits of every block by `ios` I/Os. */
static uint32_t *visits_of(const struct load *load, uint64_t blocks, uint32_t ios, uint32_t worker)
{
	struct work_config config = config_make(load, blocks * BLOCK);
	struct work *work;
	uint32_t *visits = test_calloc(blocks, sizeof(*visits));

	config.worker = worker;
	config.workers = worker + 1;
	work = work_make(&config);
	for (uint32_t i = 0; i < ios; i++) {
		struct io io = io_next(work);

		assert_int_equal(io.offset % BLOCK, 0);
		assert_true(io.offset < blocks * BLOCK);
		visits[io.offset / BLOCK]++;
	}
	work_free(work);
	return visits;
}

static struct load skewed(enum load_distribution distribution, double theta)
{
	struct load load = load_make(LOAD_RANDREAD, BLOCK);

	load.distribution = distribution;
	load.distribution_theta = theta;
	return load;
}

static int downwards(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	return left < right ? 1 : left > right ? -1 : 0;
}

/* Share of the accesses that went to the hottest `hot` blocks. */
static double hot_share(uint32_t *visits, uint64_t blocks, uint64_t hot)
{
	double sum = 0, all = 0;

	qsort(visits, blocks, sizeof(*visits), downwards);
	for (uint64_t i = 0; i < blocks; i++) {
		all += visits[i];
		sum += i < hot ? visits[i] : 0;
	}
	return sum / all;
}

static void zipf_follows_its_law(void **state)
{
	const double thetas[] = { 0.6, 1.0, 1.2 };
	const uint64_t blocks = 100000;

	for (int t = 0; t < 3; t++) {
		struct load load = skewed(DISTRIBUTION_ZIPF, thetas[t]);
		uint32_t *visits = visits_of(&load, blocks, 2000000, 0);
		double all = 0;

		for (uint64_t rank = 1; rank <= blocks; rank++)
			all += pow((double)rank, -thetas[t]);
		/* sorting by visits favours the lucky ones a little where counts are small: look at the
		 * head */
		for (uint64_t hot = 1; hot <= 64; hot *= 4) {
			double expected = 0, got = hot_share(visits, blocks, hot);

			for (uint64_t rank = 1; rank <= hot; rank++)
				expected += pow((double)rank, -thetas[t]) / all;
			assert_true(fabs(got / expected - 1) < 0.02);
		}
		test_free(visits);
	}
}

/* The tail is drawn by parts: with the centre given, ranks can be seen in the offsets. */
static void zipf_is_right_far_out_in_the_tail(void **state)
{
	const uint64_t blocks = 1 << 20;
	struct load load = skewed(DISTRIBUTION_ZIPF, 0.9);
	uint32_t *visits;
	double all = 0, expected = 0;

	load.distribution_center = 0.25;
	visits = visits_of(&load, blocks, 4000000, 0);
	for (uint64_t rank = 1; rank <= blocks; rank++)
		all += pow((double)rank, -0.9);
	for (uint64_t rank = 1, decade = 1; rank <= blocks; rank++) {
		expected += pow((double)rank, -0.9) / all * 4e6;
		if (rank == decade * 2 - 1) {	/* an odd number: as many to the left as to the right */
			uint64_t middle = blocks / 4, got = 0;

			for (uint64_t i = 0; i < rank; i++)
				got += visits[(middle + blocks - (rank - 1) / 2 + i) % blocks];
			assert_true(fabs((double)got - expected) < 5 * sqrt(expected) + 1);
			decade *= 4;
		}
	}
	test_free(visits);
}

/* Inside the parts, too: runs of ranks shorter than a quarter of what lies before them. */
static void zipf_falls_off_smoothly_on_both_sides_of_a_centre(void **state)
{
	const uint64_t blocks = 1 << 20, middle = blocks / 4;
	struct load load = skewed(DISTRIBUTION_ZIPF, 0.9);
	uint32_t *visits;
	double all = 0;

	load.distribution_center = 0.25;
	visits = visits_of(&load, blocks, 4000000, 0);
	for (uint64_t rank = 1; rank <= blocks; rank++)
		all += pow((double)rank, -0.9) / 4e6;
	for (uint64_t step = 0; step < 8; step++) {	/* ranks 0, 2, 4 ... to the left, 1, 3 ... to the right */
		double left = pow((double)(2 * step + 1),
				  -0.9) / all, right = pow((double)(2 * step + 2), -0.9) / all;

		assert_true(fabs(visits[middle - step] - left) < 5 * sqrt(left));
		assert_true(fabs(visits[middle + step + 1] - right) < 5 * sqrt(right));
	}
	for (uint64_t from = 1000; from < blocks / 4; from += from / 3) {
		double expected = 0, got = 0;

		for (uint64_t step = from; step < from + from / 8; step++) {
			got += visits[(middle + blocks - step) % blocks] + visits[(middle + step) % blocks];
			expected += pow(2 * (double)step + 0.5, -0.9) * 2 / all;
		}
		assert_true(fabs(got - expected) < 5 * sqrt(expected) + 0.002 * expected);
	}
	test_free(visits);
}

static void hot_blocks_are_scattered_and_the_same_for_all_workers(void **state)
{
	struct load load = skewed(DISTRIBUTION_ZIPF, 1.2);
	uint32_t *one = visits_of(&load, 65536, 200000, 0), *two = visits_of(&load, 65536, 200000, 1);
	uint32_t eighths[8] = { 0 };

	for (uint32_t i = 0; i < 65536; i++) {
		if (one[i] > 200) {
			eighths[i / 8192]++;
			assert_in_range(two[i], one[i] / 2, one[i] * 2);
		}
	}
	for (int i = 0; i < 8; i++)
		assert_true(eighths[i] > 0);
	test_free(one);
	test_free(two);
}

static void pareto_is_self_similar(void **state)
{
	const double shares[] = { 0.1, 0.2, 0.3 };
	const uint64_t blocks = 20000;

	for (int s = 0; s < 3; s++) {
		struct load load = skewed(DISTRIBUTION_PARETO, shares[s]);
		uint32_t *visits;

		load.distribution_center = 0;	/* ranks seen in the offsets: 0, 1, -1, 2, -2 ... */
		visits = visits_of(&load, blocks, 1000000, 0);
		for (double inside = 1; inside > 0.05; inside *= shares[s]) {
			uint64_t hot = (uint64_t)(blocks * inside * shares[s]);
			double got = 0, around = 0;

			for (uint64_t i = 0; i < blocks; i++) {
				uint64_t rank = i < blocks / 2 ? 2 * i : 2 * (blocks - i) + 1;

				around += rank < (uint64_t)(blocks * inside) ? visits[i] : 0;
				got += rank < hot ? visits[i] : 0;
			}
			assert_true(fabs(got / around - (1 - shares[s])) < 0.01);
		}
		test_free(visits);
	}
}

static void normal_has_its_mean_and_deviation(void **state)
{
	const double deviations[] = { 0.1, 1, 10 }, centers[] = { -1, 0.25, 0.7 };
	const uint64_t blocks = 1 << 18;

	for (int i = 0; i < 9; i++) {
		struct load load = skewed(DISTRIBUTION_NORMAL, deviations[i / 3]);
		double center = i % 3 ? centers[i % 3] : 0.5, deviation = deviations[i / 3] / 100, sum = 0, squares = 0;
		uint32_t *visits, count = 400000;

		if (deviation > 0.05 && i % 3)
			continue;	/* cut off at the ends: not its own mean any more */
		load.distribution_center = centers[i % 3];
		visits = visits_of(&load, blocks, count, 0);
		for (uint64_t b = 0; b < blocks; b++) {
			double place = ((double)b + 0.5) / (double)blocks - center;

			sum += visits[b] * place;
			squares += visits[b] * place * place;
		}
		assert_true(fabs(sum / count) < deviation * 0.01);
		assert_true(fabs(sqrt(squares / count) / deviation - 1) < 0.01);
		test_free(visits);
	}
}

/* E06: fractions of a percent work; 99 % of the accesses on a millionth of the range. */
static void zones_take_any_fraction(void **state)
{
	const struct load_zone cases[][3] = {
		{ { .99, .000001 }, { .01, .999999 } },
		{ { .605, .105 }, { .3, .2 }, { .095, .695 } },
		{ { .5, .05 }, { .3, .15 }, { .2, .8 } },
	};
	const uint32_t counts[] = { 2, 3, 3 };

	for (int c = 0; c < 3; c++) {
		const uint64_t blocks = 2000000;
		struct load load = skewed(DISTRIBUTION_ZONED, 0);
		uint32_t *visits;
		double from = 0;

		load.zone_count = counts[c];
		memcpy(load.zone, cases[c], sizeof(cases[c]));
		visits = visits_of(&load, blocks, 1000000, 0);
		for (uint32_t z = 0; z < counts[c]; z++) {
			double to = from + cases[c][z].size_share;
			uint64_t hits = 0;

			for (uint64_t b = (uint64_t)(from * blocks + .5); b < (uint64_t)(to * blocks + .5); b++)
				hits += visits[b];
			assert_true(fabs((double)hits / 1e6 - cases[c][z].access_share) < 0.0025);
			from = to;
		}
		test_free(visits);
	}
}

static void a_zone_without_accesses_stays_untouched(void **state)
{
	struct load load = skewed(DISTRIBUTION_ZONED, 0);
	uint32_t *visits;

	load.zone_count = 2;
	load.zone[0] = (struct load_zone){ 0, 0.5 };
	load.zone[1] = (struct load_zone){ 1, 0.5 };
	visits = visits_of(&load, 1000, 100000, 0);
	for (int i = 0; i < 500; i++)
		assert_int_equal(visits[i], 0);
	test_free(visits);
}

static void impossible_parameters_are_refused(void **state)
{
	const struct { enum load_distribution distribution; double theta; } cases[] = {
		{ DISTRIBUTION_ZIPF, 0 }, { DISTRIBUTION_ZIPF, -1 }, { DISTRIBUTION_ZIPF, NAN },
		{ DISTRIBUTION_PARETO, 0 }, { DISTRIBUTION_PARETO, 1 }, { DISTRIBUTION_NORMAL, 0 },
		{ DISTRIBUTION_ZONED, 0 },
	};

	for (int i = 0; i < 7; i++) {
		struct load load = skewed(cases[i].distribution, cases[i].theta);
		struct work_config config = config_make(&load, MIB);
		struct fault fault = { .text = "" };
		struct work *work;

		assert_int_equal(work_new(&config, &work, &fault), -22);
		assert_non_null(strstr(fault.text, "random_distribution"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zipf_follows_its_law),
		cmocka_unit_test(zipf_is_right_far_out_in_the_tail),
		cmocka_unit_test(zipf_falls_off_smoothly_on_both_sides_of_a_centre),
		cmocka_unit_test(hot_blocks_are_scattered_and_the_same_for_all_workers),
		cmocka_unit_test(pareto_is_self_similar),
		cmocka_unit_test(normal_has_its_mean_and_deviation),
		cmocka_unit_test(zones_take_any_fraction),
		cmocka_unit_test(a_zone_without_accesses_stays_untouched),
		cmocka_unit_test(impossible_parameters_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
