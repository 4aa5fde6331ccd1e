#include "fixture.h"
#include <math.h>
#include <string.h>

struct load load_make(enum load_rw rw, uint32_t bytes)
{
	struct load load;
	struct load_sizes one = { .count = 1, .part = { { bytes, bytes, 1 } } };

	memset(&load, 0, sizeof(load));
	load.rw = rw;
	load.read_share = 0.5;
	load_sizes_set(&load, one);
	for (int op = 0; op < 3; op++)
		load.percentage_random[op] = 1;
	load.distribution_center = -1;
	load.seed = 1;
	load.seed_repeat = true;
	load.iodepth = 1;
	load.numjobs = 1;
	load.loops = 1;
	return load;
}

void load_sizes_set(struct load *load, struct load_sizes sizes)
{
	for (int op = 0; op < 3; op++)
		load->sizes[op] = sizes;
}

struct work_config config_make(const struct load *load, uint64_t target_bytes)
{
	return (struct work_config){ .load = load, .target_bytes = target_bytes, .block_bytes = 512, .workers = 1,
				     .budget_bytes = UINT64_MAX, .budget_ios = UINT64_MAX };
}

struct work *work_make(const struct work_config *config)
{
	struct fault fault = { .text = "no fault given" };
	struct work *work = NULL;
	int error = work_new(config, &work, &fault);

	if (error)
		fail_msg("work_new: %d %s", error, fault.text);
	return work;
}

struct io io_next(struct work *work)
{
	struct io io = { .slot = 77 };

	assert_int_equal(work_next(work, &io, 1), 1);
	assert_int_equal(io.slot, 0);
	return io;
}

double chi_square(const uint32_t *counts, uint32_t cells)
{
	double sum = 0, statistic = 0;

	for (uint32_t i = 0; i < cells; i++)
		sum += counts[i];
	for (uint32_t i = 0; i < cells; i++)
		statistic += (counts[i] - sum / cells) * (counts[i] - sum / cells) / (sum / cells);
	return statistic;
}

double chi_square_limit(uint32_t degrees)
{
	double part = 2.0 / (9.0 * degrees);

	return degrees * pow(1 - part + 4.75 * sqrt(part), 3);
}
