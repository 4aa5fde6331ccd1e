/* Findings: conclusions with the numbers that led to them, one plain sentence each. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "assay/conclude.h"
#include "base/units.h"

#define STALL_TOLD_NS 100000000ull	/* a hitch that a person sees */

static int finding_put(struct store *store, struct finding_record *finding, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int finding_put(struct store *store, struct finding_record *finding, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	finding->text = text;
	return store_put_finding(store, finding);
}

static int find_stalls(struct store *store, const struct step_record *steps, uint32_t count)
{
	const struct step_record *worst = NULL;
	char time[UNITS_TEXT];
	struct finding_record finding = { .kind = "longest_stall", .unit = "ns", .low = NAN, .high = NAN };

	for (uint32_t i = 0; i < count; i++)
		if (!worst || steps[i].stall_longest_ns > worst->stall_longest_ns)
			worst = &steps[i];
	if (!worst || worst->stall_longest_ns < STALL_TOLD_NS)
		return 0;
	finding.step = worst->name;
	finding.step_id = worst->id;
	finding.value = (double)worst->stall_longest_ns;
	return finding_put(store, &finding, "The drive stood still for %s in step '%s': I/Os were in flight and none completed.",
			   duration_format(worst->stall_longest_ns, time), worst->name);
}

static int find_slow(struct store *store, const struct load_record *load, const struct step_record *step)
{
	struct finding_record finding = {
		.kind = "slow_ios", .unit = "ios", .low = NAN, .high = NAN, .step = step->name, .step_id = step->id,
	};
	uint64_t slow = 0, ios = 0;

	for (int op = 0; op < IO_OPS; op++) {
		slow += load->total->op[op].slow[4];
		ios += load->total->op[op].ios;
	}
	if (!slow)
		return 0;
	finding.value = (double)slow;
	return finding_put(store, &finding, "Step '%s': %" PRIu64 " of %" PRIu64 " I/Os took 100 ms or longer.", step->name, slow,
			   ios);
}

static int find_errors(struct store *store, const struct load_record *load, const struct step_record *step)
{
	struct finding_record finding = {
		.kind = "io_errors", .unit = "ios", .low = NAN, .high = NAN, .step = step->name, .step_id = step->id,
	};
	uint64_t errors = tally_errors(load->total);

	if (!errors)
		return 0;
	finding.value = (double)errors;
	return finding_put(store, &finding, "Step '%s': %" PRIu64 " I/Os failed; each is in the list of outliers with its offset.",
			   step->name, errors);
}

static const struct step_record *step_of(const struct step_record *steps, uint32_t count, uint64_t id)
{
	for (uint32_t i = 0; i < count; i++)
		if (steps[i].id == id)
			return &steps[i];
	return NULL;
}

int conclude_findings(struct store *store)
{
	const struct step_record *steps;
	const struct load_record *loads;
	uint32_t step_count, load_count;
	int error = store_steps(store, &steps, &step_count);

	if (!error)
		error = store_loads(store, &loads, &load_count);
	if (!error)
		error = find_stalls(store, steps, step_count);
	for (uint32_t i = 0; !error && i < load_count; i++) {
		const struct step_record *step = step_of(steps, step_count, loads[i].step);

		if (!step || !loads[i].total)
			continue;
		error = find_slow(store, &loads[i], step);
		if (!error)
			error = find_errors(store, &loads[i], step);
	}
	return error;
}
