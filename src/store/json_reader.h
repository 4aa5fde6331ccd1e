/* json_reader: figures out of the JSON that a run file holds. */
#pragma once
#include <stdint.h>
#include <jansson.h>

/* The number under the key; NaN where there is none: no object, no such key, null, or no number. */
double json_real_in(const json_t *object, const char *key);
/* The whole number under the key; 0 where there is none, or one below 0. */
uint64_t json_count_in(const json_t *object, const char *key);
