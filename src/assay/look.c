#include "assay/look.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "base/clock.h"
#include "run/child.h"

#define SLICE_MS 50		/* how soon an interruption is seen */
#define LEAVE_MS 100		/* it has answered and only has to end */
#define ANSWER_BYTES_MAX (64u << 20)

struct asked {
	look_fn ask;
	void *context;
	int pipe[2];
};

static int write_all(int fd, const void *data, size_t bytes)
{
	for (size_t done = 0; done < bytes;) {
		const ssize_t count = write(fd, (const char *)data + done, bytes - done);

		if (count < 0)
			return -errno;
		done += (size_t)count;
	}
	return 0;
}

/* Its length goes first, so that half an answer is none. */
static int answer_main(void *context)
{
	const struct asked *asked = context;
	struct text answer = {0};
	uint64_t bytes;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	asked->ask(asked->context, &answer);
	bytes = answer.bytes;
	return answer.error || write_all(asked->pipe[1], &bytes, sizeof(bytes)) ||
	       write_all(asked->pipe[1], text_data(&answer), answer.bytes);
}

static bool is_whole(const struct text *read)
{
	uint64_t bytes;

	if (read->bytes < sizeof(bytes))
		return false;
	memcpy(&bytes, read->data, sizeof(bytes));
	return read->bytes - sizeof(bytes) == bytes;
}

/* Until the other side closes the pipe. */
static int answer_read(int fd, uint64_t wait_ns, const volatile sig_atomic_t *interrupted,
		       struct text *read_in)
{
	const uint64_t start_ns = clock_monotonic_ns();
	char block[4096];

	while (!read_in->error && read_in->bytes <= ANSWER_BYTES_MAX) {
		struct pollfd poll_one = {.fd = fd, .events = POLLIN};
		ssize_t count;

		if (interrupted && *interrupted)
			return -EINTR;
		if (clock_monotonic_ns() - start_ns >= wait_ns)
			return -ETIMEDOUT;
		if (poll(&poll_one, 1, SLICE_MS) <= 0)
			continue;
		count = read(fd, block, sizeof(block));
		if (count <= 0)
			return is_whole(read_in) ? 0 : -ECHILD;
		text_append_bytes(read_in, block, (size_t)count);
	}
	return read_in->error ? read_in->error : -EFBIG;
}

static int answer_take(struct text *read_in, struct text *ret_answer)
{
	struct text answer = {0};

	text_append_bytes(&answer, read_in->data + sizeof(uint64_t), read_in->bytes - sizeof(uint64_t));
	if (answer.error)
		return answer.error;
	*ret_answer = answer;
	return 0;
}

static int answer_wait(struct asked *asked, uint64_t wait_ns, const volatile sig_atomic_t *interrupted,
		       struct text *ret_answer)
{
	struct text read_in = {0};
	struct child child;
	int status, error = child_start_keeping(&child, answer_main, asked, asked->pipe[1]);

	if (error)
		return error;
	close(asked->pipe[1]);
	asked->pipe[1] = -1;
	error = answer_read(asked->pipe[0], wait_ns, interrupted, &read_in);
	if (error || !child_wait(&child, LEAVE_MS, &status))
		child_abandon(&child);
	if (!error)
		error = answer_take(&read_in, ret_answer);
	text_release(&read_in);
	return error;
}

int look(look_fn ask, void *context, uint64_t wait_ns, const volatile sig_atomic_t *interrupted,
	 struct text *ret_answer)
{
	struct asked asked = {.ask = ask, .context = context};
	int error;

	if (pipe2(asked.pipe, O_CLOEXEC))
		return -errno;
	error = answer_wait(&asked, wait_ns, interrupted, ret_answer);
	close(asked.pipe[0]);
	if (asked.pipe[1] >= 0)
		close(asked.pipe[1]);
	return error;
}
