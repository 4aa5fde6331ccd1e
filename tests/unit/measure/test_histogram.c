#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "rig.h"

static struct histogram *histogram_new(void)
{
	struct histogram *histogram = calloc(1, sizeof(*histogram));

	assert_non_null(histogram);
	histogram_clear(histogram);
	return histogram;
}

/* Golden: value, slot at K = 7, slot at K = 6. */
static void slots_are_where_the_format_says(void **state)
{
	static const struct { uint64_t value; uint32_t k7, k6; } golden[] = {
		{ 0, 0, 0 }, { 1, 1, 1 }, { 127, 127, 127 }, { 128, 128, 128 }, { 129, 129, 128 },
		{ 255, 255, 191 }, { 256, 256, 192 }, { 257, 256, 192 }, { 258, 257, 192 }, { 1000, 506, 317 },
		{ 80000, 1308, 718 }, { 10000000, 2200, 1164 }, { 1000000000, 3054, 1591 },
		{ 30000000000, 3679, 1903 }, { (1ull << 42) - 1, 4607, 2367 },
	};

	for (size_t i = 0; i < sizeof(golden) / sizeof(golden[0]); i++) {
		assert_int_equal(histogram_index(golden[i].value, 7), golden[i].k7);
		assert_int_equal(histogram_index(golden[i].value, 6), golden[i].k6);
	}
}

static void each_value_lies_inside_its_slot(void **state)
{
	struct random random;

	random_init(&random, 1, 0);
	for (int i = 0; i < 200000; i++) {
		const uint64_t value = random_u64(&random) >> (22 + random_below(&random, 42));

		for (uint32_t bits = 6; bits <= 7; bits++) {
			const uint32_t index = histogram_index(value, bits);
			const uint64_t low = histogram_slot_low(index, bits);
			const uint64_t width = histogram_slot_width(index, bits);

			assert_true(value >= low && value - low < width);
			assert_true(width == 1 || width <= low >> bits);
		}
	}
}

static void nothing_is_clipped_below_73_minutes(void **state)
{
	struct histogram *histogram = histogram_new();

	for (int i = 0; i < 4; i++)
		histogram_record(histogram, 30 * RIG_SECOND);
	assert_int_equal(histogram_percentile(histogram, 0.5), 30 * RIG_SECOND);
	histogram_record(histogram, 94 * RIG_SECOND);
	histogram_record(histogram, 4000 * RIG_SECOND);
	assert_int_equal(histogram->moments.over_range, 0);
	assert_int_equal(histogram_percentile(histogram, 1), 4000 * RIG_SECOND);
	free(histogram);
}

static void values_over_range_are_counted_and_never_shown_too_low(void **state)
{
	struct histogram *histogram = histogram_new();

	histogram_record(histogram, 1000);
	histogram_record(histogram, 1ull << 45);
	histogram_record(histogram, 1ull << 46);
	assert_int_equal(histogram->moments.over_range, 2);
	assert_int_equal(histogram->moments.n, 3);
	assert_int_equal(histogram_percentile(histogram, 0.6), 1ull << 46);
	assert_int_equal(histogram_percentile(histogram, 0.3), 1000);
	free(histogram);
}

