/* The reference: io_uring with nothing around it, for a kernel that has everything (6.6 or later). What a
 * program that does nothing but send and receive can reach; the engine is measured against it. */
#include "loop.h"

#include <errno.h>
#include <linux/io_uring.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/random.h"

#define SETUP_NO_SQARRAY (1u << 16)

struct reference {
	int fd, enter_fd;
	uint32_t enter_flags, sq_mask, cq_mask;
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;
	uint32_t *sq_tail, *cq_head, *cq_tail;
	char *buffers;
	uint64_t *submit_ns;
	uint32_t *free_slots;
	uint32_t free_count;
	uint64_t blocks;		/* of the target */
	struct clock clock;
	struct random random;
};

static long enter(const struct reference *ref, uint32_t count, uint32_t wait)
{
	const long fd = ref->enter_fd, flags = (long)(IORING_ENTER_GETEVENTS | ref->enter_flags);
#if defined(__x86_64__)
	register long r10 __asm__("r10") = flags;
	register long r8 __asm__("r8") = 0;
	register long r9 __asm__("r9") = 0;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"((long)__NR_io_uring_enter), "D"(fd), "S"((long)count),
			   "d"((long)wait), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
#else
	return syscall(__NR_io_uring_enter, fd, count, wait, flags, NULL, 0);
#endif
}

static int reference_open(struct reference *ref, const struct loop_config *config)
{
	const uint64_t bytes = (uint64_t)config->depth * config->block_bytes;
	struct io_uring_params params = {
		.flags = IORING_SETUP_CQSIZE | IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN |
			 IORING_SETUP_COOP_TASKRUN | SETUP_NO_SQARRAY,
		.cq_entries = config->depth * 2,
	};
	struct io_uring_rsrc_update own = { .offset = UINT32_MAX };
	struct iovec vector;
	char *rings;

	ref->fd = (int)syscall(__NR_io_uring_setup, config->depth, &params);
	if (ref->fd < 0)
		return -errno;
	rings = mmap(NULL, params.cq_off.cqes + params.cq_entries * sizeof(struct io_uring_cqe),
		     PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ref->fd, IORING_OFF_CQ_RING);
	ref->sqes = mmap(NULL, params.sq_entries * sizeof(struct io_uring_sqe), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_POPULATE, ref->fd, IORING_OFF_SQES);
	ref->buffers =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (rings == MAP_FAILED || ref->sqes == MAP_FAILED || ref->buffers == MAP_FAILED)
		return -ENOMEM;
	ref->sq_tail = (uint32_t *)(rings + params.sq_off.tail);
	ref->cq_head = (uint32_t *)(rings + params.cq_off.head);
	ref->cq_tail = (uint32_t *)(rings + params.cq_off.tail);
	ref->cqes = (struct io_uring_cqe *)(rings + params.cq_off.cqes);
	ref->sq_mask = params.sq_entries - 1;
	ref->cq_mask = params.cq_entries - 1;
	vector = (struct iovec){ ref->buffers, bytes };
	if (syscall(__NR_io_uring_register, ref->fd, IORING_REGISTER_BUFFERS, &vector, 1) < 0 ||
	    syscall(__NR_io_uring_register, ref->fd, IORING_REGISTER_FILES, &config->fd, 1) < 0)
		return -errno;
	own.data = (uint64_t)ref->fd;
	ref->enter_fd = ref->fd;
	if (syscall(__NR_io_uring_register, ref->fd, IORING_REGISTER_RING_FDS, &own, 1) == 1) {
		ref->enter_fd = (int)own.offset;
		ref->enter_flags = IORING_ENTER_REGISTERED_RING;
	}
	return 0;
}

static void reference_close(struct reference *ref)
{
	const struct io_uring_rsrc_update own = { .offset = (uint32_t)ref->enter_fd };

	if (ref->enter_flags)
		syscall(__NR_io_uring_register, ref->fd, IORING_UNREGISTER_RING_FDS, &own, 1);
	close(ref->fd);		/* the mappings stay until the program ends: it is a benchmark */
	free(ref->submit_ns);
	free(ref->free_slots);
}

