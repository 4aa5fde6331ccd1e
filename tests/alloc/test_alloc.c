/* Every constructor under an allocator that fails at the first request, at the second, ... until it succeeds; once with
 * that request alone failing and once with each one after it too. Each time: -ENOMEM (from a thread that could not be
 * made -EAGAIN), nothing kept, no crash. A row is a process of its own, so that a crash is one row's.
 *
 *	test_alloc [ROW-NAME-PART]
 *
 * ALLOC_ALL in the environment: each request, not only the first hundreds and one percent of those after them. */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "failing.h"
#include "rows.h"

#define TRIES_MAX 200000u

static const struct alloc_rows *const rooms[] = {
	&alloc_rows_base, &alloc_rows_measure, &alloc_rows_plan, &alloc_rows_sim, &alloc_rows_work, &alloc_rows_drive,
	&alloc_rows_engine, &alloc_rows_guard, &alloc_rows_store, &alloc_rows_run, &alloc_rows_report, &alloc_rows_assay,
};

static uint32_t open_files(void)
{
	DIR *directory = opendir("/proc/self/fd");
	uint32_t count = 0;

	if (!directory)
		abort();
	while (readdir(directory))
		count++;
	closedir(directory);
	return count;
}

struct outcome {
	bool failed;	/* a request was refused */
	int result;
	struct failing_live lost;
};

/* One try: the n-th request fails. */
static struct outcome try_at(const struct alloc_row *row, void *context, enum failing_mode mode, uint64_t n)
{
	const struct failing_live before = failing_live();
	struct failing_live after;
	struct outcome outcome;

	failing_arm(mode, n);
	outcome.result = row->make(context);
	outcome.failed = failing_disarm();
	after = failing_live();
	outcome.lost = (struct failing_live){ after.blocks - before.blocks, after.maps - before.maps,
					      after.sqlite - before.sqlite };
	return outcome;
}

/* 0, or 1 with a line that says what is wrong. */
static int judge(const struct alloc_row *row, const struct outcome *outcome, enum failing_mode mode, uint64_t n)
{
	const char *what = mode == FAILING_ONE ? "request" : "request and all after it:";
	const int result = outcome->result;

	if (outcome->failed && result == 0 && !row->goes_on)
		printf("# %s %llu: success without memory\n", what, (unsigned long long)n);
	else if (outcome->failed && result != 0 && result != -ENOMEM && result != -EAGAIN)
		printf("# %s %llu: result %d (%s)\n", what, (unsigned long long)n, result, strerror(-result));
	else if (!outcome->failed && result != 0)
		printf("# nothing refused, but result %d (%s)\n", result, strerror(-result));
	else if (outcome->lost.blocks || outcome->lost.maps || outcome->lost.sqlite)
		printf("# %s %llu: result %d, not given back: %lld blocks, %lld mappings, %lld of SQLite's\n", what,
		       (unsigned long long)n, result, (long long)outcome->lost.blocks, (long long)outcome->lost.maps,
		       (long long)outcome->lost.sqlite);
	else
		return 0;
	fflush(stdout);
	return 1;
}

static struct outcome try_alone(const struct alloc_row *row, enum failing_mode mode, uint64_t n)
{
	void *context = row->set_up ? row->set_up() : NULL;
	struct outcome outcome = try_at(row, context, mode, n);

	if (row->tear_down)
		row->tear_down(context);
	return outcome;
}

/* Each of the first 300 requests; then, unless all are asked for, steps of one percent. */
static uint64_t stride(uint64_t n)
{
	return n < 300 || getenv("ALLOC_ALL") ? 1 : n / 100;
}

/* Until nothing is refused any more; the count of wrong tries. Only the first ten are told. */
static uint32_t run_mode(const struct alloc_row *row, void *context, enum failing_mode mode)
{
	struct outcome outcome = { .failed = true };
	uint32_t wrong = 0;

	for (uint64_t n = 1; outcome.failed && n < TRIES_MAX && wrong < 10; n += stride(n)) {
		outcome = row->once ? try_alone(row, mode, n) : try_at(row, context, mode, n);
		wrong += judge(row, &outcome, mode, n);
		if (!outcome.failed && mode == FAILING_ONE)
			printf("# %s%llu requests\n", n > 300 ? "about " : "", (unsigned long long)n - 1);
	}
	return wrong;
}

/* A row, in a process of its own. The first time, without failing, fills what libraries keep for good. */
static int run_row(const struct alloc_row *row)
{
	void *context = row->set_up && !row->once ? row->set_up() : NULL;
	struct outcome outcome = row->once ? try_alone(row, FAILING_ONE, UINT64_MAX)
					   : try_at(row, context, FAILING_ONE, UINT64_MAX);
	uint32_t files, wrong = 0;

	if (outcome.result) {
		printf("# fails even with memory: %s\n", strerror(-outcome.result));
		return 1;
	}
	files = open_files();
	wrong = run_mode(row, context, FAILING_ONE) + run_mode(row, context, FAILING_ALL);
	if (open_files() != files) {
		printf("# %d files left open\n", (int)(open_files() - files));
		wrong++;
	}
	if (row->tear_down && !row->once)
		row->tear_down(context);
	return wrong > 0;
}

static bool row_holds(const struct alloc_row *row)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		abort();
	if (pid == 0)
		exit(run_row(row));
	if (waitpid(pid, &status, 0) != pid)
		abort();
	if (WIFSIGNALED(status))
		printf("# ended by signal %d\n", WTERMSIG(status));
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main(int argc, char **argv)
{
	uint32_t number = 0;

	failing_install();
	for (size_t i = 0; i < sizeof(rooms) / sizeof(*rooms); i++)
		for (size_t k = 0; k < rooms[i]->count; k++) {
			const struct alloc_row *row = &rooms[i]->row[k];

			if (argc > 1 && !strstr(row->name, argv[1]))
				continue;
			printf("%s %u - %s\n", row_holds(row) ? "ok" : "not ok", ++number, row->name);
			fflush(stdout);
		}
	printf("1..%u\n", number);
	return number == 0;
}
