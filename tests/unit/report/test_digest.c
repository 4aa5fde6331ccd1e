/* The order in which findings are read. */
#include <string.h>
#include "../plan/fixture.h"
#include "report/digest.h"

static struct finding_record found(const char *kind, double value)
{
	return (struct finding_record){ .kind = kind, .value = value, .text = "a sentence" };
}

static void kinds_stand_together_the_worst_first_and_many_are_folded(void **state)
{
	const struct finding_record findings[] = {
		found("consistency", 0.5), found("stalls", 3), found("floor_iops", 900), found("consistency", 0.9),
		found("stalls", 7),	   found("stalls", 5), { .kind = "wear", .text = NULL }, found("stalls", 7),
		found("stalls", 1),
	};
	const uint32_t order[] = { 0, 3, 4, 7, 5, 1, 8, 2 };
	const struct report_model model = { .findings = findings, .finding_count = 9 };
	struct digest digest;

	assert_int_equal(digest_make(&model, &digest), 0);
	assert_int_equal(digest.count, 8);
	assert_memory_equal(digest.order, order, sizeof(order));
	assert_int_equal(digest.group_count, 3);
	assert_string_equal(digest.group[1].kind, "stalls");
	assert_int_equal(digest.group[1].first, 2);
	assert_int_equal(digest.group[1].count, 5);
	assert_int_equal(digest.group[1].shown, 3);
	assert_int_equal(digest.group[0].shown, 2);
	digest_release(&digest);
}

static void a_single_one_is_not_folded(void **state)
{
	struct finding_record findings[4] = { found("search", 1), found("search", 2), found("search", 3),
					      found("search", 4) };
	const struct report_model model = { .findings = findings, .finding_count = 4 };
	struct digest digest;

	assert_int_equal(digest_make(&model, &digest), 0);
	assert_int_equal(digest.group[0].shown, 4);
	assert_int_equal(digest.order[0], 0); /* more is not worse */
	digest_release(&digest);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_stand_together_the_worst_first_and_many_are_folded),
		cmocka_unit_test(a_single_one_is_not_folded),
	};

	return cmocka_run_group_tests_name("digest", tests, NULL, NULL);
}
