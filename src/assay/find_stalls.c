/* Standstills of the whole drive and slow I/Os: exact counts. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "analyze/confidence.h"
#include "assay/finding.h"
#include "base/units.h"

#define TOLD_NS 100000000ull /* a hitch that a person sees */
#define TOLD_SLOW 4	     /* the same in slow_bucket_ns */

static int find_longest(const struct evidence *evidence)
{
	const struct step_record *worst = NULL;
	char time[UNITS_TEXT];
	struct finding_record finding = { .kind = "longest_stall", .unit = "ns", .low = NAN, .high = NAN };

	for (uint32_t i = 0; i < evidence->step_count; i++)
		if (!worst || evidence->steps[i].stall_longest_ns > worst->stall_longest_ns)
			worst = &evidence->steps[i];
	if (!worst || worst->stall_longest_ns < TOLD_NS)
		return 0;
	finding.value = (double)worst->stall_longest_ns;
	return finding_put(
		evidence, worst, &finding, NULL,
		"The drive stood still for %s in step '%s': I/Os were in flight and none completed.",
		duration_format(worst->stall_longest_ns, time), worst->name);
}

/* How often, with the interval of a Poisson rate. */
static int find_rate(const struct evidence *evidence, const struct event_record *event)
{
	const struct step_record *step = evidence_step(evidence, event->step);
	json_t *data = event->data_json ? json_loads(event->data_json, 0, NULL) : NULL;
	uint64_t count = (uint64_t)json_integer_value(
		json_object_get(json_object_get(data, "count"), "ge_100ms"));
	double hours = step ? (double)step->duration_ns / 3600e9 : 0;
	struct finding_record finding = { .kind = "stalls", .unit = "per_hour" };
	struct bounds bounds;
	char title[STEP_TITLE], rate[NUMBER_TEXT], low[NUMBER_TEXT], high[NUMBER_TEXT];

	if (!count || hours <= 0) {
		json_decref(data);
		return 0;
	}
	bounds = confidence_poisson_rate(count, hours);
	finding.value = (double)count / hours;
	finding.low = bounds.low;
	finding.high = bounds.high;
	json_object_set_new(data, "stalls", json_integer((json_int_t)count));
	data_real(data, "hours", hours);
	return finding_put(evidence, step, &finding, data,
			   "The drive stood still for 100 ms or longer %" PRIu64
			   " time%s in %s: %s an hour (%s to %s).",
			   count, count == 1 ? "" : "s", step_title(evidence, step, title, sizeof(title)),
			   number_text(finding.value, rate), number_text(bounds.low, low),
			   number_text(bounds.high, high));
}

static json_t *slow_json(const uint64_t *slow, uint64_t ios, double hours)
{
	json_t *data = json_object(), *counts = json_object();

	for (int i = 0; i < SLOW_BUCKETS; i++)
		json_object_set_new(counts, slow_bucket_name[i], json_integer((json_int_t)slow[i]));
	json_object_set_new(data, "count", counts);
	json_object_set_new(data, "ios", json_integer((json_int_t)ios));
	data_real(data, "hours", hours);
	return data;
}

static int find_slow(const struct evidence *evidence, const struct load_record *load,
		     const struct step_record *step)
{
	struct finding_record finding = { .kind = "slow_ios", .unit = "ios", .low = NAN, .high = NAN };
	uint64_t slow[SLOW_BUCKETS] = { 0 }, ios = 0;
	double hours = (double)(load->total->end_ns - load->total->start_ns) / 3600e9;
	char title[STEP_TITLE], share[NUMBER_TEXT], rate[NUMBER_TEXT];

	for (int op = 0; op < IO_OPS; op++) {
		for (int i = 0; i < SLOW_BUCKETS; i++)
			slow[i] += load->total->op[op].slow[i];
		ios += load->total->op[op].ios;
	}
	if (!slow[TOLD_SLOW] || hours <= 0)
		return 0;
	finding.value = (double)slow[TOLD_SLOW];
	return finding_put(evidence, step, &finding, slow_json(slow, ios, hours),
			   "%" PRIu64 " of %" PRIu64
			   " I/Os of %s took 100 ms or longer: %s of a million, %s an hour.",
			   slow[TOLD_SLOW], ios, step_title(evidence, step, title, sizeof(title)),
			   number_text(1e6 * (double)slow[TOLD_SLOW] / (double)(ios ? ios : 1), share),
			   number_text((double)slow[TOLD_SLOW] / hours, rate));
}

int find_stalls(const struct evidence *evidence)
{
	int error = find_longest(evidence);

	for (uint32_t i = 0; !error && i < evidence->event_count; i++)
		if (!strcmp(evidence->events[i].kind, "stalls"))
			error = find_rate(evidence, &evidence->events[i]);
	for (uint32_t i = 0; !error && i < evidence->load_count; i++) {
		const struct load_record *load = &evidence->loads[i];
		const struct step_record *step = evidence_step(evidence, load->step);

		if (!step || !load->total)
			continue;
		error = find_slow(evidence, load, step);
	}
	return error;
}
