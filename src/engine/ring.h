/* ring: one io_uring instance as this program uses it: set up with the fastest flags that the kernel
 * takes, mapped, driven by one thread. Written against the kernel's interface (io_uring_setup(2),
 * io_uring_enter(2), linux/io_uring.h); constants that Debian 12's headers lack are defined here.
 *
 * Life: ring_init (any thread), ring_register_* (any thread), ring_enable (the thread that will use it),
 * then ring_next_sqe / ring_publish / ring_wait / ring_ready / ring_cqe / ring_consume by that thread
 * only, ring_release. A zeroed ring can be released. */
#pragma once
#include <errno.h>
#include <linux/io_uring.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define RING_SETUP_NO_SQARRAY (1u << 16)	/* Linux 6.6 */
#define RING_SETUP_HYBRID_IOPOLL (1u << 17)	/* Linux 6.13 */
#define RING_ENTRIES_MAX 32768u
#define RING_BUFFER_BYTES_MAX (1ull << 30)	/* the kernel's limit for one registered buffer */
#define RING_BUFFERS_MAX (1u << 14)		/* and for their number */

struct ring_config {
	uint32_t entries;	/* submissions; rounded up to a power of two; twice as many completions */
	bool iopoll, sqpoll;
	bool hybrid_poll;	/* if the kernel can: see setup_flags */
	bool large;		/* 128-byte submissions and 32-byte completions (passthrough commands) */
	int32_t sqpoll_cpu;	/* -1 = any */
	uint32_t flags_avoided;	/* optional setup flags to do without */
};

struct ring {
	char *sqes, *cqes;
	uint32_t *kernel_sq_head, *kernel_sq_tail, *kernel_sq_flags, *kernel_cq_head, *kernel_cq_tail;
	uint32_t sq_tail;	/* next free submission */
	uint32_t sent;		/* up to here the kernel has taken them */
	uint32_t cq_head;	/* next completion to look at */
	uint32_t sq_mask, cq_mask;
	uint8_t sqe_shift, cqe_shift;	/* log2 of the entry sizes */
	bool enabled;
	int enter_fd;		/* descriptor, or index when registered */
	uint32_t enter_flags;
	uint32_t setup_flags;	/* what the kernel granted */
	int fd;			/* valid while mapped */
	pid_t owner;		/* the thread that enabled it */
	uint64_t calls, refusals;	/* as in struct engine */
	void *rings, *sqe_map;
	size_t rings_bytes, sqe_map_bytes;
};

/* 0 or -errno of io_uring_setup or mmap; -ENOSYS also when the kernel has io_uring but no timed waits
 * (before 5.11). */
int ring_init(struct ring *ring, const struct ring_config *config);
void ring_release(struct ring *ring);
int ring_register_file(struct ring *ring, int fd);	/* it becomes file 0 */
/* buffers 0, 1, ... */
int ring_register_buffers(struct ring *ring, const struct iovec *buffers, uint32_t count);
/* Binds the ring to the calling thread and starts it; registers the ring's own descriptor if the kernel
 * can. */
int ring_enable(struct ring *ring);

/* The codes after which the caller just looks at what has arrived. */
static inline bool ring_error_passes(int error)
{
	return error == -ETIME || error == -EINTR || error == -EAGAIN;
}

/* The entry for submission `tail` (ring->sq_tail, + 1, ...): contents are those of its last use. */
static inline struct io_uring_sqe *ring_sqe(const struct ring *ring, uint32_t tail)
{
	return (struct io_uring_sqe *)(ring->sqes + ((size_t)(tail & ring->sq_mask) << ring->sqe_shift));
}

static inline void ring_publish(struct ring *ring, uint32_t tail)
{
	ring->sq_tail = tail;
	__atomic_store_n(ring->kernel_sq_tail, tail, __ATOMIC_RELEASE);
}

