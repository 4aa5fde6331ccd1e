/* fault_drive: a FUSE directory with three files: "disk", a fault_disk; "ctl", which takes its commands and,
 * read, tells its counters; and "answers", when each read was answered (CLOCK_MONOTONIC ns, one a line). Under a loop device it is a drive that stalls, fails, hangs or vanishes on
 * demand.
 *
 *     fault_drive --size=BYTES DIR      stays in the foreground; ends on SIGTERM or unmount
 *     losetup --find --show --direct-io=on DIR/disk
 *     echo "hang 3" > DIR/ctl; cat DIR/ctl
 *
 * An I/O that must wait is answered by the queue's thread, so that thousands can wait at once. */
#define FUSE_USE_VERSION 314
#include <errno.h>
#include <fuse_lowlevel.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "fault_disk.h"
#include "fault_queue.h"

enum { INODE_ROOT = 1, INODE_DISK = 2, INODE_CONTROL = 3, INODE_ANSWERS = 4 };
#define NAME_DISK "disk"
#define NAME_CONTROL "ctl"
#define NAME_ANSWERS "answers"
#define FOREVER 3600.0
#define COMMAND_BYTES 256
#define REQUESTS_MAX 1024u
#define WRITE_BYTES_MAX (1u << 20)

/* Missing in libfuse before 3.15: without it the kernel lets only one write through at a time. */
#define OPEN_DIRECT_IO (1u << 0)
#define OPEN_PARALLEL_WRITES (1u << 6)

struct fault_drive {
	struct fault_disk disk;
	struct fault_queue queue;
};

static struct fault_drive *drive_of(fuse_req_t request)
{
	return fuse_req_userdata(request);
}

static uint64_t hold_until(void *context)
{
	struct fault_drive *drive = context;

	return fault_disk_hang_until(&drive->disk);
}

static void give(void *context, const struct fault_reply *reply)
{
	struct fault_drive *drive = context;

	if (reply->op == FAULT_READ)
		fault_disk_answered(&drive->disk, fault_now_ns());
	if (reply->error || reply->op == FAULT_SYNC || reply->op == FAULT_DISCARD)
		fuse_reply_err(reply->request, reply->error);
	else if (reply->op == FAULT_READ)
		fuse_reply_buf(reply->request, drive->disk.content + reply->offset, reply->bytes);
	else
		fuse_reply_write(reply->request, reply->bytes);
}

static void serve(fuse_req_t request, enum fault_op op, uint64_t offset, uint32_t bytes, const char *data)
{
	struct fault_drive *drive = drive_of(request);
	const uint64_t now_ns = fault_now_ns();
	const struct fault_answer answer = fault_disk_do(&drive->disk, op, offset, bytes, data, now_ns);
	const struct fault_reply reply = {answer.due_ns, request,      (int)op,
					  answer.error,	 answer.bytes, offset};

	if (answer.due_ns > now_ns || fault_disk_hang_until(&drive->disk) > now_ns)
		fault_queue_add(&drive->queue, &reply);
	else
		give(drive, &reply);
}

static struct stat status_of(const struct fault_drive *drive, fuse_ino_t inode)
{
	struct stat status = {
		.st_ino = inode, .st_nlink = 1, .st_mode = S_IFREG | 0600, .st_blksize = FAULT_BLOCK_BYTES};

	if (inode == INODE_ROOT)
		status.st_mode = S_IFDIR | 0700;
	else
		status.st_size = inode == INODE_DISK ? (off_t)drive->disk.size_bytes : 4096;
	status.st_blocks = status.st_size / 512;
	return status;
}

static void on_getattr(fuse_req_t request, fuse_ino_t inode, struct fuse_file_info *file)
{
	const struct stat status = status_of(drive_of(request), inode);

	fuse_reply_attr(request, &status, FOREVER);
}

/* Truncating and the like is accepted without effect: `echo > ctl` needs it. */
static void on_setattr(fuse_req_t request, fuse_ino_t inode, struct stat *wish, int which,
		       struct fuse_file_info *file)
{
	on_getattr(request, inode, file);
}

