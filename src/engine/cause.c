#include "engine/cause.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include "base/text.h"
#include "base/units.h"

/* A number from a one-line file below /proc; -1 when it can't be read. */
static long cause_proc_number(const char *path)
{
	struct text text = { 0 };
	long value = -1;

	if (text_read_file(&text, path, 256) == 0)
		value = strtol(text_data(&text), NULL, 10);
	text_release(&text);
	return value;
}

/* Whether a seccomp filter watches this process (proc(5): Seccomp 2). */
static bool cause_seccomp(void)
{
	struct text text = { 0 };
	const char *line;
	bool filtered = false;

	if (text_read_file(&text, "/proc/self/status", 65536) == 0) {
		line = strstr(text_data(&text), "\nSeccomp:");
		filtered = line && strtol(line + strlen("\nSeccomp:"), NULL, 10) == 2;
	}
	text_release(&text);
	return filtered;
}

static const char *cause_memlock(char buffer[UNITS_TEXT])
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_MEMLOCK, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
		return strcpy(buffer, "unlimited");
	return size_format(limit.rlim_cur, buffer);
}

static int cause_ring_forbidden(struct fault *fault, int error)
{
	const long disabled = cause_proc_number("/proc/sys/kernel/io_uring_disabled");

	if (disabled == 2)
		return fault_system(fault, error, "io_uring is switched off on this machine: sysctl "
				    "kernel.io_uring_disabled=2; set it to 0, or use engine libaio");
	if (disabled == 1)
		return fault_system(fault, error,
				    "io_uring is for privileged processes only on this machine: sysctl "
				    "kernel.io_uring_disabled=1; set it to 0, join the group of "
				    "kernel.io_uring_group, or use engine libaio");
	if (cause_seccomp())
		return fault_system(fault, error,
				    "a seccomp filter forbids io_uring_setup (containers do that by "
				    "default); allow it in the filter's profile, or use engine libaio");
	return fault_system(fault, error,
			    "the kernel refuses io_uring: %s (a security module?); engine libaio may work",
			    strerror(-error));
}

int cause_ring_setup(struct fault *fault, int error, uint32_t entries)
{
	char limit[UNITS_TEXT];
	struct utsname system;

	uname(&system);
	switch (error) {
	case -EPERM:
	case -EACCES:
		return cause_ring_forbidden(fault, error);
	case -ENOSYS:
		return fault_system(fault, error,
				    "kernel %s has no io_uring that can be used (5.11 or later is needed)%s; "
				    "use engine libaio",
				    system.release, cause_seccomp() ? ", or a seccomp filter hides it" : "");
	case -EINVAL:
		return fault_system(fault, error,
				    "kernel %s doesn't know the io_uring options asked for (%u entries); "
				    "5.11 or later is needed",
				    system.release, entries);
	case -ENOMEM:
		return fault_system(
			fault, error,
			"no memory for an io_uring of %u entries: RLIMIT_MEMLOCK is %s (ulimit -l; "
			"kernels before 5.12 count rings against it)",
			entries, cause_memlock(limit));
	case -EMFILE:
	case -ENFILE:
		return fault_system(fault, error, "too many open files for one more io_uring (ulimit -n)");
	default:
		return fault_system(fault, error, "can't set up an io_uring of %u entries: %s", entries,
				    strerror(-error));
	}
}

int cause_ring_buffers(struct fault *fault, int error, uint64_t bytes)
{
	char limit[UNITS_TEXT], size[UNITS_TEXT];

	size_format(bytes, size);
	if (error == -ENOMEM)
		return fault_system(
			fault, error,
			"can't register %s of I/O buffers: RLIMIT_MEMLOCK is %s (ulimit -l), shared "
			"by all rings of this user; raise it, or use less depth or block size",
			size, cause_memlock(limit));
	if (error == -EFAULT || error == -EOPNOTSUPP)
		return fault_system(fault, error,
				    "can't register %s of I/O buffers: memory that isn't plain memory or not "
				    "all there (%s)",
				    size, strerror(-error));
	return fault_system(fault, error, "can't register %s of I/O buffers: %s", size, strerror(-error));
}

int cause_ring_file(struct fault *fault, int error)
{
	if (error == -EMFILE)
		return fault_system(
			fault, error,
			"can't register the target's descriptor: too many open files (ulimit -n)");
	return fault_system(fault, error, "can't register the target's descriptor: %s", strerror(-error));
}

int cause_aio_setup(struct fault *fault, int error, uint32_t events)
{
	switch (error) {
	case -EAGAIN:
		return fault_system(fault, error,
				    "no room for %u asynchronous I/Os: sysctl fs.aio-max-nr is %ld and "
				    "fs.aio-nr is %ld now; raise fs.aio-max-nr, or use less depth",
				    events, cause_proc_number("/proc/sys/fs/aio-max-nr"),
				    cause_proc_number("/proc/sys/fs/aio-nr"));
	case -ENOSYS:
		return fault_system(fault, error,
				    "this kernel has no asynchronous I/O (io_setup)%s; use engine psync",
				    cause_seccomp() ? ", or a seccomp filter hides it" : "");
	case -EPERM:
	case -EACCES:
		return fault_system(fault, error, "%s forbids io_setup; use engine psync",
				    cause_seccomp() ? "a seccomp filter" : "the kernel");
	default:
		return fault_system(fault, error, "can't set up %u asynchronous I/Os: %s", events,
				    strerror(-error));
	}
}
