#include "assay/deeper.h"

#include <math.h>
#include <string.h>
#include "assay/window.h"

#define OTHER_STEP_MIN 1.5 /* a rate of another step tells less: that, too, may have changed the drive */
#define ALIKE_MAX 1.05	   /* rates of one depth: the drive was in one state */

double load_depth(const struct load_record *load)
{
	return load->open_loop ? 0 : (double)load->depth_asked * load->workers;
}

double load_iops(const struct load_record *load)
{
	return (double)tally_ios(load->total) / tally_seconds(load->total);
}

static bool load_counts(const struct load_record *load)
{
	return load->total && tally_sent_ns(load->total) && tally_ios(load->total) >= DEEPER_IOS_MIN;
}

static bool load_writes(const struct load_record *load)
{
	return load->total->op[IO_WRITE].ios > 0 || load->total->op[IO_TRIM].ios > 0;
}

/* The same kind of I/O, alone in its step. */
static bool same_work(const struct evidence *evidence, const struct step_record *a, const struct step_record *b)
{
	static const char *const keys[] = { "rw", "bs", "rwmixread", "size", "range", "fs" };
	uint32_t loads;

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (!step_same(evidence, a, b, keys[i]))
			return false;
	evidence_loads(evidence, a, &loads);
	if (loads != 1)
		return false;
	evidence_loads(evidence, b, &loads);
	return loads == 1;
}

/* Did steps of that name do at the same depth what this load did? */
static bool alike_at_depth(const struct evidence *evidence, const struct step_record *step,
			   const struct load_record *load, const char *name)
{
	for (uint32_t i = 0; i < evidence->load_count; i++) {
		const struct load_record *other = &evidence->loads[i];
		const struct step_record *other_step = evidence_step(evidence, other->step);
		double ratio;

		if (!other_step || strcmp(other_step->name, name) || other->target != load->target ||
		    !load_counts(other) || load_depth(other) != load_depth(load))
			continue;
		ratio = load_iops(other) / load_iops(load);
		if (ratio < ALIKE_MAX && ratio > 1 / ALIKE_MAX && same_work(evidence, step, other_step))
			return true;
	}
	return false;
}

/* What was found out about the last other name: steps of one name mostly stand together. */
struct alike {
	const char *name;
	bool answer;
};

static bool comparable(const struct evidence *evidence, const struct step_record *step,
		       const struct load_record *load, const struct step_record *other_step,
		       const struct load_record *other, struct alike *alike)
{
	struct window window;

	if (!strcmp(other_step->name, step->name))
		return true;
	if (!alike->name || strcmp(alike->name, other_step->name)) {
		alike->name = other_step->name;
		alike->answer = alike_at_depth(evidence, step, load, other_step->name);
	}
	if (alike->answer)
		return true;
	if (load_iops(other) < OTHER_STEP_MIN * load_iops(load))
		return false;
	if (!load_writes(load) && !load_writes(other))
		return true;
	return window_of(evidence, step, &window) && window_of(evidence, other_step, &window);
}

double deeper_ratio(const struct evidence *evidence, const struct step_record *step,
		    const struct load_record *load)
{
	const double depth = load_depth(load), iops = load_iops(load);
	struct alike alike = { 0 };
	double best = NAN;

	for (uint32_t i = 0; i < evidence->load_count && depth > 0; i++) {
		const struct load_record *other = &evidence->loads[i];
		const struct step_record *other_step;
		double ratio;

		if (other->target != load->target || load_depth(other) <= depth || !load_counts(other))
			continue;
		ratio = load_iops(other) / iops;
		other_step = evidence_step(evidence, other->step);
		if (!other_step || !(ratio > (isnan(best) ? 0 : best)) ||
		    !same_work(evidence, step, other_step))
			continue;
		if (comparable(evidence, step, load, other_step, other, &alike))
			best = ratio;
	}
	return best;
}
