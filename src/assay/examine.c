#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "assay/assay.h"
#include "assay/examined.h"
#include "assay/look.h"
#include "base/units.h"
#include "drive/drive_file.h"
#include "drive/drive_sim.h"
#include "run/run.h"

#define LOCKED_TRIES 30
#define LOCKED_PAUSE_NS 100000000
#define FILE_BYTES_MAX (64ull << 30)
#define FILE_BYTES_MIN (64ull << 20)
#define FILE_SHARE 16			/* of the file system */
#define FREE_SHARE 4			/* of what is free there */

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* A file whose size the plan leaves open: 1/16 of the file system, at most 64 GiB and a quarter of what is
 * free. */
static uint64_t file_bytes_default(const char *name)
{
	struct drive_file_facts facts;
	uint64_t bytes = FILE_BYTES_MAX;

	if (!drive_file_facts(NULL, name, &facts, NULL)) {
		if (facts.size_bytes != DRIVE_UNKNOWN)
			bytes = smaller(bytes, facts.size_bytes / FILE_SHARE);
		if (facts.free_bytes != DRIVE_UNKNOWN)
			bytes = smaller(bytes, facts.free_bytes / FREE_SHARE);
		drive_file_facts_release(&facts);
	}
	if (bytes < FILE_BYTES_MIN)
		bytes = FILE_BYTES_MIN;
	return bytes >> 20 << 20;
}

static int sim_examine(const struct assay_request *request, const char *name, struct assay_target *target)
{
	target->error = drive_sim_open(strchr(name, ':') + 1, request->seed, &target->sim, &target->fault);
	return target->error;
}

static void examine_once(const struct assay_request *request, const char *name, const struct guard_wish *wish,
			 struct assay_target *target)
{
	guard_subject_release(&target->subject);
	target->fault = (struct fault){ 0 };
	target->error = guard_examine(name, wish, &request->permission, &target->subject, &target->fault);
}

/* What is left of a run that was killed a moment ago may still hold its file. */
static void examine_wish(const struct assay_request *request, const char *name, const struct guard_wish *wish,
			 struct assay_target *target)
{
	const struct timespec pause = { .tv_nsec = LOCKED_PAUSE_NS };

	examine_once(request, name, wish, target);
	for (int i = 0; i < LOCKED_TRIES && target->error == -EPERM && target->subject.is_locked; i++) {
		nanosleep(&pause, NULL);
		examine_once(request, name, wish, target);
	}
}

/* A file of ours may be filled before it is read, even if the plan itself only reads. */
static bool wants_filling(const struct assay_target *target, const struct run_needs *needs,
			  const struct guard_wish *wish)
{
	const struct guard_subject *subject = &target->subject;

	return subject->kind == TARGET_FILE && needs->reads && !wish->will_write &&
	       (subject->ours || !subject->exists);
}

/* Before a purge destroys anything for a plan that then measures nothing. */
static void blocks_examine(const struct run_needs *needs, const char *name, struct assay_target *target)
{
	uint32_t block = target->subject.kind == TARGET_SIM ? target->sim.block_bytes : target->subject.block_bytes;

	if (!needs->block_bytes_max || block <= needs->block_bytes_max)
		return;
	target->error = fault_system(&target->fault, -EINVAL,
				     "%s has logical blocks of %u bytes, and every measurement of the plan has I/Os of %u bytes or "
				     "less: none can be done there; give other sizes, in the plan or with --set",
				     name, block, needs->block_bytes_max);
}

/* A plan that switches the write cache of what has no such switch measures something else than it says. */
static void cache_examine(const struct run_needs *needs, struct assay_target *target)
{
	const struct guard_subject *subject = &target->subject;
	const char *to = needs->write_caches == 1u << WRITE_CACHE_ON	 ? "on"
			 : needs->write_caches == 1u << WRITE_CACHE_OFF ? "off"
									 : "on and off";
	struct fault fault;
	bool on;

	if (!needs->write_caches || subject->kind == TARGET_SIM)
		return;
	if (subject->kind != TARGET_BLOCK && subject->kind != TARGET_NVME_GENERIC)
		lines_add(&target->subject.warnings,
			  "%s is not a drive of its own: its write cache is not turned %s, it stays as it is",
			  subject->name, to);
	else if (guard_write_cache_look(subject, &on, &fault))
		lines_add(&target->subject.warnings,
			  "%s has no write cache that can be turned %s: it stays as it is", subject->name, to);
}

static void target_examine(const struct assay_request *request, const struct run_needs *needs, const char *name,
			   struct assay_target *target)
{
	struct guard_wish wish = {
		.will_write = needs->writes,
		.will_trim = needs->trims,
		.purge_methods = needs->purge_methods,
		.file_bytes = needs->file_bytes,
		.run_file_path = request->run_path,
		.seed = request->seed,
	};

	examine_wish(request, name, &wish, target);
	if (target->error && target->error != -EPERM && target->subject.kind == TARGET_FILE &&
	    !target->subject.exists && !wish.file_bytes) {
		wish.file_bytes = file_bytes_default(name);
		examine_wish(request, name, &wish, target);
	}
	if (wants_filling(target, needs, &wish)) {
		wish.will_write = true;
		examine_wish(request, name, &wish, target);
	}
	if (!target->error && target->subject.kind == TARGET_SIM)
		sim_examine(request, name, target);
	if (!target->error || target->error == -EPERM)
		blocks_examine(needs, name, target);
	if (!target->error || target->error == -EPERM)
		cache_examine(needs, target);
}

