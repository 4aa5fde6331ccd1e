/* io_uring_cmd: NVMe commands sent straight to a namespace's generic device (/dev/ngXnY, Linux 5.19), past
 * the block layer: no splitting, no scheduler, no retries. Layouts: linux/nvme_ioctl.h; commands: NVM Command
 * Set Specification, section 3 (read, write, flush, dataset management). The namespace's block size is
 * target->block_bytes; formats with metadata are not supported. Flush and fsync are both the NVMe flush. An
 * NVMe status becomes the errno that the block layer gives for it.
 *
 * Buffers are registered one per slot: kernels as late as 6.1 refuse a command (EINVAL) whose buffer
 * belongs to a registered region that goes on for more segments than the drive takes, however small the
 * command itself is. Slots may be that large, too (writers have several I/Os' data in each): a trial read
 * tells, and then none is registered. */
#include "engine/engine_backends.h"

#include <errno.h>
#include <linux/nvme_ioctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/utsname.h>

#include "engine/cause.h"
#include "engine/ring.h"
#include "engine/ring_options.h"

enum { NVME_FLUSH = 0x00, NVME_WRITE = 0x01, NVME_READ = 0x02, NVME_DATASET_MANAGEMENT = 0x09 };
#define NVME_FUA (1u << 30)		/* in dword 12 of a write */
#define NVME_DEALLOCATE 4u		/* in dword 11 of dataset management */
#define NVME_BLOCKS_MAX 65536u		/* of one command: 16 bits, counted from 0 */

struct command_entry {			/* a 128-byte submission */
	uint64_t head, operation, address;
	uint32_t length, flags;
	uint64_t user_data, indexes;
	struct nvme_uring_cmd command;
	uint64_t pad;
};
_Static_assert(sizeof(struct command_entry) == 128, "a large submission entry is 128 bytes");

struct deallocate_range {		/* NVM Command Set Specification, dataset management */
	uint32_t attributes, blocks;
	uint64_t first_block;
};

struct uring_cmd {
	struct engine engine;
	struct ring ring;
	uint64_t *submit_ns;			/* per slot */
	struct deallocate_range *ranges;	/* per slot */
	uint32_t namespace_id;
	uint32_t write_dword12;			/* flags of writes */
	uint8_t block_shift;			/* log2 of the block size */
};

static const uint8_t command_opcodes[IO_OPS] = { NVME_READ, NVME_WRITE, NVME_DATASET_MANAGEMENT, NVME_FLUSH,
						 NVME_FLUSH };

static void command_set_blocks(const struct uring_cmd *cmd, struct nvme_uring_cmd *command,
			       const struct io *io)
{
	const uint64_t first = io->offset >> cmd->block_shift;

	command->addr = (uint64_t)(uintptr_t)io->buffer;
	command->data_len = io->bytes;
	command->cdw10 = (uint32_t)first;
	command->cdw11 = (uint32_t)(first >> 32);
	command->cdw12 =
		((io->bytes >> cmd->block_shift) - 1) | (io->op == IO_WRITE ? cmd->write_dword12 : 0);
}

static void command_set_range(const struct uring_cmd *cmd, struct nvme_uring_cmd *command,
			      const struct io *io)
{
	struct deallocate_range *range = &cmd->ranges[io->slot];

	*range = (struct deallocate_range){ .blocks = io->bytes >> cmd->block_shift,
					    .first_block = io->offset >> cmd->block_shift };
	command->addr = (uint64_t)(uintptr_t)range;
	command->data_len = sizeof(*range);
	command->cdw10 = 0;			/* ranges, counted from 0 */
	command->cdw11 = NVME_DEALLOCATE;
	command->cdw12 = 0;
}

/* Only what differs from the last use of the entry: the rest is prebuilt. */
static void command_fill(const struct uring_cmd *cmd, struct command_entry *entry, const struct io *io)
{
	entry->user_data = io_word(io);
	entry->flags = entry->indexes = 0;
	if (io->op <= IO_WRITE && cmd->engine.options.fixed_buffers) {
		entry->flags = IORING_URING_CMD_FIXED;
		entry->indexes = io->slot;
	}
	entry->command.opcode = command_opcodes[io->op];
	if (io->op <= IO_WRITE) {
		command_set_blocks(cmd, &entry->command, io);
	} else if (io->op == IO_TRIM) {
		command_set_range(cmd, &entry->command, io);
	} else {
		entry->command.addr = entry->command.data_len = 0;
		entry->command.cdw10 = entry->command.cdw11 = entry->command.cdw12 = 0;
	}
}

