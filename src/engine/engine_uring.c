/* io_uring: one ring per engine. A submission is five stores into an entry whose other fields never change; a
 * completion carries everything about its I/O in its 64-bit tag, so that no table but the start times is
 * touched. */
#include "engine/engine_backends.h"

#include <errno.h>
#include <linux/falloc.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "engine/blocking.h"
#include "engine/cause.h"
#include "engine/ring.h"
#include "engine/ring_options.h"
#include "engine/side.h"

#define URING_DISCARD 0x1200u	/* BLOCK_URING_CMD_DISCARD, _IO(0x12, 0), Linux 6.12 */
#define URING_WAKE UINT64_MAX	/* tag of the poll for the side thread's event; no I/O has it */

struct uring {
	struct engine engine;
	struct ring ring;
	uint64_t head[IO_OPS];		/* first 8 bytes of an entry: opcode, flags, ioprio, file */
	uint64_t rw_flags[2];		/* by operation: read, write; in the upper half, above the length */
	uint64_t *submit_ns;		/* per slot */
	uint32_t plain_ops;		/* ops below this need but a plain entry: 2; 0 for vectors, no-ops */
	/* of these, those that uring_transfer does by one call: 2, or 0 (uring_direct_ops) */
	uint32_t direct_ops;
	struct iovec *vectors;		/* per slot; only when vectored */
	struct side *side;		/* NULL when the ring can do every operation itself */
	bool side_trim, side_sync;	/* which operations go there */
	bool side_armed;		/* the ring watches the side thread's event */
};

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "io_word and the 8-byte stores below are written for little-endian machines"
#endif

/* The tag of a completion is the I/O's io_word. */
static inline uint32_t uring_tag_bytes(uint64_t tag) { return (uint32_t)tag; }
static inline uint16_t uring_tag_slot(uint64_t tag) { return (uint16_t)(tag >> 32); }
static inline enum io_op uring_tag_op(uint64_t tag) { return (enum io_op)(tag >> 48 & 0xff); }

/* The submission entry as 8-byte words, for few and wide stores. */
struct uring_words {
	uint64_t head, offset, address, length_flags, user_data, indexes, address3, pad;
};
_Static_assert(sizeof(struct uring_words) == sizeof(struct io_uring_sqe), "a submission entry is 64 bytes");

static inline struct uring_words *uring_entries(const struct uring *uring)
{
	return (struct uring_words *)uring->ring.sqes;
}

static inline void uring_fill_transfer(struct uring_words *entry, const struct io *io, uint64_t head,
				       uint64_t rw_flags)
{
	entry->head = head;
	entry->offset = io->offset;
	entry->address = (uint64_t)(uintptr_t)io->buffer;
	entry->length_flags = io->bytes | rw_flags;
	entry->user_data = io_word(io);
	entry->address3 = 0;
}

static void uring_fill_vector(const struct uring *uring, struct uring_words *entry, const struct io *io)
{
	struct iovec *vector = &uring->vectors[io->slot];

	*vector = (struct iovec){ io->buffer, io->bytes };
	uring_fill_transfer(entry, io, uring->head[io->op], 0);
	entry->address = (uint64_t)(uintptr_t)vector;
	entry->length_flags = 1 | uring->rw_flags[io->op];
}

static void uring_fill_trim(const struct uring *uring, struct uring_words *entry, const struct io *io)
{
	*entry = (struct uring_words){ .head = uring->head[IO_TRIM], .user_data = io_word(io) };
	if (uring->engine.target->kind == TARGET_BLOCK) {
		entry->offset = URING_DISCARD;
		entry->address = io->offset;
		entry->address3 = io->bytes;
	} else {
		entry->offset = io->offset;
		entry->address = io->bytes;
		entry->length_flags = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
	}
}

static void uring_fill_sync(const struct uring *uring, struct uring_words *entry, const struct io *io)
{
	const uint64_t flags = io->op == IO_FLUSH ? IORING_FSYNC_DATASYNC : 0;

	*entry = (struct uring_words){ .head = uring->head[io->op], .length_flags = flags << 32,
				       .user_data = io_word(io) };
}

