/* Write amplification against the closed forms, with the effective spare. */
#include "fixture.h"

#include <math.h>
#include <string.h>
#include <stdio.h>
#include "sim/closed_form.h"
#include "sim/ftl.h"
#include "sim/steady.h"

static void lambert_solves_its_equation(void **state)
{
	for (double x = -0.3678; x < 3; x += 0.01) {
		const double w = sim_lambert_w0(x);

		assert_true(fabs(w * exp(w) - x) < 1e-9);
	}
}

/* Van Houdt, Desnoyers and Xiang & Kurkoski print such tables; these are this program's own from independent
 * code. */
static const struct {
	double spare, fifo, greedy64, greedy256, two, five, ten;
} table[] = {
	{ 0.07, 7.817, 7.001, 7.595, 10.699, 8.497, 8.018 },
	{ 0.12, 4.846, 4.529, 4.763, 6.576, 5.254, 4.967 },
	{ 0.20, 3.188, 3.053, 3.153, 4.270, 3.443, 3.263 },
	{ 0.28, 2.481, 2.402, 2.461, 3.284, 2.670, 2.537 },
	{ 0.50, 1.716, 1.681, 1.707, 2.206, 1.830, 1.750 },
	{ 1.00, 1.255, 1.239, 1.251, 1.533, 1.318, 1.274 },
};

static void closed_forms_give_the_published_figures(void **state)
{
	assert_near(sim_amplification_fifo(1.3), 2.36, 0.002);	/* Xiang & Kurkoski 2012 */
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const double alpha = 1 + table[i].spare;

		assert_near(sim_amplification_fifo(alpha), table[i].fifo, 0.001);
		assert_near(sim_amplification_greedy(alpha, 64), table[i].greedy64, 0.001);
		assert_near(sim_amplification_greedy(alpha, 256), table[i].greedy256, 0.001);
		assert_near(sim_amplification_choices(alpha, 1), alpha / (alpha - 1), 0.002);
		assert_near(sim_amplification_choices(alpha, 2), table[i].two, 0.002);
		assert_near(sim_amplification_choices(alpha, 5), table[i].five, 0.002);
		assert_near(sim_amplification_choices(alpha, 10), table[i].ten, 0.002);
	}
}

static void steady_decay_fills_the_drive_exactly(void **state)
{
	for (double alpha = 1.01; alpha < 4; alpha *= 1.1) {
		const double w = sim_steady_decay(alpha);

		assert_near(w / (1 - exp(-w)), alpha, 1e-6);
	}
}

struct measured {
	double amplification, alpha, pages;
};

/* Uniform random writes of `drives` capacities after `settle` capacities; the drive starts in the steady
 * state of FIFO. */
static struct measured measure(const char *spec, double settle, double drives)
{
	const struct sim_params params = params_make(spec);
	struct sim_ftl ftl;
	struct sim_ftl_counts before;
	struct random random;
	uint64_t moved, writes;
	double units, mapped;

	assert_int_equal(sim_ftl_init(&ftl, &params, 1, NULL), 0);
	assert_int_equal(sim_precondition(&ftl, SIM_PRECONDITION_STEADY, 1), 0);
	random_init(&random, 1, 9);
	for (uint64_t i = 0; i < (uint64_t)(settle * ftl.geometry.user_pages); i++)
		assert_true(sim_ftl_write(&ftl, (uint32_t)random_below(&random, ftl.geometry.user_pages),
					  SIM_UNTIMED, 0));
	before = ftl.counts;
	moved = ftl.collect.counts.moved;
	for (uint64_t i = 0; i < (uint64_t)(drives * ftl.geometry.user_pages); i++)
		assert_true(sim_ftl_write(&ftl, (uint32_t)random_below(&random, ftl.geometry.user_pages),
					  SIM_UNTIMED, 0));
	writes = ftl.counts.host_pages - before.host_pages;
	units = (double)(ftl.counts.units - before.units);
	mapped = (double)(ftl.counts.unit_mapped_sum - before.unit_mapped_sum) / units;
	const struct measured measured = {
		1 + (double)(ftl.collect.counts.moved - moved) / (double)writes,
		(ftl.geometry.superblocks -
		 (double)(ftl.counts.unit_free_sum - before.unit_free_sum) / units - 1) *
			ftl.geometry.superblock_pages / mapped,
		ftl.geometry.superblock_pages,
	};
	sim_ftl_release(&ftl);
	return measured;
}

