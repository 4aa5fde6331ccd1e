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

/* The figure of one step; NaN when it has none. */
static double figure_of(const struct load_record *loads, uint32_t count, uint64_t step,
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
		if (loads[i].step != step || !loads[i].total)
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

static int criterion_judge(struct store *store, const struct plan_expect *expect, const struct step_record *step,
			   double value, bool *met)
{
	bool holds = expect->below ? value < expect->limit : value > expect->limit;
	char name[160], text[256];
	struct check_record check = { .name = name, .text = text };

	snprintf(name, sizeof(name), "expect %s: %s", step->name, expect->text);
	if (isnan(value)) {
		holds = false;
		snprintf(text, sizeof(text), "Step '%s' has no such figure.", step->name);
	} else {
		char measured[UNITS_TEXT], wanted[UNITS_TEXT];

		snprintf(text, sizeof(text), "Step '%s': measured %s, wanted %s %s.", step->name,
			 figure_text(expect->figure, value, measured), expect->below ? "below" : "above",
			 figure_text(expect->figure, expect->limit, wanted));
	}
	check.result = holds ? CHECK_PASSED : CHECK_FAILED;
	*met = *met && holds;
	return store_put_check(store, &check);
}

int conclude_criteria(struct store *store, const struct plan *plan, bool *ret_met)
{
	const struct step_record *steps;
	const struct load_record *loads;
	uint32_t step_count, load_count;
	int error = store_steps(store, &steps, &step_count);

	*ret_met = true;
	if (!error)
		error = store_loads(store, &loads, &load_count);
	for (uint32_t i = 0; plan && !error && i < step_count; i++) {
		const struct plan_step *planned;

		if (steps[i].plan_step >= plan->step_count || !strcmp(steps[i].name, "prepare"))
			continue;
		planned = &plan->steps[steps[i].plan_step];
		for (uint32_t k = 0; !error && k < planned->expect_count; k++) {
			const struct plan_expect *expect = &planned->expect[k];
			double value = !strcmp(expect->figure, "consistency")
					       ? finding_of(store, "consistency", steps[i].id)
					       : figure_of(loads, load_count, steps[i].id, expect);

			error = criterion_judge(store, expect, &steps[i], value, ret_met);
		}
	}
	return error;
}