static void command_prebuild(const struct uring_cmd *cmd, struct command_entry *entry)
{
	const uint64_t file =
		cmd->engine.options.fixed_files ? 0 : (uint64_t)(uint32_t)cmd->engine.target->fd;
	const uint64_t flags = cmd->engine.options.fixed_files ? IOSQE_FIXED_FILE : 0;

	*entry = (struct command_entry){
		.head = IORING_OP_URING_CMD | flags << 8 | file << 32,
		.operation = NVME_URING_CMD_IO, .command.nsid = cmd->namespace_id,
	};
}

static int command_enable(struct uring_cmd *cmd)
{
	int err = ring_enable(&cmd->ring);

	cmd->engine.options.registered_ring = cmd->ring.enter_flags & IORING_ENTER_REGISTERED_RING;
	return err;
}

static int command_submit(struct engine *engine, const struct io *ios, uint32_t count)
{
	struct uring_cmd *cmd = (struct uring_cmd *)engine;
	const uint64_t now_ns = clock_now_ns(engine->clock);
	uint32_t tail = cmd->ring.sq_tail;
	int err;

	engine->submitted_ns = now_ns;
	if (__builtin_expect(!cmd->ring.enabled, 0) && (err = command_enable(cmd)) < 0)
		return err;
	for (uint32_t i = 0; i < count; i++) {
		cmd->submit_ns[ios[i].slot] = now_ns;
		command_fill(cmd, (struct command_entry *)ring_sqe(&cmd->ring, tail++), &ios[i]);
	}
	ring_publish(&cmd->ring, tail);
	return (int)count;
}

/* NVMe status (type and code, 11 bits) to errno, as the block layer maps it. */
static int32_t command_status(int32_t status)
{
	switch (status & 0x7ff) {
	case 0x001:	/* invalid opcode */
	case 0x002:	/* invalid field */
		return -EOPNOTSUPP;
	case 0x080:	/* beyond the namespace's end */
	case 0x00b:	/* invalid namespace */
		return -EREMOTEIO;
	case 0x081:	/* capacity exceeded */
		return -ENOSPC;
	case 0x280:	/* write fault */
	case 0x281:	/* unrecovered read error */
	case 0x282:	/* guard, application tag and reference tag checks */
	case 0x283:
	case 0x284:
	case 0x285:	/* compare failure */
	case 0x286:	/* access denied */
	case 0x287:	/* deallocated block */
		return -ENODATA;
	case 0x007:	/* aborted on request */
	case 0x371:	/* path related: aborted by the host */
		return -ECANCELED;
	default:
		return -EIO;
	}
}

static int32_t command_result(uint64_t word, int32_t result)
{
	if (result > 0)
		return command_status(result);
	if (result == 0 && (word >> 48 & 0xff) <= IO_WRITE)
		return (int32_t)(uint32_t)word;
	return result;
}

static uint32_t command_collect(struct uring_cmd *cmd, struct io_done *done, uint32_t max)
{
	const uint32_t ready = ring_ready(&cmd->ring), count = ready < max ? ready : max;
	const uint32_t head = cmd->ring.cq_head;
	const uint64_t now_ns = count ? clock_now_ns(cmd->engine.clock) : 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct io_uring_cqe *cqe = ring_cqe(&cmd->ring, head + i);
		const uint16_t slot = (uint16_t)(cqe->user_data >> 32);

		done[i] = (struct io_done){ .slot = slot, .result = command_result(cqe->user_data, cqe->res),
					    .submit_ns = cmd->submit_ns[slot], .done_ns = now_ns };
	}
	ring_consume(&cmd->ring, head + count);
	return count;
}

static int command_reap(struct engine *engine, struct io_done *done, uint32_t max, uint32_t wait_min,
			uint64_t timeout_ns)
{
	struct uring_cmd *cmd = (struct uring_cmd *)engine;
	const bool polled = engine->options.iopoll;
	const uint64_t start_ns = polled ? clock_monotonic_ns() : 0;
	uint64_t waited_ns = 0;
	uint32_t count = 0;
	int err;

	if (!engine->in_flight)
		return 0;
	do {	/* once, unless polled: such a ring waits for one at a time */
		err = ring_wait(&cmd->ring, wait_min - (count < wait_min ? count : wait_min),
				timeout_ns == ENGINE_WAIT_FOREVER ? timeout_ns : timeout_ns - waited_ns);
		if (err < 0 && !ring_error_passes(err))
			return count ? (int)count : err;
		count += command_collect(cmd, done + count, max - count);
		waited_ns = polled ? clock_monotonic_ns() - start_ns : 0;
	} while (polled && count < wait_min && waited_ns < timeout_ns && !err);
	engine->calls = cmd->ring.calls;
	engine->refusals = cmd->ring.refusals;
	return (int)count;
}