/* Trim, flush and fsync, vectors and no-op: all that is not a plain read or write. Returns whether the entry
 * is used. */
static __attribute__((noinline)) bool uring_fill_other(struct uring *uring, struct uring_words *entry,
						       const struct io *io)
{
	if (uring->engine.options.no_op) {
		*entry = (struct uring_words){ .head = IORING_OP_NOP, .user_data = io_word(io) };
		return true;
	}
	if (io->op <= IO_WRITE) {
		uring_fill_vector(uring, entry, io);
		return true;
	}
	if (io->op == IO_TRIM ? uring->side_trim : uring->side_sync) {
		side_push(uring->side, io);
		return false;
	}
	if (io->op == IO_TRIM)
		uring_fill_trim(uring, entry, io);
	else
		uring_fill_sync(uring, entry, io);
	return true;
}

/* The first call makes its thread the ring's. */
static __attribute__((noinline)) int uring_enable(struct uring *uring)
{
	int err = ring_enable(&uring->ring);

	uring->engine.options.registered_ring = uring->ring.enter_flags & IORING_ENTER_REGISTERED_RING;
	return err;
}

/* Plain reads and writes into entries that follow each other, up to `end` or the first other operation:
 * returns it. */
static inline const struct io *uring_fill_run(struct uring *uring, struct uring_words *entry,
					      const struct io *io, const struct io *end, uint64_t now_ns)
{
	const uint32_t plain_ops = uring->plain_ops;
	uint64_t *const submit_ns = uring->submit_ns;

#pragma GCC unroll 4
	for (; io != end; io++, entry++) {
		if (__builtin_expect(io->op >= plain_ops, 0))
			break;
		submit_ns[io->slot] = now_ns;
		uring_fill_transfer(entry, io, uring->head[io->op], uring->rw_flags[io->op]);
	}
	return io;
}

static int uring_submit(struct engine *engine, const struct io *ios, uint32_t count)
{
	struct uring *uring = (struct uring *)engine;
	struct uring_words *const entries = uring_entries(uring);
	uint64_t *const submit_ns = uring->submit_ns;
	const uint64_t now_ns = clock_now_ns(engine->clock);
	const uint32_t mask = uring->ring.sq_mask, taken = count;
	uint32_t tail = uring->ring.sq_tail;
	int err;

	engine->submitted_ns = now_ns;
	if (__builtin_expect(!uring->ring.enabled, 0) && (err = uring_enable(uring)) < 0)
		return err;
	if (count == 1 && ios->op < uring->plain_ops) {
		submit_ns[ios->slot] = now_ns;
		uring_fill_transfer(&entries[tail & mask], ios, uring->head[ios->op],
				    uring->rw_flags[ios->op]);
		ring_publish(&uring->ring, tail + 1);
		return 1;
	}
	while (count) {
		const uint32_t at = tail & mask, room = mask + 1 - at;
		const struct io *const end = ios + (count < room ? count : room);
		const struct io *const from = ios;

		ios = uring_fill_run(uring, &entries[at], ios, end, now_ns);
		tail += (uint32_t)(ios - from);
		count -= (uint32_t)(ios - from);
		if (__builtin_expect(ios != end, 0)) {
			submit_ns[ios->slot] = now_ns;
			tail += uring_fill_other(uring, &entries[tail & mask], ios++);
			count--;
		}
	}
	ring_publish(&uring->ring, tail);
	return (int)taken;
}

/* Which ops uring_transfer may do by one call of its own: none while the ring isn't enabled, where a
 * thread of the kernel sends or polls, and where a side thread has completions too. */
static uint32_t uring_direct_ops(const struct uring *uring)
{
	if (!uring->ring.enabled || uring->side ||
	    uring->ring.setup_flags & (IORING_SETUP_SQPOLL | IORING_SETUP_IOPOLL))
		return 0;
	return uring->plain_ops;
}

