#include "run/stop.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "run/steady_text.h"
#include "run/step_limits.h"

static bool stops_by(const struct plan_instance *instance, enum stop_kind kind)
{
	return stop_rule_find(instance->until, instance->until_count, kind) ||
	       stop_rule_find(instance->max, instance->max_count, kind);
}

void stop_init(struct stop *stop, const struct stop_config *config)
{
	struct settle_config settle = {
		.gate = settle_gate_of(config->instance),
		.capacity_bytes = config->target_bytes,
		.scale = config->scale,
		.settled = config->settled,
		.stops = stops_by(config->instance, STOP_STEADY),
	};

	*stop = (struct stop){
		.instance = config->instance,
		.target_bytes = config->target_bytes,
		.range_bytes = config->range_bytes,
		.settles = settle.stops || stops_by(config->instance, STOP_SNIA) ||
			   settle_worth(config->instance),
	};
	settle_init(&stop->settle, &settle);
}

void stop_release(struct stop *stop)
{
	settle_release(&stop->settle);
	free(stop->rounds);
	stop->rounds = NULL;
}

static bool stop_now(struct stop *stop, const char *reason)
{
	stop->met = true;
	snprintf(stop->reason, sizeof(stop->reason), "%s", reason);
	return true;
}

static bool written_met(struct stop *stop, const struct stop_rule *rule)
{
	return stop->written_bytes >=
		       step_limits_written_bytes(rule, stop->target_bytes, stop->range_bytes) &&
	       stop_now(stop, "written");
}

static int round_keep(struct stop *stop, double iops)
{
	if (stop->round_count == stop->round_capacity) {
		uint32_t capacity = stop->round_capacity ? stop->round_capacity * 2 : 64;
		double *grown = reallocarray(stop->rounds, capacity, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		stop->rounds = grown;
		stop->round_capacity = capacity;
	}
	stop->rounds[stop->round_count++] = iops;
	return 0;
}

/* One-minute rounds, one every `every_ns`: collects what falls into them; judges when one is over. */
static int snia_met(struct stop *stop, const struct stop_rule *rule, uint64_t start_ns, uint64_t end_ns,
		    uint64_t ios)
{
	uint64_t every = rule->every_ns ? rule->every_ns : rule->round_ns;
	uint64_t index = every ? start_ns / every : 0;
	int error;

	if (!rule->round_ns)
		return 0; /* rounds of a group: the conductor judges */
	if (start_ns - index * every < rule->round_ns) {
		stop->round_ios += ios;
		stop->round_ns += end_ns - start_ns;
		stop->round_index = index;
	}
	if (!stop->round_ns || end_ns - stop->round_index * every < rule->round_ns)
		return 0;
	error = round_keep(stop, (double)stop->round_ios * 1e9 / (double)stop->round_ns);
	stop->round_ios = stop->round_ns = 0;
	if (error)
		return error;
	snia_evaluate(stop->rounds, stop->round_count, &stop->verdict);
	stop->judged = stop->verdict.complete;
	return stop->verdict.met ? stop_now(stop, "snia") : 0;
}

static bool drop_met(struct stop *stop, const struct stop_rule *rule, uint64_t bytes, uint64_t duration_ns)
{
	return drop_feed(&stop->drop, (double)bytes, (double)duration_ns, rule->share) &&
	       stop_now(stop, "drop");
}

static int rules_met(struct stop *stop, const struct stop_rule *rules, uint32_t count, uint64_t start_ns,
		     uint64_t end_ns, uint64_t ios, uint64_t bytes)
{
	for (uint32_t i = 0; i < count; i++) {
		int met = 0;

		if (rules[i].kind == STOP_WRITTEN)
			met = written_met(stop, &rules[i]);
		else if (rules[i].kind == STOP_DROP)
			met = drop_met(stop, &rules[i], bytes, end_ns - start_ns);
		else if (rules[i].kind == STOP_SNIA)
			met = snia_met(stop, &rules[i], start_ns, end_ns, ios);
		else if (rules[i].kind == STOP_STEADY)
			met = stop->settle.met && stop_now(stop, "steady");
		if (met)
			return met;
	}
	return 0;
}

int stop_feed(struct stop *stop, uint64_t start_ns, uint64_t end_ns, uint64_t ios, uint64_t bytes,
	      uint64_t written_bytes)
{
	int met;

	if (stop->met)
		return true;
	stop->written_bytes += written_bytes;
	if (end_ns <= start_ns)
		return false;
	met = stop->settles ? settle_feed(&stop->settle, start_ns, end_ns, ios, written_bytes) : 0;
	if (met < 0)
		return met;
	met = rules_met(stop, stop->instance->until, stop->instance->until_count, start_ns, end_ns, ios,
			bytes);
	if (met)
		return met;
	return rules_met(stop, stop->instance->max, stop->instance->max_count, start_ns, end_ns, ios, bytes);
}

int stop_verdict(struct stop *stop, char **ret_json, bool *ret_steady)
{
	struct settle_outcome outcome;
	int error;

	*ret_json = NULL;
	*ret_steady = false;
	if (!stop->settles)
		return 0;
	error = settle_finish(&stop->settle, &outcome);
	if (error)
		return error;
	if (stops_by(stop->instance, STOP_SNIA) && !stop->judged) {
		snia_evaluate(stop->rounds, stop->round_count, &stop->verdict);
		stop->judged = true;	/* not reached is a verdict, too */
	}
	if (!outcome.snia.complete && !stop->judged && !stop->settle.config.stops)
		return 0; /* too short for either rule, and nobody asked */
	*ret_json = steady_step_json(&stop->settle, &outcome, stop->judged ? &stop->verdict : NULL);
	*ret_steady = outcome.verdict.met;
	return *ret_json ? 0 : -ENOMEM;
}