/* Attaching */

static int command_check(struct uring_cmd *cmd, const struct engine_config *config, struct fault *fault)
{
	const uint32_t block_bytes = config->target->block_bytes;

	if (config->vectored || config->control_aside)
		return fault_set(fault, 0, 0, "engine io_uring_cmd has no vectored I/O and no side thread");
	if (config->write_flags & ~(uint64_t)RWF_DSYNC)
		return fault_set(fault, 0, 0,
				 "of all RWF_ flags engine io_uring_cmd knows only DSYNC (a write with FUA)");
	if (block_bytes < 512 || block_bytes & (block_bytes - 1))
		return fault_set(fault, 0, 0,
				 "engine io_uring_cmd needs a power of two as block size, not %u",
				 block_bytes);
	cmd->block_shift = (uint8_t)__builtin_ctz(block_bytes);
	if (config->buffer_stride >> cmd->block_shift > NVME_BLOCKS_MAX)
		return fault_set(fault, 0, 0, "one NVMe command moves at most %u blocks of %u bytes",
				 NVME_BLOCKS_MAX, block_bytes);
	cmd->write_dword12 = config->write_flags & RWF_DSYNC ? NVME_FUA : 0;
	return 0;
}

/* Before Linux 6.5 commands without data were never polled, and a program killed while polling crashed the
 * kernel (seen with 6.1: bio_poll below io_ring_exit_work). */
static int command_settle_polling(struct uring_cmd *cmd, struct engine_config *config, struct fault *fault)
{
	struct fault cause = { 0 };
	struct utsname system;
	int major = 0, minor = 0, err;

	uname(&system);
	if (!config->iopoll ||
	    (sscanf(system.release, "%d.%d", &major, &minor) == 2 && major * 100 + minor >= 605))
		return 0;
	err = fault_system(&cause, -EOPNOTSUPP,
			   "polled NVMe commands need Linux 6.5 or later, this is %s, which can crash "
			   "when a polling program is killed",
			   system.release);
	config->iopoll = config->hybrid_poll = false;
	return ring_options_forgo(&cmd->engine, config, err, &cause, fault);
}

static int command_find_namespace(struct uring_cmd *cmd, const struct target *target, struct fault *fault)
{
	int id = ioctl(target->fd, NVME_IOCTL_ID);

	if (id <= 0)
		return fault_system(fault, id < 0 ? -errno : -ENODEV, "%s is no NVMe namespace: %s",
				    target->name, id < 0 ? strerror(errno) : "it has no number");
	cmd->namespace_id = (uint32_t)id;
	return 0;
}

static int command_trial_error(const struct target *target, int error, struct fault *fault)
{
	switch (error) {
	case -EACCES:
	case -EPERM:
		return fault_system(fault, error, "NVMe commands to %s are for root only", target->name);
	case -EOPNOTSUPP:
		return fault_system(
			fault, error,
			"%s takes no NVMe commands through io_uring: Linux 5.19 or later is needed; "
			"with polling also poll queues (module option nvme.poll_queues)",
			target->name);
	default:
		return fault_system(fault, error, "a trial read of %s by NVMe command failed: %s",
				    target->name, strerror(-error));
	}
}

/* One read of block 0: 0 and its raw result, or -errno of the ring. With slot_bytes it goes into the
 * beginning of a registered buffer of that size. */
static int command_try_read(struct uring_cmd *cmd, const struct ring_config *ring_config, uint64_t slot_bytes,
			    struct command_entry *entry, int *ret_result)
{
	const uint32_t block_bytes = cmd->engine.target->block_bytes;
	struct iovec buffer = { .iov_len = slot_bytes ? slot_bytes : block_bytes };
	struct io read = { .op = IO_READ, .bytes = block_bytes };
	int err;

