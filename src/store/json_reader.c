#include "store/json_reader.h"

#include <math.h>

double json_real_in(const json_t *object, const char *key)
{
	const json_t *number = json_object_get(object, key);

	return json_is_number(number) ? json_number_value(number) : NAN;
}
