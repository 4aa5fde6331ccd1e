#include "sim/slc.h"

#include <string.h>

static uint32_t pages_of(double gb, const struct sim_geometry *geometry)
{
	const double pages = gb * 1e9 / SIM_PAGE_BYTES / geometry->shrink;

	return pages > 4e9 ? UINT32_MAX : (uint32_t)pages;
}

void sim_slc_init(struct sim_slc *slc, const struct sim_params *params, const struct sim_geometry *geometry)
{
	const double per_1024 = geometry->superblocks / 1024.0;

	memset(slc, 0, sizeof(*slc));
	slc->on = params->slc_gb > 0 && geometry->slc_pages;
	slc->refill = params->slc_refill != 0;
	slc->limit_pages = pages_of(params->slc_gb, geometry);
	slc->static_pages = pages_of(params->slc_static_gb, geometry);
	slc->keep_free = (uint32_t)(params->slc_keep_free * per_1024 + 0.5);
	slc->reserve = (uint32_t)(params->gc_reserve * per_1024 + 0.5);
	if (slc->on)
		slc->static_superblocks = (slc->static_pages + geometry->slc_pages - 1) / geometry->slc_pages;
	slc->fold = params->slc_fold;
}

static bool slc_has_room(const struct sim_slc *slc, uint32_t used_pages, uint32_t free_superblocks)
{
	if (slc->draining || slc->closed || used_pages >= slc->limit_pages)
		return false;
	if (free_superblocks > slc->keep_free)
		return true;
	return used_pages < slc->static_pages && free_superblocks > slc->reserve;
}

bool sim_slc_takes(struct sim_slc *slc, uint32_t used_pages, uint32_t free_superblocks)
{
	if (!slc->on)
		return false;
	if (slc->draining && !used_pages)
		slc->draining = false;
	if (slc_has_room(slc, used_pages, free_superblocks))
		return true;
	if (used_pages && !slc->draining) {
		slc->draining = true;
		slc->closed = !slc->refill;
		slc->exhausted++;
	}
	return false;
}

uint32_t sim_slc_owed(struct sim_slc *slc, uint32_t used_pages, uint32_t pages, uint32_t batch)
{
	uint32_t owed;

	if (!slc->draining || !used_pages)
		return 0;
	slc->fold_debt += pages * slc->fold;
	if (slc->fold_debt < batch)
		return 0;
	owed = (uint32_t)slc->fold_debt;
	slc->fold_debt = 0;
	return owed;
}

uint32_t sim_slc_wants_free(const struct sim_slc *slc)
{
	return slc->static_superblocks ? slc->reserve + slc->static_superblocks : 0;
}

void sim_slc_emptied(struct sim_slc *slc)
{
	slc->draining = false;
	slc->closed = false;
	slc->fold_debt = 0;
}
