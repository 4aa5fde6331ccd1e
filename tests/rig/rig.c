#include "rig.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/blkpg.h>
#include <linux/loop.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#define LOOP_TRIES 50	/* other tests take free devices at the same moment */

const char *rig_no_loop_reason(void)
{
	int control;

	if (geteuid())
		return "not root";
	control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	if (control < 0)
		return "no /dev/loop-control";
	close(control);
	return NULL;
}

const char *rig_no_fault_reason(void)
{
	const char *program = getenv("FAULT_DRIVE");

	if (!program || access(program, X_OK))
		return "no fault drive (FAULT_DRIVE): built only with fuse3";
	if (access("/dev/fuse", R_OK | W_OK))
		return "no /dev/fuse";
	return geteuid() ? "not root" : NULL;
}

int rig_skip_all(const char *reason)
{
	printf("1..0 # SKIP %s\n", reason);
	return 0;
}

void rig_skip(const char *reason)
{
	printf("# SKIP %s\n", reason);
}

void rig_init(struct rig *rig, const char *parent)
{
	*rig = (struct rig){0};
	snprintf(rig->directory, sizeof rig->directory, "%s/ssdassay-rig-XXXXXX", parent);
	assert_non_null(mkdtemp(rig->directory));
}

static int run(const char *format, va_list args)
{
	char command[3 * PATH_MAX + 256], quiet[3 * PATH_MAX + 320];

	vsnprintf(command, sizeof command, format, args);
	snprintf(quiet, sizeof quiet, "exec >/dev/null 2>&1; %s", command);
	return system(quiet);
}

int rig_run(const char *format, ...)
{
	va_list args;
	int status;

	va_start(args, format);
	status = run(format, args);
	va_end(args);
	return status;
}

void rig_must(const char *format, ...)
{
	va_list args;
	int status;

	va_start(args, format);
	status = run(format, args);
	va_end(args);
	if (status)
		fail_msg("command failed with status %d: %s", status, format);
}

void rig_later(struct rig *rig, const char *format, ...)
{
	va_list args;

	assert_true(rig->undo_count < RIG_UNDO_MAX);
	va_start(args, format);
	vsnprintf(rig->undo[rig->undo_count++], sizeof rig->undo[0], format, args);
	va_end(args);
}

void rig_clean(struct rig *rig)
{
	while (rig->undo_count)
		rig_run("%s", rig->undo[--rig->undo_count]);
	rig_run("rm -rf --one-file-system '%s'", rig->directory);
}

void rig_path(const struct rig *rig, const char *name, char path[PATH_MAX])
{
	assert_true(snprintf(path, PATH_MAX, "%s/%s", rig->directory, name) < PATH_MAX);
}

void rig_file(struct rig *rig, const char *name, uint64_t bytes, char path[PATH_MAX])
{
	int fd;

	rig_path(rig, name, path);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)bytes), 0);
	close(fd);
}

void rig_write(const char *path, uint64_t offset, const void *data, uint32_t bytes)
{
	const int fd = open(path, O_WRONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, data, bytes, (off_t)offset), bytes);
	assert_int_equal(fsync(fd), 0);
	close(fd);
}

static int loop_configure(const char *loop, int file, uint32_t sector_bytes, bool read_only)
{
	struct loop_config config = {.fd = (uint32_t)file, .block_size = sector_bytes,
				     .info.lo_flags = read_only ? LO_FLAGS_READ_ONLY : 0};
	const int fd = open(loop, O_RDWR | O_CLOEXEC);
	int result = 0;

	if (fd < 0)
		return -errno;
	if (ioctl(fd, LOOP_CONFIGURE, &config))
		result = -errno;
	close(fd);
	return result;
}

void rig_loop(struct rig *rig, const char *file, uint32_t sector_bytes, bool read_only, char loop[PATH_MAX])
{
	const int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	const int fd = open(file, O_RDWR | O_CLOEXEC);
	int result = -EBUSY, number;

	assert_true(control >= 0 && fd >= 0);
	for (int i = 0; i < LOOP_TRIES && result == -EBUSY; i++) {
		number = ioctl(control, LOOP_CTL_GET_FREE);
		assert_true(number >= 0);
		snprintf(loop, PATH_MAX, "/dev/loop%d", number);
		result = loop_configure(loop, fd, sector_bytes, read_only);
	}
	close(fd);
	close(control);
	assert_int_equal(result, 0);
	rig_later(rig, "losetup -d %s", loop);
}

void rig_partition(struct rig *rig, const char *disk, int number, uint64_t start_bytes, uint64_t bytes,
		   char node[PATH_MAX])
{
	struct blkpg_partition partition = {
		.start = (long long)start_bytes, .length = (long long)bytes, .pno = number};
	struct blkpg_ioctl_arg argument = {
		.op = BLKPG_ADD_PARTITION, .datalen = sizeof partition, .data = &partition};
	const int fd = open(disk, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(ioctl(fd, BLKPG, &argument), 0);
	close(fd);
	snprintf(node, PATH_MAX, "%sp%d", disk, number);
	rig_later(rig, "partx -d --nr %d %s", number, disk);
	for (int i = 0; i < 200 && access(node, F_OK); i++)
		usleep(10000);		/* devtmpfs makes it at once; udev machines may take a moment */
	assert_int_equal(access(node, F_OK), 0);
}

void rig_mount(struct rig *rig, const char *device, const char *type, const char *name, char point[PATH_MAX])
{
	rig_path(rig, name, point);
	assert_int_equal(mkdir(point, 0700), 0);
	assert_int_equal(mount(device, point, type, 0, NULL), 0);
	rig_later(rig, "umount '%s'", point);
}

void rig_fault(struct rig *rig, uint64_t bytes, char directory[PATH_MAX])
{
	const char *program = getenv("FAULT_DRIVE");
	char control[PATH_MAX];

	rig_path(rig, "fault", directory);
	rig_path(rig, "fault/ctl", control);
	assert_int_equal(mkdir(directory, 0700), 0);
	rig_must("'%s' -f --size=%llu '%s' &", program, (unsigned long long)bytes, directory);
	rig_later(rig, "fusermount3 -u -z '%s' || umount -l '%s'", directory, directory);
	for (int i = 0; i < 500 && access(control, F_OK); i++)
		usleep(10000);
	assert_int_equal(access(control, F_OK), 0);
}

static int open_control(const char *directory, int flags)
{
	char path[PATH_MAX + 8];
	int fd;

	snprintf(path, sizeof path, "%s/ctl", directory);
	fd = open(path, flags | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

void rig_fault_command(const char *directory, const char *line)
{
	const int fd = open_control(directory, O_WRONLY);

	assert_int_equal(write(fd, line, strlen(line)), strlen(line));
	close(fd);
}

uint64_t rig_fault_count(const char *directory, const char *counter)
{
	const int fd = open_control(directory, O_RDONLY);
	char report[1025] = "", *at;
	ssize_t got = read(fd, report, sizeof report - 1);

	close(fd);
	assert_true(got > 0);
	for (at = report; at; at = strchr(at, '\n'), at = at ? at + 1 : NULL)
		if (!strncmp(at, counter, strlen(counter)) && at[strlen(counter)] == ' ')
			return strtoull(at + strlen(counter), NULL, 10);
	fail_msg("no counter %s", counter);
	return 0;
}
