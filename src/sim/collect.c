#include "sim/collect.h"

#include <string.h>

#define SHARE_MAX 0.995		/* a full victim would owe infinitely many moves */
#define RATIO_MIN 0.02		/* an empty one still has to be erased some time */
#define PACE_MAX 3.0
#define PREFETCH_PAGES 24

void sim_collect_init(struct sim_collect *collect, struct sim_map *map, struct sim_flash *flash,
		      const struct sim_params *params, uint64_t seed)
{
	const double per_1024 = map->geometry->superblocks / 1024.0;

	memset(collect, 0, sizeof(*collect));
	collect->map = map;
	collect->flash = flash;
	collect->policy = (enum sim_policy)params->gc;
	collect->choices = (uint32_t)params->gc_choices;
	collect->batch = (uint32_t)params->gc_batch;
	collect->floor = (uint32_t)params->gc_floor;
	/* Spare that did not make a whole superblock comes off the reserve: the effective spare is then the
	 * same whatever the size of superblocks. */
	collect->aim = params->gc_reserve * per_1024 - map->geometry->spare_missing;
	if (collect->aim < collect->floor + 1)
		collect->aim = collect->floor + 1;	/* few superblocks */
	collect->gain = params->gc_gain;
	random_init(&collect->random, seed, 2);
	sim_collect_reset(collect);
}

void sim_collect_reset(struct sim_collect *collect)
{
	collect->frontier = (struct sim_frontier){ SIM_NOWHERE, 0 };
	collect->victim = SIM_NOWHERE;
	collect->debt = 0;
}

void sim_collect_restart(struct sim_collect *collect)
{
	if (collect->frontier.index != SIM_NOWHERE)
		collect->map->superblocks[collect->frontier.index].state = SIM_CLOSED;
	sim_collect_reset(collect);
}

double sim_frontier_left(const struct sim_frontier *frontier, const struct sim_map *map)
{
	const struct sim_superblock *superblock;

	if (frontier->index == SIM_NOWHERE)
		return 0;
	superblock = &map->superblocks[frontier->index];
	return 1 - superblock->written / (double)superblock->capacity;
}

bool sim_frontier_open(struct sim_frontier *frontier, struct sim_map *map, struct sim_flash *flash,
		       enum sim_mode mode, uint64_t now_ns)
{
	struct sim_superblock *superblock;

	if (frontier->index != SIM_NOWHERE)
		map->superblocks[frontier->index].state = SIM_CLOSED;
	*frontier = (struct sim_frontier){ sim_map_open(map, mode), 0 };
	if (frontier->index == SIM_NOWHERE)
		return false;
	superblock = &map->superblocks[frontier->index];
	if (superblock->used && now_ns != SIM_UNTIMED)
		sim_flash_erase(flash, now_ns);
	superblock->used = true;
	return true;
}

static bool frontier_is_full(const struct sim_collect *collect)
{
	const struct sim_superblock *superblock;

	if (collect->frontier.index == SIM_NOWHERE)
		return true;
	superblock = &collect->map->superblocks[collect->frontier.index];
	return superblock->written == superblock->capacity;
}

static bool frontier_ready(struct sim_collect *collect, uint64_t now_ns)
{
	return !frontier_is_full(collect) ||
	       sim_frontier_open(&collect->frontier, collect->map, collect->flash, SIM_MODE_NATIVE, now_ns);
}

static void frontier_put(struct sim_collect *collect, uint32_t logical, bool folding, uint64_t now_ns)
{
	const struct sim_geometry *geometry = collect->map->geometry;
	struct sim_frontier *frontier = &collect->frontier;
	struct sim_superblock *superblock = &collect->map->superblocks[frontier->index];
	const uint32_t offset = superblock->written++;

	sim_map_bind(collect->map, logical, frontier->index * geometry->superblock_pages + offset,
		     superblock);
	if (++frontier->unit_fill < geometry->unit_pages[SIM_MODE_NATIVE])
		return;
	frontier->unit_fill = 0;
	if (now_ns != SIM_UNTIMED)
		sim_flash_program_collected(collect->flash, sim_unit_die(geometry, SIM_MODE_NATIVE, offset),
					    folding, now_ns);
}

static bool victim_take(struct sim_collect *collect, uint32_t victim)
{
	const struct sim_superblock *superblock;

	if (victim == SIM_NOWHERE)
		return false;
	superblock = &collect->map->superblocks[victim];
	collect->victim_share = superblock->valid / (double)collect->map->geometry->superblock_pages;
	collect->victim = victim;
	collect->cursor = 0;
	return true;
}

/* Picks unless one is in work. A full native victim gains nothing: not taken. */
static bool victim_ready(struct sim_collect *collect, bool slc_only)
{
	const struct sim_map *map = collect->map;
	uint32_t victim;

	if (collect->victim != SIM_NOWHERE)
		return true;
	victim = slc_only ? sim_victim_pick_slc(map) :
			    sim_victim_pick(map, collect->policy, collect->choices, &collect->random);
	if (victim == SIM_NOWHERE || map->superblocks[victim].valid >= map->geometry->superblock_pages)
		return false;
	return victim_take(collect, victim);
}