static void on_lookup(fuse_req_t request, fuse_ino_t parent, const char *name)
{
	struct fuse_entry_param entry = {.attr_timeout = FOREVER, .entry_timeout = FOREVER};

	if (!strcmp(name, NAME_DISK))
		entry.ino = INODE_DISK;
	else if (!strcmp(name, NAME_CONTROL))
		entry.ino = INODE_CONTROL;
	else if (!strcmp(name, NAME_ANSWERS))
		entry.ino = INODE_ANSWERS;
	if (!entry.ino) {
		fuse_reply_err(request, ENOENT);
		return;
	}
	entry.attr = status_of(drive_of(request), entry.ino);
	fuse_reply_entry(request, &entry);
}

static void on_readdir(fuse_req_t request, fuse_ino_t inode, size_t bytes, off_t offset,
		       struct fuse_file_info *file)
{
	const struct stat disk = status_of(drive_of(request), INODE_DISK);
	const struct stat control = status_of(drive_of(request), INODE_CONTROL);
	const struct stat answers = status_of(drive_of(request), INODE_ANSWERS);
	char buffer[512];
	size_t used = 0;

	if (!offset) {
		used += fuse_add_direntry(request, buffer, sizeof buffer, NAME_DISK, &disk, 1);
		used += fuse_add_direntry(request, buffer + used, sizeof buffer - used, NAME_CONTROL,
					  &control, 2);
		used += fuse_add_direntry(request, buffer + used, sizeof buffer - used, NAME_ANSWERS,
					  &answers, 3);
	}
	fuse_reply_buf(request, buffer, used < bytes ? used : bytes);
}

static void on_open(fuse_req_t request, fuse_ino_t inode, struct fuse_file_info *file)
{
	const struct {
		uint64_t handle;
		uint32_t flags, padding;
	} out = {0, OPEN_DIRECT_IO | OPEN_PARALLEL_WRITES, 0};

	fuse_reply_buf(request, (const char *)&out, sizeof out);
}

static void read_control(fuse_req_t request, size_t bytes, off_t offset)
{
	char report[1024];
	size_t length;

	fault_disk_report(&drive_of(request)->disk, report, sizeof report);
	length = strlen(report);
	if ((size_t)offset >= length)
		fuse_reply_buf(request, NULL, 0);
	else
		fuse_reply_buf(request, report + offset,
			       length - (size_t)offset < bytes ? length - (size_t)offset : bytes);
}

static void read_answers(fuse_req_t request, size_t bytes, off_t offset)
{
	char text[32768];
	const uint32_t most = bytes < sizeof text ? (uint32_t)bytes : sizeof text;

	fuse_reply_buf(request, text, fault_disk_answers(&drive_of(request)->disk, (uint64_t)offset, text, most));
}

static void on_read(fuse_req_t request, fuse_ino_t inode, size_t bytes, off_t offset,
		    struct fuse_file_info *file)
{
	const uint64_t size = drive_of(request)->disk.size_bytes;

	if (inode == INODE_CONTROL) {
		read_control(request, bytes, offset);
		return;
	}
	if (inode == INODE_ANSWERS) {
		read_answers(request, bytes, offset);
		return;
	}
	if ((uint64_t)offset >= size)
		bytes = 0;
	else if (bytes > size - (uint64_t)offset)
		bytes = size - (uint64_t)offset;
	serve(request, FAULT_READ, (uint64_t)offset, (uint32_t)bytes, NULL);
}

static void write_control(fuse_req_t request, const char *data, size_t bytes)
{
	char line[COMMAND_BYTES];

	if (bytes >= sizeof line) {
		fuse_reply_err(request, EINVAL);
		return;
	}
	memcpy(line, data, bytes);
	line[bytes] = 0;
	if (fault_disk_command(&drive_of(request)->disk, line, fault_now_ns()))
		fuse_reply_write(request, bytes);
	else
		fuse_reply_err(request, EINVAL);
}

