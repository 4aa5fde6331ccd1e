/* Opening, committing and closing. */
#include "store/store.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>
#include "base/text.h"
#include "store/connection.h"
#include "store/file_copy.h"
#include "store/file_new.h"
#include "store/get.h"
#include "store/reserve.h"
#include "store/schema.h"
#include "store/tally_map.h"
#include "store/writer_lock.h"

static struct store *store_new(const char *path)
{
	struct store *store = calloc(1, sizeof(*store));

	if (!store)
		return NULL;
	store->lock_fd = store->reserve_fd = -1;
	store->path = strdup(path);
	return store->path ? store : store_close(store);
}

static void forget_names(struct store *store, uint32_t kept)
{
	while (store->telemetry_names > kept)
		free(store->telemetry_name[--store->telemetry_names]);
}

/* A finished file is one file: without write-ahead log it can be read from anywhere. A reader may be in the
 * way, or the disk full: then the log stays, which is as valid. */
static void leave_wal(sqlite3 *db)
{
	if (!sqlite3_get_autocommit(db))
		sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
	sqlite3_busy_timeout(db, 100);
	sqlite3_exec(db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
}

int store_in_place(const struct store *store)
{
	struct stat held, named;

	if (fstat(store->lock_fd, &held))
		return -errno;
	if (!stat(store->path, &named) && named.st_dev == held.st_dev && named.st_ino == held.st_ino)
		return 0;
	return held.st_nlink ? -ESTALE : -ENOENT;
}

struct store *store_close(struct store *store)
{
	if (!store)
		return NULL;
	store_finalize_statements(store);
	reserve_give(&store->reserve_fd);	/* taking the log in may need it */
	if (store->db && store->writable)
		leave_wal(store->db);
	sqlite3_close(store->db);
	if (store->lock_fd >= 0) {
		writer_unlock(store->lock_fd);
		close(store->lock_fd);
	}
	packer_release(&store->packer);
	tally_map_free(store->tally_maps);
	arena_release(&store->arena);
	forget_names(store, 0);
	free(store->telemetry_name);
	free(store->op.last);
	free(store->path);
	free(store);
	return NULL;
}

/* What was committed before commits were flushed lies in the log. */
static int flush_log(const struct store *store)
{
	char name[PATH_MAX];
	int fd, result;

	if (snprintf(name, sizeof(name), "%s-wal", store->path) >= (int)sizeof(name))
		return -ENAMETOOLONG;
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	result = fsync(fd) < 0 ? -errno : 0;
	close(fd);
	return result;
}

int store_flush(struct store *store)
{
	int result;

	if (store->flushed)
		return 0;
	store->flushed = true;
	result = fsync(store->lock_fd) < 0 ? -errno : flush_log(store);
	if (result < 0)
		return result;
	return store_error(store->db, sqlite3_exec(store->db, "PRAGMA synchronous = FULL", NULL, NULL, NULL));
}

int store_commit(struct store *store)
{
	int result;

	if (!store->writable)
		return -EROFS;
	if (sqlite3_get_autocommit(store->db))
		return 0;
	result = store_error(store->db, sqlite3_exec(store->db, "COMMIT", NULL, NULL, NULL));
	if (result == 0)
		store->telemetry_names_committed = store->telemetry_names;
	return result;
}

int store_last_words(struct store *store)
{
	if (!sqlite3_get_autocommit(store->db))
		sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
	forget_names(store, store->telemetry_names_committed);
	if (store->reserve_fd < 0)
		return -ENOSPC;
	reserve_give(&store->reserve_fd);
	return 0;
}

/* -- opening -- */

/* "file:" and the path, with the characters that a URI gives a meaning to escaped. */
static char *make_uri(const char *path, const char *parameters)
{
	struct text uri = { 0 };

	text_append(&uri, "file:");
	for (const char *at = path; *at; at++) {
		if (strchr("%?#", *at))
			text_printf(&uri, "%%%02x", (unsigned int)*at);
		else
			text_append_char(&uri, *at);
	}
	text_append(&uri, parameters);
	return text_take(&uri);
}

static int open_database(const char *path, const char *parameters, int flags, sqlite3 **ret_db)
{
	char *uri = make_uri(path, parameters);
	sqlite3 *db = NULL;
	int result;

	if (!uri)
		return -ENOMEM;
	result = store_error(NULL,
			     sqlite3_open_v2(uri, &db, flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL));
	free(uri);
	if (result == 0)
		sqlite3_busy_timeout(db, STORE_BUSY_MS);
	/* The first look at the file shows whether SQLite can work with it where it is. */
	if (result == 0)
		result = store_error(db,
				     sqlite3_exec(db, "PRAGMA trusted_schema = OFF; PRAGMA schema_version",
						  NULL, NULL, NULL));
	if (result < 0)
		sqlite3_close(db);
	else
		*ret_db = db;
	return result;
}

static bool has_side_file(const char *path, const char *suffix)
{
	char name[PATH_MAX + 16];
	struct stat status;

	snprintf(name, sizeof(name), "%s%s", path, suffix);
	return stat(name, &status) == 0 && status.st_size > 0;
}

/* Where it is; or, where nothing can be written beside it, as it is; or as a copy. */
static int open_readable(const char *path, sqlite3 **ret_db)
{
	int result = open_database(path, "", SQLITE_OPEN_READONLY, ret_db);

	if (result == 0 || result == -EBADMSG || result == -ENOMEM || result == -EBUSY)
		return result;
	if (!has_side_file(path, "-wal") && !has_side_file(path, "-journal"))
		return open_database(path, "?immutable=1", SQLITE_OPEN_READONLY, ret_db);
	return file_copy_open(path, ret_db);
}

/* Is it a file at all? It isn't opened here: closing it again would drop the locks that SQLite holds on it in
 * this process. */
static int check_file(const char *path, struct fault *fault)
{
	struct stat status;

	if (stat(path, &status) < 0)
		return fault_system(fault, -errno, "%s: cannot be opened: %s", path, strerror(errno));
	if (!S_ISREG(status.st_mode))
		return fault_system(fault, -EBADMSG, "%s: not a run file, not even a file", path);
	if (status.st_size == 0)
		return fault_system(fault, -EBADMSG, "%s: not a run file: it is empty", path);
	return 0;
}

static int open_older(struct store *store, struct fault *fault)
{
	int result;

	sqlite3_close(store->db);
	store->db = NULL;
	result = file_copy_open(store->path, &store->db);
	if (result == 0)
		result = schema_migrate(store->db, schema_migration, schema_migration_count, STORE_SCHEMA);
	if (result < 0)
		return fault_system(fault, result,
				    "%s: an older run file that cannot be brought up to date: %s",
				    store->path, strerror(-result));
	return schema_check(store->db, store->path, fault);
}

static int open_reader(struct store *store, struct fault *fault)
{
	int result = check_file(store->path, fault);

	if (result < 0)
		return result;
	result = open_readable(store->path, &store->db);
	if (result == 0)
		result = connection_harden(store);
	if (result == -EBADMSG)
		return fault_system(fault, result, "%s: not a run file, or damaged", store->path);
	if (result < 0)
		return fault_system(fault, result, "%s: cannot be read: %s", store->path, strerror(-result));
	result = schema_check(store->db, store->path, fault);
	if (result == -ESTALE) {
		result = open_older(store, fault);
		if (result == 0)
			result = connection_harden(store);
	}
	return result;
}

int store_open(const char *path, struct store **ret_store, struct fault *fault)
{
	struct store *store = store_new(path);
	int result;

	if (!store)
		return -ENOMEM;
	result = open_reader(store, fault);
	if (result < 0)
		store_close(store);
	else
		*ret_store = store;
	return result;
}

int store_fault(const struct store *store, int error, struct fault *fault)
{
	if (error == -EBADMSG)
		return fault_system(
			fault, error,
			"%s: damaged: what is in it makes no sense (a copy that was cut short, or a "
			"disk that failed)",
			store->path);
	return fault_system(fault, error, "%s: cannot be read: %s", store->path, strerror(-error));
}

/* -- writers -- */

/* The process that holds a lock on the file, by /proc/locks; 0 = it does not say. */
static int lock_holder(int fd)
{
	struct stat status;
	FILE *locks = fopen("/proc/locks", "re");
	char line[256];
	int holder = 0;

	while (locks && !fstat(fd, &status) && !holder && fgets(line, sizeof(line), locks)) {
		unsigned int major_number, minor_number;
		unsigned long long inode;
		int pid;

		if (sscanf(line, "%*d: FLOCK %*s %*s %d %x:%x:%llu", &pid, &major_number, &minor_number,
			   &inode) == 4 &&
		    major_number == major(status.st_dev) && minor_number == minor(status.st_dev) &&
		    inode == status.st_ino)
			holder = pid;
	}
	if (locks)
		fclose(locks);
	return holder;
}

static int take_lock(struct store *store, struct fault *fault)
{
	const struct timespec moment = { .tv_nsec = 10000000 };
	int holder, result;

	store->lock_fd = open(store->path, O_RDWR | O_CLOEXEC);
	if (store->lock_fd < 0)
		return fault_system(fault, -errno, "%s: cannot be opened: %s", store->path, strerror(errno));
	result = writer_lock(store->lock_fd);
	if (result == -EWOULDBLOCK) {		/* somebody may just be looking whether there is a writer */
		nanosleep(&moment, NULL);
		result = writer_lock(store->lock_fd);
	}
	if (result == 0)
		return 0;
	if (result == -EWOULDBLOCK) {
		holder = lock_holder(store->lock_fd);
		return fault_system(fault, -EBUSY, holder ? "%s: another ssdassay is writing this run, process %d" :
				    "%s: another ssdassay is writing this run", store->path, holder);
	}
	return fault_system(fault, result, "%s: cannot be locked: %s", store->path, strerror(-result));
}

/* Each commit is flushed to the disk: a power cut of the host loses no more than a kill does. A checkpoint
 * every 2 MB keeps the log small. */
static int start_wal(const struct store *store)
{
	const char *sql = store->flushed ?
		"PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 256; PRAGMA synchronous = FULL" :
		"PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 256; PRAGMA synchronous = OFF";

	return store_error(store->db, sqlite3_exec(store->db, sql, NULL, NULL, NULL));
}

/* In one transaction: otherwise each statement would take its own lock. */
static int check_schema(struct store *store, struct fault *fault)
{
	int result = store_error(store->db, sqlite3_exec(store->db, "BEGIN", NULL, NULL, NULL));

	if (result < 0)
		return fault_system(fault, result, "%s: cannot be read: %s", store->path, strerror(-result));
	result = schema_check(store->db, store->path, fault);
	sqlite3_exec(store->db, "COMMIT", NULL, NULL, NULL);
	return result;
}

static int load_names(struct store *store)
{
	const struct name_record *names;
	uint32_t count;
	int result = store_names(store, &names, &count);

	if (result < 0 || count == 0)
		return result;
	store->telemetry_name = calloc(count, sizeof(*store->telemetry_name));
	if (!store->telemetry_name)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		if (names[i].id != i + 1 || !names[i].name)
			return -EBADMSG;
		store->telemetry_name[i] = strdup(names[i].name);
		if (!store->telemetry_name[i])
			return -ENOMEM;
		store->telemetry_names = i + 1;
	}
	store->telemetry_names_committed = count;
	return 0;
}

