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
	struct saying slow; /* the first that runs below its maximum; empty */
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
		if ((now < max || lanes < lanes_max) && !links->slow.pieces)
			saying_add(&links->slow, "%s, link %zu: %g of %g GT/s, %g of %g lanes", name, i, now,
				   max, lanes, lanes_max);
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
	if (links.slow.pieces)
		return check_put(evidence, "link_at_full_speed", CHECK_FAILED,
				 "A link runs below its maximum: %p.", &links.slow);
	return check_put(evidence, "link_at_full_speed", CHECK_PASSED,
			 "All %u PCIe links run at their maximum, the drive's at %g GT/s.", links.count,
			 links.now);
}

/* -- settings -- */

struct settings {
	uint32_t seen;
	struct saying changed, scheduler; /* of the first; empty */
	struct saying kept;		  /* of the last */
	char power[32];
};

static const char *word_in(const json_t *object, const char *key)
{
	const char *word = json_string_value(json_object_get(object, key));

	return word ? word : "";
}

static struct saying *word_or_unknown(const char *word, struct saying *saying)
{
	if (word[0])
		saying_add(saying, "%s", word);
	else
		saying_add(saying, "unknown");
	return saying;
}

static void settings_see(const json_t *before, const json_t *after, const char *name,
			 struct settings *settings)
{
	const json_t *queue = json_object_get(before, "queue"), *later = json_object_get(after, "queue");
	const char *scheduler = word_in(queue, "scheduler"), *cache = word_in(queue, "write_cache");
	double state = json_real_in(json_object_get(after, "health"), "power_state");
	struct saying cache_said = { 0 }, scheduler_said = { 0 };

	if (!scheduler[0] && !cache[0])
		return;
	settings->seen++;
	saying_release(&settings->kept);
	saying_add(&settings->kept, "The same before and after the run: write cache %p, scheduler %p.",
		   word_or_unknown(cache, &cache_said), word_or_unknown(scheduler, &scheduler_said));
	if (later &&
	    (strcmp(scheduler, word_in(later, "scheduler")) ||
	     strcmp(cache, word_in(later, "write_cache"))) &&
	    !settings->changed.pieces)
		saying_add(&settings->changed,
			   "Settings changed while the run went on: %s: write cache %s then %s, scheduler %s "
			   "then %s.",
			   name, cache, word_in(later, "write_cache"), scheduler,
			   word_in(later, "scheduler"));
	if (scheduler[0] && strcmp(scheduler, "none") && !settings->scheduler.pieces)
		saying_add(&settings->scheduler, "%s is scheduled by %s, which adds latency and may reorder.",
			   name, scheduler);
	if (!isnan(state))
		snprintf(settings->power, sizeof(settings->power), "%g", state);
}

static int settings_unknown(const struct evidence *evidence)
{
	static const char *const names[] = { "drive_settings_kept", "scheduler_none", "power_state" };
	int error = 0;

	for (int i = 0; i < 3 && !error; i++)
		error = check_put(evidence, names[i], CHECK_NOT_APPLICABLE,
				  evidence_virtual(evidence) ? "A simulated drive has no block layer."
							     : "The target's block device is not visible.");
	return error;
}

static int settings_put(const struct evidence *evidence, struct settings *settings)
{
	bool changed = settings->changed.pieces, full = !settings->power[0] || !strcmp(settings->power, "0");
	int error;

	if (!settings->seen)
		return settings_unknown(evidence);
	error = check_put(evidence, "drive_settings_kept", changed ? CHECK_FAILED : CHECK_PASSED, "%p",
			  changed ? &settings->changed : &settings->kept);
	if (!error && settings->scheduler.pieces)
		error = check_put(evidence, "scheduler_none", CHECK_FAILED, "%p", &settings->scheduler);
	else if (!error)
		error = check_put(evidence, "scheduler_none", CHECK_PASSED,
				  "No I/O scheduler is between program and drive.");
	if (error)
		return error;
	if (!settings->power[0])
		return check_put(evidence, "power_state", CHECK_NOT_APPLICABLE,
				 "The drive does not say its power state.");
	return check_put(
		evidence, "power_state", full ? CHECK_PASSED : CHECK_FAILED,
		full ? "After the run the drive was in power state %s."
		     : "After the run the drive was in power state %s: not the one of full performance.",
		settings->power);
}

