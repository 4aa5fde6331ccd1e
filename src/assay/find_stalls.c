/* Standstills of the whole drive and slow I/Os: exact counts. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "assay/often.h"
#include "base/units.h"
#include "store/json_reader.h"

#define TOLD_NS 100000000ull /* a hitch that a person sees */
#define NEARLY_ALL 0.9995  /* is not 100.0 % */
#define TOLD_SLOW 4	     /* the same in slow_bucket_ns */
#define PERCENT_MIN 1e-4     /* of all I/Os */

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

/* Something that was counted in a step. */
struct counted {
	const struct step_record *step;	/* NULL: nothing to tell */
	uint64_t count, ios;
	double hours;
	const struct load_record *load;
};

static double rate_of(const struct counted *counted)
{
	return (double)counted->count / counted->hours;
}

/* Of the points and rounds of one step, only the worst is told: how many had any; 0 = another one is told. */
static uint32_t worst_of(const struct evidence *evidence, const struct counted *all, uint32_t count, uint32_t at)
{
	uint32_t alike = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (!all[i].step || !step_siblings(evidence, all[i].step, all[at].step))
			continue;
		if (rate_of(&all[i]) > rate_of(&all[at]) || (rate_of(&all[i]) == rate_of(&all[at]) && i < at))
			return 0;
		alike++;
	}
	return alike;
}

/* "step 'a' (bs=4k) (the worst of its 16 points that had any)" */
static struct saying *worst_title(const struct evidence *evidence, const struct counted *counted,
				  uint32_t alike, struct saying *title)
{
	step_title(evidence, counted->step, title);
	if (alike > 1)
		saying_add(title, " (the worst of its %u points that had any)", alike);
	return title;
}

static int rate_tell(const struct evidence *evidence, const struct counted *counted, uint32_t alike)
{
	struct finding_record finding = { .kind = "stalls" };
	json_t *data = json_object();
	struct saying title = { 0 }, times = { 0 }, often = { 0 };

	often_put(counted->count, counted->hours, &finding);
	if (counted->count == 1)
		saying_add(&times, "once");
	else
		saying_add(&times, "%" PRIu64 " times", counted->count);
	json_object_set_new(data, "stalls", json_integer((json_int_t)counted->count));
	data_real(data, "hours", counted->hours);
	return finding_put(evidence, counted->step, &finding, data,
			   "The drive stood still for 100 ms or longer %p in %p%p.", &times,
			   worst_title(evidence, counted, alike, &title),
			   often_say(counted->count, counted->hours, &often));
}

static struct counted stalls_counted(const struct step_record *step, const json_t *data)
{
	struct counted counted = { .step = step };

	counted.count = json_count_in(json_object_get(data, "count"), "ge_100ms");
	counted.hours = step ? (double)step->duration_ns / 3600e9 : 0;
	if (!counted.count || counted.hours <= 0)
		counted.step = NULL;
	return counted;
}

/* Silences that were this computer's: told, since the drive is not blamed for them. */
static int host_tell(const struct evidence *evidence, const struct step_record *step, const json_t *data)
{
	const uint64_t longest_ns = json_count_in(json_object_get(data, "host"), "longest_ns");
	struct finding_record finding = { .kind = "host_stall", .unit = "ns", .value = (double)longest_ns,
					  .low = NAN, .high = NAN };
	char time[UNITS_TEXT];

	if (!step || longest_ns < TOLD_NS)
		return 0;
	return finding_put(evidence, step, &finding, NULL,
			   "This computer itself stood still for %s in step '%s' (stopped, or taken away by its host): "
			   "that is in its latencies and is not counted as a standstill of the drive.",
			   duration_format(longest_ns, time), step->name);
}

static int stalls_take(const struct evidence *evidence, const struct event_record *event,
		       struct counted *ret_counted)
{
	const struct step_record *step = evidence_step(evidence, event->step);
	json_t *data = event->data_json ? json_loads(event->data_json, 0, NULL) : NULL;
	int error;

	*ret_counted = stalls_counted(step, data);
	error = host_tell(evidence, step, data);
	json_decref(data);
	return error;
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

static struct counted slow_counted(const struct evidence *evidence, const struct load_record *load)
{
	struct counted counted = { .load = load, .step = evidence_step(evidence, load->step) };

	if (!counted.step || !load->total)
		return (struct counted){ 0 };
	counted.hours = tally_seconds(load->total) / 3600;
	for (int op = 0; op < IO_OPS; op++) {
		counted.count += load->total->op[op].slow[TOLD_SLOW];
		counted.ios += load->total->op[op].ios;
	}
	if (!counted.count || counted.hours <= 0)
		counted.step = NULL;
	return counted;
}

/* Of all I/Os: in per cent, or of a million where that has too many zeros. */
static struct saying *share_say(const struct counted *counted, struct saying *saying)
{
	const double share = (double)counted->count / (double)(counted->ios ? counted->ios : 1);
	char text[NUMBER_TEXT];

	if (counted->ios > counted->count && share >= NEARLY_ALL)
		saying_add(saying, "all but %" PRIu64, counted->ios - counted->count);
	else if (share >= PERCENT_MIN)
		saying_add(saying, "%s %%", often_text(100 * share, counted->count, text));
	else
		saying_add(saying, "%s of a million", often_text(1e6 * share, counted->count, text));
	return saying;
}

static int slow_tell(const struct evidence *evidence, const struct counted *counted, uint32_t alike)
{
	struct finding_record finding = {
		.kind = "slow_ios", .unit = "ios", .value = (double)counted->count, .low = NAN, .high = NAN,
	};
	uint64_t slow[SLOW_BUCKETS] = { 0 };
	struct saying title = { 0 }, share = { 0 };

	for (int op = 0; op < IO_OPS; op++)
		for (int i = 0; i < SLOW_BUCKETS; i++)
			slow[i] += counted->load->total->op[op].slow[i];
	return finding_put(
		evidence, counted->step, &finding, slow_json(slow, counted->ios, counted->hours),
		"%" PRIu64 " of %" PRIu64 " I/Os (%p) of %p took 100 ms or longer.", counted->count, counted->ios,
		share_say(counted, &share), worst_title(evidence, counted, alike, &title));
}

typedef int counted_tell(const struct evidence *evidence, const struct counted *counted, uint32_t alike);

static int counted_all_tell(const struct evidence *evidence, const struct counted *all, uint32_t count,
			    counted_tell *tell)
{
	int error = 0;

	for (uint32_t i = 0; i < count && !error; i++) {
		const uint32_t alike = all[i].step ? worst_of(evidence, all, count, i) : 0;

		if (alike)
			error = tell(evidence, &all[i], alike);
	}
	return error;
}

int find_stalls(const struct evidence *evidence)
{
	const uint32_t most = evidence->event_count > evidence->load_count ? evidence->event_count : evidence->load_count;
	struct counted *all = calloc(most + 1, sizeof(*all));
	uint32_t count = 0;
	int error = all ? find_longest(evidence) : -ENOMEM;

	for (uint32_t i = 0; !error && i < evidence->event_count; i++)
		if (!strcmp(evidence->events[i].kind, "stalls"))
			error = stalls_take(evidence, &evidence->events[i], &all[count++]);
	if (!error)
		error = counted_all_tell(evidence, all, count, rate_tell);
	for (uint32_t i = 0; !error && i < evidence->load_count; i++)
		all[i] = slow_counted(evidence, &evidence->loads[i]);
	if (!error)
		error = counted_all_tell(evidence, all, evidence->load_count, slow_tell);
	free(all);
	return error;
}
