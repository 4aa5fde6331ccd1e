#include "work/arrival.h"
#include <math.h>
#include <string.h>

#define FOREVER_NS 0x1p62

static void arrival_add(struct arrival *arrival, uint64_t ns, uint64_t fraction)
{
	uint64_t carry = __builtin_add_overflow(arrival->next_fraction, fraction, &arrival->next_fraction);

	arrival->next_ns += ns + carry;
}

/* -ln(U) x mean with U in (0, 1]. */
static void poisson_advance(struct arrival *arrival)
{
	double uniform = (double)((random_u64(&arrival->random) >> 11) + 1) * 0x1p-53;
	double gap = -log(uniform) * arrival->gap_ns16 + 0.5;
	uint64_t ns16;

	if (gap >= FOREVER_NS) {
		arrival->next_ns = UINT64_MAX - arrival->start_ns;
		return;
	}
	ns16 = (uint64_t)gap;
	arrival_add(arrival, ns16 >> 16, ns16 << 48);
}

void arrival_advance(struct arrival *arrival)
{
	if (arrival->kind == ARRIVAL_POISSON)
		poisson_advance(arrival);
	else if (arrival->gap_ns == UINT64_MAX)
		arrival->next_ns = UINT64_MAX - arrival->start_ns;
	else
		arrival_add(arrival, arrival->gap_ns, arrival->gap_fraction);
}

static void set_ns(double ns, uint64_t *ret_ns, uint64_t *ret_fraction)
{
	if (ns >= FOREVER_NS) {
		*ret_ns = UINT64_MAX;
		*ret_fraction = 0;
		return;
	}
	*ret_ns = (uint64_t)ns;
	*ret_fraction = (uint64_t)((ns - (double)*ret_ns) * 0x1p64);
}

void arrival_init(struct arrival *arrival, enum load_arrival kind, double rate, double phase,
		  uint64_t start_ns, uint64_t seed, uint64_t stream)
{
	double gap_ns = 1e9 / rate;

	memset(arrival, 0, sizeof(*arrival));
	arrival->kind = kind;
	arrival->start_ns = start_ns;
	arrival->gap_ns16 = gap_ns * 65536;
	random_init(&arrival->random, seed, stream);
	set_ns(gap_ns, &arrival->gap_ns, &arrival->gap_fraction);
	if (kind == ARRIVAL_POISSON)
		poisson_advance(arrival);
	else
		set_ns(gap_ns * phase, &arrival->next_ns, &arrival->next_fraction);
}
