#include "guard/guard_fs.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "drive/drive_use.h"
#include "guard/subject.h"
#include "guard/tool.h"

#define FLAGS (MS_NOSUID | MS_NODEV | MS_NOATIME)
#define PAUSE_NS 20000000
#define MOUNT_TRIES 500	      /* pauses: for a file system in user space */
#define UNMOUNT_TRIES 500     /* pauses: for those who still have a file open */
#define WIPE_BYTES (1u << 20) /* at both ends */

#define ARGUMENTS_MAX 10
struct recipe {
	const char *name, *tool;
	const char *argument[ARGUMENTS_MAX]; /* before the device */
};

/* All that a tool would put off is done now: what ext4 would write to its tables later would be measured as
 * the load's. */
static const struct recipe recipes[] = {
	{ "ext4",
	  "mkfs.ext4",
	  { "-F", "-q", "-L", GUARD_FS_LABEL, "-E", "lazy_itable_init=0,lazy_journal_init=0" } },
	{ "xfs", "mkfs.xfs", { "-f", "-q", "-L", GUARD_FS_LABEL } },
	{ "btrfs", "mkfs.btrfs", { "-f", "-q", "-L", GUARD_FS_LABEL } },
	{ "ntfs", "mkfs.ntfs", { "-F", "-Q", "-q", "-L", GUARD_FS_LABEL } },
};

static const struct recipe *recipe_find(const char *name)
{
	for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++)
		if (!strcmp(recipes[i].name, name))
			return &recipes[i];
	return NULL;
}

static void pause_shortly(void)
{
	const struct timespec time = { .tv_nsec = PAUSE_NS };

	nanosleep(&time, NULL);
}

int guard_fs_check(const struct guard_subject *subject, const char *name, struct fault *fault)
{
	const struct recipe *recipe = recipe_find(name);
	char path[PATH_MAX];

	if (!recipe)
		return fault_system(fault, -EOPNOTSUPP, "%s is no file system that this program makes", name);
	if (subject->kind != TARGET_BLOCK)
		return fault_system(fault, -EOPNOTSUPP,
				    "%s is no block device, so no file system can be made on it",
				    subject->name);
	if (geteuid())
		return fault_system(fault, -EOPNOTSUPP, "making and mounting a file system needs root");
	if (!tool_find(recipe->tool, path))
		return fault_system(fault, -EOPNOTSUPP, "%s is not installed", recipe->tool);
	return 0;
}

static int make(const struct recipe *recipe, const char *device, struct fault *fault)
{
	char path[PATH_MAX];
	char *argv[ARGUMENTS_MAX + 3] = { path };
	int count = 1;

	if (!tool_find(recipe->tool, path))
		return fault_system(fault, -EOPNOTSUPP, "%s is not installed", recipe->tool);
	for (int i = 0; i < ARGUMENTS_MAX && recipe->argument[i]; i++)
		argv[count++] = (char *)(uintptr_t)recipe->argument[i];
	argv[count] = (char *)(uintptr_t)device;
	return tool_run(argv, fault);
}

/* A mount namespace in which nothing that happens is seen by the others. */
static int hide(struct fault *fault)
{
	if (unshare(CLONE_NEWNS))
		return fault_system(fault, -EOPNOTSUPP, "no mount namespace of our own can be had: %s",
				    strerror(errno));
	if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return fault_system(fault, -EOPNOTSUPP, "the mount namespace cannot be made private: %s",
				    strerror(errno));
	return 0;
}

static int directory_make(struct guard_fs *fs, struct fault *fault)
{
	strcpy(fs->directory, "/run/ssdassay-XXXXXX");
	if (mkdtemp(fs->directory))
		return 0;
	strcpy(fs->directory, "/tmp/ssdassay-XXXXXX");
	if (mkdtemp(fs->directory))
		return 0;
	fs->directory[0] = '\0';
	return fault_system(fault, -errno, "no directory to mount on can be made in /run or /tmp: %s",
			    strerror(errno));
}

