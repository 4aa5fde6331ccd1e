/* write_cache=on/off of a plan: the drive's volatile write cache, set before a step and set back at the end
 * of the run. */
#include <errno.h>
#include <stdio.h>
#include "drive/drive_sim.h"
#include "run/errand.h"
#include "run/write_cache.h"

static int cache_errand(struct conductor *conductor, const struct errand *wanted, bool *ret_was,
			struct fault *fault)
{
	struct errand *errand = errand_new();
	int error;

	if (!errand)
		return -ENOMEM;
	*errand = *wanted;
	error = errand_write_cache(conductor, errand);
	*ret_was = errand->cache_was;
	*fault = errand->fault;
	errand_free(errand);
	return error;
}

static bool has_cache(const struct run_target *target)
{
	const enum target_kind kind = target->subject.kind;

	return kind == TARGET_SIM || kind == TARGET_BLOCK || kind == TARGET_NVME_GENERIC;
}

/* Simulated: there is a switch, and nobody who would have to set it back. */
static int cache_look(struct conductor *conductor, struct run_target *target, bool *ret_on,
		      struct fault *fault)
{
	const struct errand errand = { .target = target, .cache_look = true };

	if (target->subject.kind == TARGET_SIM) {
		*ret_on = drive_sim_set_write_cache(&target->sim, true);
		drive_sim_set_write_cache(&target->sim, *ret_on);
		return 0;
	}
	return cache_errand(conductor, &errand, ret_on, fault);
}

static int cache_switch(struct conductor *conductor, struct run_target *target, bool on, struct fault *fault)
{
	const struct errand errand = { .target = target, .cache_on = on };
	bool was;

	if (target->subject.kind != TARGET_SIM)
		return cache_errand(conductor, &errand, &was, fault);
	drive_sim_set_write_cache(&target->sim, on);
	return 0;
}

/* What became of it; takes the saying. */
static int cache_tell(struct conductor *conductor, const struct run_target *target, struct saying *what)
{
	char json[96];

	snprintf(json, sizeof(json), "{\"target\":%d,\"on\":%s,\"before_run\":%s}",
		 (int)(target - conductor->config->targets), target->cache_on ? "true" : "false",
		 target->cache_was ? "true" : "false");
	return conductor_event(conductor, 0, "write_cache", json, "%s: write cache %p", target->subject.name,
			       what);
}

int write_cache_apply(struct conductor *conductor, enum write_cache wanted)
{
	struct run_target *target = conductor_drive(conductor);
	bool on = wanted == WRITE_CACHE_ON, was;
	struct saying what = { 0 };
	struct fault fault = { 0 };
	int error;

	if (wanted == WRITE_CACHE_KEEP || (target->cache_told && target->cache_on == on))
		return 0;
	if (!has_cache(target)) {
		target->cache_told = true;
		target->cache_on = on;
		return conductor_event(conductor, 0, "write_cache", NULL,
				       "%s is not a drive of its own, its write cache is left as it is",
				       target->subject.name);
	}
	error = cache_look(conductor, target, &was, &fault);
	if (error == -ENOMEM)
		return error;
	target->cache_told = true;
	target->cache_on = on;
	if (error)
		return conductor_fault(conductor, 0, "write_cache", &fault);
	if (!target->cache_changed) {
		target->cache_changed = true;
		target->cache_was = was;
	}
	/* told first: a run that is killed right after it must know what to set back when it goes on */
	error = cache_tell(conductor, target,
			   saying_word(&what, on ? SAID_WORD("turned on") : SAID_WORD("turned off")));
	if (!error && cache_switch(conductor, target, on, &fault))
		error = conductor_fault(conductor, 0, "write_cache", &fault);
	return error;
}

int write_cache_restore(struct conductor *conductor)
{
	struct run_target *target = conductor_drive(conductor);
	struct saying what = { 0 };
	struct fault fault = { 0 };

	if (!target->cache_changed || target->cache_on == target->cache_was)
		return 0;
	if (cache_switch(conductor, target, target->cache_was, &fault))
		return conductor_fault(conductor, 0, "write_cache", &fault);
	target->cache_on = target->cache_was;
	saying_word(&what, target->cache_was ? SAID_WORD("turned back on") : SAID_WORD("turned off again"));
	return cache_tell(conductor, target, &what);
}
