#include "memory_tree.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#define NODES_MAX 256
#define HANDLES_MAX 16
#define HANDLE_FIRST (1 << 24)	/* file descriptors of the kernel are smaller */
#define LINKS_FOLLOWED_MAX 16

struct node {
	const char *name;	/* not terminated by NUL */
	size_t name_bytes;
	struct node *parent, *first, *next;
	const char *link;	/* NULL = none */
	bool folder;
	const char *data;
	size_t bytes;
};

struct handle {
	const struct node *node, *next;	/* NULL = free; the next entry of a folder */
	size_t at;
	struct dirent entry;
};

static struct node nodes[NODES_MAX] = { { .name = "", .folder = true } };	/* the root first */
static size_t node_count = 1;
static struct handle handles[HANDLES_MAX];

/* What the linker makes of the names: the program's calls and the C library's functions. */
int __real_open64(const char *path, int flags, ...);
ssize_t __real_read(int fd, void *buffer, size_t bytes);
int __real_close(int fd);
ssize_t __real_readlink(const char *path, char *buffer, size_t bytes);
char *__real_realpath(const char *path, char *real);
DIR *__real_opendir(const char *path);
struct dirent *__real_readdir64(DIR *folder);
int __real_closedir(DIR *folder);
int __wrap_open64(const char *path, int flags, ...);
ssize_t __wrap_read(int fd, void *buffer, size_t bytes);
int __wrap_close(int fd);
ssize_t __wrap_readlink(const char *path, char *buffer, size_t bytes);
char *__wrap_realpath(const char *path, char *real);
DIR *__wrap_opendir(const char *path);
struct dirent *__wrap_readdir64(DIR *folder);
int __wrap_closedir(DIR *folder);

/* -- the tree -- */

static struct node *child(const struct node *folder, const char *name, size_t bytes)
{
	for (struct node *node = folder->first; node; node = node->next)
		if (node->name_bytes == bytes && !memcmp(node->name, name, bytes))
			return node;
	return NULL;
}

static struct node *child_add(struct node *folder, const char *name, size_t bytes)
{
	struct node *node = &nodes[node_count];

	if (node_count == NODES_MAX)
		abort();
	node_count++;
	*node = (struct node){ .name = name, .name_bytes = bytes, .parent = folder, .next = folder->first };
	folder->first = node;
	return node;
}

static struct node *add(const char *path)
{
	struct node *at = nodes;

	while (*path) {
		const size_t bytes = strcspn(path, "/");
		struct node *next = child(at, path, bytes);

		at->folder = true;
		at = next ? next : child_add(at, path, bytes);
		path += bytes + (path[bytes] == '/');
	}
	return at;
}

size_t memory_tree_add(const char *path)
{
	return (size_t)(add(path) - nodes);
}

void memory_tree_write(size_t file, const void *data, size_t bytes)
{
	nodes[file].data = data;
	nodes[file].bytes = bytes;
}

void memory_tree_link(const char *path, const char *target)
{
	add(path)->link = target;
}

/* -- from a path to a node; on failure errno is set -- */

static const struct node *failed(int error)
{
	errno = error;
	return NULL;
}

static const struct node *walk(const struct node *at, const char *path, bool follow, int links_left)
{
	while (*path) {
		const size_t bytes = strcspn(path, "/");
		const char *rest = path + bytes + strspn(path + bytes, "/");

		if (!at->folder)
			return failed(ENOTDIR);
		if (bytes == 2 && !memcmp(path, "..", 2)) {
			if (!at->parent)
				return failed(ENOENT);
			at = at->parent;
		} else if (bytes && !(bytes == 1 && *path == '.')) {
			const struct node *next = child(at, path, bytes);

			if (next && next->link && (*rest || follow))
				next = links_left ? walk(at, next->link, true, links_left - 1) : failed(ELOOP);
			else if (!next)
				errno = ENOENT;
			if (!next)
				return NULL;
			at = next;
		}
		path = rest;
	}
	return at;
}

