/* readings: the telemetry of a run by name: what the host and the drive of a model told, in order of time. */
#pragma once
#include "report/model.h"

#define READINGS_MAX 128u
#define READINGS_HOST (-1)	/* target of what the host told */

struct reading {
	int32_t target;			/* index of the drive, or READINGS_HOST */
	char name[48];
	uint32_t count, capacity;
	double *t_ns, *value;		/* since the run's start */
	double low, high, sum;
};

struct readings {
	const struct report_model *model;
	uint32_t count, points;
	struct reading reading[READINGS_MAX];
	double length_ns;		/* of the last reading */
};

/* Of the host and of the model's drives; what the block layer counted is left out. 0, -ENOMEM or the store's
 * -errno; released either way. */
int readings_read(struct readings *readings, const struct report_model *model);
void readings_release(struct readings *readings);
/* NULL: there is none. */
const struct reading *readings_find(const struct readings *readings, int32_t target, const char *name);
/* The value that held at a time: the last one before it; NaN before the first. */
double reading_at(const struct reading *reading, double t_ns);
