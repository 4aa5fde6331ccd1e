/* The plan's expect= lines against what was measured. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "assay/conclude.h"
#include "base/units.h"

/* The ops that a criterion speaks of; returns how many. */
static int ops_of(const struct plan_expect *expect, enum io_op ops[IO_OPS])
{
	int count = 0;

	for (int op = 0; op < IO_OPS; op++)
		if (!expect->direction || !strcmp(expect->direction, io_op_name((enum io_op)op)))
			ops[count++] = (enum io_op)op;
	return count;
}

static const struct histogram *times_of(const struct op_tally *tally, const struct plan_expect *expect, bool open_loop)
{
	bool response = expect->clock ? !strcmp(expect->clock, "response") : open_loop;

	return response && tally->response.moments.n ? &tally->response : &tally->service;
}

static double latency_of(const struct histogram *histogram, const char *figure)
{
	double percent;

	if (!histogram->moments.n)
		return NAN;
	if (!strcmp(figure, "mean"))
		return histogram_mean_ns(histogram);
	if (!strcmp(figure, "max"))
		return (double)histogram->moments.max_ns;
	if (figure[0] == 'p' && !double_parse(figure + 1, &percent) && percent > 0 && percent < 100)
		return (double)histogram_percentile(histogram, percent / 100);
	return NAN;
}

/* The figure of one step, or only of its loads named `only` (NULL: all); NaN when it has none. */
static double figure_of(const struct load_record *loads, uint32_t count, uint64_t step, const char *only,
			const struct plan_expect *expect)
{
	struct histogram *merged = calloc(1, sizeof(*merged));
	double ios = 0, bytes = 0, errors = 0, seconds = 0, value = NAN;
	enum io_op ops[IO_OPS];
	int op_count = ops_of(expect, ops);

	if (!merged)
		return NAN;
	histogram_clear(merged);
	for (uint32_t i = 0; i < count; i++) {
		if (loads[i].step != step || !loads[i].total || (only && strcmp(loads[i].name, only)))
			continue;
		seconds = fmax(seconds, (double)(loads[i].total->end_ns - loads[i].total->start_ns) / 1e9);
		for (int k = 0; k < op_count; k++) {
			const struct op_tally *tally = &loads[i].total->op[ops[k]];

			ios += (double)tally->ios;
			bytes += (double)tally->bytes;
			errors += (double)tally->errors;
			histogram_add(merged, times_of(tally, expect, loads[i].open_loop));
		}
	}
	if (!strcmp(expect->figure, "errors"))
		value = errors;
	else if (!strcmp(expect->figure, "iops"))
		value = seconds > 0 ? ios / seconds : NAN;
	else if (!strcmp(expect->figure, "bytes_per_second"))
		value = seconds > 0 ? bytes / seconds : NAN;
	else
		value = latency_of(merged, expect->figure);
	free(merged);
	return value;
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

/* `carried_out`: false when there was no such step at all. A criterion that was not measured is not met. */
static int criterion_judge(struct store *store, const struct plan_expect *expect, const char *step, bool carried_out,
			   double value, bool *met)
{
	bool holds = expect->below ? value < expect->limit : value > expect->limit;
	char name[160], text[256];
	struct check_record check = { .name = name, .text = text };

	snprintf(name, sizeof(name), "expect %s: %s", step, expect->text);
	if (isnan(value)) {
		holds = false;
		snprintf(text, sizeof(text), carried_out ? "Not measured: step '%s' has no such figure." :
			 "Not measured: step '%s' was not carried out.", step);
	} else {
		char measured[UNITS_TEXT], wanted[UNITS_TEXT];

		snprintf(text, sizeof(text), "Step '%s': measured %s, wanted %s %s.", step,
			 figure_text(expect->figure, value, measured), expect->below ? "below" : "above",
			 figure_text(expect->figure, expect->limit, wanted));
	}
	check.result = holds ? CHECK_PASSED : CHECK_FAILED;
	*met = *met && holds;
	return store_put_check(store, &check);
}

/* What is stored of a run, for its criteria. */
struct measured {
	struct store *store;
	const struct run_record *run;
	const struct step_record *steps;
	const struct load_record *loads;
	uint32_t step_count, load_count;
};

static int measured_read(struct store *store, struct measured *measured)
{
	int error = store_run(store, &measured->run);

	measured->store = store;
	if (!error)
		error = store_steps(store, &measured->steps, &measured->step_count);
	return error ? error : store_loads(store, &measured->loads, &measured->load_count);
}

/* The step of the plan that a section is carried out with. */
static uint32_t leader_of(const struct plan_step *section)
{
	return section->joined_to < 0 ? section->index : (uint32_t)section->joined_to;
}

static int section_judge(const struct measured *measured, const struct plan_step *section, const struct step_record *step,
			 bool *met)
{
	const char *only = section->joined_to < 0 ? NULL : section->name;
	int error = 0;

	for (uint32_t i = 0; !error && i < section->expect_count; i++) {
		const struct plan_expect *expect = &section->expect[i];
		double value = NAN;

		if (step && !strcmp(expect->figure, "consistency"))
			value = finding_of(measured->store, "consistency", step->id);
		else if (step)
			value = figure_of(measured->loads, measured->load_count, step->id, only, expect);
		error = criterion_judge(measured->store, expect, section->name, step, value, met);
	}
	return error;
}

/* In each step that carried it out. In a run that is complete it is one that was left out if there is none. */
static int section_conclude(const struct measured *measured, const struct plan_step *section, bool *met)
{
	bool found = false;
	int error = 0;

	for (uint32_t i = 0; !error && i < measured->step_count; i++) {
		const struct step_record *step = &measured->steps[i];

		if (step->plan_step != leader_of(section) || !strcmp(step->name, "prepare"))
			continue;
		found = true;
		error = section_judge(measured, section, step, met);
	}
	if (!error && !found && measured->run->status == RUN_COMPLETE)
		error = section_judge(measured, section, NULL, met);
	return error;
}

int conclude_criteria(struct store *store, const struct plan *plan, bool *ret_met)
{
	struct measured measured;
	int error = measured_read(store, &measured);

	*ret_met = true;
	for (uint32_t i = 0; plan && !error && i < plan->step_count; i++)
		if (plan->steps[i].expect_count)
			error = section_conclude(&measured, &plan->steps[i], ret_met);
	return error;
}
