/* geometry: the drive's shape in whole numbers, worked out from the parameters once.
 *
 * A page is 4 KiB, the unit of mapping. A row is what one die reads at once (planes * page). A unit is what
 * one die programs at once: a row times the bits per cell, or one row in SLC mode. A superblock is one block
 * of every plane of every die; its units are striped die by die. Physical page number = superblock *
 * superblock_pages + offset. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/fault.h"
#include "sim/params.h"

#define SIM_PAGE_BYTES 4096u
#define SIM_NOWHERE UINT32_MAX		/* no page, no superblock */
#define SIM_UNTIMED UINT64_MAX	/* "now" of work that takes no time: preconditioning, idle time */

enum sim_mode { SIM_MODE_NATIVE, SIM_MODE_SLC, SIM_MODES };

/* Exact division of 32-bit numbers by a constant: one multiplication (Granlund & Montgomery 1994). */
struct sim_divider {
	uint64_t magic;		/* ceil(2^64 / divisor); 0 for divisor 1 */
	uint32_t divisor;
};

static inline struct sim_divider sim_divider(uint32_t divisor)
{
	return (struct sim_divider){ divisor == 1 ? 0 : UINT64_MAX / divisor + 1, divisor };
}

static inline uint32_t sim_divide(const struct sim_divider *divider, uint32_t number)
{
	if (!divider->magic)
		return number;
	return (uint32_t)(((unsigned __int128)divider->magic * number) >> 64);
}

static inline uint32_t sim_remainder(const struct sim_divider *divider, uint32_t number)
{
	return number - sim_divide(divider, number) * divider->divisor;
}

struct sim_geometry {
	uint32_t shrink;
	uint32_t block_bytes;		/* logical block */
	uint32_t user_pages;
	uint32_t channels, dies, planes, bits;	/* dies: of the whole drive */
	uint32_t slots;			/* pages in one flash page */
	uint32_t row_pages;		/* at most 64 */
	uint32_t train;			/* programs in one unit */
	uint32_t unit_pages[SIM_MODES];
	uint32_t superblocks;
	uint32_t superblock_pages;	/* in native mode */
	uint32_t slc_pages;		/* in SLC mode */
	double spare_missing;	/* spare that did not make a whole superblock, in superblocks: 0..1 */
	struct sim_divider by_superblock, by_die, by_row, by_slot, by_bits, by_unit[SIM_MODES];
};

struct sim_place {
	uint32_t die, plane;
	uint32_t type;			/* page type within the cell: 0 .. bits-1 */
};

/* 0 or -EINVAL with fault (the drive is too small for its shape, or too large for 32-bit page numbers). */
int sim_geometry_init(struct sim_geometry *geometry, const struct sim_params *params, struct fault *fault);

static inline uint32_t sim_capacity_pages(const struct sim_geometry *geometry, enum sim_mode mode)
{
	return mode == SIM_MODE_SLC ? geometry->slc_pages : geometry->superblock_pages;
}

static inline uint32_t sim_unit_die(const struct sim_geometry *geometry, enum sim_mode mode, uint32_t offset)
{
	return sim_remainder(&geometry->by_die, sim_divide(&geometry->by_unit[mode], offset));
}

/* Where the page at `offset` of a superblock lies. */
static inline struct sim_place sim_locate(const struct sim_geometry *geometry, enum sim_mode mode,
					  uint32_t offset)
{
	const uint32_t unit = sim_divide(&geometry->by_unit[mode], offset);
	const uint32_t within = offset - unit * geometry->unit_pages[mode];
	const uint32_t row = sim_divide(&geometry->by_row, within);
	const uint32_t plane = sim_divide(&geometry->by_slot, within - row * geometry->row_pages);

	return (struct sim_place){ sim_remainder(&geometry->by_die, unit), plane,
				   sim_remainder(&geometry->by_bits, row) };
}