/* Published, and not yet taken by the kernel. */
static inline uint32_t ring_unsent(const struct ring *ring)
{
	return ring->sq_tail - ring->sent;
}

static inline uint32_t ring_ready(const struct ring *ring)
{
	return __atomic_load_n(ring->kernel_cq_tail, __ATOMIC_ACQUIRE) - ring->cq_head;
}

static inline const struct io_uring_cqe *ring_cqe(const struct ring *ring, uint32_t head)
{
	return (const struct io_uring_cqe *)(ring->cqes +
					     ((size_t)(head & ring->cq_mask) << ring->cqe_shift));
}

static inline void ring_consume(struct ring *ring, uint32_t head)
{
	ring->cq_head = head;
	__atomic_store_n(ring->kernel_cq_head, head, __ATOMIC_RELEASE);
}

/* io_uring_enter(2) itself. */
static inline long ring_enter(const struct ring *ring, uint32_t count, uint32_t wait_min, uint32_t flags,
		       const void *arg, size_t arg_bytes)
{
	const long fd = ring->enter_fd;

	flags |= ring->enter_flags;
#if defined(__x86_64__)
	/* Nothing may be computed between these and the call: it could use the registers. */
	register long r10 __asm__("r10") = flags;
	register long r8 __asm__("r8") = (long)arg;
	register long r9 __asm__("r9") = (long)arg_bytes;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"((long)__NR_io_uring_enter), "D"(fd), "S"((long)count),
			   "d"((long)wait_min), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
#else
	long result = syscall(__NR_io_uring_enter, fd, count, wait_min, flags, arg, arg_bytes);

	return result < 0 ? -errno : result;
#endif
}

static inline int ring_called(struct ring *ring, long result)
{
	ring->calls++;
	if (__builtin_expect(result == -EAGAIN || result == -EBUSY, 0)) {
		ring->refusals++;
		return -EAGAIN;
	}
	return (int)result;
}

/* ring_wait where it isn't one call with everything sent and enough back. */
int ring_wait_long(struct ring *ring, uint32_t wait_min, uint64_t timeout_ns);

/* Sends what is published when nothing else is under way: there is nothing to be looked for that the sending
 * itself doesn't bring. Codes as those of ring_wait. */
static inline int ring_send(struct ring *ring)
{
	const uint32_t count = ring_unsent(ring);
	int result;

	if (__builtin_expect(ring->setup_flags & (IORING_SETUP_SQPOLL | IORING_SETUP_IOPOLL), 0))
		return ring_wait_long(ring, 0, 0);
	result = ring_called(ring, ring_enter(ring, count, 0, 0, NULL, 0));
	if (__builtin_expect(result < 0, 0))
		return result;
	ring->sent += (uint32_t)result;
	return 0;
}

/* Sends what is published and waits until wait_min completions are there. 0; -ETIME after timeout_ns;
 * -EINTR; -EAGAIN when the kernel can't take more for the moment; any other -errno is a broken ring. A
 * polled ring waits for one completion at most, whatever wait_min: read it and wait again. */
static inline int ring_wait(struct ring *ring, uint32_t wait_min, uint64_t timeout_ns)
{
	const uint32_t count = ring_unsent(ring);
	int result;

	if (__builtin_expect(!count || ring->setup_flags & (IORING_SETUP_SQPOLL | IORING_SETUP_IOPOLL) ||
			     (wait_min && timeout_ns != UINT64_MAX), 0))
		return ring_wait_long(ring, wait_min, timeout_ns);
	result = ring_called(ring, ring_enter(ring, count, wait_min, IORING_ENTER_GETEVENTS, NULL, 0));
	if (__builtin_expect(result < 0, 0))
		return result;
	ring->sent += (uint32_t)result;
	if (__builtin_expect((uint32_t)result == count && ring_ready(ring) >= wait_min, 1))
		return 0;
	return ring_wait_long(ring, wait_min, timeout_ns);
}
