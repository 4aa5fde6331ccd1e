/* tool: programs of the system that the guard needs (mkfs.*, ntfs-3g), found in its own list of directories
 * and started without a shell, with an environment of their own. Private to room guard. */
#pragma once
#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>
#include "base/fault.h"

/* Where the program `name` is; false: nowhere. */
bool tool_find(const char *name, char ret_path[PATH_MAX]);

/* Runs argv[0] (a path) to its end; it is killed when the calling thread ends. Its input is empty, the last
 * line of what it says is the reason in `fault`. 0, -EIO when it failed, -errno when it could not be
 * started. */
int tool_run(char *const argv[], struct fault *fault);

/* The same, and goes on while it runs: *ret_pid. Its output goes nowhere. 0 or -errno with fault. */
int tool_start(char *const argv[], pid_t *ret_pid, struct fault *fault);
