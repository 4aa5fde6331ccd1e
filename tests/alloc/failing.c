#include "failing.h"
#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <zlib.h>

static _Atomic uint64_t requests, fail_at;	/* fail_at 0: never */
static atomic_bool fail_on, failed;
static _Atomic int64_t blocks, maps, sqlite_blocks;

void failing_arm(enum failing_mode mode, uint64_t n)
{
	fail_on = mode == FAILING_ALL;
	failed = false;
	requests = 0;
	fail_at = n;
}

bool failing_disarm(void)
{
	fail_at = 0;
	return failed;
}

struct failing_live failing_live(void)
{
	return (struct failing_live){ blocks, maps, sqlite_blocks };
}

/* Is this one refused? */
static bool refuse(void)
{
	const uint64_t at = fail_at;
	const uint64_t number = at ? ++requests : 0;

	if (!at || (fail_on ? number < at : number != at))
		return false;
	failed = true;
	return true;
}

static void *given(void *memory)
{
	if (memory)
		blocks++;
	return memory;
}

/* -- what the linker sends here -- */

char *__real_getcwd(char *buffer, size_t bytes);
void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
char *__real_strdup(const char *string);
char *__real_strndup(const char *string, size_t bytes);
int __real_vasprintf(char **ret_text, const char *format, va_list args);
void __real_free(void *memory);
DIR *__real_opendir(const char *path);
FILE *__real_fdopen(int fd, const char *mode);
void *__real_mmap64(void *where, size_t bytes, int protection, int flags, int fd, off_t offset);
int __real_munmap(void *memory, size_t bytes);
int __real_pthread_create(pthread_t *ret_thread, const pthread_attr_t *attributes, void *(*run)(void *),
			  void *context);
int __real_deflateInit2_(z_streamp stream, int level, int method, int bits, int memory, int strategy,
			 const char *version, int bytes);
int __real_inflateInit2_(z_streamp stream, int bits, const char *version, int stream_bytes);
int __real_compress2(Bytef *to, uLongf *to_bytes, const Bytef *from, uLong from_bytes, int level);

char *__wrap_getcwd(char *buffer, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void *__wrap_reallocarray(void *memory, size_t count, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
char *__wrap_strdup(const char *string);
char *__wrap_strndup(const char *string, size_t bytes);
int __wrap_vasprintf(char **ret_text, const char *format, va_list args);
void __wrap_free(void *memory);
DIR *__wrap_opendir(const char *path);
FILE *__wrap_fdopen(int fd, const char *mode);
void *__wrap_mmap64(void *where, size_t bytes, int protection, int flags, int fd, off_t offset);
int __wrap_munmap(void *memory, size_t bytes);
int __wrap_pthread_create(pthread_t *ret_thread, const pthread_attr_t *attributes, void *(*run)(void *),
			  void *context);
int __wrap_deflateInit2_(z_streamp stream, int level, int method, int bits, int memory, int strategy,
			 const char *version, int bytes);
int __wrap_inflateInit2_(z_streamp stream, int bits, const char *version, int stream_bytes);
int __wrap_compress2(Bytef *to, uLongf *to_bytes, const Bytef *from, uLong from_bytes, int level);

static void *no_memory(void)
{
	errno = ENOMEM;
	return NULL;
}

void *__wrap_malloc(size_t bytes)
{
	return refuse() ? no_memory() : given(__real_malloc(bytes));
}

void *__wrap_calloc(size_t count, size_t bytes)
{
	return refuse() ? no_memory() : given(__real_calloc(count, bytes));
}

void *__wrap_realloc(void *memory, size_t bytes)
{
	void *moved = refuse() ? no_memory() : __real_realloc(memory, bytes);

	return memory ? moved : given(moved);
}

void *__wrap_reallocarray(void *memory, size_t count, size_t bytes)
{
	size_t all;

	if (__builtin_mul_overflow(count, bytes, &all))
		return no_memory();
	return __wrap_realloc(memory, all);
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
	return refuse() ? no_memory() : given(__real_aligned_alloc(alignment, bytes));
}

char *__wrap_strdup(const char *string)
{
	return refuse() ? no_memory() : given(__real_strdup(string));
}

char *__wrap_strndup(const char *string, size_t bytes)
{
	return refuse() ? no_memory() : given(__real_strndup(string, bytes));
}

int __wrap_vasprintf(char **ret_text, const char *format, va_list args)
{
	int length = refuse() ? -1 : __real_vasprintf(ret_text, format, args);

	if (length >= 0)
		blocks++;
	else
		errno = ENOMEM;
	return length;
}

/* With NULL it gives memory that the caller frees. */
char *__wrap_getcwd(char *buffer, size_t bytes)
{
	char *path = refuse() ? no_memory() : __real_getcwd(buffer, bytes);

	return buffer ? path : given(path);
}

void __wrap_free(void *memory)
{
	if (memory)
		blocks--;
	__real_free(memory);
}

DIR *__wrap_opendir(const char *path)
{
	return refuse() ? no_memory() : __real_opendir(path);
}

FILE *__wrap_fdopen(int fd, const char *mode)
{
	return refuse() ? no_memory() : __real_fdopen(fd, mode);
}

void *__wrap_mmap64(void *where, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	void *memory = MAP_FAILED;

	if (refuse())
		errno = ENOMEM;
	else
		memory = __real_mmap64(where, bytes, protection, flags, fd, offset);
	if (memory != MAP_FAILED)
		maps++;
	return memory;
}

int __wrap_munmap(void *memory, size_t bytes)
{
	maps--;
	return __real_munmap(memory, bytes);
}

int __wrap_pthread_create(pthread_t *ret_thread, const pthread_attr_t *attributes, void *(*run)(void *),
			  void *context)
{
	return refuse() ? EAGAIN : __real_pthread_create(ret_thread, attributes, run, context);
}

int __wrap_deflateInit2_(z_streamp stream, int level, int method, int bits, int memory, int strategy,
			 const char *version, int bytes)
{
	return refuse() ? Z_MEM_ERROR : __real_deflateInit2_(stream, level, method, bits, memory, strategy,
							     version, bytes);
}

int __wrap_inflateInit2_(z_streamp stream, int bits, const char *version, int stream_bytes)
{
	return refuse() ? Z_MEM_ERROR : __real_inflateInit2_(stream, bits, version, stream_bytes);
}

int __wrap_compress2(Bytef *to, uLongf *to_bytes, const Bytef *from, uLong from_bytes, int level)
{
	return refuse() ? Z_MEM_ERROR : __real_compress2(to, to_bytes, from, from_bytes, level);
}

/* -- SQLite: its own allocator, with ours before it -- */

static sqlite3_mem_methods sqlite_own;

static void *sqlite_malloc(int bytes)
{
	void *memory = refuse() ? NULL : sqlite_own.xMalloc(bytes);

	if (memory)
		sqlite_blocks++;
	return memory;
}

static void sqlite_free(void *memory)
{
	sqlite_blocks--;
	sqlite_own.xFree(memory);
}

static void *sqlite_realloc(void *memory, int bytes)
{
	return refuse() ? NULL : sqlite_own.xRealloc(memory, bytes);
}

void failing_install(void)
{
	sqlite3_mem_methods methods;

	json_set_alloc_funcs(__wrap_malloc, __wrap_free);
	if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &sqlite_own))
		abort();
	methods = sqlite_own;
	methods.xMalloc = sqlite_malloc;
	methods.xFree = sqlite_free;
	methods.xRealloc = sqlite_realloc;
	if (sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) || sqlite3_initialize())
		abort();
}
