#include "run/errand.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "guard/guard_fs.h"
#include "run/child.h"

#define TICK_MS 50
#define INTERRUPT_WAIT_NS 600000000ull

struct errand *errand_new(void)
{
	struct errand *errand = mmap(NULL, sizeof(*errand), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return errand == MAP_FAILED ? NULL : errand;
}

struct errand *errand_free(struct errand *errand)
{
	if (errand)
		munmap(errand, sizeof(*errand));
	return NULL;
}

static void alone(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
}

static int purge_main(void *context)
{
	struct errand *errand = context;
	struct guard_subject *subject = &errand->target->subject;
	struct target target;

	alone();
	errand->error = guard_open(subject, false, &target, &errand->fault);
	if (!errand->error)
		errand->error = guard_purge(subject, &target, errand->method, errand->offset, errand->bytes,
					    &errand->used, &errand->fault);
	return 0;
}

static int written_main(void *context)
{
	struct errand *errand = context;
	struct target target;
	int written;

	alone();
	errand->error = errand->target->inside ? guard_fs_enter(errand->target->inside, &errand->fault) : 0;
	if (!errand->error)
		errand->error = guard_open(&errand->target->subject, false, &target, &errand->fault);
	if (errand->error)
		return 0;
	written = guard_range_written(&target, errand->offset, errand->bytes, &errand->first_unwritten);
	errand->written = written == 1;
	errand->error = written < 0 ? written : 0;
	return 0;
}

static int write_cache_main(void *context)
{
	struct errand *errand = context;

	alone();
	errand->error = guard_write_cache(&errand->target->subject, errand->cache_on, &errand->cache_was,
					  &errand->fault);
	return 0;
}

static bool interrupted(const struct conductor *conductor)
{
	return conductor->config->interrupted && *conductor->config->interrupted;
}

static int errand_run(struct conductor *conductor, struct errand *errand, int (*function)(void *))
{
	struct child child;
	uint64_t asked_ns = 0;
	int status, error;

	errand->error = -ECHILD;
	error = child_start(&child, function, errand);
	if (error)
		return fault_system(&errand->fault, error, "cannot start a process: %s", strerror(-error));
	while (!child_wait(&child, TICK_MS, &status)) {
		if (!interrupted(conductor))
			continue;
		if (!asked_ns)
			asked_ns = clock_monotonic_ns();
		if (clock_monotonic_ns() - asked_ns < INTERRUPT_WAIT_NS)
			continue;
		child_abandon(&child);
		return fault_system(&errand->fault, -EINTR, "interrupted");
	}
	if (errand->error == -ECHILD)
		fault_system(&errand->fault, -ECHILD, "the process that did it was ended by a signal");
	return errand->error;
}

int errand_purge(struct conductor *conductor, struct errand *errand)
{
	return errand_run(conductor, errand, purge_main);
}

int errand_write_cache(struct conductor *conductor, struct errand *errand)
{
	return errand_run(conductor, errand, write_cache_main);
}

int errand_written(struct conductor *conductor, struct errand *errand)
{
	return errand_run(conductor, errand, written_main);
}
