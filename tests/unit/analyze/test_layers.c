#include <errno.h>
#include <stdlib.h>
#include "analyze/layers.h"
#include "base/random.h"
#include "check.h"

static double normal(struct random *random)
{
	return sqrt(-2 * log(1 - random_double(random))) * cos(2 * M_PI * random_double(random));
}

static struct histogram *histogram_new(void)
{
	struct histogram *histogram = calloc(1, sizeof(*histogram));

	assert_non_null(histogram);
	histogram_clear(histogram);
	return histogram;
}

/* `layers` modes 17.4 us apart from 84 us on, and 1 % of anything slower. */
static void draw(struct histogram *histogram, struct random *random, uint32_t layers, int ios)
{
	histogram_clear(histogram);
	for (int i = 0; i < ios; i++) {
		double ns = 84000 + 17400.0 * (double)random_below(random, layers);

		ns *= 1 + 0.015 * normal(random);
		if (random_below(random, 100) == 0)
			ns *= exp(1.5 * fabs(normal(random)));
		histogram_record(histogram, (uint64_t)ns);
	}
}

static void one_to_eight_layers_are_counted_exactly(void **state)
{
	static const uint32_t counts[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	struct histogram *histogram = histogram_new();
	struct random random;
	struct layers layers;

	random_init(&random, 1, 0);
	for (size_t i = 0; i < COUNT(counts); i++) {
		for (int round = 0; round < 10; round++) {
			draw(histogram, &random, counts[i], round == 0 ? 200000 : 20000);
			assert_int_equal(layers_find(histogram, 1, &layers), 0);
			assert_int_equal(layers.count, counts[i]);
			assert_near(layers.layer[0].value_ns, 84000, 1000);
			assert_near(layers.layer[0].share, 1.0 / counts[i], 0.02);
			assert_int_equal(layers.regular, counts[i] >= 3);
			if (counts[i] > 1)
				assert_near(layers.spacing_ns, 17400, 500);
		}
	}
	print_message("# layers: 1 to 8 counted exactly in all of %zu histograms\n", 10 * COUNT(counts));
	free(histogram);
}

/* Of I/Os that are worth a thousandth, only so many bumps are no chance. */
static void what_dependent_ios_show_is_less_certain(void **state)
{
	struct histogram *histogram = calloc(1, sizeof(*histogram));
	struct random random;
	struct layers all, few;

	random_init(&random, 1, 0);
	draw(histogram, &random, 8, 20000);
	assert_int_equal(layers_find(histogram, 1, &all), 0);
	assert_int_equal(all.count, 8);
	assert_int_equal(layers_find(histogram, 0.001, &few), 0);
	assert_true(few.count < all.count);
	free(histogram);
}

static void a_broad_hump_is_one_layer(void **state)
{
	struct histogram *histogram = histogram_new();
	struct random random;
	struct layers layers;

	random_init(&random, 2, 0);
	for (int round = 0; round < 20; round++) {
		histogram_clear(histogram);
		for (int i = 0; i < 20000; i++)
			histogram_record(histogram, (uint64_t)(90000 * exp(0.25 * normal(&random))));
		assert_int_equal(layers_find(histogram, 1, &layers), 0);
		assert_int_equal(layers.count, 1);
	}
	free(histogram);
}

static void few_ios_say_nothing(void **state)
{
	struct histogram *histogram = histogram_new();
	struct layers layers;

	for (int i = 0; i < LAYERS_IOS_MIN - 1; i++)
		histogram_record(histogram, 80000);
	assert_int_equal(layers_find(histogram, 1, &layers), -ERANGE);
	histogram_record(histogram, 1);			/* the ends of the grid do no harm */
	histogram_record(histogram, 1ull << 43);
	assert_int_equal(layers_find(histogram, 1, &layers), 0);
	assert_int_equal(layers.count, 1);
	assert_near(layers.layer[0].value_ns, 80000, 400);
	free(histogram);
}

static void unequal_distances_are_not_regular(void **state)
{
	static const double at[] = { 80000, 100000, 160000 };
	struct histogram *histogram = histogram_new();
	struct random random;
	struct layers layers;

	random_init(&random, 3, 0);
	for (int i = 0; i < 30000; i++)
		histogram_record(histogram, (uint64_t)(at[i % 3] * (1 + 0.015 * normal(&random))));
	assert_int_equal(layers_find(histogram, 1, &layers), 0);
	assert_int_equal(layers.count, 3);
	assert_false(layers.regular);
	free(histogram);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_to_eight_layers_are_counted_exactly),
		cmocka_unit_test(what_dependent_ios_show_is_less_certain),
		cmocka_unit_test(a_broad_hump_is_one_layer),
		cmocka_unit_test(few_ios_say_nothing),
		cmocka_unit_test(unequal_distances_are_not_regular),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
