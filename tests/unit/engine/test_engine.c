/* The table, the best choice, waiting, and what a refusal says. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/blocking.h"
#include "rig.h"

#define MIB (1u << 20)
#define MS 1000000ull
#define NOBODY 65534

static void test_the_table_has_every_engine_once_with_all_its_operations(void **state)
{
	uint32_t count = 0;

	for (; engine_at(count); count++) {
		const struct engine_ops *ops = engine_at(count);

		assert_ptr_equal(engine_find(ops->name), ops);
		assert_true(ops->target_kinds);
		if (ops->unavailable)
			continue;
		assert_non_null(ops->attach);
		assert_non_null(ops->submit);
		assert_non_null(ops->reap);
		assert_non_null(ops->detach);
		assert_true(ops->capabilities.depth_max >= 1);
		assert_true(ops->state_bytes >= sizeof(struct engine));
		assert_int_equal(ops->capabilities.is_virtual, ops->next_event != NULL);
	}
	assert_true(count >= 6);
	assert_null(engine_find("posixaio"));
}

static void test_an_unknown_engine_is_refused_with_the_list(void **state)
{
	struct rig rig;

	rig_open(&rig, RIG_NULL, MIB, 1, 4096);
	assert_int_equal(rig_attach(&rig, "posixaio"), -ENOENT);
	assert_non_null(strstr(rig.fault.text, "\"posixaio\""));
	assert_non_null(strstr(rig.fault.text, "io_uring, "));
	rig_close(&rig);
}

static void test_depths_and_targets_that_an_engine_cannot_have_are_refused(void **state)
{
	struct rig rig;

	rig_open(&rig, RIG_NULL, MIB, 1, 4096);
	rig.config.depth = 0;
	assert_int_equal(rig_attach(&rig, "io_uring"), -EINVAL);
	rig.config.depth = 100000;
	assert_int_equal(rig_attach(&rig, "io_uring"), -EINVAL);
	assert_non_null(strstr(rig.fault.text, "100000"));
	rig.config.depth = 1;
	rig.target.kind = TARGET_NVME_GENERIC;
	assert_int_equal(rig_attach(&rig, "psync"), -EOPNOTSUPP);
	assert_non_null(strstr(rig.fault.text, "psync"));
	rig.target.kind = TARGET_CHAR;
	rig_close(&rig);
}

static void test_the_best_engine_of_this_machine_is_io_uring_with_everything_granted(void **state)
{
	struct rig rig;

	rig_open(&rig, RIG_EXT4, MIB, 8, 4096);
	assert_int_equal(rig_attach(&rig, NULL), 0);
	assert_string_equal(rig.engine->ops->name, "io_uring");
	assert_string_equal(rig.engine->note, "");
	assert_true(rig.engine->options.fixed_buffers);
	assert_true(rig.engine->options.fixed_files);
	assert_int_equal(rig_do(&rig, IO_READ, 0, 4096), 4096);
	assert_int_equal(rig.engine->calls, 1);		/* one system call for submitting and waiting */
	rig_close(&rig);
}

static void test_the_largest_depth_works(void **state)
{
	struct rig rig;
	struct io_done done[4];

	rig_open(&rig, RIG_TMPFS, MIB, 4096, 4096);
	assert_int_equal(rig_attach(&rig, "io_uring"), 0);
	for (uint32_t i = 0; i < 4096; i++) {
		struct io io = rig_io(&rig, IO_READ, (uint16_t)(4095 - i), i % 256 * 4096, 4096);

		assert_int_equal(engine_submit(rig.engine, &io, 1), 1);
	}
	for (uint32_t i = 0; i < 1024; i++)
		rig_collect(&rig, done, 4);
	assert_int_equal(rig.engine->in_flight, 0);
	rig_close(&rig);
}

