/* utf8: strings from a run file may hold anything; what isn't UTF-8 is shown as U+FFFD. */
#pragma once
#include <stdint.h>

#define UTF8_REPLACEMENT "\xef\xbf\xbd"

/* Bytes of the character that starts here (RFC 3629: no overlong forms, no surrogates), or 0 when there is
 * none. */
uint32_t utf8_length(const char *string);
/* Columns of a terminal or a monospaced table: one per character, two for East Asian wide ones and emoji,
 * none for combining marks. */
uint32_t utf8_columns(const char *string);
