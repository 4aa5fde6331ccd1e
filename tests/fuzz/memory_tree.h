/* memory_tree: a tree of files, folders and links in memory, below a path that no file system has. The linker
 * leads the program's open, read, close, readlink, realpath, opendir, readdir and closedir here (-Wl,--wrap,
 * see meson.build): what is below MEMORY_TREE is answered from memory, everything else by the C library. So a
 * fuzzer that changes files and has them read again costs no system calls. One tree a process, one thread. */
#pragma once
#include <stddef.h>

#define MEMORY_TREE "/memory-tree"

/* Adds a file, with its folders; `path` is relative to the root and lives as long as the process. Aborts when
 * memory or the table is full. Returns a handle for memory_tree_write. */
size_t memory_tree_add(const char *path);
/* The file's new contents. Borrowed until the next write to the same file. */
void memory_tree_write(size_t file, const void *data, size_t bytes);
/* Adds a symbolic link; `target` is relative to the link's folder and lives as long as the process. */
void memory_tree_link(const char *path, const char *target);