/* Expects that the child dies of SIGABRT, by an assertion. */
static void expect_abort(const struct io *io, uint32_t count, bool may_write)
{
	struct rlimit no_core = { 0, 0 };
	int status;
	pid_t child = fork();

	if (!child) {
		struct rig rig;
		struct io ios[3];

		setrlimit(RLIMIT_CORE, &no_core);
		freopen("/dev/null", "w", stderr);
		signal(SIGABRT, SIG_DFL);
		rig_open(&rig, RIG_NULL, MIB, 2, 4096);
		rig.target.may_write = may_write;
		if (rig_attach(&rig, "null") < 0)
			_exit(1);
		for (uint32_t i = 0; i < count; i++)
			ios[i] = *io;
		engine_submit(rig.engine, ios, count);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

static void test_our_own_mistakes_are_assertions(void **state)
{
#ifdef NDEBUG
	skip();
#endif
	expect_abort(&(struct io){ .op = IO_READ, .bytes = 4096 }, 3, true); /* more than fit */
	expect_abort(&(struct io){ .op = IO_READ, .bytes = 4096, .slot = 2 }, 1, true);
	/* beyond the end */
	expect_abort(&(struct io){ .op = IO_READ, .bytes = 4096, .offset = MIB }, 1, true);
	expect_abort(&(struct io){ .op = IO_READ, .bytes = 4096, .offset = UINT64_MAX - 4095 }, 1, true);
	expect_abort(&(struct io){ .op = IO_READ, .bytes = 512 }, 1, true);    /* not aligned */
	expect_abort(&(struct io){ .op = IO_WRITE, .bytes = 4096 }, 1, false); /* guard said no */
	expect_abort(&(struct io){ .op = IO_TRIM, .bytes = 4096 }, 1, false);
}

/* Waiting: an I/O that never ends is a read of an empty pipe. */

static void open_pipe_rig(struct rig *rig, int *ret_write_end, const struct engine_config *extra)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	rig_open(rig, RIG_NULL, MIB, 4, 4096);
	close(rig->target.fd);
	rig->target.fd = ends[0];
	*ret_write_end = ends[1];
	rig->config.fixed_buffers = false;
	rig->config.control_aside = extra && extra->control_aside;
	rig->config.sqpoll = extra && extra->sqpoll;
	rig->config.write_flags = extra ? extra->write_flags : 0;
	assert_int_equal(rig_attach(rig, "io_uring"), 0);
}

static void expect_time_out(const struct engine_config *extra)
{
	struct rig rig;
	struct io io;
	struct io_done done[4];
	int write_end;
	uint64_t start_ns, waited_ns;

	open_pipe_rig(&rig, &write_end, extra);
	io = rig_io(&rig, IO_READ, 2, 0, 4096);
	assert_int_equal(engine_submit(rig.engine, &io, 1), 1);
	start_ns = clock_monotonic_ns();
	assert_int_equal(engine_reap(rig.engine, done, 4, 1, 30 * MS), 0);
	waited_ns = clock_monotonic_ns() - start_ns;
	assert_true(waited_ns >= 30 * MS && waited_ns < 60000 * MS);
	assert_int_equal(engine_reap(rig.engine, done, 4, 1, 0), 0);	/* not waiting at all */
	assert_int_equal(rig.engine->in_flight, 1);
	assert_int_equal(write(write_end, "hello", 5), 5);
	assert_int_equal(engine_reap(rig.engine, done, 4, 1, 10000 * MS), 1);
	assert_int_equal(done[0].slot, 2);
	assert_int_equal(done[0].result, 5);
	assert_memory_equal(rig.buffers + 2 * 4096, "hello", 5);
	close(write_end);
	rig_close(&rig);
}

static void test_a_wait_ends_after_its_time_and_the_io_comes_later(void **state)
{
	expect_time_out(NULL);
	expect_time_out(&(struct engine_config){ .control_aside = true });
	expect_time_out(&(struct engine_config){ .sqpoll = true });
}

static void test_an_operation_of_the_side_thread_ends_a_wait_for_the_ring(void **state)
{
	struct rig rig;
	struct io ios[2];
	struct io_done done[4];
	int write_end;

	open_pipe_rig(&rig, &write_end, &(struct engine_config){ .control_aside = true });
	ios[0] = rig_io(&rig, IO_READ, 0, 0, 4096);
	ios[1] = rig_io(&rig, IO_FLUSH, 1, 0, 0);
	assert_int_equal(engine_submit(rig.engine, ios, 2), 2);
	assert_int_equal(engine_reap(rig.engine, done, 4, 1, 10000 * MS), 1);
	assert_int_equal(done[0].slot, 1);
	assert_int_equal(done[0].result, -EINVAL);	/* pipes can't be flushed */
	close(write_end);
	rig_collect(&rig, done, 1);
	assert_int_equal(done[0].result, 0); /* the other end went; a pipe has no size, so it is no removal */
	rig_close(&rig);
}

/* libaio can't wait for a pipe; but an engine that believes in one more I/O waits for it. */
static void test_libaio_waits_no_longer_than_told(void **state)
{
	struct rig rig;
	struct io_done done[4];
	uint64_t start_ns;

	rig_open(&rig, RIG_TMPFS, MIB, 4, 4096);
	assert_int_equal(rig_attach(&rig, "libaio"), 0);
	rig.engine->in_flight = 1;
	start_ns = clock_monotonic_ns();
	assert_int_equal(engine_reap(rig.engine, done, 4, 1, 30 * MS), 0);
	assert_true(clock_monotonic_ns() - start_ns >= 30 * MS);
	rig.engine->in_flight = 0;
	rig_close(&rig);
}

static void ignore_signal(int number)
{
}

static void test_a_signal_ends_a_wait(void **state)
{
	static const char *const names[] = { "io_uring", "libaio" };
	struct sigaction action = { .sa_handler = ignore_signal }, before;
	struct itimerval timer = { .it_value.tv_usec = 30000, .it_interval.tv_usec = 30000 }, off = { 0 };
	struct io_done done[4];
	struct rig rig;

	sigaction(SIGALRM, &action, &before);
	for (int i = 0; i < 2; i++) {
		rig_open(&rig, RIG_TMPFS, MIB, 4, 4096);
		assert_int_equal(rig_attach(&rig, names[i]), 0);
		assert_int_equal(rig_do(&rig, IO_READ, 0, 4096), 4096);
		rig.engine->in_flight = 1;
		setitimer(ITIMER_REAL, &timer, NULL);
		assert_int_equal(engine_reap(rig.engine, done, 4, 1, ENGINE_WAIT_FOREVER), 0);
		setitimer(ITIMER_REAL, &off, NULL);
		rig.engine->in_flight = 0;
		rig_close(&rig);
	}
	sigaction(SIGALRM, &before, NULL);
}

/* A transfer whose wait is cut short by a signal is on its way and is reaped as any other. */
static void test_a_signal_ends_a_transfer_and_the_io_comes_later(void **state)
{
	struct sigaction action = { .sa_handler = ignore_signal }, before;
	struct itimerval timer = { .it_value.tv_usec = 30000, .it_interval.tv_usec = 30000 }, off = { 0 };
	struct io_done done;
	struct rig rig;
	struct io io;
	int write_end;

	sigaction(SIGALRM, &action, &before);
	open_pipe_rig(&rig, &write_end, NULL);
	for (int i = 0; i < 3; i++) {	/* the first one also enables the ring */
		io = rig_io(&rig, IO_READ, 2, 0, 4096);
		setitimer(ITIMER_REAL, &timer, NULL);
		assert_int_equal(engine_transfer(rig.engine, &io, 77, &done), 0);
		setitimer(ITIMER_REAL, &off, NULL);
		assert_int_equal(rig.engine->in_flight, 1);
		assert_int_equal(write(write_end, "hello", 5), 5);
		rig_collect(&rig, &done, 1);
		assert_int_equal(done.slot, 2);
		assert_int_equal(done.result, 5);
		if (i)
			assert_int_equal(done.submit_ns, 77);
	}
	sigaction(SIGALRM, &before, NULL);
	close(write_end);
	rig_close(&rig);
}

/* An empty pipe would make a read wait. */
static void test_flags_of_reads_and_writes_reach_the_kernel(void **state)
{
	const uint64_t asked = RWF_NOWAIT | RWF_DSYNC | RWF_SYNC | BLOCKING_RWF_ATOMIC;
	struct rig rig;
	int write_end;

	open_pipe_rig(&rig, &write_end, &(struct engine_config){ .write_flags = RWF_NOWAIT });
	assert_int_equal(rig_do(&rig, IO_READ, 0, 4096), -EAGAIN);
	assert_int_equal(write(write_end, "hello", 5), 5);
	assert_int_equal(rig_do(&rig, IO_READ, 0, 4096), 5);
	close(write_end);
	rig_close(&rig);
	assert_int_equal(blocking_rw_flags(asked, IO_READ), RWF_NOWAIT);
	assert_int_equal(blocking_rw_flags(asked, IO_WRITE), asked);
}

static void test_atomic_writes_are_refused_where_there_are_none(void **state)
{
	static const char *const names[] = { "io_uring", "libaio", "psync" };
	struct rig rig;

	for (int i = 0; i < 3; i++) {
		rig_open(&rig, RIG_TMPFS, MIB, 4, 4096);
		rig.config.write_flags = BLOCKING_RWF_ATOMIC;
		assert_int_equal(rig_attach(&rig, names[i]), -EOPNOTSUPP);
		assert_non_null(strstr(rig.fault.text, "no atomic writes"));
		rig_close(&rig);
	}
}

/* The kernel would take polled I/O and answer by interrupt. */
static void test_polling_is_refused_by_every_engine_where_nothing_can_be_polled_for(void **state)
{
	static const char *const names[] = { "io_uring", "psync" };
	struct rig rig;

	for (int i = 0; i < 2; i++) {
		rig_open(&rig, RIG_NULL, MIB, 4, 4096);
		rig.config.iopoll = rig.config.require_options = true;
		assert_int_equal(rig_attach(&rig, names[i]), -EOPNOTSUPP);
		assert_non_null(strstr(rig.fault.text, "polled for"));
		rig.config.require_options = false;
		assert_int_equal(rig_attach(&rig, names[i]), 0);
		assert_false(rig.engine->options.iopoll);
		assert_non_null(strstr(rig.engine->note, "polled for"));
		rig_close(&rig);
	}
}

static void test_a_polled_ring_is_refused_where_the_target_cannot_be_polled(void **state)
{
	struct rig rig;

	rig_open(&rig, RIG_TMPFS, MIB, 4, 4096);
	rig.config.iopoll = rig.config.require_options = true;
	assert_int_equal(rig_attach(&rig, "io_uring"), -EOPNOTSUPP);
	assert_non_null(strstr(rig.fault.text, "can't be polled"));
	rig.config.require_options = false;
	assert_int_equal(rig_attach(&rig, "io_uring"), 0);
	assert_false(rig.engine->options.iopoll);
	assert_non_null(strstr(rig.engine->note, "can't be polled"));
	assert_int_equal(rig_do(&rig, IO_READ, 0, 4096), 4096);
	rig_close(&rig);
}

static void test_options_that_an_engine_lacks_are_refused_or_noted(void **state)
{
	static const struct {
		const char *engine;
		bool sqpoll, iopoll;
		uint16_t ioprio;
		const char *words;
	} rows[] = {
		{ "libaio", .sqpoll = true, .words = "sqpoll" },
		{ "libaio", .iopoll = true, .words = "iopoll" },
		{ "psync", .sqpoll = true, .words = "sqpoll" },
		{ "psync", .ioprio = 1 << 13, .words = "priorities" },
		{ "sync", .iopoll = true, .words = "iopoll" },
	};
	struct rig rig;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		rig_open(&rig, RIG_TMPFS, MIB, 2, 4096);
		rig.config.sqpoll = rows[i].sqpoll;
		rig.config.iopoll = rows[i].iopoll;
		rig.config.ioprio = rows[i].ioprio;
		rig.config.require_options = true;
		assert_int_equal(rig_attach(&rig, rows[i].engine), -EOPNOTSUPP);
		assert_non_null(strstr(rig.fault.text, rows[i].words));
		rig.config.require_options = false;
		assert_int_equal(rig_attach(&rig, rows[i].engine), 0);
		assert_non_null(strstr(rig.engine->note, rows[i].words));
		assert_false(rig.engine->options.sqpoll || rig.engine->options.iopoll);
		assert_int_equal(rig_do(&rig, IO_WRITE, 0, 4096), 4096);
		rig_close(&rig);
	}
}

