#include "assay/perturbation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "analyze/bottleneck.h"
#include "analyze/numbers.h"

#define PAIRS_MAX 64u

static bool is_one_of(const char *key, const char *const *keys)
{
	for (; *keys; keys++)
		if (!strcmp(key, *keys))
			return true;
	return false;
}

/* Do the two points have the same keys, with the same values but for these? */
static bool differ_only_in(const struct evidence *evidence, const struct step_record *a,
			   const struct step_record *b, const char *const *keys)
{
	json_t *left = evidence->values[a - evidence->steps], *right = evidence->values[b - evidence->steps],
	       *value;
	const char *key;

	if (json_object_size(left) != json_object_size(right))
		return false;
	json_object_foreach (left, key, value)
		if (!is_one_of(key, keys) && !json_equal(value, json_object_get(right, key)))
			return false;
	return true;
}

/* What b does more than a; NULL: it is something else. */
static const char *effort_of(const struct evidence *evidence, const struct step_record *a,
			     const struct step_record *b)
{
	static const char *const workers[] = { "numjobs", "iodepth", NULL };
	static const char *const batches[] = { "iodepth_batch_submit", "iodepth_batch", NULL };
	static const char *const polling[] = { "hipri", "iopoll", NULL };
	double a_jobs = step_number(evidence, a, "numjobs"), b_jobs = step_number(evidence, b, "numjobs");

	if (b_jobs > a_jobs && differ_only_in(evidence, a, b, workers) &&
	    a_jobs * step_number(evidence, a, "iodepth") == b_jobs * step_number(evidence, b, "iodepth"))
		return "more workers at the same depth";
	for (const char *const *key = batches; *key; key++)
		if (differ_only_in(evidence, a, b, batches) &&
		    step_number(evidence, b, *key) > step_number(evidence, a, *key))
			return "larger batches";
	for (const char *const *key = polling; *key; key++)
		if (differ_only_in(evidence, a, b, polling) &&
		    step_number(evidence, b, *key) > step_number(evidence, a, *key))
			return "polling";
	return NULL;
}

/* The B that belongs to an A: the same repeat of the other point. Two points only: another one makes it a
 * sweep. */
static const struct step_record *partner_of(const struct evidence *evidence, const struct step_record *a)
{
	const struct step_record *partner = NULL;

	for (uint32_t i = 0; i < evidence->step_count; i++) {
		const struct step_record *b = &evidence->steps[i];

		if (b->plan_step != a->plan_step || b->repeat != a->repeat || b->round != a->round ||
		    b->point == a->point || step_target(evidence, b) != step_target(evidence, a) ||
		    !step_measured(evidence, b))
			continue;
		if (partner)
			return NULL;
		partner = b;
	}
	return partner;
}

static bool same_load(const struct evidence *evidence, const struct step_record *a,
		      const struct step_record *b)
{
	static const char *const keys[] = { "rw", "bs", "rwmixread", "numjobs", "iodepth" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!step_same(evidence, a, b, keys[i]))
			return false;
	return true;
}

/* All pairs of the step that A is of. */
static void pairs_collect(const struct evidence *evidence, const struct step_record *first,
			  struct perturbation *perturbation)
{
	double ratios[PAIRS_MAX];
	uint32_t count = 0;

	for (uint32_t i = 0; i < evidence->step_count && count < PAIRS_MAX; i++) {
		const struct step_record *a = &evidence->steps[i];
		const struct step_record *b =
			a->plan_step == first->plan_step && a->point == first->point &&
					step_target(evidence, a) == step_target(evidence, first) &&
					step_measured(evidence, a)
				? partner_of(evidence, a)
				: NULL;
		struct step_sum without, with;

		if (!b)
			continue;
		step_sum(evidence, a, &without);
		step_sum(evidence, b, &with);
		if (without.iops > 0)
			ratios[count++] = with.iops / without.iops;
	}
	*perturbation = (struct perturbation){ .step = first, .pairs = count, .ratio = NAN };
	if (count < PERTURBATION_PAIRS_MIN)
		return;
	numbers_sort(ratios, count);
	perturbation->low = ratios[0];
	perturbation->high = ratios[count - 1];
	perturbation->ratio = numbers_median_of(ratios, count);
}

static bool agrees(const struct perturbation *perturbation)
{
	return perturbation->pairs >= PERTURBATION_PAIRS_MIN &&
	       (perturbation->low > BOTTLENECK_PERTURBATION_MIN ||
		perturbation->high <= BOTTLENECK_PERTURBATION_MIN);
}

bool perturbation_of(const struct evidence *evidence, const struct step_record *step,
		     struct perturbation *ret_perturbation)
{
	bool found = false;

	for (uint32_t i = 0; i < evidence->step_count; i++) {
		const struct step_record *a = &evidence->steps[i];
		const struct step_record *b =
			!a->repeat && !a->point && !a->round && step_measured(evidence, a) &&
					same_load(evidence, a, step) &&
					step_target(evidence, a) != UINT32_MAX &&
					step_target(evidence, a) == step_target(evidence, step)
				? partner_of(evidence, a)
				: NULL;
		const char *effort = b ? effort_of(evidence, a, b) : NULL;

		if (!effort)
			continue;
		pairs_collect(evidence, a, ret_perturbation);
		ret_perturbation->effort = effort;
		found = agrees(ret_perturbation);
	}
	return found;
}
