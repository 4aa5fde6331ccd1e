/* Self-checks of the drive's link, settings and heat. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "assay/check.h"
#include "assay/thermal.h"
#include "store/json_reader.h"

/* -- the link -- */

struct links {
	uint32_t count;
	char slow[200];	 /* the first that runs below its maximum; "" */
	double now, max; /* of the first */
};

/* A drive may lower its link when idle: the faster of before and after counts. */
static void links_see(const json_t *before, const json_t *after, const char *name, struct links *links)
{
	const json_t *link;
	size_t i;

	json_array_foreach (json_object_get(before, "links"), i, link) {
		const json_t *later = json_array_get(json_object_get(after, "links"), i);
		double now = fmax(json_real_in(link, "speed_now_gt_per_second"),
				  json_real_in(later, "speed_now_gt_per_second"));
		double max = json_real_in(link, "speed_max_gt_per_second");
		double lanes = fmax(json_real_in(link, "width_now"), json_real_in(later, "width_now"));
		double lanes_max = json_real_in(link, "width_max");

		if (!(now > 0 && max > 0))
			continue;
		if (!links->count++) {
			links->now = now;
			links->max = max;
		}
		if ((now < max || lanes < lanes_max) && !links->slow[0])
			snprintf(links->slow, sizeof(links->slow),
				 "%.60s, link %zu: %g of %g GT/s, %g of %g lanes", name, i, now, max, lanes,
				 lanes_max);
	}
}

int check_link(const struct evidence *evidence)
{
	struct links links = { 0 };

	for (uint32_t i = 0; i < evidence->drive_count; i++) {
		json_t *before = drive_facts_of(&evidence->drives[i], false),
		       *after = drive_facts_of(&evidence->drives[i], true);

		links_see(before, after, evidence->drives[i].name, &links);
		json_decref(before);
		json_decref(after);
	}
	if (!links.count)
		return check_put(evidence, "link_at_full_speed", CHECK_NOT_APPLICABLE,
				 "No PCIe link is visible.");
	if (links.slow[0])
		return check_put(evidence, "link_at_full_speed", CHECK_FAILED,
				 "A link runs below its maximum: %s.", links.slow);
	return check_put(evidence, "link_at_full_speed", CHECK_PASSED,
			 "All %u PCIe links run at their maximum, the drive's at %g GT/s.", links.count,
			 links.now);
}

/* -- settings -- */

struct settings {
	uint32_t seen;
	char changed[320], scheduler[160], power[160], words[200];
};

static const char *word_in(const json_t *object, const char *key)
{
	const char *word = json_string_value(json_object_get(object, key));

	return word ? word : "";
}

static void settings_see(const json_t *before, const json_t *after, const char *name,
			 struct settings *settings)
{
	const json_t *queue = json_object_get(before, "queue"), *later = json_object_get(after, "queue");
	const char *scheduler = word_in(queue, "scheduler"), *cache = word_in(queue, "write_cache");
	double state = json_real_in(json_object_get(after, "health"), "power_state");

	if (!scheduler[0] && !cache[0])
		return;
	settings->seen++;
	snprintf(settings->words, sizeof(settings->words), "write cache %.40s, scheduler %.40s",
		 cache[0] ? cache : "unknown", scheduler[0] ? scheduler : "unknown");
	if (later &&
	    (strcmp(scheduler, word_in(later, "scheduler")) ||
	     strcmp(cache, word_in(later, "write_cache"))) &&
	    !settings->changed[0])
		snprintf(settings->changed, sizeof(settings->changed),
			 "%.60s: write cache %.30s then %.30s, scheduler %.30s then %.30s", name, cache,
			 word_in(later, "write_cache"), scheduler, word_in(later, "scheduler"));
	if (scheduler[0] && strcmp(scheduler, "none") && !settings->scheduler[0])
		snprintf(settings->scheduler, sizeof(settings->scheduler), "%.60s is scheduled by %.60s",
			 name, scheduler);
	if (!isnan(state))
		snprintf(settings->power, sizeof(settings->power), "%g", state);
}

