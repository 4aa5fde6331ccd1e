#include "run/values.h"

#include <jansson.h>

char *values_json(const struct plan_instance *instance)
{
	json_t *object = json_object();
	char *text;

	for (uint32_t i = 0; i < instance->value_count; i++) {
		const struct plan_value *value = &instance->values[i];
		json_t *item;

		if (value->numeric && value->number == (double)(json_int_t)value->number)
			item = json_integer((json_int_t)value->number);
		else if (value->numeric)
			item = json_real(value->number);
		else
			item = json_string(value->text);
		json_object_set_new(object, value->key, item);
	}
	text = json_dumps(object, JSON_COMPACT);
	json_decref(object);
	return text;
}
