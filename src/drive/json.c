#include "drive/json.h"
#include "drive/machine.h"
#include <math.h>
#include <string.h>

void json_put_text(json_t *object, const char *key, const char *text)
{
	json_object_set_new(object, key, text && *text ? json_string(text) : json_null());
}

void json_put_u64(json_t *object, const char *key, uint64_t value)
{
	const bool known = value != DRIVE_UNKNOWN && value <= INT64_MAX; /* a JSON number here is signed */

	json_object_set_new(object, key, known ? json_integer((json_int_t)value) : json_null());
}

void json_put_real(json_t *object, const char *key, double value)
{
	json_object_set_new(object, key, isfinite(value) ? json_real(value) : json_null());
}

void json_put_flag(json_t *object, const char *key, int known_flag)
{
	json_object_set_new(object, key, known_flag < 0 ? json_null() : json_boolean(known_flag));
}

json_t *json_from_lines(const struct lines *lines)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < lines->count; i++)
		json_array_append_new(array, json_string(lines->line[i]));
	return array;
}

char *json_take_text(json_t *object)
{
	char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;

	json_decref(object);
	return text;
}