/* A result that isn't simply "all bytes moved". */
static __attribute__((noinline)) int32_t uring_odd_result(const struct uring *uring, uint64_t tag,
							  int32_t result)
{
	if (uring->engine.options.no_op && result == 0)
		return uring_tag_op(tag) <= IO_WRITE ? (int32_t)uring_tag_bytes(tag) : 0;
	return blocking_result(uring->engine.target, uring_tag_op(tag), uring_tag_bytes(tag), result);
}

static inline uint32_t uring_ready(const struct uring *uring, uint32_t max)
{
	const uint32_t ready = ring_ready(&uring->ring);

	return ready < max ? ready : max;
}

static inline __attribute__((always_inline)) uint32_t uring_collect(struct uring *uring, struct io_done *done,
								    uint32_t max)
{
	const struct io_uring_cqe *const cqes = (const struct io_uring_cqe *)uring->ring.cqes;
	const uint64_t *const submit_ns = uring->submit_ns;
	const uint32_t mask = uring->ring.cq_mask;
	const uint32_t end = uring->ring.cq_head + uring_ready(uring, max);
	struct io_done *const first = done;
	uint32_t head = uring->ring.cq_head;
	uint64_t now_ns;

	if (head == end)
		return 0;
	now_ns = clock_now_ns(uring->engine.clock);
#pragma GCC unroll 4
	for (; head != end; head++) {
		const uint64_t tag = cqes[head & mask].user_data;
		int32_t result = cqes[head & mask].res;

		if (__builtin_expect(result != (int32_t)uring_tag_bytes(tag), 0)) {
			if (tag == URING_WAKE) {
				uring->side_armed = false;
				continue;
			}
			result = uring_odd_result(uring, tag, result);
		}
		done->slot = uring_tag_slot(tag);
		done->result = result;
		done->submit_ns = submit_ns[uring_tag_slot(tag)];
		done->done_ns = now_ns;
		done++;
	}
	ring_consume(&uring->ring, head);
	return (uint32_t)(done - first);
}

/* One poll for the side thread's event, so that a wait in the ring ends when a trim or flush there is done. A
 * polled ring can't watch descriptors. */
static void uring_arm_side(struct uring *uring)
{
	struct uring_words *entry = &uring_entries(uring)[uring->ring.sq_tail & uring->ring.sq_mask];

	if (uring->side_armed || !side_in_flight(uring->side) ||
	    uring->ring.setup_flags & IORING_SETUP_IOPOLL)
		return;
	*entry =
		(struct uring_words){ .head = IORING_OP_POLL_ADD | (uint64_t)side_event_fd(uring->side) << 32,
				      .length_flags = (uint64_t)POLLIN << 32,
				      .user_data = URING_WAKE };
	ring_publish(&uring->ring, uring->ring.sq_tail + 1);
	uring->side_armed = true;
}

static int uring_wait_side(struct uring *uring, uint32_t wait_min, uint64_t timeout_ns)
{
	struct pollfd event = { .fd = side_event_fd(uring->side), .events = POLLIN };

	uring_arm_side(uring);
	if (!wait_min || !side_in_flight(uring->side) || !(uring->ring.setup_flags & IORING_SETUP_IOPOLL))
		return ring_wait(&uring->ring, wait_min ? 1 : 0, timeout_ns);
	if (uring->engine.in_flight == side_in_flight(uring->side))
		poll(&event, 1, 1);
	return ring_wait(&uring->ring, 0, 0);
}

static __attribute__((noinline)) int uring_reap_with_side(struct uring *uring, struct io_done *done,
							  uint32_t max, uint32_t wait_min,
							  uint64_t timeout_ns)
{
	const uint64_t start_ns = clock_monotonic_ns();
	uint64_t waited_ns = 0;
	uint32_t count = side_collect(uring->side, done, max);
	int err;

	do {
		const uint64_t left_ns =
			timeout_ns == ENGINE_WAIT_FOREVER ? timeout_ns : timeout_ns - waited_ns;

		err = uring_wait_side(uring, count < wait_min ? 1 : 0, left_ns);
		if (err < 0 && !ring_error_passes(err))
			return count ? (int)count : err;
		count += uring_collect(uring, done + count, max - count);
		count += side_collect(uring->side, done + count, max - count);
		waited_ns = clock_monotonic_ns() - start_ns;
	} while (count < wait_min && waited_ns < timeout_ns && err != -EINTR && err != -EAGAIN);
	return (int)count;
}

