/* telemetry_rows: what one look finds, gathered before it is told. Private to telemetry*.c. */
#pragma once
#include <math.h>
#include "drive/drive.h"
#include "measure/records.h"

#define TELEMETRY_ROWS_MAX 128

struct telemetry_rows {
	struct telemetry_record row[TELEMETRY_ROWS_MAX];
	uint32_t count;
	uint64_t t_ns, step;
};

/* target -1 = the host. NaN is not kept. */
static inline void rows_add(struct telemetry_rows *rows, int32_t target, const char *name, double value)
{
	if (rows->count < TELEMETRY_ROWS_MAX && !isnan(value))
		rows->row[rows->count++] = (struct telemetry_record){
			.t_ns = rows->t_ns,
			.step = rows->step,
			.target = target,
			.name = name,
			.value = value,
		};
}

/* A state: told when it is another one than `told`, which it is then. */
static inline void rows_add_state(struct telemetry_rows *rows, int32_t target, const char *name, double value,
				  double *told)
{
	if (isnan(value) || value == *told)
		return;
	*told = value;
	rows_add(rows, target, name, value);
}

static inline double rows_known(uint64_t value)
{
	return value == DRIVE_UNKNOWN ? NAN : (double)value;
}

/* NaN when one is not known, or when it fell. */
static inline double rows_growth(uint64_t before, uint64_t now)
{
	return before == DRIVE_UNKNOWN || now == DRIVE_UNKNOWN || now < before ? NAN : (double)(now - before);
}
