#include "fault_plan.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MICROSECOND 1000ull
#define SECOND 1000000000ull

/* "WORD FIRST [SECOND]"; nothing is set unless all of it is there. */
static bool numbers(const char *line, const char *word, uint64_t *first, uint64_t *second)
{
	char name[32];
	uint64_t one, two;
	const int count = sscanf(line, "%31s %" SCNu64 " %" SCNu64, name, &one, &two);

	if (count < (second ? 3 : 2) || strcmp(name, word))
		return false;
	*first = one;
	if (second)
		*second = two;
	return true;
}

static bool is_word(const char *line, const char *word)
{
	const size_t length = strlen(word);

	return !strncmp(line, word, length) && strspn(line + length, " \n") == strlen(line + length);
}

static bool errors(struct fault_plan *plan, const char *line)
{
	char kinds[8] = "";
	uint64_t offset, bytes;
	int number = EIO;

	if (sscanf(line, "errors %" SCNu64 " %" SCNu64 " %7s %d", &offset, &bytes, kinds, &number) < 3)
		return false;
	plan->error_offset = offset;
	plan->error_bytes = bytes;
	plan->error_reads = strchr(kinds, 'r');
	plan->error_writes = strchr(kinds, 'w');
	plan->error_syncs = strchr(kinds, 's');
	plan->error_number = number;
	return true;
}

static bool timing(struct fault_plan *plan, const char *line, uint64_t now_ns)
{
	uint64_t first, second;
	double seconds;

	if (numbers(line, "latency", &first, &second)) {
		plan->read_ns = first * MICROSECOND;
		plan->write_ns = second * MICROSECOND;
	} else if (numbers(line, "stall", &first, &second)) {
		plan->stall_permille = (uint32_t)first;
		plan->stall_ns = second * MICROSECOND;
	} else if (numbers(line, "stall-every", &first, &second)) {
		plan->stall_every = first;
		plan->stall_every_ns = second * MICROSECOND;
	} else if (numbers(line, "rate", &first, NULL)) {
		plan->rate = first;
	} else if (sscanf(line, "hang %lf", &seconds) == 1 && seconds >= 0) {
		plan->hang_until_ns = now_ns + (uint64_t)(seconds * (double)SECOND);
	} else {
		return false;
	}
	return true;
}

static bool failing(struct fault_plan *plan, const char *line)
{
	uint64_t first;

	if (numbers(line, "short", &first, NULL))
		plan->short_every = first;
	else if (is_word(line, "gone"))
		plan->gone = true;
	else if (is_word(line, "back"))
		plan->gone = false;
	else
		return errors(plan, line);
	return true;
}

enum fault_command fault_plan_command(struct fault_plan *plan, const char *line, uint64_t now_ns,
				      uint64_t ret_numbers[2])
{
	if (timing(plan, line, now_ns) || failing(plan, line))
		return FAULT_PLAN_CHANGED;
	if (numbers(line, "cliff", &plan->cliff_bytes, &plan->cliff_rate))
		return FAULT_CLIFF;
	if (is_word(line, "write-cache on"))
		return FAULT_CACHE_ON;
	if (is_word(line, "write-cache off"))
		return FAULT_CACHE_OFF;
	if (numbers(line, "powercut", &ret_numbers[0], &ret_numbers[1]))
		return FAULT_POWER_CUT;
	return is_word(line, "reset") ? FAULT_RESET : FAULT_NOT_UNDERSTOOD;
}