static int open_writer(struct store *store, struct fault *fault)
{
	int result = take_lock(store, fault);

	if (result < 0)
		return result;
	store->writable = true;
	result = access(store->path, W_OK) < 0 ? -errno : 0;
	if (result == 0)
		result = open_database(store->path, "", SQLITE_OPEN_READWRITE, &store->db);
	if (result == 0 && sqlite3_db_readonly(store->db, "main"))
		result = -EROFS;	/* SQLite opened what it could */
	if (result == 0)
		result = connection_harden(store);
	if (result < 0)
		return fault_system(fault, result, "%s: cannot be written: %s", store->path,
				    strerror(-result));
	result = check_schema(store, fault);
	if (result == -ESTALE) {
		result = schema_migrate(store->db, schema_migration, schema_migration_count, STORE_SCHEMA);
		if (result == 0)
			result = check_schema(store, fault);
	}
	if (result < 0)
		return result;
	store->reserve_fd = reserve_take(store->path);
	result = start_wal(store);
	if (result == 0)
		result = load_names(store);
	if (result < 0)
		return fault_system(fault, result, "%s: cannot be written: %s", store->path,
				    strerror(-result));
	return 0;
}

static int open_to_write(const char *path, bool flushed, struct store **ret_store, struct fault *fault)
{
	struct store *store = store_new(path);
	int result;

	if (!store)
		return -ENOMEM;
	store->flushed = flushed;
	result = open_writer(store, fault);
	if (result < 0)
		store_close(store);
	else
		*ret_store = store;
	return result;
}

int store_create_run(const char *path, const struct run_record *run, struct store **ret_store,
		     struct fault *fault)
{
	int result = file_new(path, run, fault);

	return result < 0 ? result : open_to_write(path, false, ret_store, fault);
}

int store_create(const char *path, struct store **ret_store, struct fault *fault)
{
	struct store *store;
	int result = store_create_run(path, NULL, &store, fault);

	if (result < 0)
		return result;
	result = store_flush(store);
	if (result < 0) {
		store_close(store);
		return fault_system(fault, result, "%s: cannot be written: %s", path, strerror(-result));
	}
	*ret_store = store;
	return 0;
}

int store_open_resume(const char *path, struct store **ret_store, struct fault *fault)
{
	int result = check_file(path, fault);

	return result < 0 ? result : open_to_write(path, true, ret_store, fault);
}
