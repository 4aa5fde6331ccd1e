/* permission: what the user allowed on the command line. */
#pragma once
#include "cli/command.h"
#include "guard/guard.h"

/* --destroy, --wipe-signatures, --overwrite and --allow-unwritten; borrows the words of --destroy from `line`. */
struct guard_permission permission_of(const struct command_line *line);
