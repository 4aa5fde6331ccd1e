/* Rates at other depths, over evidence made by hand: which of them may be compared. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "../plan/fixture.h"
#include "assay/deeper.h"

#define STEPS 5u
#define RANDOM_WRITES "{\"rw\":\"randwrite\",\"bs\":4096}"
#define STEADY "{\"verdict\":\"steady\",\"window\":{\"start_ns\":0,\"end_ns\":1000000000}}"
#define DRIFTING "{\"verdict\":\"drifting\"}"

/* One load of a second in each step. */
struct row {
	const char *name;
	uint32_t depth;
	uint64_t iops;
	const char *values, *verdict;
};

struct made {
	struct step_record steps[STEPS];
	struct load_record loads[STEPS];
	json_t *values[STEPS], *steady[STEPS];
	struct evidence evidence;
};

static void made_fill(struct made *made, const struct row *rows, uint32_t count, enum io_op op)
{
	*made = (struct made){ 0 };
	for (uint32_t i = 0; i < count; i++) {
		struct tally *total = calloc(1, sizeof(*total));

		assert_non_null(total);
		tally_clear(total);
		total->end_ns = 1000000000;
		total->spans = 1;
		total->op[op].ios = rows[i].iops;
		made->steps[i] = (struct step_record){ .id = i + 1, .name = (char *)rows[i].name, .kind = "load",
						       .status = RUN_COMPLETE, .duration_ns = 1000000000 };
		made->loads[i] = (struct load_record){ .step = i + 1, .name = (char *)rows[i].name, .workers = 1,
						       .depth_asked = rows[i].depth, .total = total };
		made->values[i] = json_loads(rows[i].values, 0, NULL);
		made->steady[i] = rows[i].verdict ? json_loads(rows[i].verdict, 0, NULL) : NULL;
	}
	made->evidence = (struct evidence){ .steps = made->steps, .loads = made->loads, .values = made->values,
					    .steady = made->steady, .step_count = count, .load_count = count };
}

static void made_release(struct made *made)
{
	for (uint32_t i = 0; i < made->evidence.step_count; i++) {
		free((void *)(uintptr_t)made->loads[i].total);
		json_decref(made->values[i]);
		json_decref(made->steady[i]);
	}
}

/* Of the first row. */
static double ratio_of(const struct row *rows, uint32_t count, enum io_op op)
{
	struct made made;
	double ratio;

	made_fill(&made, rows, count, op);
	ratio = deeper_ratio(&made.evidence, &made.steps[0], &made.loads[0]);
	made_release(&made);
	return ratio;
}

static void steps_of_one_name_are_compared(void **state)
{
	const struct row rows[] = {
		{ "sweep", 4, 1000000, RANDOM_WRITES, NULL }, { "sweep", 8, 1300000, RANDOM_WRITES, NULL },
		{ "sweep", 2, 1900000, RANDOM_WRITES, NULL },
		{ "sweep", 16, 1900000, "{\"rw\":\"randwrite\",\"bs\":8192}", NULL },
	};

	assert_float_equal(ratio_of(rows, 4, IO_WRITE), 1.3, 1e-9); /* shallower, and other I/O, don't count */
}

/* pts-dv: hours of writes to the empty drive say nothing of the full one. */
static void an_emptier_drive_is_no_deeper_queue(void **state)
{
	const struct row rows[] = {
		{ "write-max", 16, 3670, RANDOM_WRITES, STEADY },
		{ "settle", 1024, 7017, RANDOM_WRITES, DRIFTING },
	};
	const struct row reads[] = {
		{ "one", 1, 10000, "{\"rw\":\"randread\"}", NULL }, { "many", 32, 20000, "{\"rw\":\"randread\"}", NULL },
	};

	assert_true(isnan(ratio_of(rows, 2, IO_WRITE)));
	assert_float_equal(ratio_of(reads, 2, IO_READ), 2, 1e-9); /* what doesn't write leaves the drive as it is */
}

static void the_same_rate_at_the_same_depth_shows_the_same_state(void **state)
{
	const struct row rows[] = {
		{ "write-max", 16, 3670, RANDOM_WRITES, STEADY }, { "settle", 1024, 7017, RANDOM_WRITES, DRIFTING },
		{ "sweep", 16, 3685, RANDOM_WRITES, NULL },	  { "sweep", 64, 4404, RANDOM_WRITES, NULL },
		{ "base", 1024, 4741, RANDOM_WRITES, NULL },
	};

	assert_float_equal(ratio_of(rows, 5, IO_WRITE), 1.2, 1e-9);
}

static void steady_states_are_compared(void **state)
{
	const struct row rows[] = {
		{ "write-qd1", 1, 2000, RANDOM_WRITES, STEADY }, { "write-qd32", 32, 5000, RANDOM_WRITES, STEADY },
	};

	assert_float_equal(ratio_of(rows, 2, IO_WRITE), 2.5, 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_of_one_name_are_compared),
		cmocka_unit_test(an_emptier_drive_is_no_deeper_queue),
		cmocka_unit_test(the_same_rate_at_the_same_depth_shows_the_same_state),
		cmocka_unit_test(steady_states_are_compared),
	};

	return cmocka_run_group_tests_name("deeper", tests, NULL, NULL);
}
