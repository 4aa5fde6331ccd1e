/* libaio: the kernel's older asynchronous I/O, called directly (io_submit(2), linux/aio_abi.h). Completions
 * are read from the ring that the kernel maps into the process, without a system call when they are there
 * already: safe here because one thread reaps. Trims run in a side thread; fsync and fdatasync are
 * asynchronous commands of the kernel. */
#include "engine/engine_backends.h"

#include <errno.h>
#include <linux/aio_abi.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "engine/blocking.h"
#include "engine/cause.h"
#include "engine/side.h"

#define AIO_RING_MAGIC 0xa10a10a1u
#define AIO_WAKE UINT64_MAX		/* data of the poll for the side thread's event */
#define AIO_EVENTS 64u			/* fetched per io_getevents */

/* The kernel's completion ring (fs/aio.c); its address is the context's number. */
struct aio_ring {
	uint32_t id, entries, head, tail, magic, compatible, incompatible, header_bytes;
	struct io_event events[];
};

struct aio {
	struct engine engine;
	aio_context_t context;
	struct aio_ring *ring;		/* NULL when its layout isn't the known one */
	struct iocb *blocks; /* per slot, constant fields prebuilt; one more for the side thread's event */
	struct iocb **queue;		/* taken and not yet sent */
	uint32_t queued;
	uint64_t *submit_ns;		/* per slot */
	struct iovec *vectors;		/* per slot; only when vectored */
	__kernel_rwf_t rw_flags[IO_OPS];	/* by operation */
	struct io_done *refused;	/* I/Os that io_submit rejected: completions with its error */
	uint32_t refused_count;
	struct side *side;		/* NULL when the load may not trim */
	bool side_armed;
};

static long aio_setup(uint32_t events, aio_context_t *context)
{
	return syscall(__NR_io_setup, events, context) < 0 ? -errno : 0;
}

static long aio_send(struct aio *aio, struct iocb **blocks, uint32_t count)
{
	long result = syscall(__NR_io_submit, aio->context, (long)count, blocks);

	aio->engine.calls++;
	return result < 0 ? -errno : result;
}

static long aio_fetch(struct aio *aio, uint32_t min, uint32_t max, struct io_event *events,
		      uint64_t timeout_ns)
{
	struct timespec time = { (time_t)(timeout_ns / 1000000000u), (long)(timeout_ns % 1000000000u) };
	long result = syscall(__NR_io_getevents, aio->context, (long)min, (long)max, events,
			      timeout_ns == ENGINE_WAIT_FOREVER ? NULL : &time);

	aio->engine.calls++;
	return result < 0 ? -errno : result;
}

/* Submitting */

static inline void aio_fill(struct aio *aio, struct iocb *block, const struct io *io)
{
	static const uint16_t plain[IO_OPS] = { IOCB_CMD_PREAD, IOCB_CMD_PWRITE, 0, IOCB_CMD_FDSYNC,
						IOCB_CMD_FSYNC };

	block->aio_data = io_word(io);
	block->aio_lio_opcode = plain[io->op];
	block->aio_offset = (int64_t)io->offset;
	block->aio_buf = (uint64_t)(uintptr_t)io->buffer;
	block->aio_nbytes = io->bytes;
	block->aio_rw_flags = aio->rw_flags[io->op];
	if (io->op <= IO_WRITE && aio->vectors) {
		aio->vectors[io->slot] = (struct iovec){ io->buffer, io->bytes };
		block->aio_lio_opcode = io->op == IO_READ ? IOCB_CMD_PREADV : IOCB_CMD_PWRITEV;
		block->aio_buf = (uint64_t)(uintptr_t)&aio->vectors[io->slot];
		block->aio_nbytes = 1;
	}
}