static int uring_reap(struct engine *engine, struct io_done *done, uint32_t max, uint32_t wait_min,
		      uint64_t timeout_ns)
{
	struct uring *uring = (struct uring *)engine;
	int err, count;

	if (__builtin_expect(!engine->in_flight, 0))
		return 0;
	if (__builtin_expect(uring->side != NULL, 0)) {
		count = uring_reap_with_side(uring, done, max, wait_min, timeout_ns);
	} else {
		if (!wait_min && engine->in_flight == ring_unsent(&uring->ring))
			err = ring_send(&uring->ring);
		else
			err = ring_wait(&uring->ring, wait_min, timeout_ns);
		if (err < 0 && !ring_error_passes(err))
			return err;
		count = (int)uring_collect(uring, done, max);
	}
	engine->calls = uring->ring.calls;
	engine->refusals = uring->ring.refusals;
	return count;
}

/* Everything that isn't a plain transfer with the one call sent, waited for and answered. */
static __attribute__((noinline)) int uring_transfer_long(struct uring *uring, const struct io *io,
							 struct io_done *done)
{
	const int count = engine_transfer_parts(&uring->engine, io, done);

	uring->direct_ops = uring_direct_ops(uring);	/* the first call has enabled the ring */
	return count;
}

/* The call came back without the one completion: what uring_reap would make of it. */
static __attribute__((noinline)) int uring_transfer_late(struct uring *uring, long result,
							 const struct io *io, struct io_done *done)
{
	const int called = ring_called(&uring->ring, result);
	int count;

	uring->submit_ns[io->slot] = done->submit_ns;
	if (called < 0 && !ring_error_passes(called))
		return called;
	if (called > 0)
		uring->ring.sent += (uint32_t)called;
	count = (int)uring_collect(uring, done, 1);
	uring->engine.calls = uring->ring.calls;
	uring->engine.refusals = uring->ring.refusals;
	return count;
}

static int uring_transfer(struct engine *engine, const struct io *io, uint64_t submit_ns,
			  struct io_done *done)
{
	struct uring *uring = (struct uring *)engine;
	struct ring *ring = &uring->ring;
	const struct io_uring_cqe *cqe;
	long result;

	if (__builtin_expect(io->op >= uring->direct_ops, 0))
		return uring_transfer_long(uring, io, done);
	uring_fill_transfer(&uring_entries(uring)[ring->sq_tail & ring->sq_mask], io, uring->head[io->op],
			    uring->rw_flags[io->op]);
	ring_publish(ring, ring->sq_tail + 1);
	done->slot = io->slot;
	done->submit_ns = submit_ns;
	result = ring_enter(ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0);
	if (__builtin_expect(result != 1 || !ring_ready(ring), 0))
		return uring_transfer_late(uring, result, io, done);
	done->done_ns = clock_now_ns(engine->clock);
	ring->sent++;
	engine->calls = ++ring->calls;
	cqe = (const struct io_uring_cqe *)ring->cqes + (ring->cq_head & ring->cq_mask);
	done->result = cqe->res;
	if (__builtin_expect(done->result != (int32_t)io->bytes, 0))
		done->result = uring_odd_result(uring, cqe->user_data, done->result);
	ring_consume(ring, ring->cq_head + 1);
	return 1;
}

/* Attaching */

static void uring_release(struct uring *uring)
{
	ring_release(&uring->ring);
	uring->side = side_free(uring->side);
	free(uring->submit_ns);
	free(uring->vectors);
}

