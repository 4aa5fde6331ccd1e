/* fs: the file system that kind=mkfs has made on the target in turn, for the steps that are on=it. Private to
 * room run.
 *
 * It ends with the group that its step is in, when another one is made, and before a step that uses the drive
 * itself. */
#pragma once
#include "run/keeper.h"
#include "run/run.h"

struct conductor;

enum fs_state {
	FS_NONE,
	FS_RAW, /* fs=raw: the drive itself, as much of it as a file would have */
	FS_MOUNTED,
	FS_SKIPPED, /* this system cannot make it: nor can it run what is on it */
	FS_LOST,    /* of a run that goes on: it was there before the interruption */
};

struct fs {
	enum fs_state state;
	uint32_t step;		/* the kind=mkfs step that made it */
	uint64_t bytes;		/* of the file, or of the drive */
	struct keeper *keeper;	/* FS_MOUNTED: owned */
	struct run_target file; /* FS_MOUNTED, FS_LOST */
};

/* How much of a target of `target_bytes` the loads on it get: what the mkfs step's range ends with; four
 * fifths if it has none. 0 or -EINVAL with fault. */
int fs_bytes(const struct plan_instance *mkfs, const struct run_target *target, uint64_t *ret_bytes,
	     struct fault *fault);

/* The state of a run that goes on: it was made, and is not there any more. */
void fs_take(struct conductor *conductor, uint32_t step, const char *name, uint64_t bytes, bool skipped);

/* Before a step: what is on= the file system finds it, what uses the drive itself finds none. 0 = go on (look
 * at conductor->ended); 1: what it is on was skipped, and so is it; -errno of the observer. fs_step_end after
 * it. */
int fs_step_begin(struct conductor *conductor, const struct plan_step *step);
void fs_step_end(struct conductor *conductor);

/* Unmounts and wipes. What cannot be taken away ends the run. 0 or the observer's -errno. */
int fs_leave(struct conductor *conductor);
