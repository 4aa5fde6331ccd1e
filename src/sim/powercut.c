#include "sim/powercut.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct cut {
	struct sim_ssd *ssd;
	const struct sim_params *params;
	struct random *random;
	uint64_t cut_ns;
	uint64_t journal_ns;	/* map updates acknowledged later are not in it; UINT64_MAX: no journal */
	struct sim_cut result;
};

static bool was_flushed(const struct cut *cut, uint64_t sequence)
{
	return sequence < cut->ssd->flushed_sequence && cut->ssd->flushed_ns <= cut->cut_ns;
}

static bool is_journaled(const struct cut *cut, const struct sim_buffer_entry *entry, uint64_t sequence)
{
	return entry->acked_ns <= cut->journal_ns || (was_flushed(cut, sequence) && !cut->ssd->flush_lies);
}

/* The flash still holds this logical page's version at `physical`. */
static bool still_there(const struct sim_map *map, uint32_t logical, uint32_t physical)
{
	const struct sim_superblock *superblock;
	uint32_t index;

	if (physical == SIM_NOWHERE || map->logical[physical] != logical || sim_map_is_valid(map, physical))
		return false;
	index = sim_map_superblock(map, physical);
	superblock = &map->superblocks[index];
	return superblock->state != SIM_FREE &&
	       physical - index * map->geometry->superblock_pages < superblock->written;
}

static void page_revert(struct sim_map *map, uint32_t logical, uint32_t before)
{
	sim_map_unmap(map, logical);
	if (!still_there(map, logical, before))
		return;
	sim_map_bind(map, logical, before, &map->superblocks[sim_map_superblock(map, before)]);
	map->mapped++;
}

/* A page in mid-program may come back with its first half new and the rest old. */
static bool page_is_shorn(struct cut *cut, const struct sim_buffer_entry *entry)
{
	struct sim_contents *contents = &cut->ssd->ftl.contents;
	uint8_t half[SIM_PAGE_BYTES / 2];

	if (cut->params->shorn_rate <= 0 || random_double(cut->random) >= cut->params->shorn_rate)
		return false;
	if (contents->pages) {
		sim_contents_read(contents, entry->before, sizeof(half), half, sizeof(half));
		sim_contents_write(contents, entry->physical, entry->physical, sizeof(half), half,
				   sizeof(half));
	}
	cut->result.shorn_pages++;
	return true;
}

static int damage_mark(struct cut *cut, uint32_t logical)
{
	struct sim_ssd *ssd = cut->ssd;

	if (!ssd->damaged)
		ssd->damaged = calloc(ssd->ftl.geometry.user_pages / 64 + 1, sizeof(*ssd->damaged));
	if (!ssd->damaged)
		return -ENOMEM;
	ssd->damaged[logical >> 6] |= 1ull << (logical & 63);
	cut->result.damaged_pages++;
	return 0;
}

/* The unit whose first page this is was being programmed: the unit before it on the same die shares its word
 * lines. */
static int paired_damage(struct cut *cut, uint32_t physical)
{
	const struct sim_map *map = &cut->ssd->ftl.map;
	const struct sim_geometry *geometry = map->geometry;
	const uint32_t index = sim_map_superblock(map, physical);
	const enum sim_mode mode = map->superblocks[index].mode;
	const uint32_t offset = physical - index * geometry->superblock_pages;
	const uint32_t stride = geometry->unit_pages[mode] * geometry->dies;
	int status = 0;

	if (geometry->bits == 1 || mode == SIM_MODE_SLC || offset < stride ||
	    offset % geometry->unit_pages[mode])
		return 0;
	for (uint32_t i = physical - stride; !status && i < physical - stride + geometry->unit_pages[mode];
	     i++)
		if (sim_map_is_valid(map, i))
			status = damage_mark(cut, map->logical[i]);
	return status;
}

