#include <math.h>
#include "base/random.h"
#include "traces.h"

const char *const trace_names[TRACE_KINDS] = {
	"decay", "gc", "bimodal", "bimodal_long", "decline", "hyperbolic", "cliff", "noisy", "sawtooth", "flat",
};

static double uniform(struct random *random, double low, double high)
{
	return low + (high - low) * random_double(random);
}

static double normal(struct random *random)
{
	const double radius = sqrt(-2 * log(1 - random_double(random)));

	return radius * cos(2 * M_PI * random_double(random));
}

static double exponential(struct random *random, double mean)
{
	return -mean * log(1 - random_double(random));
}

/* Multiplies by 1 + noise of this CV; neighbours correlated by r. */
static void add_noise(double *y, struct random *random, double cv, double r)
{
	double noise = normal(random);

	for (int t = 0; t < TRACE_SECONDS; t++) {
		y[t] = fmax(0, y[t] * (1 + cv * noise));
		noise = r * noise + sqrt(1 - r * r) * normal(random);
	}
}

static double make_decay(struct random *random, double *y)
{
	const double start = uniform(random, 1, 4), tau = uniform(random, 120, 900);

	for (int t = 0; t < TRACE_SECONDS; t++)
		y[t] = 20000 * (1 + start * exp(-t / tau));
	return 20000;
}

static double make_gc(struct random *random, double *y)
{
	const double period = uniform(random, 60, 900), depth = uniform(random, 0.2, 0.6);
	const double phase = uniform(random, 0, 2 * M_PI);

	for (int t = 0; t < TRACE_SECONDS; t++)
		y[t] = 20000 * (1 + depth * sin(2 * M_PI * t / period + phase));
	return 20000;
}

static double make_bimodal(struct random *random, double *y, double dwell_low, double dwell_high)
{
	const double dwell = uniform(random, dwell_low, dwell_high);
	int high = random_below(random, 2) == 0;
	double until = exponential(random, dwell);

	for (int t = 0; t < TRACE_SECONDS; t++) {
		if (t >= until) {
			high = !high;
			until = t + exponential(random, dwell);
		}
		y[t] = high ? 30000 : 15000;
	}
	return 22500;
}

static double make_decline(double *y)
{
	for (int t = 0; t < TRACE_SECONDS; t++)
		y[t] = 40000 * exp(-0.1625 * t / 3600);		/* -15 % an hour */
	return NAN;
}

static double make_hyperbolic(double *y)
{
	for (int t = 0; t < TRACE_SECONDS; t++)
		y[t] = 60000 / (1 + t / 3600.0);
	return NAN;
}

static double make_sawtooth(struct random *random, double *y)
{
	const double hot = uniform(random, 120, 400), cool = uniform(random, 30, 120);
	const double slow = uniform(random, 0.4, 0.7);
	double next = 0, share = 1;

	for (int t = 0; t < TRACE_SECONDS; t++) {
		if (t >= next) {
			share = share == 1 ? slow : 1;
			next = t + (share == 1 ? hot : cool) * uniform(random, 0.9, 1.1);
		}
		y[t] = 30000 * share;
	}
	return 30000 * (hot + slow * cool) / (hot + cool);
}

static double make_flat(double *y)
{
	for (int t = 0; t < TRACE_SECONDS; t++)
		y[t] = 20000;
	return 20000;
}

double trace_make(enum trace_kind kind, uint64_t seed, double *y)
{
	struct random random;
	double mean;

	random_init(&random, seed, kind);
	switch (kind) {
	case TRACE_DECAY: mean = make_decay(&random, y); break;
	case TRACE_GC: mean = make_gc(&random, y); break;
	case TRACE_BIMODAL: mean = make_bimodal(&random, y, 60, 600); break;
	case TRACE_BIMODAL_LONG: mean = make_bimodal(&random, y, 1800, 1800); break;
	case TRACE_DECLINE: mean = make_decline(y); break;
	case TRACE_HYPERBOLIC: mean = make_hyperbolic(y); break;
	case TRACE_SAWTOOTH: mean = make_sawtooth(&random, y); break;
	default: mean = make_flat(y); break;
	}
	if (kind == TRACE_NOISY)
		add_noise(y, &random, 0.4, 0.7);
	else
		add_noise(y, &random, uniform(&random, 0.02, 0.1), uniform(&random, 0, 0.5));
	return mean;
}
