#include "store/file_new.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include "store/connection.h"
#include "store/schema.h"

/* Large enough that few histograms share a page badly, small enough that a commit a second writes little. */
#define PAGE_PRAGMA "PRAGMA page_size = 8192"

static int put_run(sqlite3 *db, const struct run_record *run)
{
	struct store store = { .db = db, .writable = true, .lock_fd = -1, .reserve_fd = -1 };
	int result = store_put_run(&store, run);

	if (result == 0)
		result = store_commit(&store);
	store_finalize_statements(&store);
	return result;
}

/* The two bytes of the header that say how a file is read and written (sqlite.org/fileformat2.html, 1.3.3): 2
 * is with a write-ahead log. A database in memory has none, and turning one into the other on the disk takes
 * four flushes. */
static void image_use_wal(unsigned char *image)
{
	image[18] = image[19] = 2;
}

/* The bytes of a new run file, made in memory. Freed with sqlite3_free. */
static int make_image(const struct run_record *run, unsigned char **ret_image, size_t *ret_count)
{
	sqlite3_int64 bytes = 0;
	unsigned char *image = NULL;
	sqlite3 *db;
	int result = store_error(
		NULL, sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, NULL));

	if (result == 0)
		result = store_error(db, sqlite3_exec(db, PAGE_PRAGMA, NULL, NULL, NULL));
	if (result == 0)
		result = schema_create(db);
	if (result == 0 && run)
		result = put_run(db, run);
	if (result == 0)
		image = sqlite3_serialize(db, "main", &bytes, 0);
	sqlite3_close(db);
	if (result == 0 && !image)
		result = -ENOMEM;
	if (result < 0)
		return result;
	image_use_wal(image);
	*ret_image = image;
	*ret_count = (size_t)bytes;
	return 0;
}

static int write_all(int fd, const unsigned char *bytes, size_t count)
{
	while (count > 0) {
		ssize_t written = write(fd, bytes, count);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -errno;
		bytes += written;
		count -= (size_t)written;
	}
	return 0;
}

static int temporary_name(const char *path, char *name, size_t name_bytes)
{
	uint64_t number;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		return -errno;
	if (snprintf(name, name_bytes, "%s.new-%016llx", path, (unsigned long long)number) >= (int)name_bytes)
		return -ENAMETOOLONG;
	return 0;
}

/* Gives the finished file its name, unless something has it. File systems differ in what they can do. */
static int give_name(const char *name, const char *path)
{
	if (renameat2(AT_FDCWD, name, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	if (link(name, path) < 0)
		return -errno;
	unlink(name);
	return 0;
}

static int write_file(const char *path, const unsigned char *image, size_t count)
{
	char name[PATH_MAX];
	int result = temporary_name(path, name, sizeof(name));
	int fd;

	if (result < 0)
		return result;
	fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return -errno;
	result = write_all(fd, image, count);
	if (close(fd) < 0 && result == 0)
		result = -errno;
	if (result == 0)
		result = give_name(name, path);
	if (result < 0)
		unlink(name);
	return result;
}

int file_new(const char *path, const struct run_record *run, struct fault *fault)
{
	unsigned char *image;
	struct stat status;
	size_t count;
	int result;

	if (lstat(path, &status) == 0)
		return fault_system(fault, -EEXIST, "%s exists already: a run file is never overwritten",
				    path);
	result = make_image(run, &image, &count);
	if (result < 0)
		return fault_system(fault, result, "%s: cannot make the tables of a run file: %s", path,
				    strerror(-result));
	result = write_file(path, image, count);
	sqlite3_free(image);
	if (result == -EEXIST)
		return fault_system(fault, result, "%s exists already: a run file is never overwritten",
				    path);
	if (result < 0)
		return fault_system(fault, result, "%s: cannot create the run file: %s", path,
				    strerror(-result));
	return 0;
}