int check_settings(const struct evidence *evidence)
{
	struct settings settings = { 0 };
	int error;

	for (uint32_t i = 0; i < evidence->drive_count; i++) {
		json_t *before = drive_facts_of(&evidence->drives[i], false),
		       *after = drive_facts_of(&evidence->drives[i], true);

		if (strcmp(evidence->drives[i].kind, "sim"))
			settings_see(before, after, evidence->drives[i].name, &settings);
		json_decref(before);
		json_decref(after);
	}
	error = settings_put(evidence, &settings);
	saying_release(&settings.changed);
	saying_release(&settings.scheduler);
	saying_release(&settings.kept);
	return error;
}

/* What it was set to is among the data of an event; one that could not be set has none, and says why. */
int check_cache(const struct evidence *evidence)
{
	bool any = false;

	for (uint32_t i = 0; i < evidence->event_count; i++) {
		const struct event_record *event = &evidence->events[i];

		if (!event->kind || strcmp(event->kind, "write_cache"))
			continue;
		if (!event->data_json)
			return check_put(evidence, "write_cache_as_asked", CHECK_FAILED,
					 "The plan switches the write cache, and it could not be done: %s.", event->text);
		any = true;
	}
	return any ? check_put(evidence, "write_cache_as_asked", CHECK_PASSED,
			       "The write cache was switched as the plan asks.") : 0;
}

/* -- heat -- */

struct heat {
	uint32_t known, throttled;
	double hottest_c, counted_s;
	const char *step; /* the first that was throttled */
	/* the longest at the drive's own limit; the first whose writes fell for good when it was warm */
	const struct step_record *stood_step, *unclear_step;
	struct thermal stood, unclear;
	/* the hottest of the steps at that limit that are too short to look at their speed */
	const struct step_record *brief_step;
	struct thermal brief;
	bool counts; /* a drive counts how long it was throttled */
};

static void heat_add(const struct step_record *step, const struct thermal *thermal, struct heat *heat)
{
	heat->known++;
	heat->hottest_c = fmax(heat->hottest_c, thermal->hottest_c);
	if (thermal->throttled && !heat->throttled++)
		heat->step = step->name;
	if (!thermal->throttled && thermal->stood_s > heat->stood.stood_s) {
		heat->stood_step = step;
		heat->stood = *thermal;
	}
	if (!thermal->judged && thermal->hottest_c >= thermal->limit_c &&
	    (!heat->brief_step || thermal->hottest_c > heat->brief.hottest_c)) {
		heat->brief_step = step;
		heat->brief = *thermal;
	}
	if (thermal->unclear && !heat->unclear_step) {
		heat->unclear_step = step;
		heat->unclear = *thermal;
	}
}

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
		if (!error && thermal.known)
			heat_add(&evidence->steps[i], &thermal, heat);
	}
	for (uint32_t i = 0; i < evidence->drive_count; i++) {
		double counted = thermal_counted_s(&evidence->drives[i]);

		heat->known += !isnan(counted);
		heat->counts |= !isnan(counted);
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
				 heat.throttled == 1
					 ? "Heat slowed the drive down in %u step, the first '%s'."
					 : "Heat slowed the drive down in %u steps, the first '%s'.",
				 heat.throttled, heat.step);
	if (!isfinite(heat.hottest_c))
		return check_put(evidence, "not_throttled", CHECK_PASSED,
				 "The drive counted no thermal throttling.");
	if (heat.stood_step)
		return check_put(evidence, "not_throttled", CHECK_FAILED,
				 "In step '%s' the drive stood for %.0f s at the temperature where it warns (%.0f °C) or "
				 "above: heat may have held it back all that time.",
				 heat.stood_step->name, heat.stood.stood_s, heat.stood.limit_c);
	if (heat.unclear_step)
		return check_put(evidence, "not_throttled", CHECK_NOT_APPLICABLE,
				 "It can't be told: in step '%s' the writes fell for good at %.0f °C, as they do when a cache is full; "
				 "the drive does not tell where heat slows it down.",
				 heat.unclear_step->name, heat.unclear.at_c);
	if (heat.brief_step && !heat.counts)
		return check_put(evidence, "not_throttled", CHECK_FAILED,
				 "In step '%s' the drive was %.0f °C hot, and it warns at %.0f °C: heat may have held it back, the step is "
				 "too short to see it in its speed.",
				 heat.brief_step->name, heat.brief.hottest_c, heat.brief.limit_c);
	return check_put(evidence, "not_throttled", CHECK_PASSED,
			 "No sign of thermal throttling; hottest %.0f °C.", heat.hottest_c);
}