static void prepare(struct reference *ref, const struct loop_config *config, uint32_t tail, uint64_t now_ns)
{
	struct io_uring_sqe *sqe = &ref->sqes[tail & ref->sq_mask];
	const uint32_t slot = ref->free_slots[--ref->free_count];

	ref->submit_ns[slot] = now_ns;
	if (config->no_op) {
		*sqe = (struct io_uring_sqe){ .opcode = IORING_OP_NOP, .user_data = slot };
		return;
	}
	sqe->opcode = config->write ? IORING_OP_WRITE_FIXED : IORING_OP_READ_FIXED;
	sqe->flags = IOSQE_FIXED_FILE;
	sqe->ioprio = 0;
	sqe->fd = 0;
	sqe->off = random_below(&ref->random, ref->blocks) * config->block_bytes;
	sqe->addr = (uint64_t)(uintptr_t)(ref->buffers + (uint64_t)slot * config->block_bytes);
	sqe->len = config->block_bytes;
	sqe->rw_flags = 0;
	sqe->user_data = slot;
}

static void reference_spin(struct reference *ref, const struct loop_config *config,
			   struct loop_result *result)
{
	const uint64_t start_ns = clock_now_ns(&ref->clock), cpu_ns = loop_cpu_ns();
	uint32_t tail = *ref->sq_tail, head = *ref->cq_head;
	uint64_t now_ns = start_ns;

	while ((!config->ios_max || result->ios < config->ios_max) &&
	       now_ns - start_ns < config->time_ns_max) {
		const uint32_t count = ref->free_count < config->batch ? ref->free_count : config->batch;
		uint32_t end;

		now_ns = clock_now_ns(&ref->clock);
		for (uint32_t i = 0; i < count; i++)
			prepare(ref, config, tail++, now_ns);
		__atomic_store_n(ref->sq_tail, tail, __ATOMIC_RELEASE);
		enter(ref, count, ref->free_count ? 0 : 1);
		result->calls++;
		end = __atomic_load_n(ref->cq_tail, __ATOMIC_ACQUIRE);
		if (end == head)
			continue;
		now_ns = clock_now_ns(&ref->clock);
		for (; head != end; head++) {
			const struct io_uring_cqe *cqe = &ref->cqes[head & ref->cq_mask];
			const uint64_t latency_ns = now_ns - ref->submit_ns[cqe->user_data];

			result->errors += !config->no_op && cqe->res != (int32_t)config->block_bytes;
			ref->free_slots[ref->free_count++] = (uint32_t)cqe->user_data;
			result->latency_ns_sum += latency_ns;
			if (latency_ns > result->latency_ns_max)
				result->latency_ns_max = latency_ns;
			result->ios++;
		}
		__atomic_store_n(ref->cq_head, head, __ATOMIC_RELEASE);
	}
	result->time_ns = clock_now_ns(&ref->clock) - start_ns;
	result->cpu_ns = loop_cpu_ns() - cpu_ns;
	while (ref->free_count < config->depth && enter(ref, 0, config->depth - ref->free_count) >= 0) {
		for (uint32_t end = __atomic_load_n(ref->cq_tail, __ATOMIC_ACQUIRE); head != end; head++)
			ref->free_count++;
		__atomic_store_n(ref->cq_head, head, __ATOMIC_RELEASE);
	}
}

int reference_loop_run(const struct loop_config *config, struct loop_result *ret_result)
{
	struct reference ref = { 0 };
	int err = reference_open(&ref, config);

	if (err < 0)
		return err;
	clock_init_tsc(&ref.clock, NULL);
	random_init(&ref.random, 1, 0);
	ref.blocks = config->size_bytes / config->block_bytes;
	ref.submit_ns = calloc(config->depth, sizeof(*ref.submit_ns));
	ref.free_slots = calloc(config->depth, sizeof(*ref.free_slots));
	for (uint32_t i = 0; i < config->depth; i++)
		ref.free_slots[ref.free_count++] = i;
	*ret_result = (struct loop_result){ 0 };
	reference_spin(&ref, config, ret_result);
	reference_close(&ref);
	return 0;
}
