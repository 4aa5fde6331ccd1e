/* The plan's expect= lines against what was measured. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analyze/confidence.h"
#include "assay/check.h"
#include "assay/conclude.h"
#include "assay/window.h"
#include "base/units.h"

#define MEDIAN_SAMPLES 3u	/* as tables have it */

/* The ops that a criterion speaks of; returns how many. */
static int ops_of(const struct plan_expect *expect, enum io_op ops[IO_OPS])
{
	int count = 0;

	for (int op = 0; op < IO_OPS; op++)
		if (!expect->direction || !strcmp(expect->direction, io_op_name((enum io_op)op)))
			ops[count++] = (enum io_op)op;
	return count;
}

static const struct histogram *times_of(const struct op_tally *tally, const struct plan_expect *expect,
					bool open_loop)
{
	bool response = expect->clock ? !strcmp(expect->clock, "response") : open_loop;

	return response && tally->response.moments.n ? &tally->response : &tally->service;
}

/* What a criterion is judged by. */
struct judged {
	double value;		/* NaN: there is no such figure */
	/* `needs` > 0: because a percentile takes so many I/Os, and there were `ios` */
	uint64_t ios, needs;
};

/* A percentile that no table shows (analyze/confidence.h) would be the maximum. */
static void percentile_read(const struct histogram *histogram, double p, struct judged *judged)
{
	const uint64_t n = histogram->moments.n;
	const struct percentile_confidence confidence = confidence_percentile(n, p);

	if (confidence.grade == CONFIDENCE_REFUSED && !(p == 0.5 && n >= MEDIAN_SAMPLES)) {
		judged->ios = n;
		judged->needs = p == 0.5 ? MEDIAN_SAMPLES : n + confidence.needs;
		return;
	}
	judged->value = (double)histogram_percentile(histogram, p);
}

static void latency_read(const struct histogram *histogram, const char *figure, struct judged *judged)
{
	double percent;

	if (!histogram->moments.n)
		return;
	if (!strcmp(figure, "mean"))
		judged->value = histogram_mean_ns(histogram);
	else if (!strcmp(figure, "max"))
		judged->value = (double)histogram->moments.max_ns;
	else if (figure[0] == 'p' && !double_parse(figure + 1, &percent) && percent > 0 && percent < 100)
		percentile_read(histogram, percent / 100, judged);
}

/* What loads did together, in the directions of a criterion. */
struct done {
	double ios, bytes, errors, seconds;
	struct histogram times;
};

static void done_add(struct done *done, const struct tally *tally, const struct plan_expect *expect,
		     bool open_loop)
{
	enum io_op ops[IO_OPS];
	int count = ops_of(expect, ops);

	done->seconds = fmax(done->seconds, tally_seconds(tally));
	for (int k = 0; k < count; k++) {
		const struct op_tally *op = &tally->op[ops[k]];

		done->ios += (double)op->ios;
		done->bytes += (double)op->bytes;
		histogram_add(&done->times, times_of(op, expect, open_loop));
	}
}

static double errors_of(const struct tally *total, const struct plan_expect *expect)
{
	enum io_op ops[IO_OPS];
	int count = ops_of(expect, ops);
	double errors = 0;

	for (int k = 0; k < count; k++)
		errors += (double)total->op[ops[k]].errors;
	return errors;
}

/* Of the step, or only of its loads named `only` (NULL: all): of its verified steady window where it has
 * one. */
static int done_read(const struct evidence *evidence, const struct step_record *step, const char *only,
		     const struct plan_expect *expect, struct done *done)
{
	struct tally *part = calloc(1, sizeof(*part));	/* tally_clear clears what was used */
	struct window window;
	bool windowed = window_verified(evidence, step, &window);
	int error = part ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < evidence->load_count && !error; i++) {
		const struct load_record *load = &evidence->loads[i];

		if (load->step != step->id || !load->total || (only && strcmp(load->name, only)))
			continue;
		if (windowed)
			error = window_tally(evidence, load, &window, part);
		if (!error)
			done_add(done, windowed ? part : load->total, expect, load->open_loop);
		done->errors += errors_of(load->total, expect);
	}
	free(part);
	return error;
}

static int figure_read(const struct evidence *evidence, const struct step_record *step, const char *only,
		       const struct plan_expect *expect, struct judged *judged)
{
	struct done *done = calloc(1, sizeof(*done));
	int error = done ? 0 : -ENOMEM;

	if (!error) {
		histogram_clear(&done->times);
		error = done_read(evidence, step, only, expect, done);
	}
	if (!error && !strcmp(expect->figure, "errors"))
		judged->value = done->errors;
	else if (!error && !strcmp(expect->figure, "iops"))
		judged->value = done->seconds > 0 ? done->ios / done->seconds : NAN;
	else if (!error && !strcmp(expect->figure, "bytes_per_second"))
		judged->value = done->seconds > 0 ? done->bytes / done->seconds : NAN;
	else if (!error)
		latency_read(&done->times, expect->figure, judged);
	free(done);
	return error;
}

