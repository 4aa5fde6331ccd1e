#include "run/fs.h"

#include <errno.h>
#include <string.h>
#include "run/conductor.h"
#include "work/work.h"

#define SHARE_UNSET 4 / 5 /* of the drive, when the plan does not say */
#define ROUND_BYTES (1ull << 20)

int fs_bytes(const struct plan_instance *mkfs, const struct run_target *target, uint64_t *ret_bytes,
	     struct fault *fault)
{
	const struct load *load = &mkfs->loads[0];
	uint64_t whole = run_target_bytes(target), bytes;
	struct work_range range;
	int error;

	if (!mkfs->load_count || (load->size.unit == AMOUNT_UNSET && load->range_to.unit == AMOUNT_UNSET)) {
		bytes = whole * SHARE_UNSET;
	} else {
		error = work_range_resolve(load, whole, run_target_block_bytes(target), 0, &range, fault);
		if (error)
			return error;
		bytes = range.start + range.bytes;
	}
	*ret_bytes = bytes > ROUND_BYTES ? bytes / ROUND_BYTES * ROUND_BYTES : bytes;
	return 0;
}

void fs_take(struct conductor *conductor, uint32_t step, const char *name, uint64_t bytes, bool skipped)
{
	struct fs *fs = &conductor->fs;

	*fs = (struct fs){ .state = FS_LOST, .step = step, .bytes = bytes };
	if (skipped)
		fs->state = FS_SKIPPED;
	else if (!strcmp(name, "raw"))
		fs->state = FS_RAW;
	fs->file.subject = (struct guard_subject){ .kind = TARGET_FILE,
						   .fence_fd = -1,
						   .size_bytes = bytes,
						   .block_bytes = 1,
						   .memory_align = 1,
						   .exists = true,
						   .writes = true };
	coverage_purged(&fs->file.coverage);
}

static bool uses_drive(const struct plan_step *step)
{
	return step->on_step < 0 && step->kind != STEP_IDLE && step->kind != STEP_NOTE &&
	       step->kind != STEP_MKFS;
}

int fs_step_begin(struct conductor *conductor, const struct plan_step *step)
{
	struct fs *fs = &conductor->fs;

	fs_step_end(conductor);
	if (step->on_step < 0)
		return uses_drive(step) ? fs_leave(conductor) : 0;
	if (fs->state == FS_SKIPPED && fs->step == (uint32_t)step->on_step)
		return 1;
	if (fs->state == FS_NONE || fs->step != (uint32_t)step->on_step) {
		conductor_end(
			conductor, RUN_FAILED,
			"step '%s': the file system of '%s' is gone: a step before this one used the drive "
			"itself",
			step->name, conductor->config->plan->steps[step->on_step].name);
		return 0;
	}
	conductor->on_fs = true;
	if (fs->state == FS_RAW)
		conductor_drive(conductor)->limit_bytes = fs->bytes;
	return 0;
}

void fs_step_end(struct conductor *conductor)
{
	conductor_drive(conductor)->limit_bytes = 0;
	conductor->on_fs = false;
}

int fs_leave(struct conductor *conductor)
{
	struct fs *fs = &conductor->fs;
	struct keeper *keeper = fs->keeper;
	struct fault fault = { 0 };
	int error;

	*fs = (struct fs){ .state = FS_NONE };
	if (!keeper)
		return 0;
	error = keeper_end(keeper, conductor->config->interrupted, &fault);
	if (!error)
		return 0;
	if (error == -EINTR)
		conductor_end(conductor, RUN_INTERRUPTED, "%.400s", fault.text);
	else
		conductor_end(conductor, RUN_FAILED, "%.400s", fault.text);
	return conductor_fault(conductor, 0, "file_system_left", &fault);
}
