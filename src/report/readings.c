#include "report/readings.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINTS_MAX 400000u	/* of all of them; more than a page shows */

static struct reading *reading_for(struct readings *readings, const struct telemetry_record *row)
{
	struct reading *reading;

	for (uint32_t i = 0; i < readings->count; i++) {
		reading = &readings->reading[i];
		if (reading->target == row->target &&
		    strncmp(reading->name, row->name, sizeof(reading->name) - 1) == 0)
			return reading;
	}
	if (readings->count == READINGS_MAX)
		return NULL;
	reading = &readings->reading[readings->count++];
	*reading = (struct reading){ .target = row->target, .low = INFINITY, .high = -INFINITY };
	snprintf(reading->name, sizeof(reading->name), "%s", row->name);
	return reading;
}

static int reading_grow(struct reading *reading)
{
	uint32_t capacity = reading->capacity ? reading->capacity * 2 : 256;
	double *t_ns = reallocarray(reading->t_ns, capacity, sizeof(*t_ns)), *value;

	if (!t_ns)
		return -ENOMEM;
	reading->t_ns = t_ns;
	value = reallocarray(reading->value, capacity, sizeof(*value));
	if (!value)
		return -ENOMEM;
	reading->value = value;
	reading->capacity = capacity;
	return 0;
}

/* What the block layer counted is in the checks; only readings of the host and of this drive are drawn. */
static bool told(const struct readings *readings, const struct telemetry_record *row)
{
	int32_t target = readings->model->target;

	if (!row->name || strncmp(row->name, "block_", 6) == 0 || !isfinite(row->value))
		return false;
	return row->target < 0 || target == REPORT_ALL_TARGETS || row->target == target;
}

static int add(void *context, const struct telemetry_record *row)
{
	struct readings *readings = context;
	struct reading *reading = told(readings, row) ? reading_for(readings, row) : NULL;

	if (!reading || readings->points++ >= POINTS_MAX)
		return 0;
	if (reading->count == reading->capacity && reading_grow(reading))
		return -ENOMEM;
	reading->t_ns[reading->count] = (double)row->t_ns;
	reading->value[reading->count++] = row->value;
	reading->low = fmin(reading->low, row->value);
	reading->high = fmax(reading->high, row->value);
	reading->sum += row->value;
	readings->length_ns = fmax(readings->length_ns, (double)row->t_ns);
	return 0;
}

int readings_read(struct readings *readings, const struct report_model *model)
{
	*readings = (struct readings){ .model = model };
	return store_each_telemetry(model->store, add, readings);
}

void readings_release(struct readings *readings)
{
	for (uint32_t i = 0; i < readings->count; i++) {
		free(readings->reading[i].t_ns);
		free(readings->reading[i].value);
	}
	*readings = (struct readings){ 0 };
}

const struct reading *readings_find(const struct readings *readings, int32_t target, const char *name)
{
	for (uint32_t i = 0; i < readings->count; i++)
		if (readings->reading[i].target == target && strcmp(readings->reading[i].name, name) == 0)
			return &readings->reading[i];
	return NULL;
}

double reading_at(const struct reading *reading, double t_ns)
{
	uint32_t low = 0, high = reading->count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (reading->t_ns[middle] <= t_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? reading->value[low - 1] : NAN;
}
