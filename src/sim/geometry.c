#include "sim/geometry.h"

static void shape_set(struct sim_geometry *geometry, const struct sim_params *params)
{
	geometry->shrink = (uint32_t)params->shrink;
	geometry->block_bytes = (uint32_t)params->block;
	geometry->channels = (uint32_t)params->channels;
	geometry->dies = geometry->channels * (uint32_t)params->dies;
	geometry->planes = (uint32_t)params->planes;
	geometry->bits = (uint32_t)params->bits;
	geometry->slots = (uint32_t)(params->page_kb * 1024 / SIM_PAGE_BYTES);
	geometry->row_pages = geometry->planes * geometry->slots;
	geometry->train = (uint32_t)params->program_train;
	geometry->unit_pages[SIM_MODE_NATIVE] = geometry->row_pages * geometry->bits * geometry->train;
	geometry->unit_pages[SIM_MODE_SLC] = geometry->row_pages * geometry->train;
}

static void dividers_set(struct sim_geometry *geometry)
{
	geometry->by_superblock = sim_divider(geometry->superblock_pages);
	geometry->by_die = sim_divider(geometry->dies);
	geometry->by_row = sim_divider(geometry->row_pages);
	geometry->by_slot = sim_divider(geometry->slots);
	geometry->by_bits = sim_divider(geometry->bits);
	for (int mode = 0; mode < SIM_MODES; mode++)
		geometry->by_unit[mode] = sim_divider(geometry->unit_pages[mode]);
}

int sim_geometry_init(struct sim_geometry *geometry, const struct sim_params *params, struct fault *fault)
{
	const double user = params->capacity_gb * 1e9 / SIM_PAGE_BYTES / params->shrink;
	const double flash = user * (1 + params->spare / 100);
	uint64_t stripe, slc_stripe, pages;

	*geometry = (struct sim_geometry){ 0 };
	shape_set(geometry, params);
	if (geometry->row_pages > 64)
		return fault_set(fault, 0, 0, "planes=%g and page_kb=%g: more than 256 KiB read at once",
				 params->planes, params->page_kb);
	if (flash >= 4.2e9)
		return fault_set(fault, 0, 0, "capacity_gb=%g: too large, needs a larger shrink",
				 params->capacity_gb);
	stripe = (uint64_t)geometry->unit_pages[SIM_MODE_NATIVE] * geometry->dies;
	slc_stripe = (uint64_t)geometry->unit_pages[SIM_MODE_SLC] * geometry->dies;
	pages = (uint64_t)(flash / params->superblocks) / stripe * stripe;
	if (!pages)
		pages = stripe;
	geometry->user_pages = (uint32_t)user;
	geometry->superblock_pages = (uint32_t)pages;
	geometry->superblocks = (uint32_t)((uint64_t)flash / pages);
	geometry->spare_missing = flash / (double)pages - geometry->superblocks;
	geometry->slc_pages = (uint32_t)(pages / geometry->bits / slc_stripe * slc_stripe);
	if ((uint64_t)geometry->superblocks * pages <
	    geometry->user_pages + (uint64_t)(params->gc_floor + 4) * pages)
		return fault_set(fault, 0, 0,
				 "too small: %u superblocks of %llu pages leave no spare (less shrink, "
				 "more spare or fewer dies)",
				 geometry->superblocks, (unsigned long long)pages);
	dividers_set(geometry);
	return 0;
}
