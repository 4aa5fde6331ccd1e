#include "sim/ftl.h"

#include <errno.h>
#include <string.h>

static void contents_moved(void *context, uint32_t from, uint32_t to)
{
	struct sim_ftl *ftl = context;

	sim_contents_copy(&ftl->contents, from, to);
}

static uint32_t buffer_depth(const struct sim_params *params, const struct sim_geometry *geometry)
{
	const uint32_t asked = (uint32_t)(params->buffer_mb * 1048576 / SIM_PAGE_BYTES);
	const uint32_t least = geometry->unit_pages[SIM_MODE_NATIVE] * 4;

	return asked < least ? least : asked;
}

/* How many pages back a power cut has to look: the journal's interval at the link's full rate, within reason.
 */
static uint32_t buffer_memory(const struct sim_params *params, uint32_t depth)
{
	const double pages = params->journal_ms / 1e3 * params->link_write_mbps * 1e6 / SIM_PAGE_BYTES;

	return depth + (pages > 4e6 ? 4000000u : (uint32_t)pages);
}

static int contents_start(struct sim_ftl *ftl, struct fault *fault)
{
	const uint64_t pages = (uint64_t)ftl->geometry.superblocks * ftl->geometry.superblock_pages;

	if (pages * SIM_PAGE_BYTES > 8ull << 30)
		return fault_set(fault, 0, 0,
				 "contents=on: the flash of a drive that keeps its data may have at most "
				 "8 GiB, this one has %llu GiB (set capacity_gb or shrink)",
				 (unsigned long long)(pages * SIM_PAGE_BYTES >> 30));
	ftl->collect.moved = contents_moved;
	ftl->collect.context = ftl;
	return sim_contents_init(&ftl->contents, pages);
}

int sim_ftl_init(struct sim_ftl *ftl, const struct sim_params *params, uint64_t seed, struct fault *fault)
{
	uint32_t depth;
	int status;

	memset(ftl, 0, sizeof(*ftl));
	status = sim_geometry_init(&ftl->geometry, params, fault);
	if (status)
		return status;
	depth = buffer_depth(params, &ftl->geometry);
	status = sim_map_init(&ftl->map, &ftl->geometry);
	if (!status)
		status = sim_flash_init(&ftl->flash, &ftl->geometry, params, seed);
	if (!status)
		status = sim_buffer_init(&ftl->buffer, depth, buffer_memory(params, depth));
	if (status)
		return status;
	sim_collect_init(&ftl->collect, &ftl->map, &ftl->flash, params, seed);
	sim_slc_init(&ftl->slc, params, &ftl->geometry);
	ftl->frontier.index = SIM_NOWHERE;
	return params->contents != 0 ? contents_start(ftl, fault) : 0;
}

void sim_ftl_release(struct sim_ftl *ftl)
{
	sim_contents_release(&ftl->contents);
	sim_buffer_release(&ftl->buffer);
	if (ftl->flash.geometry)
		sim_flash_release(&ftl->flash);
	sim_map_release(&ftl->map);
}

void sim_ftl_close_frontier(struct sim_ftl *ftl)
{
	sim_ftl_settle(ftl);
	if (ftl->frontier.index != SIM_NOWHERE)
		ftl->map.superblocks[ftl->frontier.index].state = SIM_CLOSED;
	ftl->frontier = (struct sim_frontier){ SIM_NOWHERE, 0 };
}

static bool frontier_is_full(const struct sim_ftl *ftl)
{
	const struct sim_superblock *superblock = &ftl->map.superblocks[ftl->frontier.index];

	return superblock->written == superblock->capacity;
}

static bool frontier_open(struct sim_ftl *ftl, uint64_t now_ns)
{
	const bool slc = sim_slc_takes(&ftl->slc, ftl->map.slc_valid, ftl->map.free_count);

	sim_ftl_settle(ftl);
	return sim_frontier_open(&ftl->frontier, &ftl->map, &ftl->flash, slc ? SIM_MODE_SLC : SIM_MODE_NATIVE,
				 now_ns);
}

/* The open unit is full: program it, then let folding and collection follow. */
static void unit_program(struct sim_ftl *ftl, uint64_t now_ns)
{
	const struct sim_superblock *superblock = &ftl->map.superblocks[ftl->frontier.index];
	const enum sim_mode mode = superblock->mode;
	const uint32_t pages = ftl->geometry.unit_pages[mode];
	uint32_t fold;

	sim_ftl_settle(ftl);
	ftl->frontier.unit_fill = 0;
	ftl->counts.units++;
	ftl->counts.unit_free_sum += ftl->map.free_count;
	ftl->counts.unit_mapped_sum += ftl->map.mapped;
	if (now_ns != SIM_UNTIMED) {
		const uint32_t die = sim_unit_die(&ftl->geometry, mode, superblock->written - 1);
		const uint64_t end_ns = sim_flash_program(&ftl->flash, die, mode, now_ns);

		sim_buffer_programmed(&ftl->buffer, pages, end_ns);
		if (end_ns > ftl->durable_ns)
			ftl->durable_ns = end_ns;
	}
	fold = sim_slc_owed(&ftl->slc, ftl->map.slc_valid, pages, ftl->collect.batch);
	if (fold)
		sim_collect_move(&ftl->collect, fold, true, now_ns);
	sim_collect_pace(&ftl->collect, pages, sim_frontier_left(&ftl->frontier, &ftl->map), now_ns);
}