/* ntfs-3g stays in the foreground, as our child: it ends when it is unmounted, or with us. */
static int mount_in_user_space(struct guard_fs *fs, struct fault *fault)
{
	char path[PATH_MAX];
	char *argv[] = { path, "-o", "no_detach,nosuid,nodev,noatime", fs->device, fs->directory, NULL };
	struct stat before, now;
	int error, status;

	if (!tool_find("ntfs-3g", path))
		return fault_system(fault, -EOPNOTSUPP,
				    "this kernel has no ntfs3, and ntfs-3g is not installed");
	if (stat(fs->directory, &before))
		return fault_system(fault, -errno, "%s: %s", fs->directory, strerror(errno));
	error = tool_start(argv, &fs->helper, fault);
	for (int i = 0; i < MOUNT_TRIES && !error; i++) {
		if (!stat(fs->directory, &now) && now.st_dev != before.st_dev) {
			strcpy(fs->type, "fuseblk");
			return 0;
		}
		if (waitpid(fs->helper, &status, WNOHANG) == fs->helper) {
			fs->helper = 0;
			return fault_system(fault, -EOPNOTSUPP,
					    "ntfs-3g could not mount it (is there /dev/fuse?)");
		}
		pause_shortly();
	}
	return error ? error : fault_system(fault, -ETIMEDOUT, "ntfs-3g has not mounted it in 10 s");
}

static int mount_it(struct guard_fs *fs, struct fault *fault)
{
	const bool ntfs = !strcmp(fs->name, "ntfs");

	snprintf(fs->type, sizeof fs->type, "%s", ntfs ? "ntfs3" : fs->name);
	if (!mount(fs->device, fs->directory, fs->type, FLAGS, NULL))
		return 0;
	if (errno == ENODEV && ntfs)
		return mount_in_user_space(fs, fault);
	if (errno == ENODEV)
		return fault_system(fault, -EOPNOTSUPP, "this kernel has no %s", fs->name);
	return fault_system(fault, -errno, "%s cannot be mounted as %s: %s", fs->device, fs->type,
			    strerror(errno));
}

/* The file that the loads will use; a subject without lines, which another process may have a copy of. */
static int file_make(const struct guard_fs *fs, const struct guard_subject *subject, uint64_t bytes,
		     struct guard_subject *ret_file, struct fault *fault)
{
	static const struct guard_permission permission = {
		.overwrite = true
	}; /* it is ours, whatever marks it can carry */
	const struct guard_wish wish = { .will_write = true,
					 .file_bytes = bytes,
					 .run_file_path = subject->wish.run_file_path };
	struct guard_subject *file = ret_file;
	char path[PATH_MAX];
	int error;

	snprintf(path, sizeof path, "%s/data", fs->directory);
	error = guard_examine(path, &wish, &permission, file, fault);
	if (!error)
		error = guard_make_file(file, fault);
	guard_subject_release(file);
	file->destroys = file->warnings = file->refusals = file->missing = (struct lines){ 0 };
	file->permission = permission;
	return error;
}

static int fill(struct guard_fs *fs, struct guard_subject *subject, const struct recipe *recipe,
		uint64_t file_bytes, struct guard_subject *ret_file, struct fault *fault)
{
	const struct target nothing = { .fd = -1 };
	int error = subject_examine_again(subject, fault);

	if (error)
		return error;
	fs->made = true; /* or begun */
	error = make(recipe, fs->device, fault);
	if (!error)
		error = guard_recheck(subject, &nothing, fault);
	if (!error)
		error = hide(fault);
	if (!error)
		error = directory_make(fs, fault);
	if (!error)
		error = mount_it(fs, fault);
	fs->mounted = !error;
	if (!error && chmod(fs->directory, 0700))
		error = fault_system(fault, -errno, "%s: %s", fs->directory, strerror(errno));
	return error ? error : file_make(fs, subject, file_bytes, ret_file, fault);
}

int guard_fs_make(struct guard_subject *subject, const char *name, uint64_t file_bytes,
		  struct guard_fs *ret_fs, struct guard_subject *ret_file, struct fault *fault)
{
	const struct recipe *recipe = recipe_find(name);
	struct fault ignored;
	int error = guard_fs_check(subject, name, fault);

