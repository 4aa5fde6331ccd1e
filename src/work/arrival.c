#include "work/arrival.h"
#include <math.h>
#include <string.h>
#include "work/work.h"

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

/* I/O per second that rate= and rate_iops= allow one direction; 0 = no limit. */
static double direction_rate(const struct load *load, enum io_op op, uint32_t block_bytes)
{
	double by_ios = (double)load->rate_ios[op];
	double by_bytes = load->rate_bytes[op] == 0 ? 0 :
			  (double)load->rate_bytes[op] / work_io_bytes_mean(load, op, block_bytes);

	if (by_ios == 0 || by_bytes == 0)
		return by_ios + by_bytes;
	return fmin(by_ios, by_bytes);
}

static void plan_mix(const struct load *load, uint32_t block_bytes, struct arrival_plan *plan)
{
	double reads = direction_rate(load, IO_READ, block_bytes);
	double writes = direction_rate(load, IO_WRITE, block_bytes);

	if (reads > 0 && writes > 0) {
		plan->rate = reads + writes;
		plan->read_share = reads / plan->rate;
	} else if (reads > 0 && load->read_share > 0) {
		plan->rate = reads / load->read_share;
	} else if (writes > 0 && load->read_share < 1) {
		plan->rate = writes / (1 - load->read_share);
	}
}

static void plan_rates(const struct load *load, uint32_t block_bytes, struct arrival_plan *plan)
{
	switch (load->rw) {
	case LOAD_READ:
	case LOAD_RANDREAD:
		plan->rate = direction_rate(load, IO_READ, block_bytes);
		break;
	case LOAD_WRITE:
	case LOAD_RANDWRITE:
		plan->rate = direction_rate(load, IO_WRITE, block_bytes);
		break;
	case LOAD_TRIM:
	case LOAD_RANDTRIM:
		plan->rate = direction_rate(load, IO_TRIM, block_bytes);
		break;
	case LOAD_RW:
	case LOAD_RANDRW:
		plan_mix(load, block_bytes, plan);
		break;
	}
}

void arrival_plan_for(const struct load *load, uint32_t block_bytes, uint32_t worker, uint32_t workers,
		      struct arrival_plan *ret_plan)
{
	struct arrival_plan plan = { .kind = load->arrival, .phase = (double)worker / workers,
				     .read_share = load->read_share };

	plan_rates(load, block_bytes, &plan);
	if (plan.rate > 0 && plan.kind == ARRIVAL_CLOSED)
		plan.kind = ARRIVAL_CONSTANT;
	if (!(plan.rate > 0) && plan.kind != ARRIVAL_CLOSED)
		plan.rate = load->arrival_rate / workers;
	if (!(plan.rate > 0))
		plan.kind = ARRIVAL_CLOSED;
	*ret_plan = plan;
}
