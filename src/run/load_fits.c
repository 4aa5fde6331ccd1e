#include "run/load_fits.h"

#include "engine/blocking.h"
#include "engine/engine.h"
#include "engine/polling.h"
#include "run/placement.h"
#include "run/step_limits.h"
#include "run/worker.h"

bool load_sends(const struct load *load, enum io_op op)
{
	switch (load->rw) {
	case LOAD_READ:
	case LOAD_RANDREAD:
		return op == IO_READ;
	case LOAD_WRITE:
	case LOAD_RANDWRITE:
		return op == IO_WRITE;
	case LOAD_TRIM:
	case LOAD_RANDTRIM:
		return op == IO_TRIM;
	default:
		return op == IO_READ || op == IO_WRITE;
	}
}

static int engine_fits(const struct load *load, enum target_kind kind, struct fault *fault)
{
	const char *name = worker_engine_name(load->engine);
	const struct engine_ops *ops = name ? engine_find(name) : NULL;

	if (!ops || ops->target_kinds >> kind & 1)
		return 0;
	return fault_set(fault, 0, 0,
			 "load '%s': ioengine: %s can't drive the target, which is %s; without ioengine= one that can is "
			 "taken", load->name, name, target_kind_words(kind));
}

/* What O_DIRECT asks is the file system's, and known of files that are there. */
static int direct_fits(const struct load *load, const struct guard_subject *subject, struct fault *fault)
{
	if (!load->direct || load->engine == ENGINE_NULL || subject->kind != TARGET_FILE || !subject->direct_block_bytes)
		return 0;
	return step_limits_blocks(load, subject->direct_block_bytes, false, fault);
}

static int sizes_fit(const struct load *load, const struct work_range *range, struct fault *fault)
{
	const uint64_t room = range->addressed_bytes / range->segments;

	for (int op = 0; op < 3; op++)
		for (uint32_t i = 0; load_sends(load, (enum io_op)op) && i < load->sizes[op].count; i++)
			if (load->sizes[op].part[i].bytes_max > room)
				return fault_set(fault, 0, 0,
						 "load '%s': bs: %u bytes are more than the %llu bytes that the load addresses%s",
						 load->name, load->sizes[op].part[i].bytes_max, (unsigned long long)room,
						 range->segments > 1 ? " in one segment" : "");
	return 0;
}

static int nodes_fit(const struct load *load, enum target_kind kind, struct fault *fault)
{
	return kind == TARGET_SIM ? 0 : placement_check(load, fault);
}

static int trims_fit(const struct load *load, const struct run_target *at, struct fault *fault)
{
	if (!load_sends(load, IO_TRIM) || load->engine == ENGINE_NULL || run_target_has_trim(at))
		return 0;
	return fault_set(fault, 0, 0,
			 "load '%s': rw=%s: the target has no TRIM: hard disks and character devices have "
			 "none", load->name, load_rw_random(load->rw) ? "randtrim" : "trim");
}

static int atomic_fits(const struct load *load, const struct guard_subject *subject, struct fault *fault)
{
	if (!(load->sync_flags & BLOCKING_RWF_ATOMIC) || !subject->atomic_refused)
		return 0;
	return fault_set(fault, 0, 0, "load '%s': atomic: the target takes no atomic writes (the kernel's statx says so)",
			 load->name);
}

/* Where the plan named it: else a load goes on without, and says so. */
static int polls_fit(const struct load *load, const struct guard_subject *subject, struct fault *fault)
{
	struct fault why = { 0 };

	if (!load->iopoll || !load->engine_options_named || load->engine == ENGINE_NULL ||
	    !polling_check_device(subject->kind, subject->dev, subject->name, &why))
		return 0;
	return fault_set(fault, 0, 0, "load '%s': hipri: %s; leave hipri out", load->name, why.text);
}

/* No figure of reads that move nothing means anything. */
static int reads_fit(const struct load *load, const struct guard_subject *subject, struct fault *fault)
{
	const bool mixed = load->rw == LOAD_RW || load->rw == LOAD_RANDRW;

	if (!load_sends(load, IO_READ) || (mixed && load->read_share <= 0) || load->engine == ENGINE_NULL ||
	    !subject->gives_nothing)
		return 0;
	return fault_set(fault, 0, 0,
			 "load '%s' reads /dev/null, which gives no bytes: /dev/zero does, and /dev/null takes writes",
			 load->name);
}

int load_fits(const struct load *load, const struct run_target *at, const struct work_range *range, struct fault *fault)
{
	const struct guard_subject *subject = &at->subject;
	int error = engine_fits(load, subject->kind, fault);

	if (!error)
		error = direct_fits(load, subject, fault);
	if (!error)
		error = sizes_fit(load, range, fault);
	if (!error)
		error = trims_fit(load, at, fault);
	if (!error)
		error = atomic_fits(load, subject, fault);
	if (!error)
		error = polls_fit(load, subject, fault);
	if (!error)
		error = reads_fit(load, subject, fault);
	return error ? error : nodes_fit(load, subject->kind, fault);
}