	buffer.iov_base =
		mmap(NULL, buffer.iov_len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (buffer.iov_base == MAP_FAILED)
		return -ENOMEM;
	read.buffer = buffer.iov_base;
	command_prebuild(cmd, entry);
	command_fill(cmd, entry, &read);
	if (slot_bytes)
		entry->flags = IORING_URING_CMD_FIXED;
	err = ring_options_try(ring_config, entry, slot_bytes ? &buffer : NULL, ret_result);
	munmap(buffer.iov_base, buffer.iov_len);
	return err;
}

/* What is not allowed or not possible shows before the run. */
static int command_try(struct uring_cmd *cmd, const struct ring_config *ring_config, struct fault *fault)
{
	struct command_entry entry;
	int result = 0, err = command_try_read(cmd, ring_config, 0, &entry, &result);

	if (err < 0)
		return cause_ring_setup(fault, err, 1);
	result = command_result(entry.user_data, result);
	return result < 0 ? command_trial_error(cmd->engine.target, result, fault) : 0;
}

/* Whether the kernel takes commands from registered slots; what else can be wrong with them registering
 * tells. */
static int command_settle_buffers(struct uring_cmd *cmd, struct engine_config *config,
				  const struct ring_config *ring_config, struct fault *fault)
{
	struct command_entry entry;
	struct fault cause = { 0 };
	int result = 0, err;

	if (!config->fixed_buffers || !config->buffers)
		return 0;
	err = command_try_read(cmd, ring_config, config->buffer_stride, &entry, &result);
	if (err < 0 || result != -EINVAL)
		return 0;
	err = fault_system(&cause, -EINVAL,
			   "this kernel takes no NVMe commands from registered buffers of %llu bytes",
			   (unsigned long long)config->buffer_stride);
	config->fixed_buffers = false;
	return ring_options_forgo(&cmd->engine, config, err, &cause, fault);
}

static void command_release(struct uring_cmd *cmd)
{
	ring_release(&cmd->ring);
	free(cmd->submit_ns);
	free(cmd->ranges);
}

static int command_open_ring(struct uring_cmd *cmd, const struct engine_config *config,
			     const struct ring_config *ring_config, struct fault *fault)
{
	int err = ring_init(&cmd->ring, ring_config);

	if (err < 0)
		return cause_ring_setup(fault, err, ring_config->entries);
	err = ring_options_register(&cmd->ring, &cmd->engine, config, true, fault);
	for (uint32_t i = 0; !err && i <= cmd->ring.sq_mask; i++)
		command_prebuild(cmd, (struct command_entry *)ring_sqe(&cmd->ring, i));
	return err;
}

static int command_attach(struct engine *engine, const struct engine_config *asked, struct fault *fault)
{
	struct uring_cmd *cmd = (struct uring_cmd *)engine;
	struct engine_config copy = *asked, *config = &copy;
	struct ring_config ring_config;
	int err = command_check(cmd, config, fault);

	if (!err)
		err = command_settle_polling(cmd, config, fault);
	ring_config = ring_options_config(config);
	ring_config.large = true;
	if (!err)
		err = command_find_namespace(cmd, config->target, fault);
	if (!err)
		err = command_try(cmd, &ring_config, fault);
	if (!err)
		err = command_settle_buffers(cmd, config, &ring_config, fault);
	if (err < 0)
		return err;
	cmd->submit_ns = calloc(config->depth, sizeof(*cmd->submit_ns));
	cmd->ranges = calloc(config->depth, sizeof(*cmd->ranges));
	if (!cmd->submit_ns || !cmd->ranges)
		err = fault_system(fault, -ENOMEM, "no memory for %u I/Os in flight", config->depth);
	if (!err)
		err = command_open_ring(cmd, config, &ring_config, fault);
	if (err < 0)
		command_release(cmd);
	return err;
}

static void command_detach(struct engine *engine)
{
	struct io_done done[64];

	while (engine->in_flight && engine_reap(engine, done, 64, 1, ENGINE_WAIT_FOREVER) >= 0)
		;
	command_release((struct uring_cmd *)engine);
}

const struct engine_ops engine_uring_cmd_ops = {
	.name = "io_uring_cmd",
	.target_kinds = 1u << TARGET_NVME_GENERIC,
	.can_sqpoll = true, .can_iopoll = true,
	.capabilities = { .trim = true, .flush = true, .depth_max = RING_ENTRIES_MAX },
	.state_bytes = sizeof(struct uring_cmd),
	.attach = command_attach,
	.submit = command_submit,
	.reap = command_reap,
	.detach = command_detach,
};
