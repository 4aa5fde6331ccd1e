#include "analyze/exceedance.h"

#include <math.h>
#include <gsl/gsl_cdf.h>

void exceedance_init(struct exceedance *exceedance, double allowed, uint64_t planned)
{
	*exceedance = (struct exceedance){
		.allowed = allowed,
		.planned = planned ? planned : 1,
	};
}

static void dispersion_add(struct dispersion *dispersion, uint64_t n, uint64_t count)
{
	dispersion->intervals++;
	dispersion->squares += (double)count * (double)count / (double)n;
	dispersion->counts += (double)count;
	dispersion->weights += (double)n;
}

/* Sum over the intervals of (k - n q)^2 / (n q (1 - q)), q the share of all of them, over their number
 * less one. */
static double dispersion_of(const struct dispersion *dispersion)
{
	double q = dispersion->weights > 0 ? dispersion->counts / dispersion->weights : 0;
	double square = dispersion->squares - 2 * q * dispersion->counts + q * q * dispersion->weights;

	if (dispersion->intervals < 2 || q <= 0 || q >= 1)
		return 1;
	return fmax(1, square / (q * (1 - q)) / (dispersion->intervals - 1));
}

double exceedance_dispersion(const struct exceedance *exceedance)
{
	return fmax(dispersion_of(&exceedance->beyond_limit), dispersion_of(&exceedance->beyond_mark));
}

/* The binomial distribution function continued to real arguments: I_(1-q)(n - k, k + 1). */
static double binomial_low(double k, double q, double n)
{
	return k >= n ? 1 : gsl_cdf_beta_P(1 - q, n - k, k + 1);
}

double exceedance_tail_low(const struct exceedance *exceedance)
{
	double dispersion = exceedance_dispersion(exceedance);

	return binomial_low((double)exceedance->exceeding / dispersion, exceedance->allowed,
			    (double)exceedance->n / dispersion);
}

double exceedance_tail_high(const struct exceedance *exceedance)
{
	double dispersion = exceedance_dispersion(exceedance);
	double k = (double)exceedance->exceeding / dispersion, n = (double)exceedance->n / dispersion;

	if (k < 1)
		return exceedance->exceeding ? 1 - binomial_low(0, exceedance->allowed, n) : 1;
	return gsl_cdf_beta_P(exceedance->allowed, k, n - k + 1);
}

static void look(struct exceedance *exceedance)
{
	double part = (double)exceedance->n / (double)exceedance->planned;
	double alpha;

	if (part > 1)
		part = 1;
	alpha = (part - exceedance->spent) * EXCEEDANCE_ALPHA / 2;
	exceedance->spent = part;
	if (alpha <= 0)
		return;
	if (exceedance_tail_low(exceedance) < alpha)
		exceedance->verdict = EXCEEDANCE_BELOW;
	else if (exceedance_tail_high(exceedance) < alpha)
		exceedance->verdict = EXCEEDANCE_ABOVE;
}

enum exceedance_verdict exceedance_feed(struct exceedance *exceedance, uint64_t n, uint64_t exceeding,
					uint64_t marked)
{
	if (!n || exceedance->verdict != EXCEEDANCE_OPEN)
		return exceedance->verdict;
	exceedance->n += n;
	exceedance->exceeding += exceeding;
	dispersion_add(&exceedance->beyond_limit, n, exceeding);
	dispersion_add(&exceedance->beyond_mark, n, marked);
	if (exceedance->beyond_limit.intervals < EXCEEDANCE_INTERVALS_MIN ||
	    exceedance->n < exceedance->next_look)
		return EXCEEDANCE_OPEN;
	look(exceedance);
	exceedance->next_look = (uint64_t)((double)exceedance->n * EXCEEDANCE_LOOK_RATIO);
	return exceedance->verdict;
}