static int aio_submit(struct engine *engine, const struct io *ios, uint32_t count)
{
	struct aio *aio = (struct aio *)engine;
	const uint64_t now_ns = clock_now_ns(engine->clock);

	engine->submitted_ns = now_ns;
	for (uint32_t i = 0; i < count; i++) {
		struct iocb *block = &aio->blocks[ios[i].slot];

		if (__builtin_expect(ios[i].op == IO_TRIM, 0)) {
			side_push(aio->side, &ios[i]);
			continue;
		}
		aio_fill(aio, block, &ios[i]);
		aio->submit_ns[ios[i].slot] = now_ns;
		aio->queue[aio->queued++] = block;
	}
	return (int)count;
}

/* An I/O that the kernel doesn't even take is a failed I/O, not a broken engine. */
static void aio_refuse(struct aio *aio, const struct iocb *block, int error)
{
	const uint16_t slot = (uint16_t)(block->aio_data >> 32);

	if (block->aio_data == AIO_WAKE)
		return;
	aio->refused[aio->refused_count++] = (struct io_done){
		.slot = slot, .result = error, .submit_ns = aio->submit_ns[slot],
		.done_ns = clock_now_ns(aio->engine.clock),
	};
}

static int aio_flush_queue(struct aio *aio)
{
	uint32_t first = 0;
	long sent = 0;

	while (first < aio->queued) {
		sent = aio_send(aio, aio->queue + first, aio->queued - first);
		if (sent == -EAGAIN || sent == -EINTR || sent == -EFAULT || sent == -ENOSYS)
			break;
		if (sent <= 0) {
			aio_refuse(aio, aio->queue[first], sent ? (int)sent : -EIO);
			sent = 1;
		}
		first += (uint32_t)sent;
	}
	aio->queued -= first;
	if (!aio->queued)
		return 0;
	memmove(aio->queue, aio->queue + first, aio->queued * sizeof(*aio->queue));
	if (sent != -EAGAIN && sent != -EINTR)
		return (int)sent;
	aio->engine.refusals++;	/* the rest goes with the next call, when completions have made room */
	return 0;
}

/* Reaping */

static inline bool aio_take(struct aio *aio, const struct io_event *event, uint64_t now_ns,
			    struct io_done *done)
{
	const uint64_t tag = event->data;
	const uint16_t slot = (uint16_t)(tag >> 32);

	if (tag == AIO_WAKE) {
		aio->side_armed = false;
		return false;
	}
	done->slot = slot;
	done->submit_ns = aio->submit_ns[slot];
	done->done_ns = now_ns;
	done->result = (int32_t)event->res;
	if (__builtin_expect(event->res <= 0, 0))
		done->result = blocking_result(aio->engine.target, (enum io_op)(tag >> 48), (uint32_t)tag,
					       event->res);
	return true;
}

static uint32_t aio_collect_ring(struct aio *aio, struct io_done *done, uint32_t max)
{
	struct aio_ring *ring = aio->ring;
	const uint32_t tail = ring ? __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE) : 0;
	uint32_t head = ring ? ring->head : 0, count = 0;
	uint64_t now_ns;

	if (head == tail)
		return 0;
	now_ns = clock_now_ns(aio->engine.clock);
	while (head != tail && count < max) {
		count += aio_take(aio, &ring->events[head], now_ns, &done[count]);
		head = head + 1 == ring->entries ? 0 : head + 1;
	}
	__atomic_store_n(&ring->head, head, __ATOMIC_RELEASE);
	return count;
}

static uint32_t aio_collect_refused(struct aio *aio, struct io_done *done, uint32_t max)
{
	const uint32_t count = aio->refused_count < max ? aio->refused_count : max;

	aio->refused_count -= count;
	for (uint32_t i = 0; i < count; i++)
		done[i] = aio->refused[aio->refused_count + i];
	return count;
}

static uint32_t aio_collect(struct aio *aio, struct io_done *done, uint32_t max)
{
	uint32_t count = aio_collect_ring(aio, done, max);

	if (__builtin_expect(aio->refused_count, 0))
		count += aio_collect_refused(aio, done + count, max - count);
	if (aio->side)
		count += side_collect(aio->side, done + count, max - count);
	return count;
}

