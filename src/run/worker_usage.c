#include "run/worker_usage.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/text.h"

#define STAT_BYTES 4096
#define CPU_FIELDS " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu %llu"	/* behind the name */
#define THREADS_MAX 64

/* Fields 14 and 15 of /proc/PID/stat (proc(5)), counted after the name in parentheses, which may hold
 * anything. */
static int cpu_read(pid_t pid, uint64_t *ret_ns)
{
	char path[64];
	struct text text = { 0 };
	unsigned long long user = 0, system = 0;
	const char *after;
	int error;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	error = text_read_file(&text, path, STAT_BYTES);
	after = error ? NULL : strrchr(text_data(&text), ')');
	if (!error && (!after || sscanf(after + 1, CPU_FIELDS, &user, &system) != 2))
		error = -EBADMSG;
	text_release(&text);
	if (!error)
		*ret_ns = (uint64_t)(user + system) * (1000000000ull / (uint64_t)sysconf(_SC_CLK_TCK));
	return error;
}

static uint64_t field(const char *status, const char *name)
{
	const char *at = strstr(status, name);

	return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

static uint64_t thread_switches(pid_t pid, const char *thread)
{
	char path[300];
	struct text text = { 0 };
	uint64_t switches = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%.200s/status", (int)pid, thread);
	if (!text_read_file(&text, path, STAT_BYTES))
		switches = field(text_data(&text), "\nvoluntary_ctxt_switches:") +
			   field(text_data(&text), "\nnonvoluntary_ctxt_switches:");
	text_release(&text);
	return switches;
}

int worker_usage_read(pid_t pid, struct worker_usage *ret_usage)
{
	char path[64];
	struct worker_usage usage = { 0 };
	int error = cpu_read(pid, &usage.cpu_ns), threads = 0;
	DIR *directory;
	struct dirent *entry;

	if (error)
		return error;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	directory = opendir(path);
	if (!directory)
		return -errno;
	while (threads < THREADS_MAX && (entry = readdir(directory)))
		if (entry->d_name[0] != '.' && ++threads)
			usage.switches += thread_switches(pid, entry->d_name);
	closedir(directory);
	*ret_usage = usage;
	return 0;
}