struct asked {
	const struct assay_request *request;
	const struct run_needs *needs;
	const char *name;
};

static bool is_simulated(const char *name)
{
	return !strncmp(name, "sim:", 4);
}

static void target_ask(void *context, struct text *answer)
{
	const struct asked *asked = context;
	struct assay_target target = { 0 };

	target_examine(asked->request, asked->needs, asked->name, &target);
	examined_pack(&target, answer);
	guard_subject_release(&target.subject);
}

/* It has not answered: that is what is known of it. */
static int target_is_silent(const char *name, struct assay_target *target)
{
	char time[UNITS_TEXT];

	snprintf(target->subject.name, sizeof(target->subject.name), "%s", name);
	target->error = fault_system(&target->fault, -ETIMEDOUT,
				     "%s does not answer: it was looked at for %s in vain; the kernel's log (dmesg) may say why",
				     name, duration_format(LOOK_KERNEL_NS, time));
	return 0;
}

/* Real devices are looked at by a process of its own: one that does not answer holds up neither the user nor, for
 * ever, a run that nobody watches. */
static int target_look(const struct assay_request *request, const struct run_needs *needs, const char *name,
		       struct assay_target *target)
{
	struct asked asked = { request, needs, name };
	struct text answer = { 0 };
	size_t at = 0;
	int error;

	if (is_simulated(name)) {
		target_examine(request, needs, name, target);
		return 0;
	}
	error = look(target_ask, &asked, LOOK_KERNEL_NS, request->interrupted, &answer);
	if (error == -ETIMEDOUT)
		return target_is_silent(name, target);
	if (!error)
		error = examined_unpack(&answer, &at, target);
	text_release(&answer);
	return error;
}

static int targets_look(const struct assay_request *request, const struct run_needs *needs,
			const char *const *names, uint32_t count, struct assay_target *targets)
{
	int error = 0;

	for (uint32_t i = 0; i < count && !error; i++)
		error = target_look(request, needs, names[i], &targets[i]);
	return error;
}

/* Another name of the same device or file. A simulated drive is made anew for each name; a file in a directory
 * is another one each time. */
static bool same_target(const struct guard_subject *a, const struct guard_subject *b)
{
	if (a->kind != b->kind || (a->kind != TARGET_BLOCK && a->kind != TARGET_FILE))
		return false;
	if (a->kind == TARGET_BLOCK || (a->exists && b->exists))
		return a->dev == b->dev && (a->kind == TARGET_BLOCK || a->inode == b->inode);
	return *a->path && !strcmp(a->path, b->path);
}

/* One drive as two would measure its own other half. */
static int targets_differ(const struct assay_target *targets, uint32_t count, struct fault *fault)
{
	for (uint32_t i = 1; i < count; i++)
		for (uint32_t k = 0; k < i; k++)
			if (same_target(&targets[i].subject, &targets[k].subject))
				return fault_set(fault, 0, 0, "%s is named twice (%s is the same): name each target once",
						 targets[i].subject.name, targets[k].subject.name);
	return 0;
}

int assay_examine(const struct assay_request *request, struct assay_target **ret_targets, uint32_t *ret_count,
		  struct fault *fault)
{
	bool own = request->target_count > 0;
	uint32_t count = own ? request->target_count : request->plan->target_count;
	const char *const *names = own ? request->targets : request->plan->targets;
	struct assay_target *targets;
	struct run_needs needs;
	int error;

	if (!count)
		return fault_set(fault, 0, 0, "no target: name a block device, a file, a directory or sim:PROFILE");
	if (own && request->plan->target_count > 1)
		return fault_set(fault, 0, 0,
				 "the plan names %u files itself (filename=): give no target, or take them out of it",
				 request->plan->target_count);
	error = run_needs(request->plan, &needs, fault);
	if (error)
		return error;
	targets = calloc(count, sizeof(*targets));
	if (!targets)
		return fault_system(fault, -ENOMEM, "out of memory");
	error = targets_look(request, &needs, names, count, targets);
	if (error) {
		assay_targets_free(targets, count);
		return fault_system(fault, error, "cannot look at the target%s: %s", count == 1 ? "" : "s",
				    strerror(-error));
	}
	error = targets_differ(targets, count, fault);
	if (error) {
		assay_targets_free(targets, count);
		return error;
	}
	*ret_targets = targets;
	*ret_count = count;
	return 0;
}

int assay_examine_again(const struct assay_request *request, struct assay_target *target)
{
	struct assay_target now = { 0 };
	struct run_needs needs;
	char *name = strdup(target->subject.name);
	int error = name ? run_needs(request->plan, &needs, &now.fault) : -ENOMEM;

	if (!error) {
		error = target_look(request, &needs, name, &now);
		if (error)
			fault_system(&now.fault, error, "cannot look at %s again: %s", name, strerror(-error));
	}
	free(name);
	guard_subject_release(&target->subject);
	*target = now;
	target->error = error ? error : now.error;
	return target->error;
}

struct assay_target *assay_targets_free(struct assay_target *targets, uint32_t count)
{
	for (uint32_t i = 0; targets && i < count; i++) {
		if (targets[i].sim.sim)
			drive_sim_close(&targets[i].sim);
		guard_subject_release(&targets[i].subject);
	}
	free(targets);
	return NULL;
}
