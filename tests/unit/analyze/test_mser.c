/* Golden values: the definition in exact fractions (Python), every d tried. Each batch is five equal seconds. */
#include <stdlib.h>
#include "analyze/mser.h"
#include "check.h"

#define BATCHES_MAX 60

static struct mser of_batches(const double *y, uint32_t n)
{
	double seconds[BATCHES_MAX * MSER_BATCH_S];
	struct mser mser;

	for (uint32_t i = 0; i < n * MSER_BATCH_S; i++)
		seconds[i] = y[i / MSER_BATCH_S];
	assert_int_equal(mser_find(seconds, n * MSER_BATCH_S, &mser), 0);
	return mser;
}

static void series_have_their_golden_cut(void **state)
{
	/* down by 50 a batch for twelve, then even; and noise alone */
	static const double settles[60] = {
		1017, 966, 921, 871, 817, 776, 708, 661, 612, 553, 521, 461, 407, 407, 413, 427, 413, 405, 404, 413,
		419, 426, 407, 400, 414, 419, 405, 419, 414, 423, 418, 403, 402, 410, 425, 427, 411, 412, 412, 428,
		412, 427, 412, 410, 401, 416, 405, 428, 426, 428, 401, 424, 422, 407, 421, 422, 428, 417, 408, 415,
	};
	static const double noise[40] = {
		55, 57, 16, 77, 93, 64, 4, 67, 72, 60, 37, 64, 81, 69, 41, 85, 42, 85, 68, 18,
		79, 93, 18, 9, 52, 45, 70, 41, 31, 29, 90, 85, 98, 6, 16, 0, 11, 72, 70, 48,
	};
	struct mser mser = of_batches(settles, 60);

	assert_true(mser.valid);
	assert_int_equal(mser.cut, 12);
	assert_int_equal(mser.from_s, 60);
	assert_near(mser.mean, 414.8541666666667, 1e-9);
	mser = of_batches(noise, 40);
	assert_true(mser.valid);
	assert_int_equal(mser.cut, 0);
	assert_near(mser.mean, 52.95, 1e-9);
}

/* What rises to its end never settles: the last five are kept, far behind the middle. */
static void a_ramp_has_not_settled(void **state)
{
	double y[40];
	struct mser mser;

	for (int i = 0; i < 40; i++)
		y[i] = 100 + 10 * i;
	mser = of_batches(y, 40);
	assert_false(mser.valid);
	assert_int_equal(mser.cut, 35);
	assert_near(mser.mean, 470, 1e-9);
}

static void what_is_even_is_kept_whole(void **state)
{
	double y[20];
	struct mser mser;

	for (int i = 0; i < 20; i++)
		y[i] = 5;
	mser = of_batches(y, 20);
	assert_true(mser.valid);
	assert_int_equal(mser.cut, 0);
	assert_false(of_batches(y, 9).valid);	/* too few */
	assert_false(of_batches(y, 0).valid);
}

static void missing_seconds_are_bridged(void **state)
{
	double seconds[100];
	struct mser mser;

	for (int i = 0; i < 100; i++)
		seconds[i] = i < 20 ? 900 - 10 * i : i % 7 == 0 || (i >= 50 && i < 60) ? NAN : 400 + i % 3;
	assert_int_equal(mser_find(seconds, 100, &mser), 0);
	assert_true(mser.valid);
	assert_int_equal(mser.from_s, 20);
	for (int i = 0; i < 100; i++)
		seconds[i] = NAN;
	assert_int_equal(mser_find(seconds, 100, &mser), 0);
	assert_false(mser.valid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(series_have_their_golden_cut),
		cmocka_unit_test(a_ramp_has_not_settled),
		cmocka_unit_test(what_is_even_is_kept_whole),
		cmocka_unit_test(missing_seconds_are_bridged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
