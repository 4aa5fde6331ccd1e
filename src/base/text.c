#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int text_reserve(struct text *text, size_t more)
{
	size_t capacity = text->capacity ? text->capacity : 256;
	char *data;

	if (text->error)
		return text->error;
	if (more > SIZE_MAX / 4 - text->bytes)
		return text->error = -ENOMEM;
	while (capacity < text->bytes + more + 1)
		capacity *= 2;
	if (capacity == text->capacity)
		return 0;
	data = realloc(text->data, capacity);
	if (!data)
		return text->error = -ENOMEM;
	text->data = data;
	text->capacity = capacity;
	return 0;
}

void text_release(struct text *text)
{
	free(text->data);
	*text = (struct text){ 0 };
}

void text_clear(struct text *text)
{
	text->bytes = 0;
	text->error = 0;
	if (text->data)
		text->data[0] = '\0';
}

const char *text_data(const struct text *text)
{
	return text->data ? text->data : "";
}

void text_append_bytes(struct text *text, const void *bytes, size_t count)
{
	if (text_reserve(text, count))
		return;
	memcpy(text->data + text->bytes, bytes, count);
	text->bytes += count;
	text->data[text->bytes] = '\0';
}

void text_append(struct text *text, const char *string)
{
	text_append_bytes(text, string, strlen(string));
}

void text_append_char(struct text *text, char character)
{
	text_append_bytes(text, &character, 1);
}

void text_vprintf(struct text *text, const char *format, va_list args)
{
	va_list again;
	int length;

	va_copy(again, args);
	length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (length < 0 || text_reserve(text, (size_t)length))
		return;
	vsnprintf(text->data + text->bytes, (size_t)length + 1, format, args);
	text->bytes += (size_t)length;
}

void text_printf(struct text *text, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	text_vprintf(text, format, args);
	va_end(args);
}

void text_append_xml(struct text *text, const char *string)
{
	for (; *string; string++) {
		unsigned char c = (unsigned char)*string;

		if (c == '&')
			text_append(text, "&amp;");
		else if (c == '<')
			text_append(text, "&lt;");
		else if (c == '>')
			text_append(text, "&gt;");
		else if (c == '"')
			text_append(text, "&quot;");
		else if (c == '\'')
			text_append(text, "&#39;");
		else if (c == 0x7f || (c < 0x20 && c != '\n' && c != '\t'))
			text_append(text, "\xef\xbf\xbd");
		else
			text_append_char(text, (char)c);
	}
}

int text_read_file(struct text *text, const char *path, size_t bytes_max)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t start = text->bytes;
	char block[16384];
	ssize_t got;

	if (fd < 0)
		return -errno;
	while ((got = read(fd, block, sizeof(block))) > 0) {
		if (text->bytes - start + (size_t)got > bytes_max) {
			close(fd);
			return -EFBIG;
		}
		text_append_bytes(text, block, (size_t)got);
	}
	got = got < 0 ? -errno : 0;
	close(fd);
	return got ? (int)got : text->error;
}

char *text_take(struct text *text)
{
	char *data;

	text_append_bytes(text, "", 0);
	if (text->error) {
		text_release(text);
		return NULL;
	}
	data = text->data;
	*text = (struct text){ 0 };
	return data;
}
