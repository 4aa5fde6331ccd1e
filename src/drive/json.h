/* json: the few helpers that the JSON writers of this room share. Unknown values become null. */
#pragma once
#include <jansson.h>
#include <stdint.h>
#include "drive/lines.h"

void json_put_text(json_t *object, const char *key, const char *text);		/* "" or NULL -> null */
void json_put_u64(json_t *object, const char *key, uint64_t value);		/* DRIVE_UNKNOWN -> null */
void json_put_real(json_t *object, const char *key, double value);		/* NAN -> null */
void json_put_flag(json_t *object, const char *key, int flag);			/* -1 -> null */
json_t *json_from_lines(const struct lines *lines);
/* Takes the object; caller frees the text; NULL when out of memory. */
char *json_take_text(json_t *object);