static double theory(const char *policy, const struct measured *measured)
{
	if (!strcmp(policy, "gc=greedy"))
		return sim_amplification_greedy(measured->alpha, measured->pages);
	if (!strcmp(policy, "gc=fifo"))
		return sim_amplification_fifo(measured->alpha);
	return sim_amplification_choices(measured->alpha, strstr(policy, "=10") ? 10 : 2);
}

static void policy_check(const char *policy, double settle, double drives)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		char spec[128];
		struct measured measured;

		snprintf(spec, sizeof(spec), "theory,capacity_gb=4,spare=%g,%s", table[i].spare * 100,
			 policy);
		measured = measure(spec, settle, drives);
		assert_near(measured.amplification, theory(policy, &measured),
			    table[i].spare < 0.1 ? 0.03 : 0.02);
	}
}

static void greedy_collection_amplifies_as_desnoyers_says(void **state)
{
	policy_check("gc=greedy", 0.3, 1);
}

static void fifo_collection_amplifies_as_xiang_and_kurkoski_say(void **state)
{
	policy_check("gc=fifo", 0.3, 1);
}

static void two_choices_amplify_as_the_mean_field_says(void **state)
{
	policy_check("gc=choices,gc_choices=2", 1, 5);	/* chance alone moves one drive write by 1.5 % */
}

static void ten_choices_amplify_as_the_mean_field_says(void **state)
{
	policy_check("gc=choices,gc_choices=10", 0.5, 2);
}

static void the_instant_steady_state_amplifies_right_from_the_first_write(void **state)
{
	static const double spares[] = { 7, 20, 50 };

	for (size_t i = 0; i < 3; i++) {
		char spec[64];
		struct measured at_once, later;

		snprintf(spec, sizeof(spec), "theory,capacity_gb=4,spare=%g", spares[i]);
		at_once = measure(spec, 0, 0.5);
		later = measure(spec, 2, 0.5);
		assert_near(at_once.amplification, later.amplification, 0.015);
	}
}

static void trimmed_space_counts_as_spare(void **state)
{
	/* Only 80 % of the pages are ever written. */
	const struct sim_params params = params_make("theory,capacity_gb=4,spare=10");
	struct sim_ftl ftl;
	struct random random;
	uint32_t used;
	double alpha;

	assert_int_equal(sim_ftl_init(&ftl, &params, 1, NULL), 0);
	random_init(&random, 1, 9);
	used = ftl.geometry.user_pages / 10 * 8;
	for (uint32_t i = 0; i < used; i++)
		assert_true(sim_ftl_write(&ftl, i, SIM_UNTIMED, 0));
	for (uint64_t i = 0; i < 3ull * used; i++)
		assert_true(sim_ftl_write(&ftl, (uint32_t)random_below(&random, used), SIM_UNTIMED, 0));
	ftl.counts = (struct sim_ftl_counts){ 0 };
	ftl.collect.counts.moved = 0;
	for (uint64_t i = 0; i < used; i++)
		assert_true(sim_ftl_write(&ftl, (uint32_t)random_below(&random, used), SIM_UNTIMED, 0));
	alpha = (ftl.geometry.superblocks - (double)ftl.counts.unit_free_sum / (double)ftl.counts.units - 1) *
		ftl.geometry.superblock_pages / used;
	assert_near(1 + (double)ftl.collect.counts.moved / (double)ftl.counts.host_pages,
		    sim_amplification_greedy(alpha, ftl.geometry.superblock_pages), 0.02);
	sim_ftl_release(&ftl);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lambert_solves_its_equation),
		cmocka_unit_test(closed_forms_give_the_published_figures),
		cmocka_unit_test(steady_decay_fills_the_drive_exactly),
		cmocka_unit_test(greedy_collection_amplifies_as_desnoyers_says),
		cmocka_unit_test(fifo_collection_amplifies_as_xiang_and_kurkoski_say),
		cmocka_unit_test(two_choices_amplify_as_the_mean_field_says),
		cmocka_unit_test(ten_choices_amplify_as_the_mean_field_says),
		cmocka_unit_test(the_instant_steady_state_amplifies_right_from_the_first_write),
		cmocka_unit_test(trimmed_space_counts_as_spare),
	};

	return cmocka_run_group_tests_name("sim/amplification", tests, NULL, NULL);
}
