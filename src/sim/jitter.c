#include "sim/jitter.h"

#include <math.h>

/* Relative read times of the pages of a cell, mean 1: datasheets give about 0.8 / 1.0 / 1.2 for TLC. */
static const double type_factors[4][4] = {
	{ 1, 1, 1, 1 },
	{ 0.85, 1.15, 1, 1 },
	{ 0.8, 1.0, 1.2, 1 },
	{ 0.7, 0.9, 1.1, 1.3 },
};

/* Standard normal quantile by bisection of the distribution function: slow and exact, used at start only. */
static double normal_quantile(double share)
{
	double low = -9, high = 9;

	for (int i = 0; i < 50; i++) {
		const double middle = (low + high) / 2;

		if (0.5 * erfc(-middle / M_SQRT2) < share)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

void sim_jitter_init(struct sim_jitter *jitter, double sigma, uint32_t bits, bool page_types)
{
	double factors[SIM_JITTER_STEPS], sum = 0;

	jitter->on = sigma > 0;
	for (uint32_t i = 0; i < 4; i++)
		jitter->types[i] = (uint32_t)(65536 * (page_types ? type_factors[bits - 1][i] : 1) + 0.5);
	if (!jitter->on)
		return;
	for (uint32_t i = 0; i < SIM_JITTER_STEPS / 2; i++) {
		const double quantile = normal_quantile((i + 0.5) / SIM_JITTER_STEPS);

		factors[i] = exp(sigma * quantile);
		factors[SIM_JITTER_STEPS - 1 - i] = exp(-sigma * quantile);
		sum += factors[i] + factors[SIM_JITTER_STEPS - 1 - i];
	}
	for (uint32_t i = 0; i < SIM_JITTER_STEPS; i++)
		jitter->factors[i] = (uint32_t)(65536 * SIM_JITTER_STEPS / sum * factors[i] + 0.5);
}
