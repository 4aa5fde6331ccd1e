#include "engine/ring.h"

#include <errno.h>
#include <linux/time_types.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"

#define SQPOLL_IDLE_MS 2000u
#define SQPOLL_SPIN_NS 100000u

/* Flags in the order in which older kernels lack them; each failed setup drops one more line. */
static const uint32_t ring_optional_flags[] = {
	RING_SETUP_HYBRID_IOPOLL,					/* 6.13 */
	RING_SETUP_NO_SQARRAY,						/* 6.6 */
	IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_SINGLE_ISSUER,	/* 6.1 */
	IORING_SETUP_COOP_TASKRUN,					/* 5.19 */
	IORING_SETUP_SUBMIT_ALL,					/* 5.18 */
};
#define RING_OPTIONAL (sizeof(ring_optional_flags) / sizeof(ring_optional_flags[0]))

static int ring_register(const struct ring *ring, uint32_t opcode, const void *arg, uint32_t count)
{
	long result = syscall(__NR_io_uring_register, ring->fd, opcode, arg, count);

	return result < 0 ? -errno : (int)result;
}

static uint32_t ring_wanted_flags(const struct ring_config *config)
{
	uint32_t flags = IORING_SETUP_CQSIZE | IORING_SETUP_R_DISABLED;

	if (config->iopoll)
		flags |= IORING_SETUP_IOPOLL;
	if (config->sqpoll)
		flags |= IORING_SETUP_SQPOLL;
	if (config->sqpoll && config->sqpoll_cpu >= 0)
		flags |= IORING_SETUP_SQ_AFF;
	if (config->large)
		flags |= IORING_SETUP_SQE128 | IORING_SETUP_CQE32;
	return flags;
}

static int ring_setup(const struct ring_config *config, uint32_t optional, struct io_uring_params *ret_params)
{
	struct io_uring_params params = { .flags = ring_wanted_flags(config) | optional };
	uint32_t entries = 1;
	long fd;

	if (config->sqpoll)	/* the kernel's own thread runs completions there */
		params.flags &= ~(IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_COOP_TASKRUN);
	while (entries < config->entries)
		entries *= 2;
	params.cq_entries = entries * 2;
	params.sq_thread_idle = SQPOLL_IDLE_MS;
	params.sq_thread_cpu = config->sqpoll_cpu >= 0 ? (uint32_t)config->sqpoll_cpu : 0;
	fd = syscall(__NR_io_uring_setup, entries, &params);
	if (fd < 0)
		return -errno;
	*ret_params = params;
	return (int)fd;
}

static int ring_setup_best(const struct ring_config *config, struct io_uring_params *ret_params)
{
	uint32_t optional = 0;
	int fd;

	for (uint32_t i = 0; i < RING_OPTIONAL; i++)
		optional |= ring_optional_flags[i] & ~config->flags_avoided;
	if (!config->iopoll || !config->hybrid_poll)
		optional &= ~RING_SETUP_HYBRID_IOPOLL;
	fd = ring_setup(config, optional, ret_params);
	for (uint32_t i = 0; fd == -EINVAL && i < RING_OPTIONAL; i++) {
		optional &= ~ring_optional_flags[i];
		fd = ring_setup(config, optional, ret_params);
	}
	return fd;
}

static void *ring_mmap(int fd, size_t bytes, uint64_t offset)
{
	void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, (off_t)offset);

	return map == MAP_FAILED ? NULL : map;
}

