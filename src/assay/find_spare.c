/* Over-provisioning: what random writes gain when a part of the drive is never addressed. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "assay/finding.h"
#include "assay/window.h"
#include "store/json_reader.h"

#define SHARES_MAX 32u

struct share {
	const struct step_record *step;
	double share; /* of the capacity, addressed */
	double iops, low, high;
	double amplification; /* sequential rate of the fill before / random rate; NaN = no fill */
	bool verified;
};

struct shares {
	uint32_t count;
	struct share share[SHARES_MAX]; /* descending by share */
};

/* Sequential rate of the last fill before the step on the same target. */
static double fill_rate(const struct evidence *evidence, const struct step_record *step)
{
	double rate = NAN;

	for (const struct step_record *s = evidence->steps; s < step; s++) {
		struct step_sum sum;

		if (strcmp(s->kind, "fill") || !step_measured(evidence, s))
			continue;
		step_sum(evidence, s, &sum);
		rate = sum.bytes_per_second;
	}
	return rate;
}

static void share_fill(const struct evidence *evidence, const struct step_record *step, double addressed,
		       struct share *share)
{
	const json_t *verdict = step_verdict(evidence, step),
		     *interval = json_object_get(verdict, "interval");
	struct step_sum sum;

	step_sum(evidence, step, &sum);
	*share = (struct share){
		.step = step, .share = addressed, .iops = sum.iops, .low = NAN, .high = NAN
	};
	share->verified = step_steady(evidence, step);
	if (share->verified) {
		share->iops = json_real_in(verdict, "mean");
		share->low = json_real_in(interval, "low");
		share->high = json_real_in(interval, "high");
	}
	share->amplification = fill_rate(evidence, step) / (share->iops * step_number(evidence, step, "bs"));
}

static bool belongs(const struct evidence *evidence, const struct step_record *first,
		    const struct step_record *step)
{
	double depth = step_number(evidence, first, "iodepth"), bs = step_number(evidence, first, "bs");

	return step_measured(evidence, step) && step_siblings(evidence, step, first) &&
	       !strcmp(step_word(evidence, step, "rw"), "randwrite") &&
	       step_number(evidence, step, "iodepth") == depth && step_number(evidence, step, "bs") == bs;
}

static void shares_add(struct shares *shares, const struct share *share)
{
	uint32_t at = 0;

	if (shares->count == SHARES_MAX)
		return;
	while (at < shares->count && shares->share[at].share >= share->share) {
		if (shares->share[at].share == share->share)
			return; /* the first of repeats */
		at++;
	}
	memmove(&shares->share[at + 1], &shares->share[at], (shares->count - at) * sizeof(*share));
	shares->share[at] = *share;
	shares->count++;
}

/* Steps of one name that differ in the range they address; false when an earlier step begins the same list.
 */
static bool shares_collect(const struct evidence *evidence, const struct step_record *first,
			   struct shares *shares)
{
	uint32_t count;
	const struct load_record *model = evidence_loads(evidence, first, &count);
	const struct drive_record *drive = model ? evidence_drive(evidence, model->target) : NULL;

	for (uint32_t i = 0; drive && i < evidence->step_count; i++) {
		const struct load_record *load = evidence_loads(evidence, &evidence->steps[i], &count);
		struct share share;

		if (!load || count != 1 || !belongs(evidence, first, &evidence->steps[i]))
			continue;
		if (&evidence->steps[i] < first)
			return false;
		share_fill(evidence, &evidence->steps[i],
			   (double)load->range_bytes / (double)drive->capacity_bytes, &share);
		shares_add(shares, &share);
	}
	return shares->count >= 2;
}

static json_t *shares_json(const struct shares *shares)
{
	json_t *data = json_object(), *array = json_array();

	for (uint32_t i = 0; i < shares->count; i++) {
		const struct share *share = &shares->share[i];
		json_t *object = json_object();

		data_real(object, "addressed_share", share->share);
		data_real(object, "iops", share->iops);
		data_real(object, "low", share->low);
		data_real(object, "high", share->high);
		data_real(object, "implied_write_amplification", share->amplification);
		json_object_set_new(object, "steady", json_boolean(share->verified));
		json_array_append_new(array, object);
	}
	json_object_set_new(data, "shares", array);
	return data;
}

static int shares_tell(const struct evidence *evidence, const struct shares *shares)
{
	const struct share *all = &shares->share[0], *least = &shares->share[shares->count - 1];
	struct finding_record finding = {
		.kind = "over_provisioning",
		.unit = "ratio",
		.value = least->iops / all->iops,
		.low = least->low / all->high,
		.high = least->high / all->low,
	};
	struct saying list = { 0 }, unsure = { 0 };
	bool verified = true;

	for (uint32_t i = 0; i < shares->count; i++) {
		const struct share *share = &shares->share[i];

		saying_add(&list, i ? ", %.0f at %.0f %%" : "%.0f at %.0f %%", share->iops,
			   100 * share->share);
		verified = verified && share->verified;
	}
	if (!verified)
		saying_add(&unsure, "; not all of them are verified to be steady");
	return finding_put(evidence, all->step, &finding, shares_json(shares),
			   "Random-write IOPS by the share of the drive that is addressed (queue depth "
			   "%.0f): %p: %.2g times as many with the most spare area%p.",
			   step_number(evidence, all->step, "iodepth"), &list, finding.value, &unsure);
}

int find_spare(const struct evidence *evidence)
{
	struct shares *shares;
	int error;

	if (evidence->run->scale < 1)
		return 0; /* a scaled plan addresses a small part of the drive, whatever the share: it says
			     nothing of spare area */
	shares = malloc(sizeof(*shares));
	error = shares ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < evidence->step_count && !error; i++) {
		*shares = (struct shares){ 0 };
		if (belongs(evidence, &evidence->steps[i], &evidence->steps[i]) &&
		    shares_collect(evidence, &evidence->steps[i], shares))
			error = shares_tell(evidence, shares);
	}
	free(shares);
	return error;
}