	*ret_fs = (struct guard_fs){ 0 };
	if (error)
		return error;
	snprintf(ret_fs->name, sizeof ret_fs->name, "%s", name);
	if (snprintf(ret_fs->device, sizeof ret_fs->device, "%s", subject->path) >=
	    (int)sizeof ret_fs->device)
		return fault_system(fault, -ENAMETOOLONG, "%s: the path is too long", subject->path);
	error = fill(ret_fs, subject, recipe, file_bytes, ret_file, fault);
	if (error)
		guard_fs_remove(ret_fs, subject, &ignored);
	return error;
}

static int unmount(struct guard_fs *fs, struct fault *fault)
{
	int error = 0;

	for (int i = 0; i < UNMOUNT_TRIES; i++) {
		error = umount(fs->directory) ? -errno : 0;
		if (error != -EBUSY)
			break;
		pause_shortly();
	}
	if (error)
		return fault_system(fault, error,
				    "%s cannot be unmounted from %s (%s): it goes when process %d ends; "
				    "then: wipefs -a %s",
				    fs->device, fs->directory, strerror(-error), getpid(), fs->device);
	fs->mounted = false;
	return 0;
}

static int zero(int fd, uint64_t offset, uint64_t bytes, uint64_t size)
{
	static const char zeros[WIPE_BYTES];

	if (offset + bytes > size)
		return 0;
	return pwrite(fd, zeros, bytes, (off_t)offset) == (ssize_t)bytes ? 0 : -EIO;
}

/* Both ends, and where btrfs keeps its copies. */
static int wipe(const struct guard_fs *fs, const struct guard_subject *subject, struct fault *fault)
{
	struct signature found[SIGNATURES_MAX];
	const uint64_t size = subject->size_bytes, end = size < WIPE_BYTES ? size : WIPE_BYTES;
	int fd = open(fs->device, O_RDWR | O_EXCL | O_CLOEXEC);
	struct stat status;
	int error = fd < 0 ? -errno : 0;

	if (!error && (fstat(fd, &status) || status.st_rdev != subject->dev))
		error = -ESTALE;
	if (!error)
		error = zero(fd, 0, end, size);
	if (!error)
		error = zero(fd, size - end, end, size);
	for (int mirror = 0; mirror < 2 && !error; mirror++)
		error = zero(fd, mirror ? 256ull << 30 : 64ull << 20, 4096, size);
	if (!error && fsync(fd))
		error = -errno;
	if (fd >= 0)
		close(fd);
	if (!error && drive_signatures(fs->device, found) > 0)
		error = -EIO;
	return error ? fault_system(fault, error, "the %s on %s cannot be wiped (%s): wipefs -a %s", fs->name,
				    fs->device, strerror(-error), fs->device)
		     : 0;
}

int guard_fs_remove(struct guard_fs *fs, const struct guard_subject *subject, struct fault *fault)
{
	int status, error = fs->mounted ? unmount(fs, fault) : 0;

	if (error)
		return error;
	if (fs->helper) { /* ends by itself when it is unmounted, and has written everything then */
		while (waitpid(fs->helper, &status, 0) < 0 && errno == EINTR)
			;
		fs->helper = 0;
	}
	if (fs->directory[0])
		rmdir(fs->directory);
	if (fs->made)
		error = wipe(fs, subject, fault);
	fs->made = fs->made && error;
	return error;
}

void guard_fs_tidy(const char *directory)
{
	static const char *const places[] = { "/run/ssdassay-", "/tmp/ssdassay-" };

	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		if (!strncmp(directory, places[i], strlen(places[i])) &&
		    !strchr(directory + strlen(places[i]), '/'))
			rmdir(directory);
}

int guard_fs_enter(pid_t keeper, struct fault *fault)
{
	char path[64];
	int fd, error = 0;

	snprintf(path, sizeof path, "/proc/%d/ns/mnt", (int)keeper);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fault_system(fault, -errno,
				    "the process that keeps the file system mounted is gone (%s)",
				    strerror(errno));
	if (setns(fd, CLONE_NEWNS))
		error = fault_system(fault, -errno, "the file system cannot be reached: %s", strerror(errno));
	close(fd);
	return error;
}
