#include "work/skew.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_RANKS 1024		/* zipf: ranks with a part of their own */
#define PARTS_MAX 16384
#define NORMAL_PARTS 4096

/* Parts while they are made. */
struct parts {
	struct skew_part *part;
	double *weight;
	uint32_t count;
};

static void parts_add(struct parts *parts, uint64_t start, uint64_t count, double weight)
{
	if (count == 0 || !(weight >= 0) || parts->count == PARTS_MAX)
		return;
	parts->part[parts->count] = (struct skew_part){ .start = start, .count = count };
	parts->weight[parts->count++] = weight;
}

/* Sum of r^-theta over ranks first .. end-1 (1-based), by the midpoint rule: its error is below theta^2 /
 * (8 first^2) of the value; parts of one rank are exact. */
static double zipf_weight(uint64_t first, uint64_t end, double theta)
{
	double low = (double)first - 0.5, high = (double)end - 0.5;

	if (end - first == 1)
		return pow((double)first, -theta);
	if (fabs(theta - 1) < 1e-9)
		return log(high / low);
	return (pow(low, 1 - theta) - pow(high, 1 - theta)) / (theta - 1);
}

static double pareto_below(uint64_t rank, uint64_t blocks, double h)
{
	return pow((double)rank / (double)blocks, log(1 - h) / log(h));
}

/* Ranks 0 .. blocks-1 from hot to cold, each part 1/64 longer than what lies before it is long. */
static void add_ranks(struct parts *parts, const struct load *load, uint64_t blocks)
{
	double theta = load->distribution_theta;

	for (uint64_t rank = 0; rank < blocks; ) {
		uint64_t count = rank < HEAD_RANKS ? 1 : rank / 64, end;
		double weight;

		end = blocks - rank > count ? rank + count : blocks;
		weight = load->distribution == DISTRIBUTION_ZIPF ? zipf_weight(rank + 1, end + 1, theta) :
			 pareto_below(end, blocks, theta) - pareto_below(rank, blocks, theta);
		parts_add(parts, rank, end - rank, weight);
		rank = end;
	}
}

/* A run of blocks that may reach round the end of the range. */
static void add_round(struct parts *parts, uint64_t start, uint64_t count, uint64_t blocks, double weight)
{
	uint64_t first;

	start %= blocks;
	first = blocks - start < count ? blocks - start : count;
	parts_add(parts, start, first, weight * (double)first / (double)count);
	if (count > first)
		parts_add(parts, 0, count - first, weight * (double)(count - first) / (double)count);
}

/* Ranks become places: odd ranks to the right of the centre, even ones to the left, falling off on both
 * sides. */
static void fold_ranks(struct parts *from, struct parts *to, uint64_t blocks, double center)
{
	uint64_t middle = (uint64_t)(center * (double)blocks);

	middle = middle < blocks ? middle : blocks - 1;
	for (uint32_t i = 0; i < from->count; i++) {
		uint64_t first = from->part[i].start, end = first + from->part[i].count;
		uint64_t right = end / 2 - first / 2, left = (end - first) - right;	/* odd, even ranks */
		double each = from->weight[i] / (double)(end - first);

		if (right > 0)
			add_round(to, middle + first / 2 + 1, right, blocks, each * (double)right);
		if (left > 0)
			add_round(to, middle + blocks - (first + 1) / 2 - (left - 1), left, blocks,
				  each * (double)left);
	}
}

static double normal_below(double place, double center, double deviation)
{
	return 0.5 * erfc((center - place) / (deviation * M_SQRT2));
}

/* Within eight deviations of the centre, in steps of 1/256 of a deviation or one block. */
static void add_normal(struct parts *parts, const struct load *load, uint64_t blocks)
{
	double deviation = load->distribution_theta / 100;
	double center = load->distribution_center < 0 ? 0.5 : load->distribution_center;
	double low = fmax(0, center - 8 * deviation), high = fmin(1, center + 8 * deviation);
	uint64_t before = (uint64_t)(low * (double)blocks);

	for (uint32_t i = 1; i <= NORMAL_PARTS; i++) {
		uint64_t end = (uint64_t)(ceil((low + (high - low) * i / NORMAL_PARTS) * (double)blocks));

		end = end < blocks ? end : blocks;
		parts_add(parts, before, end - before,
			  normal_below((double)end / (double)blocks, center, deviation) -
			  normal_below((double)before / (double)blocks, center, deviation));
		before = end;
	}
}

