#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_BLOCK 65536

struct arena_block {
	struct arena_block *previous;
	size_t used, capacity;
	_Alignas(16) char data[];
};

void *arena_alloc(struct arena *arena, size_t bytes)
{
	struct arena_block *block = arena->last;
	size_t need = (bytes + 15) & ~(size_t)15;
	void *result;

	if (need < bytes)
		return NULL;
	if (!block || block->capacity - block->used < need) {
		size_t capacity = need > ARENA_BLOCK ? need : ARENA_BLOCK;

		if (capacity > SIZE_MAX - sizeof(*block))
			return NULL;
		block = calloc(1, sizeof(*block) + capacity);
		if (!block)
			return NULL;
		block->previous = arena->last;
		block->capacity = capacity;
		arena->last = block;
	}
	result = block->data + block->used;
	block->used += need;
	return result;
}

char *arena_strndup(struct arena *arena, const char *string, size_t bytes)
{
	char *copy = arena_alloc(arena, bytes + 1);

	if (copy)
		memcpy(copy, string, bytes);
	return copy;
}

char *arena_strdup(struct arena *arena, const char *string)
{
	return arena_strndup(arena, string, strlen(string));
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
	va_list args;
	int length;
	char *copy;

	va_start(args, format);
	length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (length < 0)
		return NULL;
	copy = arena_alloc(arena, (size_t)length + 1);
	if (!copy)
		return NULL;
	va_start(args, format);
	vsnprintf(copy, (size_t)length + 1, format, args);
	va_end(args);
	return copy;
}

void arena_release(struct arena *arena)
{
	struct arena_block *block = arena->last;

	while (block) {
		struct arena_block *previous = block->previous;

		free(block);
		block = previous;
	}
	arena->last = NULL;
}
