#include "analyze/pieces.h"

#include <math.h>

double pieces_mean(const double *seconds, uint32_t from, uint32_t to)
{
	double sum = 0;
	uint32_t count = 0;

	for (uint32_t i = from; i < to; i++) {
		if (isnan(seconds[i]))
			continue;
		sum += seconds[i];
		count++;
	}
	return count > 0 ? sum / count : NAN;
}

void pieces_means(const double *seconds, double length, uint32_t count, double *out)
{
	double last = NAN;

	for (uint32_t i = 0; i < count; i++) {
		const uint32_t from = (uint32_t)lround(i * length), to = (uint32_t)lround((i + 1) * length);

		out[i] = pieces_mean(seconds, from, to);
		out[i] = isnan(out[i]) ? last : out[i];
		last = out[i];
	}
	for (uint32_t i = count; i-- > 0;) {
		out[i] = isnan(out[i]) ? last : out[i];
		last = out[i];
	}
}
