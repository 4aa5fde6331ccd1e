#include "run/steady_text.h"

#include <jansson.h>

static void real_set(json_t *object, const char *key, double value)
{
	json_t *number = json_real(value);

	json_object_set_new(object, key, number ? number : json_null());
}

char *steady_json(const char *name, const struct snia_verdict *snia, const char *tracked)
{
	json_t *object = json_object(), *rule = json_object(), *values = json_array();
	char *text;

	json_object_set_new(object, "verdict", json_string(name));
	json_object_set_new(rule, "met", json_boolean(snia->met));
	json_object_set_new(rule, "tracked", tracked ? json_string(tracked) : json_null());
	json_object_set_new(rule, "last_round", json_integer(snia->last_round));
	for (int i = 0; i < SNIA_WINDOW; i++) {
		json_t *number = json_real(snia->y[i]);

		json_array_append_new(values, number ? number : json_null());
	}
	json_object_set_new(rule, "values", values);
	real_set(rule, "average", snia->average);
	real_set(rule, "range", snia->range);
	real_set(rule, "range_allowed", snia->range_allowed);
	real_set(rule, "slope", snia->slope);
	real_set(rule, "intercept", snia->intercept);
	real_set(rule, "slope_excursion", snia->slope_excursion);
	real_set(rule, "slope_allowed", snia->slope_allowed);
	json_object_set_new(object, "snia", rule);
	text = json_dumps(object, JSON_COMPACT);
	json_decref(object);
	return text;
}
