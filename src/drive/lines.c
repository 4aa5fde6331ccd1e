#include "drive/lines.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINES_FIRST 8u

static bool lines_make_room(struct lines *lines)
{
	const uint32_t capacity = lines->capacity ? lines->capacity * 2 : LINES_FIRST;
	char **line;

	if (lines->count < lines->capacity)
		return true;
	line = realloc(lines->line, capacity * sizeof *line);
	if (!line)
		return false;
	lines->line = line;
	lines->capacity = capacity;
	return true;
}

static void lines_take(struct lines *lines, char *string)
{
	if (string && lines_make_room(lines)) {
		lines->line[lines->count++] = string;
		return;
	}
	free(string);
	lines->error = -ENOMEM;
}

static char *format_string(const char *format, va_list args)
{
	char *string;

	return vasprintf(&string, format, args) < 0 ? NULL : string;
}

void lines_add(struct lines *lines, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	lines_take(lines, format_string(format, args));
	va_end(args);
}

void lines_add_once(struct lines *lines, const char *format, ...)
{
	va_list args;
	char *string;

	va_start(args, format);
	string = format_string(format, args);
	va_end(args);
	if (string && lines_contain(lines, string))
		free(string);
	else
		lines_take(lines, string);
}

bool lines_contain(const struct lines *lines, const char *line)
{
	for (uint32_t i = 0; i < lines->count; i++)
		if (!strcmp(lines->line[i], line))
			return true;
	return false;
}

void lines_release(struct lines *lines)
{
	for (uint32_t i = 0; i < lines->count; i++)
		free(lines->line[i]);
	free(lines->line);
	*lines = (struct lines){0};
}
