#include "report/utf8.h"

#include <stdbool.h>

static bool continues(unsigned char byte)
{
	return (byte & 0xc0) == 0x80;
}

static uint32_t length_three(const unsigned char *s)
{
	if (!continues(s[1]) || !continues(s[2]))
		return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f))
		return 0;
	return 3;
}

static uint32_t length_four(const unsigned char *s)
{
	if (!continues(s[1]) || !continues(s[2]) || !continues(s[3]))
		return 0;
	if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return 4;
}

uint32_t utf8_length(const char *string)
{
	const unsigned char *s = (const unsigned char *)string;

	if (s[0] < 0x80)
		return s[0] ? 1 : 0;
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		return continues(s[1]) ? 2 : 0;
	if (s[0] >= 0xe0 && s[0] <= 0xef)
		return length_three(s);
	if (s[0] >= 0xf0 && s[0] <= 0xf4)
		return length_four(s);
	return 0;
}

static uint32_t code_point(const char *string, uint32_t length)
{
	const unsigned char *s = (const unsigned char *)string;
	uint32_t code = length == 1 ? s[0] : s[0] & (0x7fu >> length);

	for (uint32_t i = 1; i < length; i++)
		code = code << 6 | (s[i] & 0x3f);
	return code;
}

static uint32_t code_columns(uint32_t code)
{
	static const struct { uint32_t first, last, columns;
	} ranges[] = {
		{ 0x300, 0x36f, 0 },   { 0x200b, 0x200f, 0 },	{ 0xfe00, 0xfe0f, 0 },
		{ 0x1100, 0x115f, 2 }, { 0x2e80, 0xa4cf, 2 },	{ 0xac00, 0xd7a3, 2 },
		{ 0xf900, 0xfaff, 2 }, { 0xfe30, 0xfe6f, 2 },	{ 0xff00, 0xff60, 2 },
		{ 0xffe0, 0xffe6, 2 }, { 0x1f300, 0x1faff, 2 }, { 0x20000, 0x3fffd, 2 },
	};

	for (uint32_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return ranges[i].columns;
	return 1;
}

uint32_t utf8_columns(const char *string)
{
	uint32_t columns = 0;

	while (*string) {
		uint32_t length = utf8_length(string);

		columns += length ? code_columns(code_point(string, length)) : 1;
		string += length ? length : 1;
	}
	return columns;
}