/* One poll for the side thread's event, so that a wait for I/O ends when a trim is done. */
static void aio_arm_side(struct aio *aio)
{
	struct iocb *block = &aio->blocks[aio->engine.depth];

	if (!aio->side || aio->side_armed || !side_in_flight(aio->side))
		return;
	*block = (struct iocb){ .aio_data = AIO_WAKE, .aio_lio_opcode = IOCB_CMD_POLL, .aio_buf = POLLIN,
				.aio_fildes = (uint32_t)side_event_fd(aio->side) };
	aio->side_armed = aio_send(aio, &block, 1) == 1;
}

/* Waits in the kernel; adds to done[], returns the new count or -errno. */
static int aio_wait(struct aio *aio, struct io_done *done, uint32_t count, uint32_t max, uint32_t wait_min,
		    uint64_t timeout_ns)
{
	struct io_event events[AIO_EVENTS];
	const uint32_t want = max - count < AIO_EVENTS ? max - count : AIO_EVENTS;
	uint32_t missing = wait_min > count ? wait_min - count : 0;
	const bool watched = aio->side && side_in_flight(aio->side);	/* the event may be all that comes */
	long got;
	uint64_t now_ns;

	if (missing > want)
		missing = want;
	got = aio_fetch(aio, watched && missing ? 1 : missing, want, events, timeout_ns);
	if (got <= 0)
		return got ? (int)got : (int)count;
	now_ns = clock_now_ns(aio->engine.clock);
	for (long i = 0; i < got; i++)
		count += aio_take(aio, &events[i], now_ns, &done[count]);
	return (int)count;
}

/* Whether the kernel or the side thread has something that will complete. */
static bool aio_expects(const struct aio *aio, uint32_t count)
{
	return aio->engine.in_flight > count + aio->queued;
}

static int aio_reap(struct engine *engine, struct io_done *done, uint32_t max, uint32_t wait_min,
		    uint64_t timeout_ns)
{
	struct aio *aio = (struct aio *)engine;
	const bool timed = wait_min && timeout_ns && timeout_ns != ENGINE_WAIT_FOREVER;
	const uint64_t start_ns = timed ? clock_monotonic_ns() : 0;
	uint64_t left_ns = timeout_ns;
	int err = aio_flush_queue(aio);
	uint32_t count;

	if (err < 0)
		return err;
	count = aio_collect(aio, done, max);
	while (count < wait_min && left_ns && aio_expects(aio, count)) {
		aio_arm_side(aio);
		err = aio_wait(aio, done, count, max, wait_min, left_ns);
		if (err >= 0) {
			count = (uint32_t)err;
			err = aio_flush_queue(aio);
		}
		count += aio_collect(aio, done + count, max - count);
		if (err < 0)
			return count || err == -EINTR ? (int)count : err;
		if (timed) {
			const uint64_t waited_ns = clock_monotonic_ns() - start_ns;

			left_ns = waited_ns < timeout_ns ? timeout_ns - waited_ns : 0;
		}
	}
	return (int)count;
}

/* One read or write: sent by a call of its own, and its completion read from the ring or waited for. What
 * the kernel doesn't take at once goes the long way. */
static int aio_transfer(struct engine *engine, const struct io *io, uint64_t submit_ns, struct io_done *done)
{
	struct aio *aio = (struct aio *)engine;
	struct iocb *block = &aio->blocks[io->slot];
	int count;

	if (__builtin_expect(io->op > IO_WRITE, 0))
		return engine_transfer_parts(engine, io, done);
	aio_fill(aio, block, io);
	aio->submit_ns[io->slot] = submit_ns;
	if (__builtin_expect(aio_send(aio, &block, 1) != 1, 0)) {
		aio->queue[aio->queued++] = block;
		engine->in_flight = 1;
		count = aio_reap(engine, done, 1, 1, ENGINE_WAIT_FOREVER);
		engine->in_flight = 0;
		return count;
	}
	count = (int)aio_collect_ring(aio, done, 1);
	if (!count)
		count = aio_wait(aio, done, 0, 1, 1, ENGINE_WAIT_FOREVER);
	return count == -EINTR ? 0 : count;
}

