#include "base/fault.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void fault_fill(struct fault *fault, uint32_t line, uint32_t column, const char *format, va_list args)
{
	if (!fault)
		return;
	fault->line = line;
	fault->column = column;
	vsnprintf(fault->text, sizeof(fault->text), format, args);
}

int fault_set(struct fault *fault, uint32_t line, uint32_t column, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fault_fill(fault, line, column, format, args);
	va_end(args);
	return -EINVAL;
}

int fault_system(struct fault *fault, int error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fault_fill(fault, 0, 0, format, args);
	va_end(args);
	return error;
}

const char *fault_format(const struct fault *fault, char *buffer, uint32_t buffer_bytes)
{
	char place[64] = "";

	if (fault->line && fault->column)
		snprintf(place, sizeof(place), ":%u:%u", fault->line, fault->column);
	else if (fault->line)
		snprintf(place, sizeof(place), ":%u", fault->line);
	if (fault->source[0])
		snprintf(buffer, buffer_bytes, "%s%s: %s", fault->source, place, fault->text);
	else
		snprintf(buffer, buffer_bytes, "%s", fault->text);
	return buffer;
}
