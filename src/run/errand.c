#include "run/errand.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "base/units.h"
#include "guard/guard_fs.h"
#include "run/child.h"
#include "run/drain.h"
#include "run/life.h"

#define TICK_MS 50
#define TICKS_TO_TELL 4
#define INTERRUPT_WAIT_NS 600000000ull

struct errand *errand_new(void)
{
	struct errand *errand =
		mmap(NULL, sizeof(*errand), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

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
	if (errand->method == PURGE_SECURE_ERASE)
		prctl(PR_SET_PDEATHSIG, 0);	/* a drive must not be left with the password of its erase */
	subject->progress = &errand->progress;
	subject->examined_content = false;
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
	if (errand->cache_look)
		errand->error = guard_write_cache_look(&errand->target->subject, &errand->cache_was,
						       &errand->fault);
	else
		errand->error = guard_write_cache(&errand->target->subject, errand->cache_on,
						  &errand->cache_was, &errand->fault);
	return 0;
}

static bool interrupted(const struct conductor *conductor)
{
	return conductor->config->interrupted && *conductor->config->interrupted;
}

/* How far it is: as the drive says, or by its own estimate. */
static double share_done(const struct errand *errand, uint64_t elapsed_ns)
{
	const struct guard_progress *progress = &errand->progress;

	if (progress->how && progress->share > 0)
		return progress->share;
	return progress->expected_s ? fmin(1, (double)elapsed_ns / 1e9 / progress->expected_s) : NAN;
}

static void progress_tell(struct conductor *conductor, const struct errand *errand)
{
	const struct run_observer *observer = conductor->config->observer;
	uint64_t elapsed_ns = clock_monotonic_ns() - errand->started_ns;
	struct run_progress progress = {
		.step = errand->step,
		.phase = errand->progress.how ? errand->progress.how : "purge",
		.step_number = conductor->context.number,
		.step_count = conductor->context.count,
		.share = share_done(errand, elapsed_ns),
		.left_ns = UINT64_MAX,
		.elapsed_ns = conductor_now_ns(conductor),
	};

	if (!errand->step || !observer->progress)
		return;
	if (progress.share > 0.01)
		progress.left_ns = (uint64_t)((double)elapsed_ns * (1 - progress.share) / progress.share);
	observer->progress(observer->context, &progress);
}

/* The user does not want to wait. What runs inside the drive goes on all the same. */
static int errand_leave(struct errand *errand, struct child *child)
{
	const struct guard_progress progress = errand->progress;

	if (progress.must_finish) {
		child_leave(child);
		return fault_system(&errand->fault, -EINTR,
				    "interrupted; the drive goes on with its %s and cannot be stopped. "
				    "Process %d waits for it and takes away the password that it needs: let "
				    "it, and keep the power on", progress.how, (int)child->pid);
	}
	child_abandon(child);
	if (!progress.unattended)
		return fault_system(&errand->fault, -EINTR, "interrupted");
	return fault_system(&errand->fault, -EINTR,
			    "interrupted; the drive goes on with its %s, cannot be stopped, and answers no "
			    "reads or writes until it is done. A run that purges it the same way waits for "
			    "that", progress.how);
}

/* Nothing has moved for so long that nothing will. A drive that works for itself moves nothing, and a file
 * system without a block device of its own does not tell. */
static bool is_hanging(const struct errand *errand, struct life *life)
{
	const struct guard_subject *subject = &errand->target->subject;
	const uint64_t least_ns = drain_limit_ns(subject);
	const uint64_t limit_ns = errand->give_up_ns < least_ns ? least_ns : errand->give_up_ns;
	uint64_t done;

	if (!errand->give_up_ns || errand->progress.unattended || errand->progress.must_finish ||
	    !life_done(subject->dev, &done))
		return false;
	return life_still_ns(life, done, clock_monotonic_ns()) >= limit_ns;
}

static int errand_give_up(struct errand *errand, struct child *child, const struct life *life)
{
	char time[UNITS_TEXT];

	child_abandon(child);
	return fault_system(&errand->fault, -ETIMEDOUT, "the device hangs: %s has completed nothing for %s",
			    errand->target->subject.name,
			    duration_format(clock_monotonic_ns() - life->moved_ns, time));
}

static int errand_run(struct conductor *conductor, struct errand *errand, int (*function)(void *))
{
	struct child child;
	struct life life = { 0 };
	uint64_t asked_ns = 0;
	int status, error;

	errand->error = -ECHILD;
	errand->started_ns = clock_monotonic_ns();
	error = child_start(&child, function, errand);
	if (error)
		return fault_system(&errand->fault, error, "cannot start a process: %s", strerror(-error));
	for (uint32_t ticks = 1; !child_wait(&child, TICK_MS, &status); ticks++) {
		if (ticks % TICKS_TO_TELL == 0) {
			progress_tell(conductor, errand);
			if (is_hanging(errand, &life))
				return errand_give_up(errand, &child, &life);
		}
		if (!interrupted(conductor))
			continue;
		if (!asked_ns)
			asked_ns = clock_monotonic_ns();
		if (clock_monotonic_ns() - asked_ns >= INTERRUPT_WAIT_NS)
			return errand_leave(errand, &child);
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
