/* rig: what tests need of the machine: scratch directories and files, loop devices, partitions, mounts,
 * commands. Everything made is remembered and undone by rig_clean, newest first, so that a failed test leaves
 * nothing behind. Not thread-safe. Functions that cannot do their work fail the running test. */
#pragma once
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#define RIG_UNDO_MAX 64

struct rig {
	char directory[PATH_MAX];		/* scratch; removed with its content */
	char undo[RIG_UNDO_MAX][PATH_MAX + 64];	/* shell commands */
	uint32_t undo_count;
};

/* NULL, or why loop devices cannot be used here ("not root", "no /dev/loop-control: ..."). */
const char *rig_no_loop_reason(void);

/* NULL, or why the fault drive cannot run here. Its program is named by the environment's FAULT_DRIVE. */
const char *rig_no_fault_reason(void);
/* A whole program that cannot run here: prints TAP that says so; main then returns this 0. */
int rig_skip_all(const char *reason);
/* One test that cannot: says why; the test then returns. (cmocka 1.1's own skip() prints "not ok".) */
void rig_skip(const char *reason);

/* A fresh directory below `parent` ("/dev/shm", "/tmp"). */
void rig_init(struct rig *rig, const char *parent);
void rig_clean(struct rig *rig);
/* Another thing to undo: a shell command. */
void rig_later(struct rig *rig, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Runs a shell command quietly; its exit status. */
int rig_run(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same, which must succeed. */
void rig_must(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The path of a name in the scratch directory. */
void rig_path(const struct rig *rig, const char *name, char path[PATH_MAX]);
/* A file of `bytes` (sparse) in the scratch directory; its path. */
void rig_file(struct rig *rig, const char *name, uint64_t bytes, char path[PATH_MAX]);
void rig_write(const char *path, uint64_t offset, const void *data, uint32_t bytes);

/* Binds a file (or block device) to a free loop device. */
void rig_loop(struct rig *rig, const char *file, uint32_t sector_bytes, bool read_only, char loop[PATH_MAX]);
/* Tells the kernel of a partition (no table is written); its node's path. */
void rig_partition(struct rig *rig, const char *disk, int number, uint64_t start_bytes, uint64_t bytes,
		   char node[PATH_MAX]);
/* Starts the fault drive on a fresh directory with files "disk" and "ctl". */
void rig_fault(struct rig *rig, uint64_t bytes, char directory[PATH_MAX]);
/* A line for its ctl file (fault_plan.h); a counter of it. */
void rig_fault_command(const char *directory, const char *line);
uint64_t rig_fault_count(const char *directory, const char *counter);
/* Mounts on a fresh directory in the scratch directory. */
void rig_mount(struct rig *rig, const char *device, const char *type, const char *name, char point[PATH_MAX]);
