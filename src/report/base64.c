#include "report/base64.h"

void base64_append(struct text *out, const void *bytes, size_t count)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const uint8_t *b = bytes;

	for (size_t i = 0; i < count; i += 3) {
		uint32_t left = count - i > 2 ? 3 : (uint32_t)(count - i);
		uint32_t group = (uint32_t)b[i] << 16 | (left > 1 ? (uint32_t)b[i + 1] << 8 : 0) |
				 (left > 2 ? b[i + 2] : 0);
		char four[4];

		for (uint32_t j = 0; j < 4; j++)
			four[j] = j <= left ? digits[group >> (18 - 6 * j) & 63] : '=';
		text_append_bytes(out, four, 4);
	}
}
