#include "fixture.h"

#include <math.h>
#include "sim/profile.h"

struct sim_drive *drive_make(const char *spec, uint64_t seed)
{
	struct sim_drive *drive = NULL;
	struct fault fault = { 0 };

	if (sim_drive_new(spec, seed, &drive, &fault))
		fail_msg("%s: %s", spec, fault.text);
	return drive;
}

struct sim_params params_make(const char *spec)
{
	struct sim_params params;
	struct fault fault = { 0 };

	if (sim_params_load(spec, &params, &fault))
		fail_msg("%s: %s", spec, fault.text);
	return params;
}

void assert_near(double actual, double expected, double share)
{
	if (!(fabs(actual - expected) <= share * fabs(expected)))
		fail_msg("%g is not within %g %% of %g (%+.2f %%)", actual, 100 * share, expected,
			 100 * (actual / expected - 1));
}

uint64_t io_do(struct sim_drive *drive, enum io_op op, uint64_t offset, uint32_t bytes, uint64_t now_ns)
{
	const struct io io = { .offset = offset, .bytes = bytes, .op = (uint8_t)op };
	uint64_t done_ns = 0;
	const int32_t result = sim_drive_submit(drive, &io, now_ns, NULL, 0, &done_ns);

	assert_int_equal(result, op <= IO_WRITE ? (int32_t)bytes : 0);
	assert_true(done_ns >= now_ns);
	return done_ns;
}

uint64_t drive_trim(struct sim_drive *drive, uint64_t now_ns)
{
	const uint64_t capacity = sim_drive_capacity_bytes(drive), piece = 1 << 30;

	for (uint64_t at = 0; at < capacity; at += piece)
		now_ns = io_do(drive, IO_TRIM, at, (uint32_t)(capacity - at < piece ? capacity - at : piece), now_ns);
	return now_ns;
}
