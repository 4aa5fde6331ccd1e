/* Comparisons: what one measurement is, what a shift is, and that the page draws both. */
#include "support.h"

#include <math.h>
#include "report/comparison.h"
#include "report/report.h"

static const char *const names[] = { "first", "second", "third" };

struct pair {
	struct fake_file file;
	struct report_model *models[3];
	struct comparison comparison;
};

/* The same run `count` times: all are of one drive, so each is a side. */
static void pair_open(struct pair *pair, enum fake_kind kind, uint32_t seconds, uint32_t count)
{
	fake_open(&pair->file, kind, seconds);
	for (uint32_t i = 0; i < 3; i++)
		pair->models[i] = NULL;
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(report_model_new(pair->file.store, REPORT_ALL_TARGETS, &pair->models[i], NULL), 0);
	assert_int_equal(comparison_init(&pair->comparison, pair->models, names, count), 0);
}

static void pair_close(struct pair *pair)
{
	comparison_release(&pair->comparison);
	for (uint32_t i = 0; i < 3; i++)
		report_model_free(pair->models[i]);
	fake_close(&pair->file);
}

static void repeats_are_measurements(void **state)
{
	struct pair pair;

	pair_open(&pair, FAKE_QUICK, 0, 2);
	assert_int_equal(pair.comparison.side_count, 2);
	assert_true(pair.comparison.line_count > 0);
	for (uint32_t i = 0; i < pair.comparison.line_count; i++) {
		assert_int_equal(pair.comparison.lines[i].reference.count, 5);
		assert_int_equal(pair.comparison.lines[i].other.count, 5);
		assert_true(fabs(pair.comparison.lines[i].ratio.ratio - 1) < 0.05);
	}
	pair_close(&pair);
}

/* Seconds of one state are not independent measurements: the last five rounds are one. */
static void rounds_are_one_measurement(void **state)
{
	struct pair pair;
	const struct comparison_line *line;
	const struct report_family *family;
	double iops = 0;
	uint32_t count = 0;

	pair_open(&pair, FAKE_ROUNDS, 0, 2);
	line = &pair.comparison.lines[0];
	family = line->step->family;
	assert_int_equal(line->figure, COMPARE_IOPS);
	assert_int_equal(line->reference.count, 1);
	assert_true(family->rounds > 5);
	for (uint32_t i = 0; i < family->step_count; i++) {
		if (family->steps[i]->record->point != line->step->record->point ||
		    family->steps[i]->record->round + 5 < family->rounds)
			continue;
		iops += family->steps[i]->loads[0].op[line->op].iops / 5;
		count++;
	}
	assert_int_equal(count, 5);
	assert_true(fabs(line->reference.value / iops - 1) < 1e-3);
	pair_close(&pair);
}

/* A run against itself: one at every percentile, and a verdict is not made from one run. */
static void nothing_differs_from_itself(void **state)
{
	struct pair pair;
	struct comparison_shift shifts[2];
	uint32_t carried = 0, drawn = 0, count;

	pair_open(&pair, FAKE_HOUR, 600, 3);
	assert_int_equal(pair.comparison.side_count, 3);
	for (uint32_t i = 0; i < pair.comparison.line_count; i++)
		assert_int_equal(pair.comparison.lines[i].ratio.verdict, RATIO_CANNOT_TELL);
	for (uint32_t i = 0; i < pair.comparison.point_count; i++) {
		assert_int_equal(comparison_shifts(&pair.comparison, pair.comparison.points[i], IO_WRITE, 200, 2, shifts,
						   &count), 0);
		drawn += count;
		for (uint32_t k = 0; k < count * SHIFT_POINTS; k++) {
			const struct bootstrap_figure *ratio = &shifts[k / SHIFT_POINTS].ratio[k % SHIFT_POINTS];

			if (isnan(ratio->value))
				continue;
			carried++;
			assert_true(ratio->value == 1);
			assert_true(ratio->low <= 1 && ratio->high >= 1);
		}
	}
	assert_true(drawn > 0 && carried >= 3);
	pair_close(&pair);
}

static void a_page_of_several_runs_ranks_and_shifts(void **state)
{
	struct fake_file file;
	struct store *stores[3];
	struct text out = { 0 };
	const char *page;

	fake_open(&file, FAKE_HOUR, 600);
	for (int i = 0; i < 3; i++)
		stores[i] = file.store;
	assert_int_equal(report_html(stores, 3, &(struct report_options){ .names = names }, &out, NULL), 0);
	page = text_data(&out);
	assert_non_null(strstr(page, "best first"));
	assert_non_null(strstr(page, "A verdict takes 4 runs of each; here the fewest are 1."));
	assert_non_null(strstr(page, "class=\"br\""));		/* the three are alike */
	assert_non_null(strstr(page, "? can"));
	assert_non_null(strstr(page, "latency against the reference"));
	assert_non_null(strstr(page, "No percentile differs with certainty."));
	assert_non_null(strstr(page, "None can be told apart from the others"));
	assert_non_null(strstr(page, "On average over the step all are alike"));
	assert_null(strstr(page, "Best: "));
	assert_null(strstr(page, "of different plans"));
	text_release(&out);
	fake_close(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(repeats_are_measurements),
		cmocka_unit_test(rounds_are_one_measurement),
		cmocka_unit_test(nothing_differs_from_itself),
		cmocka_unit_test(a_page_of_several_runs_ranks_and_shifts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
