#include "drive/health.h"
#include <math.h>
#include <stddef.h>
#include <string.h>

/* Where the numbers of either type lie. */
static const size_t reals[] = {
#define REAL(field) offsetof(struct drive_health, field)
	REAL(temperature_c), REAL(warning_c),	REAL(critical_c),  REAL(throttle1_c), REAL(throttle2_c),
	REAL(sensor_c[0]),   REAL(sensor_c[1]), REAL(sensor_c[2]), REAL(sensor_c[3]), REAL(sensor_c[4]),
	REAL(sensor_c[5]),   REAL(sensor_c[6]), REAL(sensor_c[7]),
#undef REAL
};

static const size_t counts[] = {
#define COUNT(field) offsetof(struct drive_health, field)
	COUNT(critical_warning),  COUNT(spare_percent),	  COUNT(spare_threshold_percent),
	COUNT(used_percent),	  COUNT(host_read_bytes), COUNT(host_write_bytes),
	COUNT(nand_write_bytes),  COUNT(nand_log),	  COUNT(media_errors),
	COUNT(error_log_entries), COUNT(power_cycles),	  COUNT(power_on_hours),
	COUNT(unsafe_shutdowns),  COUNT(warning_minutes), COUNT(critical_minutes),
	COUNT(throttle1_count),	  COUNT(throttle2_count), COUNT(throttle1_seconds),
	COUNT(throttle2_seconds), COUNT(power_state),
#undef COUNT
};

_Static_assert(sizeof reals / sizeof *reals * sizeof(double) +
			       sizeof counts / sizeof *counts * sizeof(uint64_t) ==
		       sizeof(struct drive_health),
	       "every field of drive_health is listed");

static double *real_at(const struct drive_health *health, uint32_t i)
{
	return (double *)((char *)health + reals[i]);
}

static uint64_t *count_at(const struct drive_health *health, uint32_t i)
{
	return (uint64_t *)((char *)health + counts[i]);
}

void health_unknown(struct drive_health *health)
{
	for (uint32_t i = 0; i < sizeof reals / sizeof *reals; i++)
		*real_at(health, i) = NAN;
	for (uint32_t i = 0; i < sizeof counts / sizeof *counts; i++)
		*count_at(health, i) = DRIVE_UNKNOWN;
}

bool health_is_unknown(const struct drive_health *health)
{
	for (uint32_t i = 0; i < sizeof reals / sizeof *reals; i++)
		if (!isnan(*real_at(health, i)))
			return false;
	for (uint32_t i = 0; i < sizeof counts / sizeof *counts; i++)
		if (*count_at(health, i) != DRIVE_UNKNOWN)
			return false;
	return true;
}

void health_complete(const struct drive_health *other, struct drive_health *health)
{
	for (uint32_t i = 0; i < sizeof reals / sizeof *reals; i++)
		if (isnan(*real_at(health, i)))
			*real_at(health, i) = *real_at(other, i);
	for (uint32_t i = 0; i < sizeof counts / sizeof *counts; i++)
		if (*count_at(health, i) == DRIVE_UNKNOWN)
			*count_at(health, i) = *count_at(other, i);
}