/* Since 5.4 one mapping holds both rings (FEAT_SINGLE_MMAP), and timed waits (FEAT_EXT_ARG) with 5.11. */
static int ring_map(struct ring *ring, const struct io_uring_params *params)
{
	const size_t sq_bytes = params->sq_off.array + params->sq_entries * sizeof(uint32_t);
	const size_t cq_bytes = params->cq_off.cqes + ((size_t)params->cq_entries << ring->cqe_shift);
	char *base;

	ring->rings_bytes = sq_bytes > cq_bytes ? sq_bytes : cq_bytes;
	ring->sqe_map_bytes = (size_t)params->sq_entries << ring->sqe_shift;
	ring->rings = ring_mmap(ring->fd, ring->rings_bytes, IORING_OFF_SQ_RING);
	ring->sqe_map = ring_mmap(ring->fd, ring->sqe_map_bytes, IORING_OFF_SQES);
	if (!ring->rings || !ring->sqe_map)
		return -ENOMEM;
	base = ring->rings;
	ring->sqes = ring->sqe_map;
	ring->cqes = base + params->cq_off.cqes;
	ring->kernel_sq_head = (uint32_t *)(base + params->sq_off.head);
	ring->kernel_sq_tail = (uint32_t *)(base + params->sq_off.tail);
	ring->kernel_sq_flags = (uint32_t *)(base + params->sq_off.flags);
	ring->kernel_cq_head = (uint32_t *)(base + params->cq_off.head);
	ring->kernel_cq_tail = (uint32_t *)(base + params->cq_off.tail);
	ring->sq_mask = params->sq_entries - 1;
	ring->cq_mask = params->cq_entries - 1;
	if (!(params->flags & RING_SETUP_NO_SQARRAY))	/* entry i is always submission i */
		for (uint32_t i = 0; i < params->sq_entries; i++)
			((uint32_t *)(base + params->sq_off.array))[i] = i;
	return 0;
}

int ring_init(struct ring *ring, const struct ring_config *config)
{
	struct io_uring_params params = { 0 };
	int fd = ring_setup_best(config, &params);
	int err;

	*ring = (struct ring){ .sqe_shift = config->large ? 7 : 6, .cqe_shift = config->large ? 5 : 4 };
	if (fd < 0)
		return fd;
	ring->fd = ring->enter_fd = fd;
	ring->setup_flags = params.flags;
	if ((params.features & (IORING_FEAT_SINGLE_MMAP | IORING_FEAT_EXT_ARG)) !=
	    (IORING_FEAT_SINGLE_MMAP | IORING_FEAT_EXT_ARG))
		err = -ENOSYS;
	else
		err = ring_map(ring, &params);
	if (err < 0) {
		if (!ring->rings)
			close(fd);
		ring_release(ring);
	}
	return err;
}

/* A registered descriptor keeps the ring alive, and belongs to the thread that registered it. */
static void ring_forget_own(struct ring *ring)
{
	const struct io_uring_rsrc_update own = { .offset = (uint32_t)ring->enter_fd };

	if (ring->enter_flags && ring->owner == gettid())
		ring_register(ring, IORING_UNREGISTER_RING_FDS, &own, 1);
}

/* A ring is taken down by the kernel in its own time: what is registered is given back now, so that the
 * device is free at once (another O_EXCL opener would find it busy). */
static void ring_forget_registered(struct ring *ring)
{
	if (!ring->rings)
		return;
	ring_register(ring, IORING_UNREGISTER_FILES, NULL, 0);
	ring_register(ring, IORING_UNREGISTER_BUFFERS, NULL, 0);
}

void ring_release(struct ring *ring)
{
	ring_forget_registered(ring);
	ring_forget_own(ring);
	if (ring->sqe_map)
		munmap(ring->sqe_map, ring->sqe_map_bytes);
	if (ring->rings) {
		munmap(ring->rings, ring->rings_bytes);
		close(ring->fd);
	}
	*ring = (struct ring){ 0 };
}

int ring_register_file(struct ring *ring, int fd)
{
	return ring_register(ring, IORING_REGISTER_FILES, &fd, 1);
}

int ring_register_buffers(struct ring *ring, const struct iovec *buffers, uint32_t count)
{
	return ring_register(ring, IORING_REGISTER_BUFFERS, buffers, count);
}

int ring_enable(struct ring *ring)
{
	struct io_uring_rsrc_update own = { .offset = UINT32_MAX, .data = (uint64_t)ring->fd };
	int err = ring_register(ring, IORING_REGISTER_ENABLE_RINGS, NULL, 0);

	if (err < 0)
		return err;
	ring->enabled = true;
	ring->owner = gettid();
	if (ring_register(ring, IORING_REGISTER_RING_FDS, &own, 1) == 1) {
		ring->enter_fd = (int)own.offset;
		ring->enter_flags = IORING_ENTER_REGISTERED_RING;
	}
	return 0;
}

/* One system call; returns how many submissions the kernel took. */
static inline int ring_call(struct ring *ring, uint32_t count, uint32_t wait_min, uint32_t flags)
{
	return ring_called(ring, ring_enter(ring, count, wait_min, flags, NULL, 0));
}

