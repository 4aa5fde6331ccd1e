#include "base/clock.h"
#include "drive/smartctl.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#define TIMEOUT_NS 10000000000ull	/* a disk may have to spin up */
#define OUTPUT_BYTES_MAX (1u << 20)

static const char *program(void)
{
	static const char *const places[] = {
		"/usr/sbin/smartctl", "/usr/local/sbin/smartctl", "/sbin/smartctl", "/usr/bin/smartctl",
	};

	for (uint32_t i = 0; i < sizeof places / sizeof *places; i++)
		if (!access(places[i], X_OK))
			return places[i];
	return NULL;
}

/* stdin and stderr go nowhere, stdout into the pipe. */
static int start(const char *path, const char *device, int output, pid_t *ret_pid)
{
	char *const arguments[] = {"smartctl", "--json=c", "-a", (char *)device, NULL};
	char *const environment[] = {"LC_ALL=C", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", NULL};
	posix_spawn_file_actions_t actions;
	int result = posix_spawn_file_actions_init(&actions);

	if (result)
		return -result;
	result = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (!result)
		result = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	if (!result)
		result = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
	if (!result)
		result = posix_spawn(ret_pid, path, &actions, NULL, arguments, environment);
	posix_spawn_file_actions_destroy(&actions);
	return -result;
}

static int collect(int fd, struct text *out)
{
	const uint64_t until_ns = clock_monotonic_ns() + TIMEOUT_NS;
	char block[4096];

	for (;;) {
		const uint64_t now = clock_monotonic_ns();
		struct pollfd one = {.fd = fd, .events = POLLIN};
		ssize_t got;

		if (now >= until_ns)
			return -ETIMEDOUT;
		if (out->bytes > OUTPUT_BYTES_MAX)
			return -EFBIG;
		if (poll(&one, 1, (int)((until_ns - now) / 1000000) + 1) <= 0)
			continue;
		got = read(fd, block, sizeof block);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			return out->error;
		text_append_bytes(out, block, (size_t)got);
	}
}

int smartctl_spawn(const char *device, struct text *out)
{
	const char *path = program();
	int ends[2], result;
	pid_t pid;

	if (!path)
		return -ENOENT;
	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	result = start(path, device, ends[1], &pid);
	close(ends[1]);
	if (!result) {
		result = collect(ends[0], out);
		if (result)
			kill(pid, SIGKILL);
		/* one that hangs in the kernel is not waited for */
		while (waitpid(pid, NULL, result ? WNOHANG : 0) < 0 && errno == EINTR)
			;
	}
	close(ends[0]);
	return result;
}

int smartctl_read(const struct machine *machine, const char *device, struct smartctl *ret_smartctl)
{
	const struct drive_io *io = machine_or_real(machine)->io;
	struct text out = {0};
	int result;

	if (!io)
		return -EOPNOTSUPP;
	if (!io->smartctl)
		return -ENOENT;
	result = io->smartctl(io->context, device, &out);
	if (!result)
		result = smartctl_parse(text_data(&out), ret_smartctl);
	text_release(&out);
	return result;
}
