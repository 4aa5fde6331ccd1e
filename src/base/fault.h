/* fault: one clear sentence about what is wrong with the user's input, and where.
 *
 * Functions that can be given bad input take a `struct fault *` (may be NULL) and fill it on failure only,
 * next to returning -EINVAL (or another -errno). Only the front door prints it. */
#pragma once
#include <stdarg.h>
#include <stdint.h>

struct fault {
	uint32_t line;		/* 1-based line of the input text; 0 = not about a line */
	uint32_t column;	/* 1-based column in bytes; 0 = not about a column */
	char source[256];	/* name of the text: file, built-in plan, "--set"; "" = none */
	char text[512];		/* the sentence: what, why, what to do; no trailing newline */
};

/* Fills the fault (NULL is ignored) and returns -EINVAL, so that callers can `return fault_set(...)`. */
int fault_set(struct fault *fault, uint32_t line, uint32_t column, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* The same for a failure of the system: returns `error` (a -errno) unchanged. */
int fault_system(struct fault *fault, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* "file:line:column: text" (parts that are unknown left out) into `buffer`; returns buffer. */
const char *fault_format(const struct fault *fault, char *buffer, uint32_t buffer_bytes);