static __attribute__((noinline)) int ring_call_timed(struct ring *ring, uint32_t count, uint32_t wait_min,
						     uint64_t timeout_ns)
{
	const struct __kernel_timespec time = { (long long)(timeout_ns / 1000000000u),
						(long long)(timeout_ns % 1000000000u) };
	const struct io_uring_getevents_arg arg = { .ts = (uint64_t)(uintptr_t)&time };

	return ring_called(ring,
			   ring_enter(ring, count, wait_min, IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG,
				      &arg, sizeof(arg)));
}

/* A polled ring is not woken by time, and stops waiting when the scheduler wants the processor: ask again and
 * again. The kernel doesn't poll while there are unread completions, so that one is all that can be waited
 * for. */
static __attribute__((noinline)) int ring_wait_polled(struct ring *ring, uint32_t wait_min,
						      uint64_t timeout_ns)
{
	const uint64_t start_ns = clock_monotonic_ns();
	int result;

	if (wait_min > 1)
		wait_min = 1;
	if (ring->sq_tail == ring->sent && ring_ready(ring))
		return 0;
	for (;;) {
		result = ring_call(ring, ring->sq_tail - ring->sent, timeout_ns == UINT64_MAX ? wait_min : 0,
				   IORING_ENTER_GETEVENTS);
		if (result > 0)
			ring->sent += (uint32_t)result;
		if (result < 0 && result != -EAGAIN)
			return result;
		if (ring_ready(ring) >= wait_min)
			return 0;
		if (clock_monotonic_ns() - start_ns >= timeout_ns)
			return -ETIME;
	}
}

/* The kernel's thread sends; we only wake it when it sleeps, look for a short time and then wait in the
 * kernel. */
static __attribute__((noinline)) int ring_wait_sqpoll(struct ring *ring, uint32_t wait_min,
						      uint64_t timeout_ns)
{
	uint64_t start_ns;
	int result = 0;

	ring->sent = ring->sq_tail;
	__sync_synchronize();	/* tail before flags, as the kernel's thread does the reverse */
	if (__atomic_load_n(ring->kernel_sq_flags, __ATOMIC_RELAXED) & IORING_SQ_NEED_WAKEUP)
		result = ring_call(ring, 0, 0, IORING_ENTER_SQ_WAKEUP);
	if (result < 0 || ring_ready(ring) >= wait_min)
		return result < 0 ? result : 0;
	start_ns = clock_monotonic_ns();
	while (ring_ready(ring) < wait_min) {
		uint64_t waited_ns = clock_monotonic_ns() - start_ns;

		if (waited_ns >= timeout_ns)
			return -ETIME;
		if (waited_ns >= SQPOLL_SPIN_NS && !(ring->setup_flags & IORING_SETUP_IOPOLL))
			return timeout_ns == UINT64_MAX
				       ? ring_call(ring, 0, wait_min, IORING_ENTER_GETEVENTS)
				       : ring_call_timed(ring, 0, wait_min, timeout_ns - waited_ns);
	}
	return 0;
}

int ring_wait_long(struct ring *ring, uint32_t wait_min, uint64_t timeout_ns)
{
	const uint32_t setup_flags = ring->setup_flags;

	if (!timeout_ns)
		wait_min = 0;
	if (__builtin_expect(setup_flags & (IORING_SETUP_SQPOLL | IORING_SETUP_IOPOLL), 0))
		return setup_flags & IORING_SETUP_SQPOLL ? ring_wait_sqpoll(ring, wait_min, timeout_ns) :
							   ring_wait_polled(ring, wait_min, timeout_ns);
	for (;;) {
		const uint32_t count = ring->sq_tail - ring->sent;
		int result;

		if (!count && ring_ready(ring) && ring_ready(ring) >= wait_min)
			return 0;
		if (wait_min && timeout_ns != UINT64_MAX)
			result = ring_call_timed(ring, count, wait_min, timeout_ns);
		else
			result = ring_call(ring, count, wait_min, IORING_ENTER_GETEVENTS);
		if (result < 0)
			return result;
		ring->sent += (uint32_t)result;
		if (ring_ready(ring) >= wait_min)
			return 0;
		if (!result || (uint32_t)result == count) /* all sent, not enough back: time-out or signal */
			return timeout_ns == UINT64_MAX ? -EINTR : -ETIME;
	}
}