static uint64_t uring_head(const struct uring *uring, const struct engine_config *config, uint8_t opcode,
			   uint16_t ioprio)
{
	const uint64_t file = uring->engine.options.fixed_files ? 0 : (uint64_t)(uint32_t)config->target->fd;
	const uint64_t flags = uring->engine.options.fixed_files ? IOSQE_FIXED_FILE : 0;

	return opcode | flags << 8 | (uint64_t)ioprio << 16 | file << 32;
}

static void uring_prebuild(struct uring *uring, const struct engine_config *config)
{
	static const uint8_t read_opcodes[] = { IORING_OP_READ, IORING_OP_READ_FIXED, IORING_OP_READV };
	static const uint8_t write_opcodes[] = { IORING_OP_WRITE, IORING_OP_WRITE_FIXED, IORING_OP_WRITEV };
	const int form = config->vectored ? 2 : uring->engine.options.fixed_buffers ? 1 : 0;
	const uint8_t trim = config->target->kind == TARGET_BLOCK ? IORING_OP_URING_CMD : IORING_OP_FALLOCATE;

	uring->head[IO_READ] = uring_head(uring, config, read_opcodes[form], config->ioprio);
	uring->head[IO_WRITE] = uring_head(uring, config, write_opcodes[form], config->ioprio);
	uring->head[IO_TRIM] = uring_head(uring, config, trim, 0);
	uring->head[IO_FLUSH] = uring_head(uring, config, IORING_OP_FSYNC, 0);
	uring->head[IO_FSYNC] = uring->head[IO_FLUSH];
	uring->rw_flags[IO_READ] = (uint64_t)blocking_rw_flags(config->write_flags, IO_READ) << 32;
	uring->rw_flags[IO_WRITE] = (uint64_t)blocking_rw_flags(config->write_flags, IO_WRITE) << 32;
	uring->plain_ops = config->vectored || config->no_op ? 0 : IO_TRIM;
	memset(uring->ring.sqes, 0, (size_t)(uring->ring.sq_mask + 1) << uring->ring.sqe_shift);
}

/* Polled rings are made for every target, but only some drivers can be polled: one read shows it. */
static int uring_probe_read(const struct engine_config *config, struct fault *fault)
{
	const struct target *target = config->target;
	const struct ring_config ring_config = ring_options_config(config);
	struct uring_words read = { .head = IORING_OP_READ | (uint64_t)(uint32_t)target->fd << 32 };
	void *buffer = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int result = 0, err;

	if (buffer == MAP_FAILED)
		return fault_system(fault, -ENOMEM, "no memory for a trial read");
	read.address = (uint64_t)(uintptr_t)buffer;
	read.length_flags =
		target->block_bytes >= 512 && target->block_bytes <= 65536 ? target->block_bytes : 4096;
	err = ring_options_try(&ring_config, &read, NULL, &result);
	munmap(buffer, 65536);
	if (err < 0)
		return fault_system(fault, err, "a trial read through a polled io_uring failed: %s",
				    strerror(-err));
	if (result == -EOPNOTSUPP)
		return fault_system(fault, result,
				    "%s can't be polled: its driver has no poll queues (NVMe: module option "
				    "nvme.poll_queues) or the file system can't",
				    target->name);
	if (result < 0)
		return fault_system(fault, result, "a trial read of %s through a polled io_uring failed: %s",
				    target->name, strerror(-result));
	return 0;
}

/* Whether the kernel takes discards through the ring: an empty, unaligned one is refused as such (-EINVAL) if
 * so. */
static bool uring_probe_discard(const struct engine_config *config)
{
	const struct uring_words discard = {
		.head = IORING_OP_URING_CMD | (uint64_t)(uint32_t)config->target->fd << 32,
		.offset = URING_DISCARD, .address = 1,
	};
	const struct ring_config ring_config = ring_options_config(config);
	int result = 0;

	return ring_options_try(&ring_config, &discard, NULL, &result) == 0 && result == -EINVAL;
}

