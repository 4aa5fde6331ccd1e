/* arena: many small allocations that live and die together. Zeroed memory, 16-byte aligned. Not thread-safe.
 * A zero-initialised arena is empty and releasable. */
#pragma once
#include <stddef.h>

struct arena_block;
struct arena {
	struct arena_block *last;
};

void *arena_alloc(struct arena *arena, size_t bytes);		/* NULL when out of memory */
char *arena_strdup(struct arena *arena, const char *string);
char *arena_strndup(struct arena *arena, const char *string, size_t bytes);
char *arena_printf(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
void arena_release(struct arena *arena);
