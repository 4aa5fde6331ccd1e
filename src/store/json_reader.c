#include "store/json_reader.h"

#include <math.h>

double json_real_in(const json_t *object, const char *key)
{
	const json_t *number = json_object_get(object, key);

	return json_is_number(number) ? json_number_value(number) : NAN;
}

uint64_t json_count_in(const json_t *object, const char *key)
{
	const json_int_t count = json_integer_value(json_object_get(object, key));

	return count > 0 ? (uint64_t)count : 0;
}