static void test_an_io_priority_is_passed_to_the_kernel(void **state)
{
	static const char *const names[] = { "io_uring", "libaio" };
	struct rig rig;

	for (int i = 0; i < 2; i++) {
		rig_open(&rig, RIG_EXT4, MIB, 2, 4096);
		rig.config.ioprio = 2 << 13 | 7;	/* best effort, lowest: allowed to all */
		assert_int_equal(rig_attach(&rig, names[i]), 0);
		assert_int_equal(rig_do(&rig, IO_WRITE, 0, 4096), 4096);
		assert_int_equal(rig_do(&rig, IO_FSYNC, 0, 0), 0);
		rig_close(&rig);
		rig_open(&rig, RIG_EXT4, MIB, 2, 4096);
		rig.config.ioprio = 7 << 13; /* no such class: only a kernel that was given it can object */
		assert_int_equal(rig_attach(&rig, names[i]), 0);
		assert_int_equal(rig_do(&rig, IO_WRITE, 0, 4096), -EINVAL);
		rig_close(&rig);
	}
}

static void test_flags_reach_the_kernel(void **state)
{
	static const char *const names[] = { "io_uring", "libaio", "psync" };
	struct rig rig;

	for (int i = 0; i < 3; i++) {
		rig_open(&rig, RIG_EXT4, MIB, 2, 4096);
		rig.config.write_flags = 1u << 31; /* RWF_ flags that don't exist are refused by the kernel */
		assert_int_equal(rig_attach(&rig, names[i]), 0);
		assert_in_range(-rig_do(&rig, IO_WRITE, 0, 4096), EINVAL, EOPNOTSUPP);
		rig_close(&rig);
		rig_open(&rig, RIG_EXT4, MIB, 2, 4096);
		rig.config.write_flags = RWF_DSYNC;
		assert_int_equal(rig_attach(&rig, names[i]), 0);
		assert_int_equal(rig_do(&rig, IO_WRITE, 0, 4096), 4096);
		assert_int_equal(rig_do(&rig, IO_FSYNC, 0, 0), 0);
		rig_close(&rig);
	}
}