static int settings_put(const struct evidence *evidence, const struct settings *settings)
{
	static const char *const names[] = { "drive_settings_kept", "scheduler_none", "power_state" };
	bool full = !settings->power[0] || !strcmp(settings->power, "0");
	int error = 0;

	for (int i = 0; i < 3 && !settings->seen && !error; i++)
		error = check_put(evidence, names[i], CHECK_NOT_APPLICABLE, "%s",
				  evidence_virtual(evidence) ? "A simulated drive has no block layer."
							     : "The target's block device is not visible.");
	if (!settings->seen || error)
		return error;
	error = check_put(evidence, names[0], settings->changed[0] ? CHECK_FAILED : CHECK_PASSED, "%s: %s.",
			  settings->changed[0] ? "Settings changed while the run went on"
					       : "The same before and after the run",
			  settings->changed[0] ? settings->changed : settings->words);
	if (!error)
		error = check_put(evidence, names[1], settings->scheduler[0] ? CHECK_FAILED : CHECK_PASSED,
				  "%s%s.",
				  settings->scheduler[0] ? settings->scheduler
							 : "No I/O scheduler is between program and drive",
				  settings->scheduler[0] ? ", which adds latency and may reorder" : "");
	if (error)
		return error;
	if (!settings->power[0])
		return check_put(evidence, names[2], CHECK_NOT_APPLICABLE,
				 "The drive does not say its power state.");
	return check_put(evidence, names[2], full ? CHECK_PASSED : CHECK_FAILED,
			 "After the run the drive was in power state %s%s.", settings->power,
			 full ? "" : ": not the one of full performance");
}

int check_settings(const struct evidence *evidence)
{
	struct settings settings = { 0 };

	for (uint32_t i = 0; i < evidence->drive_count; i++) {
		json_t *before = drive_facts_of(&evidence->drives[i], false),
		       *after = drive_facts_of(&evidence->drives[i], true);

		if (strcmp(evidence->drives[i].kind, "sim"))
			settings_see(before, after, evidence->drives[i].name, &settings);
		json_decref(before);
		json_decref(after);
	}
	return settings_put(evidence, &settings);
}

/* -- heat -- */

struct heat {
	uint32_t known, throttled;
	double hottest_c, counted_s;
	const char *step; /* the first that was throttled */
};

static int heat_see(const struct evidence *evidence, struct heat *heat)
{
	int error = 0;

	for (uint32_t i = 0; i < evidence->step_count && !error; i++) {
		uint32_t count;
		const struct load_record *load = evidence_loads(evidence, &evidence->steps[i], &count);
		struct thermal thermal;

		if (!load)
			continue;
		error = thermal_of(evidence, &evidence->steps[i], load->target, &thermal);
		if (error || !thermal.known)
			continue;
		heat->known++;
		heat->hottest_c = fmax(heat->hottest_c, thermal.hottest_c);
		if (thermal.throttled && !heat->throttled++)
			heat->step = evidence->steps[i].name;
	}
	for (uint32_t i = 0; i < evidence->drive_count; i++) {
		double counted = thermal_counted_s(&evidence->drives[i]);

		heat->known += !isnan(counted);
		heat->counted_s += isnan(counted) ? 0 : counted;
	}
	return error;
}

int check_heat(const struct evidence *evidence)
{
	struct heat heat = { .hottest_c = -INFINITY };
	int error = heat_see(evidence, &heat);

	if (error)
		return error;
	if (!heat.known)
		return check_put(evidence, "not_throttled", CHECK_NOT_APPLICABLE,
				 "The target tells neither its temperature nor how long it was throttled.");
	if (heat.counted_s > 0)
		return check_put(evidence, "not_throttled", CHECK_FAILED,
				 "The drive counted %.0f s of thermal throttling during the run.",
				 heat.counted_s);
	if (heat.throttled)
		return check_put(evidence, "not_throttled", CHECK_FAILED,
				 "Heat slowed the drive down in %u step%s, the first '%s'.", heat.throttled,
				 heat.throttled == 1 ? "" : "s", heat.step);
	if (!isfinite(heat.hottest_c))
		return check_put(evidence, "not_throttled", CHECK_PASSED,
				 "The drive counted no thermal throttling.");
	return check_put(evidence, "not_throttled", CHECK_PASSED,
			 "No sign of thermal throttling; hottest %.0f °C.", heat.hottest_c);
}
