#include "plan/name.h"

#include <stdint.h>
#include <string.h>

/* Length of the sequence that `first` starts, 0 = none. */
static size_t utf8_length(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first >= 0xc2 && first < 0xe0)
		return 2;
	if (first >= 0xe0 && first < 0xf0)
		return 3;
	return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

/* Over-long forms, surrogates and code points above U+10FFFF (RFC 3629). */
static bool utf8_second_bad(unsigned char first, unsigned char second)
{
	return (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
	       (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f);
}

const char *name_utf8_check(const char *text, size_t bytes)
{
	for (size_t at = 0; at < bytes;) {
		const unsigned char *here = (const unsigned char *)text + at;
		size_t length = utf8_length(*here);

		if (!length || length > bytes - at || (length > 1 && utf8_second_bad(here[0], here[1])))
			return text + at;
		for (size_t i = 1; i < length; i++)
			if ((here[i] & 0xc0) != 0x80)
				return text + at;
		at += length;
	}
	return NULL;
}

bool name_in_list(const char *word, const char *list)
{
	size_t bytes = strlen(word);

	while (*list) {
		size_t length = strcspn(list, " ");

		if (length == bytes && !memcmp(list, word, bytes))
			return true;
		list += length + (list[length] == ' ');
	}
	return false;
}
