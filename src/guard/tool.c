#include "guard/tool.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define SAID_BYTES 4096

bool tool_find(const char *name, char ret_path[PATH_MAX])
{
	static const char *const directories[] = {
		"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin",
	};

	for (size_t i = 0; i < sizeof directories / sizeof *directories; i++) {
		snprintf(ret_path, PATH_MAX, "%s/%s", directories[i], name);
		if (!access(ret_path, X_OK))
			return true;
	}
	return false;
}

/* In the new process. The parent may be gone already, before the kernel was told to end us with it. */
static void become(char *const argv[], int out, pid_t parent)
{
	static char *const environment[] = {
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		"LC_ALL=C",
		NULL,
	};
	const int in = open("/dev/null", O_RDWR | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	signal(SIGTERM, SIG_DFL);
	dup2(in, 0);
	dup2(out < 0 ? in : out, 1);
	dup2(out < 0 ? in : out, 2);
	execve(argv[0], argv, environment);
	_exit(127);
}

int tool_start(char *const argv[], pid_t *ret_pid, struct fault *fault)
{
	const pid_t parent = getpid(), pid = fork();

	if (!pid)
		become(argv, -1, parent);
	if (pid < 0)
		return fault_system(fault, -errno, "%s cannot be started: %s", argv[0], strerror(errno));
	*ret_pid = pid;
	return 0;
}

/* Reads to the end; keeps the end of it. */
static void listen_to(int fd, char said[SAID_BYTES])
{
	size_t used = 0;
	ssize_t count;

	while ((count = read(fd, said + used, SAID_BYTES - 1 - used)) > 0 || (count < 0 && errno == EINTR)) {
		if (count < 0)
			continue;
		used += (size_t)count;
		if (used < SAID_BYTES - 1)
			continue;
		memmove(said, said + SAID_BYTES / 2, used - SAID_BYTES / 2);
		used -= SAID_BYTES / 2;
	}
	said[used] = '\0';
}

/* The last line that says anything, without what a terminal would act on. */
static const char *last_line(char *said)
{
	char *end = said + strlen(said), *line;

	for (char *at = said; at < end; at++)
		if ((unsigned char)*at < ' ' && *at != '\n')
			*at = ' ';
	while (end > said && (end[-1] == '\n' || end[-1] == ' '))
		*--end = '\0';
	line = strrchr(said, '\n');
	return line ? line + 1 : said;
}

static int result_of(const char *path, int status, char *said, struct fault *fault)
{
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	if (WIFSIGNALED(status))
		return fault_system(fault, -EIO, "%s was ended by signal %d", path, WTERMSIG(status));
	return fault_system(fault, -EIO, "%s failed (exit code %d): %.300s", path, WEXITSTATUS(status),
			    last_line(said));
}

int tool_run(char *const argv[], struct fault *fault)
{
	const pid_t parent = getpid();
	char said[SAID_BYTES];
	int end[2], status;
	pid_t pid;

	if (pipe2(end, O_CLOEXEC))
		return fault_system(fault, -errno, "%s cannot be started: %s", argv[0], strerror(errno));
	pid = fork();
	if (!pid)
		become(argv, end[1], parent);
	close(end[1]);
	if (pid < 0) {
		const int error = -errno;

		close(end[0]);
		return fault_system(fault, error, "%s cannot be started: %s", argv[0], strerror(-error));
	}
	listen_to(end[0], said);
	close(end[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return result_of(argv[0], status, said, fault);
}
