#include "rig.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define RIG_REQUIRE(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "rig: %s failed: %s\n", #condition, strerror(errno)); \
			abort(); \
		} \
	} while (0)

static const char *const rig_names[RIG_PLACES] = { "ext4 file", "tmpfs file", "loop device",
						   "/dev/null", "/dev/zero",  "device" };
static const char *rig_device_path;
static uint32_t rig_device_block_bytes;

void rig_use_device(const char *path, uint32_t block_bytes)
{
	rig_device_path = path;
	rig_device_block_bytes = block_bytes;
}

const char *rig_place_name(enum rig_place place)
{
	return rig_names[place];
}

const char *rig_place_missing(enum rig_place place)
{
	if (place == RIG_LOOP && access("/dev/loop-control", R_OK | W_OK) < 0)
		return "loop devices need root";
	if (place == RIG_TMPFS && access("/dev/shm", W_OK) < 0)
		return "no tmpfs at /dev/shm";
	return NULL;
}

static void rig_make_file(struct rig *rig, const char *folder, uint64_t bytes)
{
	int fd;

	snprintf(rig->path, sizeof(rig->path), "%s/ssdassay-engine-XXXXXX", folder);
	fd = mkstemp(rig->path);
	RIG_REQUIRE(fd >= 0);
	RIG_REQUIRE(ftruncate(fd, (off_t)bytes) == 0);
	close(fd);
}

static void rig_make_loop(struct rig *rig)
{
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC),
	    file = open(rig->path, O_RDWR | O_CLOEXEC);
	struct loop_config config = { .fd = (uint32_t)file, .block_size = 4096,
				      .info.lo_flags = LO_FLAGS_DIRECT_IO | LO_FLAGS_AUTOCLEAR };
	int number, fd;

	RIG_REQUIRE(control >= 0 && file >= 0);
	do {	/* another test may take the free number first */
		number = ioctl(control, LOOP_CTL_GET_FREE);
		RIG_REQUIRE(number >= 0);
		snprintf(rig->loop, sizeof(rig->loop), "/dev/loop%d", number);
		fd = open(rig->loop, O_RDWR | O_CLOEXEC | O_DIRECT);
		RIG_REQUIRE(fd >= 0);
		rig->target.fd = fd;
		if (ioctl(fd, LOOP_CONFIGURE, &config) == 0)
			break;
		RIG_REQUIRE(errno == EBUSY);
		close(fd);
	} while (true);
	close(control);
	close(file);
}

static void rig_open_target(struct rig *rig, enum rig_place place, uint64_t bytes)
{
	struct target *target = &rig->target;
	const char *name = place == RIG_DEVICE ? rig_device_path
			   : place == RIG_NULL ? "/dev/null"
			   : place == RIG_ZERO ? "/dev/zero"
					       : rig->path;

	*target = (struct target){ .kind = TARGET_FILE, .fd = -1, .may_write = true, .size_bytes = bytes,
				   .direct = true, .block_bytes = 4096, .memory_align = 4096 };
	if (place == RIG_EXT4 || place == RIG_TMPFS || place == RIG_LOOP)
		rig_make_file(rig, place == RIG_EXT4 ? "/tmp" : "/dev/shm", bytes);
	if (place == RIG_LOOP) {
		rig_make_loop(rig);
		target->kind = TARGET_BLOCK;
		name = rig->loop;
	} else {
		if (place == RIG_NULL || place == RIG_ZERO)
			target->kind = TARGET_CHAR;
		if (place == RIG_DEVICE) {
			target->kind = strncmp(name, "/dev/ng", 7) ? TARGET_BLOCK : TARGET_NVME_GENERIC;
			target->block_bytes = rig_device_block_bytes;
		}
		target->direct = place == RIG_EXT4 || target->kind == TARGET_BLOCK;
		target->fd = open(name, O_RDWR | O_CLOEXEC | (target->direct ? O_DIRECT : 0));
		if (target->fd < 0 && place == RIG_EXT4) {	/* /tmp on a tmpfs of an older kernel */
			target->direct = false;
			target->fd = open(name, O_RDWR | O_CLOEXEC);
		}
	}
	RIG_REQUIRE(target->fd >= 0);
	snprintf(target->name, sizeof(target->name), "%s", name);
}

void rig_open(struct rig *rig, enum rig_place place, uint64_t bytes, uint32_t depth, uint32_t stride)
{
	memset(rig, 0, sizeof(*rig));
	rig_open_target(rig, place, bytes);
	clock_init_vdso(&rig->clock);
	rig->buffers = mmap(NULL, (size_t)depth * stride, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);
	RIG_REQUIRE(rig->buffers != MAP_FAILED);
	rig->config = (struct engine_config){
		.target = &rig->target, .clock = &rig->clock, .depth = depth, .buffers = rig->buffers,
		.buffer_stride = stride, .fixed_buffers = true, .fixed_files = true, .sqpoll_cpu = -1,
	};
}

int rig_attach(struct rig *rig, const char *engine)
{
	memset(&rig->fault, 0, sizeof(rig->fault));
	return engine_new(engine, &rig->config, &rig->engine, &rig->fault);
}

void rig_close(struct rig *rig)
{
	rig->engine = engine_free(rig->engine);
	if (rig->target.fd >= 0)
		close(rig->target.fd);	/* a loop device goes with its last close */
	if (rig->path[0])
		unlink(rig->path);
	munmap(rig->buffers, (size_t)rig->config.depth * rig->config.buffer_stride);
	memset(rig, 0, sizeof(*rig));
	rig->target.fd = -1;
}

struct io rig_io(const struct rig *rig, enum io_op op, uint16_t slot, uint64_t offset, uint32_t bytes)
{
	return (struct io){ .op = (uint8_t)op,
			    .slot = slot,
			    .offset = offset,
			    .bytes = bytes,
			    .buffer =
				    op <= IO_WRITE ? rig->buffers + slot * rig->config.buffer_stride : NULL };
}

void rig_collect(struct rig *rig, struct io_done *done, uint32_t count)
{
	const uint64_t end_ns = clock_monotonic_ns() + 10000000000ull;
	uint32_t got = 0;

	while (got < count && clock_monotonic_ns() < end_ns) {
		int more = engine_reap(rig->engine, done + got, count - got, 1, 1000000000);

		RIG_REQUIRE(more >= 0);
		got += (uint32_t)more;
	}
	RIG_REQUIRE(got == count);
}

int32_t rig_do(struct rig *rig, enum io_op op, uint64_t offset, uint32_t bytes)
{
	const struct io io = rig_io(rig, op, 0, offset, bytes);
	struct io_done done;

	RIG_REQUIRE(engine_submit(rig->engine, &io, 1) == 1);
	rig_collect(rig, &done, 1);
	RIG_REQUIRE(done.slot == 0);
	return done.result;
}
