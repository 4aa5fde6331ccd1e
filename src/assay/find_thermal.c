/* When and how deep heat slowed the drive down, and how warm it became. */
#include <math.h>
#include <stdio.h>
#include "assay/finding.h"
#include "assay/thermal.h"
#include "base/units.h"

static json_t *thermal_json(const struct thermal *thermal)
{
	json_t *data = json_object();

	data_real(data, "at_s", thermal->at_s);
	data_real(data, "at_c", thermal->at_c);
	data_real(data, "clear_c", thermal->clear_c);
	data_real(data, "hottest_c", thermal->hottest_c);
	data_real(data, "fast_bytes_per_second", thermal->fast);
	data_real(data, "slow_bytes_per_second", thermal->slow);
	data_real(data, "slow_s", thermal->slow_s);
	data_real(data, "slow_share", thermal->slow_share);
	data_real(data, "limit_c", thermal->limit_c);
	data_real(data, "period_s", thermal->period_s);
	json_object_set_new(data, "times", json_integer(thermal->times));
	json_object_set_new(data, "brief", json_boolean(thermal->brief));
	return data;
}

static int throttling_tell(const struct evidence *evidence, const struct step_record *step,
			   const struct thermal *thermal)
{
	struct finding_record finding = {
		.kind = "thermal_throttling",
		.unit = "s",
		.value = thermal->at_s,
		.low = fmax(0, thermal->at_s - 1),
		.high = thermal->at_s + 1,
	};
	char fast[UNITS_TEXT], slow[UNITS_TEXT], after[UNITS_TEXT];
	struct saying title = { 0 }, every = { 0 };

	step_title(evidence, step, &title);
	duration_format((uint64_t)(thermal->at_s * 1e9), after);
	if (thermal->brief)
		return finding_put(
			evidence, step, &finding, thermal_json(thermal),
			"Heat slowed the drive down in %p: after %s, at %.0f °C, from %s, and then again and again, for so "
			"short that readings a second apart do not show how far, how often or for how long.",
			&title, after, thermal->at_c, rate_format(thermal->fast, fast));
	if (thermal->period_s > 0)
		saying_add(&every, ", again every %.3g s (%u times)", thermal->period_s, thermal->times);
	return finding_put(
		evidence, step, &finding, thermal_json(thermal),
		"Heat slowed the drive down in %p: after %s, at %.0f °C, from %s to %s%p; slow for "
		"%.0f %% of the time.",
		&title, after, thermal->at_c, rate_format(thermal->fast, fast), rate_format(thermal->slow, slow), &every,
		100 * thermal->slow_share);
}

static int counters_tell(const struct evidence *evidence, const struct drive_record *drive)
{
	double counted = thermal_counted_s(drive);
	struct finding_record finding = {
		.kind = "thermal_counters", .unit = "s", .value = counted, .low = NAN, .high = NAN
	};

	if (!(counted > 0))
		return 0;
	return finding_put(evidence, NULL, &finding, NULL,
			   "The drive's own counters say that %s was throttled by heat for %.0f s during "
			   "the run.",
			   drive->name, counted);
}

/* The hottest moment of the run. */
static int hottest_tell(const struct evidence *evidence, const struct step_record *hottest,
			const struct thermal *thermal)
{
	struct finding_record finding = {
		.kind = "temperature", .unit = "c", .value = thermal->hottest_c, .low = NAN, .high = NAN
	};
	struct saying title = { 0 };

	return finding_put(evidence, hottest, &finding, NULL, "The drive was hottest, %.0f °C, in %p.",
			   thermal->hottest_c, step_title(evidence, hottest, &title));
}

int find_thermal(const struct evidence *evidence)
{
	const struct step_record *hottest = NULL;
	struct thermal thermal, most = { 0 };
	double coolest = INFINITY;
	int error = 0;

	for (uint32_t i = 0; i < evidence->step_count && !error; i++) {
		const struct step_record *step = &evidence->steps[i];
		uint32_t count;
		const struct load_record *load = evidence_loads(evidence, step, &count);

		if (!load)
			continue;
		error = thermal_of(evidence, step, load->target, &thermal);
		if (!error && thermal.throttled)
			error = throttling_tell(evidence, step, &thermal);
		if (!thermal.known)
			continue;
		coolest = fmin(coolest, thermal.mean_c);
		if (!hottest || thermal.hottest_c > most.hottest_c) {
			hottest = step;
			most = thermal;
		}
	}
	if (!error && hottest && most.hottest_c - coolest > 1)
		error = hottest_tell(evidence, hottest, &most);
	for (uint32_t i = 0; i < evidence->drive_count && !error; i++)
		error = counters_tell(evidence, &evidence->drives[i]);
	return error;
}