static bool is_below(const char *path)
{
	const size_t bytes = strlen(MEMORY_TREE);

	return !strncmp(path, MEMORY_TREE, bytes) && (!path[bytes] || path[bytes] == '/');
}

static const struct node *find(const char *path, bool follow)
{
	path += strlen(MEMORY_TREE);
	return walk(nodes, path + strspn(path, "/"), follow, LINKS_FOLLOWED_MAX);
}

/* -- handles -- */

static struct handle *handle_new(const struct node *node)
{
	for (int i = 0; i < HANDLES_MAX; i++)
		if (!handles[i].node) {
			handles[i].node = node;
			handles[i].next = node->first;
			handles[i].at = 0;
			return &handles[i];
		}
	abort();	/* one was not closed */
}

static bool is_handle(const void *pointer)
{
	return (const char *)pointer >= (char *)handles &&
	       (const char *)pointer < (char *)(handles + HANDLES_MAX);
}

/* -- in place of the C library's functions -- */

int __wrap_open64(const char *path, int flags, ...)
{
	const struct node *node;
	va_list args;
	int mode = 0;

	if (!is_below(path)) {
		va_start(args, flags);
		if (flags & O_CREAT)
			mode = va_arg(args, int);
		va_end(args);
		return __real_open64(path, flags, mode);
	}
	node = find(path, true);
	if (node && node->folder)
		node = failed(EISDIR);
	return node ? HANDLE_FIRST + (int)(handle_new(node) - handles) : -1;
}

ssize_t __wrap_read(int fd, void *buffer, size_t bytes)
{
	struct handle *handle;

	if (fd < HANDLE_FIRST)
		return __real_read(fd, buffer, bytes);
	handle = &handles[fd - HANDLE_FIRST];
	if (bytes > handle->node->bytes - handle->at)
		bytes = handle->node->bytes - handle->at;
	if (bytes)
		memcpy(buffer, handle->node->data + handle->at, bytes);
	handle->at += bytes;
	return (ssize_t)bytes;
}

int __wrap_close(int fd)
{
	if (fd < HANDLE_FIRST)
		return __real_close(fd);
	handles[fd - HANDLE_FIRST].node = NULL;
	return 0;
}

ssize_t __wrap_readlink(const char *path, char *buffer, size_t bytes)
{
	const struct node *node;

	if (!is_below(path))
		return __real_readlink(path, buffer, bytes);
	node = find(path, false);
	if (node && !node->link)
		node = failed(EINVAL);
	if (!node)
		return -1;
	if (bytes > strlen(node->link))
		bytes = strlen(node->link);
	memcpy(buffer, node->link, bytes);
	return (ssize_t)bytes;
}

static void write_path(const struct node *node, char *real)
{
	if (!node->parent) {
		strcpy(real, MEMORY_TREE);
		return;
	}
	write_path(node->parent, real);
	strcat(real, "/");
	strncat(real, node->name, node->name_bytes);
}

char *__wrap_realpath(const char *path, char *real)
{
	const struct node *node;

	if (!is_below(path))
		return __real_realpath(path, real);
	node = find(path, true);
	if (!node)
		return NULL;
	write_path(node, real);
	return real;
}

DIR *__wrap_opendir(const char *path)
{
	const struct node *node;

	if (!is_below(path))
		return __real_opendir(path);
	node = find(path, true);
	if (node && !node->folder)
		node = failed(ENOTDIR);
	return node ? (DIR *)handle_new(node) : NULL;
}

struct dirent *__wrap_readdir64(DIR *folder)
{
	struct handle *handle = (struct handle *)folder;
	const struct node *next;

	if (!is_handle(folder))
		return __real_readdir64(folder);
	next = handle->next;
	if (!next)
		return NULL;
	handle->next = next->next;
	memcpy(handle->entry.d_name, next->name, next->name_bytes);
	handle->entry.d_name[next->name_bytes] = 0;
	return &handle->entry;
}

int __wrap_closedir(DIR *folder)
{
	if (!is_handle(folder))
		return __real_closedir(folder);
	((struct handle *)folder)->node = NULL;
	return 0;
}
