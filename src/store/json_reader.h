/* json_reader: figures out of the JSON that a run file holds. */
#pragma once
#include <jansson.h>

/* The number under the key; NaN where there is none: no object, no such key, null, or no number. */
double json_real_in(const json_t *object, const char *key);