static void victim_finish(struct sim_collect *collect, uint64_t now_ns)
{
	sim_map_erase(collect->map, collect->victim);
	if (now_ns == SIM_UNTIMED)	/* there is time to erase it at once */
		collect->map->superblocks[collect->victim].used = false;
	collect->victim = SIM_NOWHERE;
	collect->counts.erased++;
}

static void page_move(struct sim_collect *collect, uint32_t from, bool folding, uint64_t now_ns)
{
	struct sim_map *map = collect->map;
	const uint32_t logical = map->logical[from];

	__builtin_prefetch(&map->physical[map->logical[from + PREFETCH_PAGES]], 1);
	sim_map_invalidate(map, from);
	frontier_put(collect, logical, folding, now_ns);
	if (collect->moved)
		collect->moved(collect->context, from, map->physical[logical]);
}

/* Moves up to `pages` pages of the victim, row by row; returns the number moved. */
static uint32_t victim_move(struct sim_collect *collect, uint32_t pages, bool folding, uint64_t now_ns)
{
	struct sim_map *map = collect->map;
	const struct sim_superblock *superblock = &map->superblocks[collect->victim];
	const uint32_t base = collect->victim * map->geometry->superblock_pages;
	uint32_t moved = 0, row_end = 0;

	while (moved < pages && superblock->valid) {
		collect->cursor = sim_map_next_valid(map, collect->victim, collect->cursor);
		if (collect->cursor >= row_end) {
			const uint32_t row = sim_divide(&map->geometry->by_row, collect->cursor);

			row_end = (row + 1) * map->geometry->row_pages;
			collect->counts.rows++;
			if (now_ns != SIM_UNTIMED)
				sim_flash_collect_row(collect->flash,
						      sim_unit_die(map->geometry, superblock->mode,
								   collect->cursor), now_ns);
		}
		if (!frontier_ready(collect, now_ns))
			break;
		page_move(collect, base + collect->cursor++, folding, now_ns);
		moved++;
	}
	return moved;
}

uint32_t sim_collect_move(struct sim_collect *collect, uint32_t pages, bool slc_only, uint64_t now_ns)
{
	uint32_t moved = 0;

	while (moved < pages && victim_ready(collect, slc_only)) {
		const bool from_slc = collect->map->superblocks[collect->victim].mode == SIM_MODE_SLC;
		const uint32_t step = victim_move(collect, pages - moved, slc_only, now_ns);

		moved += step;
		collect->counts.folded += from_slc ? step : 0;
		if (collect->map->superblocks[collect->victim].valid) {
			if (moved < pages)
				break;	/* no free superblock to move to */
			continue;
		}
		victim_finish(collect, now_ns);
		if (!slc_only && (!step || collect->map->free_count > collect->aim + 2))
			break;
	}
	collect->counts.moved += moved;
	return moved;
}

void sim_collect_erase_empty(struct sim_collect *collect)
{
	for (uint32_t i = 0; i < collect->map->geometry->superblocks; i++) {
		struct sim_superblock *superblock = &collect->map->superblocks[i];

		if (superblock->state != SIM_CLOSED || superblock->valid || i == collect->victim)
			continue;
		sim_map_erase(collect->map, i);
		superblock->used = false;
		collect->counts.erased++;
	}
}

/* Moved pages owed per host page. */
static double pace(const struct sim_collect *collect, double left)
{
	const double available = collect->map->free_count + left +
				 sim_frontier_left(&collect->frontier, collect->map);
	const double share = collect->victim_share < SHARE_MAX ? collect->victim_share : SHARE_MAX;
	double ratio = share / (1 - share), urgency = 1 + collect->gain * (collect->aim + 1 - available);

	if (ratio < RATIO_MIN)
		ratio = RATIO_MIN;
	if (urgency < 0)
		urgency = 0;
	return ratio * (urgency > PACE_MAX ? PACE_MAX : urgency);
}

static void collect_now(struct sim_collect *collect, uint64_t now_ns)
{
	while (collect->map->free_count <= collect->floor) {
		const uint32_t free_before = collect->map->free_count;
		const uint32_t moved =
			sim_collect_move(collect, collect->map->geometry->superblock_pages, false, now_ns);

		if (!moved && collect->map->free_count <= free_before)
			return;	/* nothing can be gained */
	}
}

void sim_collect_pace(struct sim_collect *collect, uint32_t pages, double left, uint64_t now_ns)
{
	/* Far above the aim the pace is zero whatever the victim: do not pick one yet. */
	if (collect->map->free_count > collect->aim + 1 + 1 / (collect->gain > 0.01 ? collect->gain : 0.01))
		return;
	if (!victim_ready(collect, false))
		return;
	collect->debt += pages * pace(collect, left);
	if (collect->debt >= collect->batch) {
		const uint32_t owed = (uint32_t)collect->debt;

		collect->debt -= owed;
		sim_collect_move(collect, owed, false, now_ns);
	}
	collect_now(collect, now_ns);
}