static void add_zones(struct parts *parts, const struct load *load, uint64_t blocks)
{
	double sum = 0;
	uint64_t start = 0;

	for (uint32_t i = 0; i < load->zone_count; i++) {
		uint64_t end;

		sum += load->zone[i].size_share;
		end = i == load->zone_count - 1 ? blocks : (uint64_t)(sum * (double)blocks + 0.5);
		end = end > start ? end : start + 1;
		end = end < blocks ? end : blocks;
		if (load->zone[i].access_share > 0)
			parts_add(parts, start, end - start, load->zone[i].access_share);
		start = end;
	}
}

static bool has_accesses(const struct load *load)
{
	for (uint32_t i = 0; i < load->zone_count; i++)
		if (load->zone[i].access_share > 0)
			return true;
	return false;
}

static int check(const struct load *load, uint64_t blocks, struct fault *fault)
{
	double value = load->distribution_theta;

	if (load->distribution == DISTRIBUTION_ZIPF && !(value > 0))
		return fault_set(fault, 0, 0, "random_distribution=zipf: theta has to be above 0");
	if (load->distribution == DISTRIBUTION_PARETO && !(value > 0 && value < 1))
		return fault_set(fault, 0, 0, "random_distribution=pareto: h has to lie between 0 and 1");
	if (load->distribution == DISTRIBUTION_NORMAL && !(value > 0 && value <= 100))
		return fault_set(fault, 0, 0, "random_distribution=normal: the deviation has to be above 0 "
				 "and at most 100 %%");
	if (load->distribution == DISTRIBUTION_ZONED && (load->zone_count == 0 || load->zone_count > blocks))
		return fault_set(fault, 0, 0, "random_distribution=zoned: %u zones in a range of %llu blocks",
				 load->zone_count, (unsigned long long)blocks);
	if (load->distribution == DISTRIBUTION_ZONED && !has_accesses(load))
		return fault_set(fault, 0, 0, "random_distribution=zoned: no zone has any accesses");
	return 0;
}

static int parts_init(struct parts *parts)
{
	parts->count = 0;
	parts->part = calloc(PARTS_MAX, sizeof(*parts->part));
	parts->weight = calloc(PARTS_MAX, sizeof(*parts->weight));
	return parts->part && parts->weight ? 0 : -ENOMEM;
}

static void parts_release(struct parts *parts)
{
	free(parts->part);
	free(parts->weight);
}

static int make_ranks(struct skew *skew, struct parts *parts, const struct load *load, uint64_t blocks,
		      struct random *place_random)
{
	struct parts ranks;
	int error;

	if (load->distribution_center < 0) {
		add_ranks(parts, load, blocks);
		skew->scattered = true;
		shuffle_init(&skew->places, blocks, place_random);
		return 0;
	}
	error = parts_init(&ranks);
	if (!error) {
		add_ranks(&ranks, load, blocks);
		fold_ranks(&ranks, parts, blocks, load->distribution_center);
	}
	parts_release(&ranks);
	return error;
}

static int make_parts(struct skew *skew, struct parts *parts, const struct load *load, uint64_t blocks,
		      struct random *place_random)
{
	if (load->distribution == DISTRIBUTION_ZIPF || load->distribution == DISTRIBUTION_PARETO)
		return make_ranks(skew, parts, load, blocks, place_random);
	if (load->distribution == DISTRIBUTION_NORMAL)
		add_normal(parts, load, blocks);
	else
		add_zones(parts, load, blocks);
	return 0;
}

/* Keeps no more memory than the parts need. */
static int take_parts(struct skew *skew, const struct parts *parts)
{
	skew->part = calloc(parts->count, sizeof(*skew->part));
	if (!skew->part)
		return -ENOMEM;
	memcpy(skew->part, parts->part, parts->count * sizeof(*skew->part));
	return alias_init(&skew->alias, parts->weight, parts->count);
}

int skew_init(struct skew *skew, const struct load *load, uint64_t blocks, struct random *place_random,
	      struct fault *fault)
{
	struct parts parts;
	int error;

	memset(skew, 0, sizeof(*skew));
	skew->blocks = blocks;
	error = check(load, blocks, fault);
	if (error)
		return error;
	error = parts_init(&parts);
	if (!error)
		error = make_parts(skew, &parts, load, blocks, place_random);
	if (!error)
		error = take_parts(skew, &parts);
	parts_release(&parts);
	return error;
}

void skew_release(struct skew *skew)
{
	free(skew->part);
	alias_release(&skew->alias);
	memset(skew, 0, sizeof(*skew));
}

uint64_t skew_memory_bytes(const struct load *load)
{
	uint64_t parts = load->distribution == DISTRIBUTION_ZONED ? load->zone_count :
			 load->distribution == DISTRIBUTION_NORMAL ? NORMAL_PARTS + 1 : 6144;

	return parts * (sizeof(struct skew_part) + sizeof(struct alias_column));
}