static bool in_mid_program(const struct cut *cut, const struct sim_buffer_entry *entry)
{
	const struct sim_ftl *ftl = &cut->ssd->ftl;
	const enum sim_mode mode = ftl->map.superblocks[sim_map_superblock(&ftl->map, entry->physical)].mode;

	return entry->release_ns != UINT64_MAX && entry->release_ns > cut->cut_ns &&
	       entry->release_ns <= cut->cut_ns + ftl->flash.program_ns[mode];
}

static int entry_judge(struct cut *cut, const struct sim_buffer_entry *entry, uint64_t sequence)
{
	struct sim_map *map = &cut->ssd->ftl.map;
	const bool on_flash = entry->release_ns <= cut->cut_ns, acked = entry->acked_ns <= cut->cut_ns;
	const bool mid = !on_flash && in_mid_program(cut, entry);
	int status = 0;

	if (mid && cut->params->paired_damage != 0)
		status = paired_damage(cut, entry->physical);
	if (map->physical[entry->logical] != entry->physical ||
	    (on_flash && is_journaled(cut, entry, sequence)))
		return status;
	cut->result.acked_pages += acked && !on_flash;
	if (mid && page_is_shorn(cut, entry))
		return status;
	cut->result.lost_pages += acked && !on_flash;
	cut->result.lost_flushed_pages += acked && !on_flash && was_flushed(cut, sequence);
	cut->result.rolled_back_pages += acked && on_flash;
	page_revert(map, entry->logical, entry->before);
	return status;
}

/* Newest first: a page written twice goes back step by step. */
static int entries_judge(struct cut *cut)
{
	struct sim_buffer *buffer = &cut->ssd->ftl.buffer;
	const uint32_t count = buffer->sequence < buffer->size ? (uint32_t)buffer->sequence : buffer->size;
	int status = 0;

	for (uint32_t back = 1; back <= count && !status; back++) {
		const struct sim_buffer_entry *entry = sim_buffer_back(buffer, back);

		if (entry->logical != SIM_NOWHERE)
			status = entry_judge(cut, entry, buffer->sequence - back);
	}
	return status;
}

static void acked_count(struct cut *cut)
{
	struct sim_buffer *buffer = &cut->ssd->ftl.buffer;
	const uint32_t count = buffer->sequence < buffer->size ? (uint32_t)buffer->sequence : buffer->size;

	for (uint32_t back = 1; back <= count; back++) {
		const struct sim_buffer_entry *entry = sim_buffer_back(buffer, back);

		cut->result.acked_pages += entry->logical != SIM_NOWHERE && entry->acked_ns <= cut->cut_ns &&
					   entry->release_ns > cut->cut_ns;
	}
}

static void restart(struct sim_ssd *ssd, uint64_t ready_ns)
{
	struct sim_ftl *ftl = &ssd->ftl;

	sim_ftl_close_frontier(ftl);
	sim_collect_restart(&ftl->collect);
	sim_buffer_clear(&ftl->buffer);
	sim_flash_restart(&ftl->flash, ready_ns);
	ftl->durable_ns = ready_ns;
	ssd->front.controller_free_ns = ssd->front.in_free_ns = ready_ns;
	ssd->admission_ns = ssd->last_end_ns = ready_ns;
	ssd->flushed_sequence = 0;
}

int sim_ssd_power_cut(struct sim_ssd *ssd, const struct sim_params *params, struct random *random,
		      uint64_t cut_ns, struct sim_cut *ret_cut)
{
	const uint64_t journal_ns = (uint64_t)(params->journal_ms * 1e6);
	struct cut cut = {
		.ssd = ssd, .params = params, .random = random, .cut_ns = cut_ns,
		.journal_ns = journal_ns ? cut_ns / journal_ns * journal_ns : UINT64_MAX,
	};
	int status = 0;

	sim_ftl_settle(&ssd->ftl);
	if (ssd->plp)
		acked_count(&cut);
	else
		status = entries_judge(&cut);
	if (status)
		return status;
	cut.result.ready_ns = cut_ns + (uint64_t)(params->boot_ms * 1e6);
	restart(ssd, cut.result.ready_ns);
	*ret_cut = cut.result;
	return 0;
}
