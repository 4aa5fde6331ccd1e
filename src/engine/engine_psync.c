/* The synchronous engines: one blocking call per I/O, made inside reap. `psync` uses positioned calls (pread,
 * pwrite, and the v2 forms when flags, polling or vectors are asked for), `sync` the plain ones
 * only. */
#include "engine/engine_backends.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "engine/blocking.h"

struct psync_engine {
	struct engine engine;
	struct io *queue;	/* ring of `mask + 1` entries, taken and not yet done */
	uint32_t head, tail;	/* count up for ever; index = value & mask */
	uint32_t mask;
	int flags[2];		/* RWF_, by operation: read, write */
	/* One read or write: bytes or -errno. */
	int64_t (*transfer)(const struct psync_engine *psync, const struct io *io);
};

static int64_t psync_result(ssize_t result)
{
	return result < 0 ? -errno : result;
}

/* pread(2) and pwrite(2). The C library's functions are cancellation points, which costs more than
 * everything else here; nobody cancels a worker. */
static int64_t psync_positioned(const struct psync_engine *psync, const struct io *io)
{
	const int fd = psync->engine.target->fd;

#if defined(__LP64__)
	return psync_result(syscall(io->op == IO_READ ? SYS_pread64 : SYS_pwrite64, fd, io->buffer,
				    (size_t)io->bytes, io->offset));
#else
	if (io->op == IO_READ)
		return psync_result(pread(fd, io->buffer, io->bytes, (off_t)io->offset));
	return psync_result(pwrite(fd, io->buffer, io->bytes, (off_t)io->offset));
#endif
}

static int64_t psync_vectored(const struct psync_engine *psync, const struct io *io)
{
	const int fd = psync->engine.target->fd;
	const struct iovec vector = { io->buffer, io->bytes };

	if (io->op == IO_READ)
		return psync_result(preadv2(fd, &vector, 1, (off_t)io->offset, psync->flags[IO_READ]));
	return psync_result(pwritev2(fd, &vector, 1, (off_t)io->offset, psync->flags[IO_WRITE]));
}

static int psync_queue(struct psync_engine *psync, struct fault *fault)
{
	uint32_t entries = 1;

	while (entries < psync->engine.depth)
		entries *= 2;
	psync->mask = entries - 1;
	psync->queue = calloc(entries, sizeof(*psync->queue));
	if (!psync->queue)
		return fault_system(fault, -ENOMEM, "no memory for %u I/Os in flight", psync->engine.depth);
	psync->engine.capabilities.trim = blocking_can_trim(psync->engine.target);
	return 0;
}

static int psync_attach(struct engine *engine, const struct engine_config *config, struct fault *fault)
{
	struct psync_engine *psync = (struct psync_engine *)engine;

	const int polls = config->iopoll ? RWF_HIPRI : 0;

	psync->flags[IO_READ] = (int)blocking_rw_flags(config->write_flags, IO_READ) | polls;
	psync->flags[IO_WRITE] = (int)blocking_rw_flags(config->write_flags, IO_WRITE) | polls;
	engine->options.iopoll = config->iopoll;
	engine->options.vectored = config->vectored || config->write_flags || polls;
	psync->transfer = engine->options.vectored ? psync_vectored : psync_positioned;
	return psync_queue(psync, fault);
}

static int sync_attach(struct engine *engine, const struct engine_config *config, struct fault *fault)
{
	struct psync_engine *psync = (struct psync_engine *)engine;

	if (config->write_flags || config->vectored)
		return fault_set(fault, 0, 0, "engine sync has no flags and no vectors; psync has");
	/* read(2) and write(2) in effect, but with the offset in the call: the workers of a target share
	 * its descriptor, and a seek of one of them would move the other's write to a place that nobody
	 * asked for. */
	psync->transfer = psync_positioned;
	return psync_queue(psync, fault);
}

static int psync_submit(struct engine *engine, const struct io *ios, uint32_t count)
{
	struct psync_engine *psync = (struct psync_engine *)engine;

	for (uint32_t i = 0; i < count; i++)
		psync->queue[psync->tail++ & psync->mask] = ios[i];
	return (int)count;
}

static inline void psync_do(struct psync_engine *psync, const struct io *io, uint64_t submit_ns,
			    struct io_done *done)
{
	const struct target *target = psync->engine.target;
	int64_t raw;

	done->slot = io->slot;
	done->submit_ns = submit_ns;
	raw = io->op <= IO_WRITE ? psync->transfer(psync, io) : blocking_control(target, io);
	done->done_ns = clock_now_ns(psync->engine.clock);
	done->result = (int32_t)raw;
	if (__builtin_expect(raw <= 0, 0))
		done->result = blocking_result(target, (enum io_op)io->op, io->bytes, raw);
	psync->engine.calls++;
}

static int psync_reap(struct engine *engine, struct io_done *done, uint32_t max, uint32_t wait_min,
		      uint64_t timeout_ns)
{
	struct psync_engine *psync = (struct psync_engine *)engine;
	const uint32_t wanted = wait_min ? wait_min : 1;
	uint32_t count = 0;
	uint64_t start_ns = 0;

	while (count < wanted && count < max && psync->head != psync->tail) {
		psync_do(psync, &psync->queue[psync->head++ & psync->mask], clock_now_ns(engine->clock),
			 &done[count]);
		if (!count++)
			start_ns = done[0].submit_ns;
		if (done[count - 1].done_ns - start_ns >= timeout_ns)
			break;
	}
	return (int)count;
}

/* Nothing is queued: it would count as in flight. */
static int psync_once(struct engine *engine, const struct io *io, uint64_t submit_ns, struct io_done *done)
{
	psync_do((struct psync_engine *)engine, io, submit_ns, done);
	return 1;
}

static void psync_detach(struct engine *engine)
{
	free(((struct psync_engine *)engine)->queue);
}

#define PSYNC_KINDS (1u << TARGET_FILE | 1u << TARGET_BLOCK | 1u << TARGET_CHAR)
#define PSYNC_CAPABILITIES { .synchronous = true, .trim = true, .flush = true, .trim_synchronous = true, \
			     .flush_synchronous = true, .depth_max = UINT16_MAX + 1 }

const struct engine_ops engine_psync_ops = {
	.name = "psync",
	.target_kinds = PSYNC_KINDS,
	.can_iopoll = true,
	.capabilities = PSYNC_CAPABILITIES,
	.state_bytes = sizeof(struct psync_engine),
	.attach = psync_attach,
	.submit = psync_submit,
	.reap = psync_reap,
	.transfer = psync_once,
	.detach = psync_detach,
};

const struct engine_ops engine_sync_ops = {
	.name = "sync",
	.target_kinds = PSYNC_KINDS,
	.capabilities = PSYNC_CAPABILITIES,
	.state_bytes = sizeof(struct psync_engine),
	.attach = sync_attach,
	.submit = psync_submit,
	.reap = psync_reap,
	.transfer = psync_once,
	.detach = psync_detach,
};