void sim_ftl_settle_staged(struct sim_ftl *ftl)
{
	struct sim_superblock *superblock = &ftl->map.superblocks[ftl->frontier.index];
	const uint32_t count = ftl->staged_count;

	for (uint32_t i = 0; i < count; i++) {
		const uint32_t physical = ftl->staged_first + i;
		const uint32_t before = sim_map_update(&ftl->map, ftl->staged[i], physical, superblock);
		struct sim_buffer_entry *entry = sim_buffer_back(&ftl->buffer, count - i);

		if (entry->physical == physical)	/* not of an untimed write */
			entry->before = before;
	}
	ftl->staged_count = 0;
}

bool sim_ftl_write(struct sim_ftl *ftl, uint32_t logical, uint64_t admitted_ns, uint64_t acked_ns)
{
	struct sim_superblock *superblock;
	uint32_t physical;

	if ((ftl->frontier.index == SIM_NOWHERE || frontier_is_full(ftl)) && !frontier_open(ftl, admitted_ns))
		return false;
	superblock = &ftl->map.superblocks[ftl->frontier.index];
	physical = ftl->frontier.index * ftl->geometry.superblock_pages + superblock->written++;
	__builtin_prefetch(&ftl->map.physical[logical], 1);
	if (!ftl->staged_count)
		ftl->staged_first = physical;
	ftl->staged[ftl->staged_count++] = logical;
	ftl->counts.host_pages++;
	if (admitted_ns != SIM_UNTIMED)
		sim_buffer_push(&ftl->buffer, logical, physical, SIM_NOWHERE, acked_ns);
	if (++ftl->frontier.unit_fill == ftl->geometry.unit_pages[superblock->mode])
		unit_program(ftl, admitted_ns);
	return true;
}

bool sim_ftl_is_buffered(struct sim_ftl *ftl, uint32_t physical, uint64_t now_ns)
{
	const struct sim_superblock *superblock;
	const struct sim_buffer_entry *entry;
	uint32_t offset;

	if (ftl->frontier.index == SIM_NOWHERE)
		return false;
	offset = physical - ftl->frontier.index * ftl->geometry.superblock_pages;
	superblock = &ftl->map.superblocks[ftl->frontier.index];
	if (offset >= superblock->written || superblock->written - offset > ftl->buffer.depth)
		return false;
	entry = sim_buffer_back(&ftl->buffer, superblock->written - offset);
	return entry->physical == physical && entry->release_ns > now_ns;
}

uint64_t sim_ftl_flush(struct sim_ftl *ftl, uint64_t now_ns)
{
	struct sim_superblock *superblock;
	uint32_t unit_pages;

	sim_ftl_settle(ftl);
	if (ftl->frontier.index != SIM_NOWHERE && ftl->frontier.unit_fill) {
		superblock = &ftl->map.superblocks[ftl->frontier.index];
		unit_pages = ftl->geometry.unit_pages[superblock->mode];
		for (; ftl->frontier.unit_fill < unit_pages; ftl->frontier.unit_fill++) {
			sim_buffer_push(&ftl->buffer, SIM_NOWHERE, SIM_NOWHERE, SIM_NOWHERE, now_ns);
			superblock->written++;
			ftl->counts.padded_pages++;
		}
		unit_program(ftl, now_ns);
	}
	return ftl->durable_ns > now_ns ? ftl->durable_ns : now_ns;
}

/* Empties the cache; moves at most `budget` pages and returns what is left of it. */
static double tidy_fold(struct sim_ftl *ftl, double budget)
{
	while (budget >= 1 && ftl->map.slc_valid) {
		const uint32_t pages = budget > 4096 ? 4096 : (uint32_t)budget;
		const uint32_t moved = sim_collect_move(&ftl->collect, pages, true, SIM_UNTIMED);

		ftl->counts.background_pages += moved;
		budget -= moved;
		if (!moved && ftl->frontier.index != SIM_NOWHERE &&
		    ftl->map.superblocks[ftl->frontier.index].mode == SIM_MODE_SLC &&
		    !ftl->frontier.unit_fill)
			sim_ftl_close_frontier(ftl);	/* the last of the cache is the open superblock */
		else if (!moved)
			break;
	}
	return budget;
}

/* Makes room for the static part of the cache, with at most `budget` moves. */
static void tidy_collect(struct sim_ftl *ftl, double budget)
{
	const uint32_t wanted = sim_slc_wants_free(&ftl->slc);

	while (budget >= 1 && ftl->map.free_count < wanted) {
		const uint32_t free_before = ftl->map.free_count;
		const uint32_t pages = budget > 4096 ? 4096 : (uint32_t)budget;
		const uint32_t moved = sim_collect_move(&ftl->collect, pages, false, SIM_UNTIMED);

		if (!moved && ftl->map.free_count <= free_before)
			break;	/* nothing can be gained */
		ftl->counts.background_pages += moved;
		budget -= moved ? moved : 1;
	}
}

void sim_ftl_tidy(struct sim_ftl *ftl, uint64_t idle_ns)
{
	double budget = (double)idle_ns / sim_flash_background_ns(&ftl->flash);

	sim_ftl_settle(ftl);
	sim_collect_erase_empty(&ftl->collect);
	budget = tidy_fold(ftl, budget);
	if (ftl->map.slc_valid)
		return;
	sim_slc_emptied(&ftl->slc);
	tidy_collect(ftl, budget);
}
