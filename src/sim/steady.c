#include "sim/steady.h"

#include <errno.h>
#include <math.h>
#include "sim/closed_form.h"

/* Every logical page once, in an order that looks random: steps of a stride without common factor. */
struct order {
	uint32_t count, stride, at;
	uint32_t ahead;		/* what `at` will be in some steps */
};

#define STEPS_AHEAD 16

static uint32_t common_factor(uint32_t a, uint32_t b)
{
	while (b) {
		const uint32_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static void order_init(struct order *order, uint32_t count, struct random *random)
{
	order->count = count;
	order->stride = (uint32_t)(count * 0.6180339887) | 1;
	while (common_factor(order->stride, count) != 1)
		order->stride += 2;
	order->at = (uint32_t)random_below(random, count);
	order->ahead = (uint32_t)((order->at + (uint64_t)STEPS_AHEAD * order->stride) % count);
}

/* stride < count, so one subtraction is the remainder. */
static uint32_t order_step(const struct order *order, uint32_t at)
{
	const uint64_t next = (uint64_t)at + order->stride;

	return (uint32_t)(next >= order->count ? next - order->count : next);
}

static uint32_t order_next(struct order *order, const struct sim_map *map)
{
	const uint32_t logical = order->at;

	__builtin_prefetch(&map->physical[order->ahead], 1);
	order->at = order_step(order, order->at);
	order->ahead = order_step(order, order->ahead);
	return logical;
}

/* Opens, fills and closes one superblock with `valid` pages at random offsets (selection sampling). */
static int superblock_fill(struct sim_map *map, uint32_t valid, struct order *order, struct random *random)
{
	const uint32_t index = sim_map_open(map, SIM_MODE_NATIVE), pages = map->geometry->superblock_pages;
	struct sim_superblock *superblock;

	if (index == SIM_NOWHERE)
		return -ENOSPC;
	superblock = &map->superblocks[index];
	for (uint32_t offset = 0; offset < pages && valid; offset++)
		if (random_below(random, pages - offset) < valid) {
			sim_map_bind(map, order_next(order, map), index * pages + offset, superblock);
			map->mapped++;
			valid--;
		}
	superblock->written = superblock->capacity;
	superblock->used = true;
	superblock->state = SIM_CLOSED;
	return 0;
}

static int steady_fill(struct sim_ftl *ftl, struct random *random)
{
	const struct sim_geometry *geometry = &ftl->geometry;
	const uint32_t closed = geometry->superblocks - (uint32_t)(ftl->collect.aim + 0.5) - 2;
	const double alpha = (double)closed * geometry->superblock_pages / geometry->user_pages;
	const double decay = sim_steady_decay(alpha);
	double wanted = 0;
	struct order order;

	order_init(&order, geometry->user_pages, random);
	for (uint32_t i = 0; i < closed; i++) {
		const double age = (closed - 1 - i + 0.5) / closed;
		uint32_t valid;
		int status;

		wanted += geometry->superblock_pages * exp(-decay * age);
		valid = (uint32_t)fmin(wanted, geometry->user_pages) - ftl->map.mapped;
		if (i == closed - 1)
			valid = geometry->user_pages - ftl->map.mapped;
		if (valid > geometry->superblock_pages)
			valid = geometry->superblock_pages;
		status = superblock_fill(&ftl->map, valid, &order, random);
		if (status)
			return status;
	}
	while (ftl->map.mapped < geometry->user_pages)	/* rounding left a few over */
		if (!sim_ftl_write(ftl, order_next(&order, &ftl->map), SIM_UNTIMED, 0))
			return -ENOSPC;
	return 0;
}

static int sequential_fill(struct sim_ftl *ftl)
{
	for (uint32_t logical = 0; logical < ftl->geometry.user_pages; logical++)
		if (!sim_ftl_write(ftl, logical, SIM_UNTIMED, 0))
			return -ENOSPC;
	return 0;
}

int sim_precondition(struct sim_ftl *ftl, enum sim_precondition state, uint64_t seed)
{
	const bool slc_on = ftl->slc.on;
	struct random random;
	int status = 0;

	random_init(&random, seed, 5);
	ftl->slc.on = false;
	if (state == SIM_PRECONDITION_SEQUENTIAL)
		status = sequential_fill(ftl);
	else if (state == SIM_PRECONDITION_STEADY)
		status = steady_fill(ftl, &random);
	ftl->slc.on = slc_on;
	ftl->counts = (struct sim_ftl_counts){ 0 };
	ftl->collect.counts = (struct sim_collect_counts){ 0 };
	return status;
}