static void on_write(fuse_req_t request, fuse_ino_t inode, const char *data, size_t bytes, off_t offset,
		     struct fuse_file_info *file)
{
	if (inode == INODE_CONTROL)
		write_control(request, data, bytes);
	else if (inode == INODE_ANSWERS)
		fuse_reply_err(request, EACCES);
	else if ((uint64_t)offset + bytes > drive_of(request)->disk.size_bytes)
		fuse_reply_err(request, ENOSPC);
	else
		serve(request, FAULT_WRITE, (uint64_t)offset, (uint32_t)bytes, data);
}

static void on_fsync(fuse_req_t request, fuse_ino_t inode, int data_only, struct fuse_file_info *file)
{
	serve(request, FAULT_SYNC, 0, 0, NULL);
}

static void on_flush(fuse_req_t request, fuse_ino_t inode, struct fuse_file_info *file)
{
	fuse_reply_err(request, 0);
}

/* A loop device's discard and write-zeroes arrive as fallocate; both leave zeros. */
static void on_fallocate(fuse_req_t request, fuse_ino_t inode, int mode, off_t offset, off_t bytes,
			 struct fuse_file_info *file)
{
	const uint64_t size = drive_of(request)->disk.size_bytes;

	if ((uint64_t)offset + (uint64_t)bytes > size || bytes > INT32_MAX || !mode)
		fuse_reply_err(request, mode ? ENOSPC : EOPNOTSUPP);
	else
		serve(request, FAULT_DISCARD, (uint64_t)offset, (uint32_t)bytes, NULL);
}

static void on_init(void *context, struct fuse_conn_info *connection)
{
	connection->max_background = connection->congestion_threshold = REQUESTS_MAX;
	connection->max_write = WRITE_BYTES_MAX;
	connection->want |= connection->capable & (FUSE_CAP_ASYNC_DIO | FUSE_CAP_ASYNC_READ);
	connection->want &= ~(unsigned int)FUSE_CAP_SPLICE_READ;
}

static const struct fuse_lowlevel_ops operations = {
	.init = on_init,
	.lookup = on_lookup,
	.getattr = on_getattr,
	.setattr = on_setattr,
	.readdir = on_readdir,
	.open = on_open,
	.read = on_read,
	.write = on_write,
	.fsync = on_fsync,
	.flush = on_flush,
	.fallocate = on_fallocate,
};

static int loop_until_unmounted(struct fuse_session *session)
{
	struct fuse_loop_config *config = fuse_loop_cfg_create();
	int result;

	fuse_loop_cfg_set_max_threads(config, 4);
	fuse_loop_cfg_set_idle_threads(config, 4);
	result = fuse_session_loop_mt(session, config);
	fuse_loop_cfg_destroy(config);
	return result;
}

static int run(struct fault_drive *drive, struct fuse_args *arguments, const char *directory)
{
	struct fuse_session *session = fuse_session_new(arguments, &operations, sizeof operations, drive);
	int result;

	if (!session || fuse_set_signal_handlers(session) || fuse_session_mount(session, directory))
		return 1;
	drive->queue = (struct fault_queue){.hold_until = hold_until, .give = give, .context = drive};
	result = fault_queue_start(&drive->queue);
	if (!result)
		result = loop_until_unmounted(session);
	fuse_session_unmount(session);
	return result ? 1 : 0;
}

struct options {
	unsigned long size;
};

int main(int count, char **words)
{
	static const struct fuse_opt known[] = {{"--size=%lu", offsetof(struct options, size), 0},
						FUSE_OPT_END};
	struct fuse_args arguments = FUSE_ARGS_INIT(count, words);
	struct options options = {.size = 1ul << 30};
	struct fuse_cmdline_opts line = {0};
	struct fault_drive *drive = calloc(1, sizeof *drive);

	if (fuse_opt_parse(&arguments, &options, known, NULL) || fuse_parse_cmdline(&arguments, &line) ||
	    !line.mountpoint) {
		fprintf(stderr, "usage: %s --size=BYTES DIR\n", words[0]);
		return 2;
	}
	if (!drive || options.size % FAULT_BLOCK_BYTES || !fault_disk_init(&drive->disk, options.size)) {
		fprintf(stderr, "%s: no memory, or the size is no multiple of %u\n", words[0],
			FAULT_BLOCK_BYTES);
		return 2;
	}
	return run(drive, &arguments, line.mountpoint);
}
