/* name: names of sections and keys: what is allowed, and comparison of words. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* The first byte that is not valid UTF-8, or NULL. */
const char *name_utf8_check(const char *text, size_t bytes);
/* Is `word` one of the words in `list`, which are separated by spaces? */
bool name_in_list(const char *word, const char *list);
