/* A-B-A-B: which steps are one, and what they say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "assay/perturbation.h"

#define PAIRS_MAX 4
#define STEPS_MAX (2 * PAIRS_MAX)

struct made {
	struct evidence evidence;
	struct step_record steps[STEPS_MAX];
	struct load_record loads[STEPS_MAX];
	struct tally *totals[STEPS_MAX];
	json_t *values[STEPS_MAX];
};

/* One measurement of one second: its point's values as JSON, and its IOPS. */
static void add(struct made *made, uint32_t point, uint32_t repeat, const char *values, uint64_t iops)
{
	uint32_t at = made->evidence.step_count++;
	struct tally *total = calloc(1, sizeof(*total));

	assert_non_null(total);
	tally_clear(total);
	total->end_ns = 1000000000;
	total->op[IO_READ].ios = iops;
	total->op[IO_READ].service.moments.n = iops;
	made->totals[at] = total;
	made->steps[at] = (struct step_record){ .id = at + 1,
						.name = "whose",
						.kind = "load",
						.point = point,
						.repeat = repeat,
						.status = RUN_COMPLETE,
						.duration_ns = 1000000000 };
	made->loads[at] = (struct load_record){ .step = at + 1, .name = "whose", .total = total };
	made->values[at] = json_loads(values, 0, NULL);
	assert_non_null(made->values[at]);
	made->evidence.load_count = made->evidence.step_count;
	made->evidence.steps = made->steps;
	made->evidence.loads = made->loads;
	made->evidence.values = made->values;
}

static void release(struct made *made)
{
	for (uint32_t i = 0; i < made->evidence.step_count; i++) {
		json_decref(made->values[i]);
		free(made->totals[i]);
	}
	*made = (struct made){ 0 };
}

/* A at 1000 IOPS, B at these. */
static void pairs(struct made *made, const char *a, const char *b, const uint64_t *iops, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		add(made, 0, i, a, 1000);
		add(made, 1, i, b, iops[i]);
	}
}

#define A "{\"rw\":\"randread\",\"bs\":4096,\"numjobs\":1,\"iodepth\":32}"
#define B "{\"rw\":\"randread\",\"bs\":4096,\"numjobs\":2,\"iodepth\":16}"

static void more_workers_at_the_same_depth_are_a_perturbation(void **state)
{
	static const uint64_t faster[] = { 1200, 1300, 1250 }, same[] = { 1010, 990, 1040 };
	struct made made = { 0 };
	struct perturbation perturbation;

	(void)state;
	pairs(&made, A, B, faster, 3);
	assert_true(perturbation_of(&made.evidence, &made.steps[0], &perturbation));
	assert_int_equal(perturbation.pairs, 3);
	assert_float_equal(perturbation.ratio, 1.25, 1e-9);
	assert_float_equal(perturbation.low, 1.2, 1e-9);
	assert_float_equal(perturbation.high, 1.3, 1e-9);
	assert_string_equal(perturbation.effort, "more workers at the same depth");
	/* it says nothing about the load with more effort itself */
	assert_false(perturbation_of(&made.evidence, &made.steps[1], &perturbation));
	release(&made);

	pairs(&made, A, B, same, 3);
	assert_true(perturbation_of(&made.evidence, &made.steps[0], &perturbation));
	assert_float_equal(perturbation.ratio, 1.01, 1e-9);
	release(&made);
}

static void pairs_that_disagree_decide_nothing(void **state)
{
	static const uint64_t mixed[] = { 1200, 1000, 1250 };
	struct made made = { 0 };
	struct perturbation perturbation;

	(void)state;
	pairs(&made, A, B, mixed, 3);
	assert_false(perturbation_of(&made.evidence, &made.steps[0], &perturbation));
	release(&made);
}

static void two_pairs_are_too_few(void **state)
{
	static const uint64_t faster[] = { 1200, 1300 };
	struct made made = { 0 };
	struct perturbation perturbation;

	(void)state;
	pairs(&made, A, B, faster, 2);
	assert_false(perturbation_of(&made.evidence, &made.steps[0], &perturbation));
	release(&made);
}

static void other_sweeps_are_none(void **state)
{
	static const uint64_t faster[] = { 1200, 1300, 1250 };
	static const char *const other[] = {
		"{\"rw\":\"randread\",\"bs\":4096,\"numjobs\":2,\"iodepth\":32}", /* more in flight */
		"{\"rw\":\"randread\",\"bs\":8192,\"numjobs\":2,\"iodepth\":16}", /* another size, too */
		"{\"rw\":\"randread\",\"bs\":4096,\"numjobs\":1,\"iodepth\":64}",
	};
	struct perturbation perturbation;

	(void)state;
	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++) {
		struct made made = { 0 };

		pairs(&made, A, other[i], faster, 3);
		assert_false(perturbation_of(&made.evidence, &made.steps[0], &perturbation));
		release(&made);
	}
}

static void batches_and_polling_are_perturbations_too(void **state)
{
	static const uint64_t faster[] = { 1200, 1300, 1250 };
	static const struct {
		const char *a, *b, *effort;
	} kinds[] = {
		{ "{\"rw\":\"read\",\"iodepth_batch_submit\":1}",
		  "{\"rw\":\"read\",\"iodepth_batch_submit\":2}", "larger batches" },
		{ "{\"rw\":\"read\",\"hipri\":0}", "{\"rw\":\"read\",\"hipri\":1}", "polling" },
	};
	struct perturbation perturbation;

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct made made = { 0 };

		pairs(&made, kinds[i].a, kinds[i].b, faster, 3);
		assert_true(perturbation_of(&made.evidence, &made.steps[0], &perturbation));
		assert_string_equal(perturbation.effort, kinds[i].effort);
		release(&made);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(more_workers_at_the_same_depth_are_a_perturbation),
		cmocka_unit_test(pairs_that_disagree_decide_nothing),
		cmocka_unit_test(two_pairs_are_too_few),
		cmocka_unit_test(other_sweeps_are_none),
		cmocka_unit_test(batches_and_polling_are_perturbations_too),
	};

	return cmocka_run_group_tests_name("perturbation", tests, NULL, NULL);
}
