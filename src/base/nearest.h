/* nearest: which name was meant. */
#pragma once
#include <stddef.h>

/* The nearest of `names` by edit distance, or NULL when nothing is near: for messages. */
const char *nearest_name(const char *word, const char *const *names, size_t count);