static void test_a_no_op_ring_moves_nothing_and_counts_everything(void **state)
{
	struct rig rig;

	rig_open(&rig, RIG_EXT4, MIB, 4, 4096);
	rig.config.no_op = true;
	assert_int_equal(rig_attach(&rig, "io_uring"), 0);
	assert_true(rig.engine->options.no_op);
	memset(rig.buffers, 1, 4096);
	assert_int_equal(rig_do(&rig, IO_READ, 0, 4096), 4096);
	assert_int_equal(rig.buffers[0], 1);
	assert_int_equal(rig_do(&rig, IO_TRIM, 0, 4096), 0);
	assert_int_equal(rig_do(&rig, IO_FSYNC, 0, 0), 0);
	rig_close(&rig);
}

/* Refusals by the system: each in a child that gives up what it must not have. */

struct refusal {
	int (*handicap)(void);		/* run in the child; nonzero = impossible here */
	const char *engine;		/* NULL = the best */
	uint32_t depth, stride;
	bool require;
	int error;			/* expected of engine_new; 0 = success ... */
	const char *chosen;		/* ... with this engine */
	const char *words;		/* in the fault, or in the note after a success */
};

static int become_nobody(void)
{
	const struct rlimit low = { 65536, 65536 };

	if (setrlimit(RLIMIT_MEMLOCK, &low) < 0)
		return -1;
	return geteuid() == 0 && setresuid(NOBODY, NOBODY, NOBODY) < 0 ? -1 : 0;
}

