#include "store/file_copy.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>
#include "store/connection.h"

static const char *const suffixes[] = { "", "-wal", "-journal",
					"-shm" }; /* the last isn't copied: SQLite makes a new one */
#define SUFFIXES_COPIED 3

static int copy_bytes(int from, int to)
{
	ssize_t copied;

	do {
		copied = sendfile(to, from, NULL, 1 << 30);
	} while (copied > 0 || (copied < 0 && errno == EINTR));
	return copied < 0 ? -errno : 0;
}

/* A side file that isn't there is no error. */
static int copy_file(const char *from, const char *to, bool needed)
{
	int source = open(from, O_RDONLY | O_CLOEXEC);
	int copy, result;

	if (source < 0)
		return errno == ENOENT && !needed ? 0 : -errno;
	copy = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	result = copy < 0 ? -errno : copy_bytes(source, copy);
	if (copy >= 0 && close(copy) < 0 && result == 0)
		result = -errno;
	close(source);
	return result;
}

static int copy_files(const char *path, const char *copy)
{
	int result = 0;

	for (int i = 0; i < SUFFIXES_COPIED && result == 0; i++) {
		char from[PATH_MAX + 16], to[128];

		snprintf(from, sizeof(from), "%s%s", path, suffixes[i]);
		snprintf(to, sizeof(to), "%s%s", copy, suffixes[i]);
		result = copy_file(from, to, i == 0);
	}
	return result;
}

/* Makes SQLite bring the copy in order and hold everything it needs open. */
static int settle(sqlite3 *db)
{
	static const char sql[] = "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;"
		"PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; COMMIT; PRAGMA journal_mode = MEMORY;";

	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	return store_error(db, sqlite3_exec(db, sql, NULL, NULL, NULL));
}

static int open_copy(const char *copy, sqlite3 **ret_db)
{
	sqlite3 *db = NULL;
	int result = store_error(
		db, sqlite3_open_v2(copy, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL));

	if (result == 0)
		result = settle(db);
	if (result < 0)
		sqlite3_close(db);
	else
		*ret_db = db;
	return result;
}

int file_copy_open(const char *path, sqlite3 **ret_db)
{
	char directory[] = "/tmp/ssdassay-XXXXXX";
	char copy[64], name[128];
	int result;

	if (!mkdtemp(directory))
		return -errno;
	snprintf(copy, sizeof(copy), "%s/run", directory);
	result = copy_files(path, copy);
	if (result == 0)
		result = open_copy(copy, ret_db);
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		snprintf(name, sizeof(name), "%s%s", copy, suffixes[i]);
		unlink(name);
	}
	rmdir(directory);
	return result;
}
