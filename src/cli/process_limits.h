/* process_limits: what the system must allow this program before anything is begun. */
#pragma once
#include "cli/command.h"

/* Open files and stack: raises what is too little where that is allowed, else says what is and what has to be.
 * EXIT_CODE_DONE or EXIT_CODE_FAILED. To be called from main itself, which has little on its stack yet. */
enum exit_code limits_check(void);