/* Attaching */

static void aio_release(struct aio *aio)
{
	aio->side = side_free(aio->side);
	if (aio->context)
		syscall(__NR_io_destroy, aio->context);
	free(aio->blocks);
	free(aio->queue);
	free(aio->submit_ns);
	free(aio->vectors);
	free(aio->refused);
}

static int aio_allocate(struct aio *aio, const struct engine_config *config, struct fault *fault)
{
	const uint32_t depth = config->depth;

	aio->blocks = calloc(depth + 1, sizeof(*aio->blocks));
	aio->queue = calloc(depth, sizeof(*aio->queue));
	aio->submit_ns = calloc(depth, sizeof(*aio->submit_ns));
	aio->refused = calloc(depth, sizeof(*aio->refused));
	if (config->vectored)
		aio->vectors = calloc(depth, sizeof(*aio->vectors));
	if (!aio->blocks || !aio->queue || !aio->submit_ns || !aio->refused ||
	    (config->vectored && !aio->vectors))
		return fault_system(fault, -ENOMEM, "no memory for %u I/Os in flight", depth);
	return 0;
}

static void aio_prebuild(struct aio *aio, const struct engine_config *config)
{
	for (uint32_t slot = 0; slot < config->depth; slot++) {
		struct iocb *block = &aio->blocks[slot];

		block->aio_fildes = (uint32_t)config->target->fd;
		block->aio_reqprio = (int16_t)config->ioprio;
		block->aio_flags = config->ioprio ? IOCB_FLAG_IOPRIO : 0;
	}
}

static int aio_open(struct aio *aio, const struct engine_config *config, struct fault *fault)
{
	struct aio_ring *ring;
	int err = (int)aio_setup(config->depth + 1, &aio->context);

	if (err < 0)
		return cause_aio_setup(fault, err, config->depth + 1);
	ring = (struct aio_ring *)aio->context;
	if (ring->magic == AIO_RING_MAGIC && !ring->incompatible)
		aio->ring = ring;
	return 0;
}

static int aio_attach(struct engine *engine, const struct engine_config *config, struct fault *fault)
{
	struct aio *aio = (struct aio *)engine;
	int err;

	engine->capabilities.trim = blocking_can_trim(config->target);
	engine->options.vectored = config->vectored;
	aio->rw_flags[IO_READ] = (__kernel_rwf_t)blocking_rw_flags(config->write_flags, IO_READ);
	aio->rw_flags[IO_WRITE] = (__kernel_rwf_t)blocking_rw_flags(config->write_flags, IO_WRITE);
	err = aio_allocate(aio, config, fault);
	if (!err)
		err = aio_open(aio, config, fault);
	if (!err && engine->capabilities.trim && config->target->may_write)
		err = side_new(config->target, config->clock, config->depth, &aio->side, fault);
	if (err < 0)
		aio_release(aio);
	else
		aio_prebuild(aio, config);
	return err;
}

static void aio_detach(struct engine *engine)
{
	struct io_done done[64];

	while (engine->in_flight && engine_reap(engine, done, 64, 1, ENGINE_WAIT_FOREVER) >= 0)
		;
	aio_release((struct aio *)engine);
}

const struct engine_ops engine_aio_ops = {
	.name = "libaio",
	.target_kinds = 1u << TARGET_FILE | 1u << TARGET_BLOCK | 1u << TARGET_CHAR,
	.can_ioprio = true,
	.capabilities = { .trim = true, .flush = true, .trim_synchronous = true, .depth_max = UINT16_MAX },
	.state_bytes = sizeof(struct aio),
	.attach = aio_attach,
	.submit = aio_submit,
	.reap = aio_reap,
	.transfer = aio_transfer,
	.detach = aio_detach,
};
