/* lines: a growing list of short sentences or names. Owns its strings; a zero-initialised struct is empty and
 * releasable. The first failed allocation is remembered in `error`, so that a writer checks once. Not
 * thread-safe. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct lines {
	char **line;		/* owned strings, `count` of them */
	uint32_t count, capacity;
	int error;		/* 0 or -ENOMEM, sticky */
};

void lines_add(struct lines *lines, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same, unless the very same line is there already. */
void lines_add_once(struct lines *lines, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool lines_contain(const struct lines *lines, const char *line);
void lines_release(struct lines *lines);