/* Which operations need the side thread here; it is started if there are any. */
static int uring_attach_side(struct uring *uring, const struct engine_config *config, struct fault *fault)
{
	const struct target *target = config->target;
	struct engine_capabilities *capabilities = &uring->engine.capabilities;

	capabilities->trim = blocking_can_trim(target) || config->no_op;
	if (config->no_op)
		return 0;
	uring->side_sync = config->iopoll || config->control_aside;
	uring->side_trim = uring->side_sync || (target->kind == TARGET_BLOCK && target->may_write &&
					      !uring_probe_discard(config));
	capabilities->trim_synchronous = uring->side_trim;
	capabilities->flush_synchronous = uring->side_sync;
	if (!uring->side_sync && !uring->side_trim)
		return 0;
	return side_new(target, config->clock, config->depth, &uring->side, fault);
}

static int uring_attach_ring(struct uring *uring, const struct engine_config *config, struct fault *fault)
{
	struct ring_config ring_config = ring_options_config(config);
	int err;

	ring_config.entries = config->depth + (uring->side ? 1 : 0);
	err = ring_init(&uring->ring, &ring_config);
	if (err < 0)
		return cause_ring_setup(fault, err, ring_config.entries);
	uring->engine.options.vectored = config->vectored;
	uring->engine.options.no_op = config->no_op;
	return ring_options_register(&uring->ring, &uring->engine, config, false, fault);
}

static int uring_allocate(struct uring *uring, const struct engine_config *config, struct fault *fault)
{
	uring->submit_ns = calloc(config->depth, sizeof(*uring->submit_ns));
	if (config->vectored)
		uring->vectors = calloc(config->depth, sizeof(*uring->vectors));
	if (!uring->submit_ns || (config->vectored && !uring->vectors))
		return fault_system(fault, -ENOMEM, "no memory for %u I/Os in flight", config->depth);
	return 0;
}

/* Polling that the target can't do is refused if the plan named it; otherwise the ring goes on without, and
 * says so. */
static int uring_settle_polling(struct uring *uring, struct engine_config *config, struct fault *fault)
{
	struct fault cause = { 0 };
	int err;

	if (!config->iopoll || config->no_op)
		return 0;
	err = uring_probe_read(config, &cause);
	if (err < 0)
		err = ring_options_forgo(&uring->engine, config, err, &cause, fault);
	if (!err && cause.text[0])
		config->iopoll = config->hybrid_poll = false;
	return err;
}

static int uring_attach(struct engine *engine, const struct engine_config *asked, struct fault *fault)
{
	struct uring *uring = (struct uring *)engine;
	struct engine_config config = *asked;
	int err;

	config.fixed_buffers = asked->fixed_buffers && !asked->vectored && !asked->no_op;
	config.fixed_files = asked->fixed_files && !asked->no_op;
	config.vectored = asked->vectored && !asked->no_op;
	err = uring_settle_polling(uring, &config, fault);
	if (!err)
		err = uring_allocate(uring, &config, fault);
	if (!err)
		err = uring_attach_side(uring, &config, fault);
	if (!err)
		err = uring_attach_ring(uring, &config, fault);
	if (err < 0)
		uring_release(uring);
	else
		uring_prebuild(uring, &config);
	return err;
}

static void uring_detach(struct engine *engine)
{
	struct uring *uring = (struct uring *)engine;
	struct io_done done[64];

	while (engine->in_flight && engine_reap(engine, done, 64, 1, ENGINE_WAIT_FOREVER) >= 0)
		;
	uring_release(uring);
}

const struct engine_ops engine_uring_ops = {
	.name = "io_uring",
	.target_kinds = 1u << TARGET_FILE | 1u << TARGET_BLOCK | 1u << TARGET_CHAR,
	.can_sqpoll = true, .can_iopoll = true, .can_ioprio = true,
	.capabilities = { .trim = true, .flush = true, .depth_max = RING_ENTRIES_MAX - 1 },
	.state_bytes = sizeof(struct uring),
	.attach = uring_attach,
	.submit = uring_submit,
	.reap = uring_reap,
	.transfer = uring_transfer,
	.detach = uring_detach,
};