static int forbid_call(uint32_t number, uint32_t number2, uint32_t error)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number2, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0 ? -1 : 0;
}

static int forbid_io_uring(void) { return forbid_call(__NR_io_uring_setup, __NR_io_uring_setup, EPERM); }
static int hide_io_uring(void) { return forbid_call(__NR_io_uring_setup, __NR_io_uring_setup, ENOSYS); }
static int age_io_uring(void) { return forbid_call(__NR_io_uring_setup, __NR_io_uring_setup, EINVAL); }
static int starve_io_uring(void) { return forbid_call(__NR_io_uring_setup, __NR_io_uring_setup, ENOMEM); }
static int forbid_aio(void) { return forbid_call(__NR_io_setup, __NR_io_setup, EPERM); }
static int fill_aio(void) { return forbid_call(__NR_io_setup, __NR_io_setup, EAGAIN); }
static int forbid_both(void) { return forbid_call(__NR_io_uring_setup, __NR_io_setup, EPERM); }

static const struct refusal refusals[] = {
	{ become_nobody, "io_uring", 64, 65536, true, -ENOMEM, NULL, "RLIMIT_MEMLOCK is 64 KiB" },
	{ become_nobody, "io_uring", 64, 65536, false, 0, "io_uring", "RLIMIT_MEMLOCK is 64 KiB" },
	{ forbid_io_uring, "io_uring", 4, 4096, false, -EPERM, NULL, "seccomp" },
	{ forbid_io_uring, NULL, 4, 4096, false, 0, "libaio", "seccomp" },
	{ hide_io_uring, "io_uring", 4, 4096, false, -ENOSYS, NULL, "5.11" },
	{ age_io_uring, "io_uring", 4, 4096, false, -EINVAL, NULL, "5.11" },
	{ starve_io_uring, "io_uring", 4, 4096, false, -ENOMEM, NULL, "RLIMIT_MEMLOCK" },
	{ forbid_aio, "libaio", 4, 4096, false, -EPERM, NULL, "seccomp" },
	{ fill_aio, "libaio", 4, 4096, false, -EAGAIN, NULL, "fs.aio-max-nr is " },
	{ forbid_both, NULL, 4, 4096, false, 0, "psync", "seccomp" },
};

