#include "report/values.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool key_is_size(const char *key)
{
	static const char *const sizes[] = { "bs", "size", "io_size", "offset", "blocksize" };

	for (uint32_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		if (strcmp(key, sizes[i]) == 0)
			return true;
	return false;
}

/* 4096 -> "4k", 1048576 -> "1m", 4000 -> "4000": exact, as plans write it. */
static const char *size_text(struct arena *arena, double bytes)
{
	static const char suffix[] = " kmgtp";
	uint32_t unit = 0;

	while (unit + 1 < sizeof(suffix) - 1 && bytes >= 1024 && fmod(bytes, 1024) == 0) {
		bytes /= 1024;
		unit++;
	}
	return unit ? arena_printf(arena, "%.0f%c", bytes, suffix[unit])
		    : arena_printf(arena, "%.15g", bytes);
}

static int value_read(struct report_value *value, struct arena *arena, const char *key, const json_t *json)
{
	value->key = arena_strdup(arena, key);
	value->numeric = json_is_number(json);
	if (value->numeric) {
		value->number = json_number_value(json);
		value->text = key_is_size(key) ? size_text(arena, value->number) :
						 arena_printf(arena, "%.15g", value->number);
	} else if (json_is_string(json)) {
		value->text = arena_strndup(arena, json_string_value(json), json_string_length(json));
	} else {
		value->text = json_is_true(json) ? "yes" : json_is_false(json) ? "no" : "";
	}
	return value->key && value->text ? 0 : -ENOMEM;
}

static int values_fill(struct report_values *values, struct arena *arena, json_t *object)
{
	const char *key;
	json_t *json;
	int error;

	values->values = arena_alloc(arena, json_object_size(object) * sizeof(*values->values) + 1);
	if (!values->values)
		return -ENOMEM;
	json_object_foreach(object, key, json) {
		error = value_read(&values->values[values->count], arena, key, json);
		if (error)
			return error;
		values->count++;
	}
	return 0;
}

int report_values_read(struct report_values *values, struct arena *arena, const char *json)
{
	json_t *object = json ? json_loads(json, JSON_REJECT_DUPLICATES, NULL) : NULL;
	int error = 0;

	*values = (struct report_values){ 0 };
	if (json_is_object(object))
		error = values_fill(values, arena, object);
	json_decref(object);
	return error;
}

const struct report_value *report_values_find(const struct report_values *values, const char *key)
{
	for (uint32_t i = 0; i < values->count; i++)
		if (strcmp(values->values[i].key, key) == 0)
			return &values->values[i];
	return NULL;
}

/* "300s" and "1800s": the same unit, so by their numbers. */
static bool same_unit(const char *a, const char *b, double *ret_a, double *ret_b)
{
	char *rest_a, *rest_b;

	if (*a < '0' || *a > '9' || *b < '0' || *b > '9')
		return false;
	*ret_a = strtod(a, &rest_a);
	*ret_b = strtod(b, &rest_b);
	return *rest_a && strcmp(rest_a, rest_b) == 0 && *ret_a != *ret_b;
}

int report_value_compare(const struct report_value *a, const struct report_value *b)
{
	double first, second;

	if (!a || !b)
		return (a != NULL) - (b != NULL);
	if (a->numeric && b->numeric)
		return (a->number > b->number) - (a->number < b->number);
	if (same_unit(a->text, b->text, &first, &second))
		return first > second ? 1 : -1;
	return strverscmp(a->text, b->text);	/* "0%..50%" is before "0%..100%" */
}
