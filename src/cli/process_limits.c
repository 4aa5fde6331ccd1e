#include "cli/process_limits.h"

#include <stdbool.h>
#include <sys/resource.h>

#define FILES_MIN 64u
#define STACK_MIN (1024u << 10)

/* Returns whether there is enough of it now. *ret_has: what is allowed. */
static bool limit_raise(int which, rlim_t needed, rlim_t *ret_has)
{
	struct rlimit limit;

	if (getrlimit(which, &limit) || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= needed)
		return true;
	*ret_has = limit.rlim_cur;
	limit.rlim_cur = needed;
	if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < needed)
		limit.rlim_max = needed;	/* root may */
	return !setrlimit(which, &limit);
}

enum exit_code limits_check(void)
{
	rlim_t has = 0;

	if (!limit_raise(RLIMIT_STACK, STACK_MIN, &has))
		return command_fail(EXIT_CODE_FAILED,
				    "the stack may have only %llu KiB here, and %u are needed: ulimit -s %u, or more, before it is "
				    "started", (unsigned long long)has >> 10, STACK_MIN >> 10, STACK_MIN >> 10);
	if (!limit_raise(RLIMIT_NOFILE, FILES_MIN, &has))
		return command_fail(EXIT_CODE_FAILED,
				    "only %llu files may be open at once here, and %u are needed: ulimit -n %u, or more, before it is "
				    "started", (unsigned long long)has, FILES_MIN, FILES_MIN);
	return EXIT_CODE_DONE;
}