static int compare_u64(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void percentiles_are_nearest_rank_between_min_and_max(void **state)
{
	static const double ps[] = { 0.001, 0.07, 0.5, 0.9, 0.99, 0.999, 0.9999, 1 };
	struct histogram *histogram = histogram_new();
	struct random random;

	random_init(&random, 2, 0);
	for (int round = 0; round < 200; round++) {
		uint64_t value[300], count = 1 + random_below(&random, 300);

		histogram_clear(histogram);
		for (uint64_t i = 0; i < count; i++) {
			value[i] = random_u64(&random) >> (22 + random_below(&random, 42));
			histogram_record(histogram, value[i]);
		}
		qsort(value, count, sizeof(value[0]), compare_u64);
		for (size_t i = 0; i < sizeof(ps) / sizeof(ps[0]); i++) {
			const uint64_t got = histogram_percentile(histogram, ps[i]);
			const uint64_t rank = (uint64_t)ceil(ps[i] * (double)count - 1e-9);
			const uint64_t true_value = value[rank - 1];
			const uint64_t off = got > true_value ? got - true_value : true_value - got;

			assert_true(got >= value[0] && got <= value[count - 1]);
			assert_true((double)off <= (double)true_value / 256 + 0.5);
		}
	}
	free(histogram);
}

static void whole_ranks_are_not_pushed_up_by_rounding(void **state)
{
	struct histogram *histogram = histogram_new();

	for (uint64_t i = 1; i <= 100; i++)
		histogram_record(histogram, i);
	for (uint64_t i = 1; i <= 100; i++)
		assert_int_equal(histogram_percentile(histogram, (double)i / 100), i);
	free(histogram);
}

static void mean_and_deviation_are_exact(void **state)
{
	struct histogram *histogram = histogram_new();

	assert_true(isnan(histogram_mean_ns(histogram)) && isnan(histogram_stddev_ns(histogram)));
	histogram_record(histogram, 1000000000001);
	histogram_record(histogram, 1000000000003);
	assert_true(histogram_mean_ns(histogram) == 1000000000002.0);
	assert_true(histogram_stddev_ns(histogram) == 1.0);
	free(histogram);
}

static void empty_histograms_have_no_percentiles(void **state)
{
	struct histogram *histogram = histogram_new();

	assert_int_equal(histogram_percentile(histogram, 0.5), 0);
	assert_int_equal(histogram->moments.min_ns, UINT64_MAX);
	free(histogram);
}

static void waiting_share_weighs_by_time(void **state)
{
	struct histogram *histogram = histogram_new();

	for (int i = 0; i < 1000; i++)
		histogram_record(histogram, 100000);
	histogram_record(histogram, 100000000);		/* one I/O waits as long as the 1000 others together */
	assert_true(fabs(histogram_waiting_share(histogram, 10000000) - 0.5) < 0.003);
	assert_true(histogram_waiting_share(histogram, 100000000) == 1);
	assert_true(histogram_waiting_share(histogram, 10) == 0);
	free(histogram);
}

static void merging_is_the_same_as_recording_together(void **state)
{
	struct histogram *a = histogram_new(), *b = histogram_new(), *both = histogram_new();
	struct recording *recording = calloc(1, sizeof(*recording));
	struct random random;

	assert_non_null(recording);
	moments_clear(&recording->moments);
	random_init(&random, 3, 0);
	for (int i = 0; i < 10000; i++) {
		const uint64_t value = random_u64(&random) >> (20 + random_below(&random, 44));

		histogram_record(both, value);
		if (i & 1)
			histogram_record(a, value);
		else
			recording_add(recording, value);
	}
	histogram_add_recording(b, recording);
	histogram_add(a, b);
	rig_same_histogram(a, both);
	recording_clear(recording);
	for (uint32_t i = 0; i < HISTOGRAM_SLOTS; i++)
		assert_int_equal(recording->slot[i], 0);
	free(a);
	free(b);
	free(both);
	free(recording);
}

static void random_histogram(struct histogram *histogram, struct random *random)
{
	const uint64_t count = random_below(random, 2000);

	histogram_clear(histogram);
	for (uint64_t i = 0; i < count; i++)
		histogram_record(histogram, random_u64(random) >> (20 + random_below(random, 44)));
	if (random_below(random, 10) == 0)
		histogram->slot[random_below(random, HISTOGRAM_SLOTS)] = INT64_MAX;
}

static void coding_gives_the_same_slots_back(void **state)
{
	static uint8_t bytes[HISTOGRAM_ENCODED_MAX];
	struct histogram *in = histogram_new(), *out = histogram_new();
	struct random random;

	random_init(&random, 4, 0);
	for (int round = 0; round < 300; round++) {
		int count;

		random_histogram(in, &random);
		count = histogram_encode(in, HISTOGRAM_BITS, bytes, sizeof(bytes));
		assert_true(count >= 0);
		histogram_clear(out);
		assert_int_equal(histogram_decode(out, HISTOGRAM_BITS, bytes, (size_t)count), 0);
		assert_memory_equal(in->slot, out->slot, sizeof(in->slot));
		if (count > 0)
			assert_int_equal(histogram_encode(in, HISTOGRAM_BITS, bytes, (size_t)count - 1),
					 -ENOSPC);
	}
	free(in);
	free(out);
}

/* Coding at K = 6 and reading back puts each value into the slot pair that K = 6 has for it. */
static void folding_adds_pairs_exactly(void **state)
{
	static uint8_t bytes[HISTOGRAM_ENCODED_MAX];
	static uint64_t want[HISTOGRAM_SERIES_SLOTS], got[HISTOGRAM_SERIES_SLOTS];
	struct histogram *in = histogram_new(), *out = histogram_new();
	struct random random;
	int count;

	random_init(&random, 5, 0);
	for (int i = 0; i < 20000; i++) {
		const uint64_t value = random_u64(&random) >> (23 + random_below(&random, 41));

		histogram_record(in, value);
		want[histogram_index(value, HISTOGRAM_SERIES_BITS)]++;
	}
	count = histogram_encode(in, HISTOGRAM_SERIES_BITS, bytes, sizeof(bytes));
	assert_true(count > 0);
	assert_int_equal(histogram_decode(out, HISTOGRAM_SERIES_BITS, bytes, (size_t)count), 0);
	for (uint32_t i = 0; i < HISTOGRAM_SLOTS; i++)
		got[histogram_index(histogram_slot_low(i, HISTOGRAM_BITS), HISTOGRAM_SERIES_BITS)] += out->slot[i];
	assert_memory_equal(want, got, sizeof(want));
	free(in);
	free(out);
}

static void hostile_bytes_are_refused(void **state)
{
	static const struct { const char *bytes; size_t count; } bad[] = {
		{ "\x00", 1 },							/* an empty run of nothing */
		{ "\x80", 1 },							/* cut off */
		{ "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 10 },		/* more than 64 bits */
		{ "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11 },
		{ "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10 },		/* run of 2^63 */
		{ "\xff\x47\x02\x02", 4 },					/* run of 4608, then a count */
		{ "\x81\x48", 2 },						/* run of 4609 */
	};
	struct histogram *histogram = histogram_new();

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		histogram_clear(histogram);
		assert_int_equal(histogram_decode(histogram, 7, (const uint8_t *)bad[i].bytes, bad[i].count),
				 -EBADMSG);
	}
	free(histogram);
}

static void random_bytes_never_break_the_decoder(void **state)
{
	struct histogram *histogram = histogram_new();
	struct random random;

	random_init(&random, 6, 0);
	for (int round = 0; round < 5000; round++) {
		uint8_t bytes[64];
		const size_t count = random_below(&random, sizeof(bytes));

		for (size_t i = 0; i < count; i++)
			bytes[i] = (uint8_t)random_u64(&random);
		histogram_decode(histogram, 6 + (round & 1), bytes, count);
	}
	free(histogram);
}

static void slots_add_up_or_are_found_out(void **state)
{
	struct histogram *histogram = histogram_new();

	histogram_clear(histogram);
	assert_true(histogram_adds_up(histogram));
	histogram_record(histogram, 1);
	histogram_record(histogram, UINT64_MAX);
	assert_true(histogram_adds_up(histogram));
	histogram->slot[0]++;
	assert_false(histogram_adds_up(histogram));
	histogram->slot[0] = 0;
	histogram->moments.n = 3;
	assert_false(histogram_adds_up(histogram));
	histogram->slot[0] = UINT64_MAX;	/* with the other two: 1, when added without looking */
	histogram->moments.n = 1;
	assert_false(histogram_adds_up(histogram));
	free(histogram);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slots_are_where_the_format_says),
		cmocka_unit_test(each_value_lies_inside_its_slot),
		cmocka_unit_test(nothing_is_clipped_below_73_minutes),
		cmocka_unit_test(values_over_range_are_counted_and_never_shown_too_low),
		cmocka_unit_test(percentiles_are_nearest_rank_between_min_and_max),
		cmocka_unit_test(whole_ranks_are_not_pushed_up_by_rounding),
		cmocka_unit_test(mean_and_deviation_are_exact),
		cmocka_unit_test(empty_histograms_have_no_percentiles),
		cmocka_unit_test(waiting_share_weighs_by_time),
		cmocka_unit_test(merging_is_the_same_as_recording_together),
		cmocka_unit_test(coding_gives_the_same_slots_back),
		cmocka_unit_test(folding_adds_pairs_exactly),
		cmocka_unit_test(hostile_bytes_are_refused),
		cmocka_unit_test(random_bytes_never_break_the_decoder),
		cmocka_unit_test(slots_add_up_or_are_found_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