/* What a finding of this kind says about the step; NaN without one (too short a step, say). */
static double finding_of(struct store *store, const char *kind, uint64_t step)
{
	const struct finding_record *findings;
	uint32_t count;

	if (store_findings(store, &findings, &count))
		return NAN;
	for (uint32_t i = 0; i < count; i++)
		if (findings[i].step_id == step && !strcmp(findings[i].kind, kind))
			return findings[i].value;
	return NAN;
}

/* The figure as people read it: latencies with a unit, rates rounded. */
static const char *figure_text(const char *figure, double value, char buffer[UNITS_TEXT])
{
	if (!strcmp(figure, "bytes_per_second"))
		return rate_format(value, buffer);
	if (!strcmp(figure, "iops") || !strcmp(figure, "errors"))
		return count_format(value, buffer);
	if (!strcmp(figure, "mean") || !strcmp(figure, "max") || figure[0] == 'p')
		return duration_format((uint64_t)value, buffer);
	snprintf(buffer, UNITS_TEXT, "%.4g", value);
	return buffer;
}

static void unmeasured_say(const struct plan_expect *expect, const char *step, bool carried_out,
			   const struct judged *judged, struct saying *saying)
{
	char had[UNITS_TEXT], needs[UNITS_TEXT];

	if (judged->needs)
		saying_add(saying, "Cannot be told: step '%s' has %s I/Os, and %s takes %s.", step,
			   count_format((double)judged->ios, had), expect->figure,
			   count_format((double)judged->needs, needs));
	else if (carried_out)
		saying_add(saying, "Not measured: step '%s' has no such figure.", step);
	else
		saying_add(saying, "Not measured: step '%s' was not carried out.", step);
}

/* `carried_out`: false when there was no such step at all. A criterion that was not measured is not met. */
static int criterion_judge(struct store *store, const struct plan_expect *expect, const char *step,
			   bool carried_out, const struct judged *judged, bool *met)
{
	const double value = judged->value;
	bool holds = expect->below ? value < expect->limit : value > expect->limit;
	char name[160];
	struct check_record check = { .name = name };
	struct saying saying = { 0 };
	int error;

	snprintf(name, sizeof(name), "expect %s: %s", step, expect->text);
	if (isnan(value)) {
		holds = false;
		unmeasured_say(expect, step, carried_out, judged, &saying);
	} else {
		char measured[UNITS_TEXT], wanted[UNITS_TEXT];

		saying_add(&saying,
			   expect->below ? "Step '%s': measured %s, wanted below %s."
					 : "Step '%s': measured %s, wanted above %s.",
			   step, figure_text(expect->figure, value, measured),
			   figure_text(expect->figure, expect->limit, wanted));
	}
	check.result = holds ? CHECK_PASSED : CHECK_FAILED;
	*met = *met && holds;
	error = check_record_put(store, &check, &saying);
	saying_release(&saying);
	return error;
}

/* The step of the plan that a section is carried out with. */
static uint32_t leader_of(const struct plan_step *section)
{
	return section->joined_to < 0 ? section->index : (uint32_t)section->joined_to;
}

static int section_judge(const struct evidence *evidence, const struct plan_step *section,
			 const struct step_record *step, bool *met)
{
	const char *only = section->joined_to < 0 ? NULL : section->name;
	int error = 0;

	for (uint32_t i = 0; !error && i < section->expect_count; i++) {
		const struct plan_expect *expect = &section->expect[i];
		struct judged judged = { .value = NAN };

		if (step && !strcmp(expect->figure, "consistency"))
			judged.value = finding_of(evidence->store, "consistency", step->id);
		else if (step)
			error = figure_read(evidence, step, only, expect, &judged);
		if (!error)
			error = criterion_judge(evidence->store, expect, section->name, step, &judged, met);
	}
	return error;
}

/* In each step that carried it out. In a run that is complete it is one that was left out if there is
 * none. */
static int section_conclude(const struct evidence *evidence, const struct plan_step *section, bool *met)
{
	bool found = false;
	int error = 0;

	for (uint32_t i = 0; !error && i < evidence->step_count; i++) {
		const struct step_record *step = &evidence->steps[i];

		if (step->plan_step != leader_of(section) || !strcmp(step->name, "prepare"))
			continue;
		found = true;
		error = section_judge(evidence, section, step, met);
	}
	if (!error && !found && evidence->run->status == RUN_COMPLETE)
		error = section_judge(evidence, section, NULL, met);
	return error;
}

int conclude_criteria(const struct evidence *evidence, const struct plan *plan, bool *ret_met)
{
	int error = 0;

	*ret_met = true;
	for (uint32_t i = 0; plan && !error && i < plan->step_count; i++)
		if (plan->steps[i].expect_count)
			error = section_conclude(evidence, &plan->steps[i], ret_met);
	return error;
}
