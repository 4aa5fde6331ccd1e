#include "sim/closed_form.h"

#include <math.h>

#define DRAW_STEPS 4000

double sim_lambert_w0(double x)
{
	double w;

	if (x > -0.25) {
		w = log1p(x);
	} else {
		const double p = sqrt(fmax(0, 2 * (M_E * x + 1)));

		w = -1 + p - p * p / 3 + 11 * p * p * p / 72;
	}
	for (int i = 0; i < 60 && w > -1 + 1e-9; i++) {	/* Halley's method */
		const double e = exp(w), f = w * e - x;
		const double step = f / (e * (w + 1) - (w + 2) * f / (2 * w + 2));

		w -= step;
		if (fabs(step) < 1e-15)
			break;
	}
	return w;
}

double sim_amplification_fifo(double alpha)
{
	return alpha / (alpha + sim_lambert_w0(-alpha * exp(-alpha)));
}

double sim_amplification_greedy(double alpha, double pages)
{
	const double c = 1 + 1 / (2 * pages);
	const double x0 = 0.5 - pages / alpha * sim_lambert_w0(-c * alpha * exp(-c * alpha));

	return pages / (pages - (x0 - 1));
}

double sim_steady_decay(double alpha)
{
	return alpha + sim_lambert_w0(-alpha * exp(-alpha));
}

/* int_0^1 exp(-lambda a(y)) dy, with y = 1 - (1-s)^4 to resolve the end where a grows without bound. */
static double draw_integral(double lambda, unsigned choices)
{
	double total = 0, a = 0, y = 0;

	for (int i = 1; i < DRAW_STEPS; i++) {
		const double s = (double)i / DRAW_STEPS, next = 1 - pow(1 - s, 4), middle = (y + next) / 2;
		const double rise = (next - y) / 6 *
				    (1 / (1 - pow(y, choices)) + 4 / (1 - pow(middle, choices)) +
				     1 / (1 - pow(next, choices)));

		total += (next - y) * (exp(-lambda * a) + exp(-lambda * (a + rise))) / 2;
		a += rise;
		y = next;
	}
	return total;
}

double sim_amplification_choices(double alpha, unsigned choices)
{
	double low = 1e-6, high = alpha;

	for (int i = 0; i < 60; i++) {
		const double middle = (low + high) / 2;

		if (draw_integral(middle, choices) > 1 / alpha)
			low = middle;
		else
			high = middle;
	}
	return alpha / ((low + high) / 2);
}
