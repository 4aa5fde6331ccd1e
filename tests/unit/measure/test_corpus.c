/* The fuzz target of stored histograms on good ones, damaged ones and noise. */
#include <stdlib.h>
#include <string.h>
#include "rig.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static size_t good_code(struct random *random, uint8_t *bytes, size_t bytes_max)
{
	static struct histogram histogram;
	const uint32_t bits = 6 + (uint32_t)random_below(random, 2);
	int count;

	histogram_clear(&histogram);
	for (uint64_t i = random_below(random, 3000); i > 0; i--)
		histogram_record(&histogram, random_u64(random) >> (20 + random_below(random, 44)));
	bytes[0] = (uint8_t)(bits & 1);
	count = histogram_encode(&histogram, bits, bytes + 1, bytes_max - 1);
	assert_true(count >= 0);
	return (size_t)count + 1;
}

static void damaged_histograms_are_refused_or_consistent(void **state)
{
	static uint8_t bytes[HISTOGRAM_ENCODED_MAX + 1];
	struct random random;

	random_init(&random, 1, 0);
	for (int round = 0; round < 1000; round++) {
		size_t count = good_code(&random, bytes, sizeof(bytes));

		for (uint64_t damage = random_below(&random, 4); damage > 0; damage--)
			bytes[random_below(&random, count)] = (uint8_t)random_u64(&random);
		if (random_below(&random, 4) == 0)
			count = random_below(&random, count + 1);
		assert_int_equal(LLVMFuzzerTestOneInput(bytes, count), 0);	/* aborts when it disagrees */
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(damaged_histograms_are_refused_or_consistent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