/* In the child: 0 when engine_new does what the row says. What it says instead goes to stderr. */
static int refusal_shows(const struct refusal *row)
{
	struct rig rig;
	const char *words;
	int err;

	rig_open(&rig, RIG_NULL, MIB, row->depth, row->stride);
	rig.config.require_options = row->require;
	if (row->handicap() != 0)
		return 77;
	err = rig_attach(&rig, row->engine);
	words = err ? rig.fault.text : rig.engine->note;
	if (err == row->error && strstr(words, row->words) &&
	    (err || !strcmp(rig.engine->ops->name, row->chosen)))
		return !err && rig_do(&rig, IO_WRITE, 0, 4096) != 4096;
	fprintf(stderr, "engine_new gave %d (%s), not %d with \"%s\"\n", err, words, row->error, row->words);
	return 1;
}

static void test_a_refusal_by_the_system_names_its_cause(void **state)
{
	const struct refusal *row = *state;
	int status;
	pid_t child = fork();

	if (!child)
		_exit(refusal_shows(row));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

#define PLAIN_TESTS (sizeof(plain) / sizeof(plain[0]))
#define REFUSALS (sizeof(refusals) / sizeof(refusals[0]))

int main(void)
{
	static const struct CMUnitTest plain[] = {
		/* First: a ring closed before still gives this thread work, which ends a wait as a signal
		 * does. */
		cmocka_unit_test(test_libaio_waits_no_longer_than_told),
		cmocka_unit_test(test_the_table_has_every_engine_once_with_all_its_operations),
		cmocka_unit_test(test_an_unknown_engine_is_refused_with_the_list),
		cmocka_unit_test(test_depths_and_targets_that_an_engine_cannot_have_are_refused),
		cmocka_unit_test(test_the_best_engine_of_this_machine_is_io_uring_with_everything_granted),
		cmocka_unit_test(test_the_largest_depth_works),
		cmocka_unit_test(test_our_own_mistakes_are_assertions),
		cmocka_unit_test(test_a_wait_ends_after_its_time_and_the_io_comes_later),
		cmocka_unit_test(test_an_operation_of_the_side_thread_ends_a_wait_for_the_ring),
		cmocka_unit_test(test_a_signal_ends_a_wait),
		cmocka_unit_test(test_a_signal_ends_a_transfer_and_the_io_comes_later),
		cmocka_unit_test(test_flags_of_reads_and_writes_reach_the_kernel),
		cmocka_unit_test(test_atomic_writes_are_refused_where_there_are_none),
		cmocka_unit_test(test_polling_is_refused_by_every_engine_where_nothing_can_be_polled_for),
		cmocka_unit_test(test_a_polled_ring_is_refused_where_the_target_cannot_be_polled),
		cmocka_unit_test(test_options_that_an_engine_lacks_are_refused_or_noted),
		cmocka_unit_test(test_an_io_priority_is_passed_to_the_kernel),
		cmocka_unit_test(test_flags_reach_the_kernel),
		cmocka_unit_test(test_a_no_op_ring_moves_nothing_and_counts_everything),
	};
	struct CMUnitTest tests[PLAIN_TESTS + REFUSALS];
	char names[REFUSALS][128];

	memcpy(tests, plain, sizeof(plain));
	for (size_t i = 0; i < REFUSALS; i++) {
		snprintf(names[i], sizeof(names[i]), "a refusal names its cause: %s, row %zu, %s",
			 refusals[i].engine ? refusals[i].engine : "best", i, refusals[i].words);
		tests[PLAIN_TESTS + i] =
			(struct CMUnitTest){ .name = names[i],
					     .initial_state = (void *)&refusals[i],
					     .test_func = test_a_refusal_by_the_system_names_its_cause };
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
