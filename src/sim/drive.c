#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sim/gate.h"
#include "sim/hdd.h"
#include "sim/inject.h"
#include "sim/powercut.h"
#include "sim/profile.h"
#include "sim/sim.h"
#include "sim/ssd.h"
#include "sim/steady.h"
#include "sim/truth.h"

struct sim_drive {
	struct sim_params params;
	bool is_hdd;
	struct sim_ssd ssd;		/* unless is_hdd; its thermal model serves both */
	struct sim_hdd hdd;		/* if is_hdd */
	struct sim_gate gate;
	struct sim_inject inject;
	struct random random;
	bool dead;
	uint64_t power_cuts;
	struct sim_cut cuts;		/* sums over all power cuts */
	char serial[21];
};

/* Twelve characters that follow from profile and seed (FNV-1a). */
static void serial_make(struct sim_drive *drive, uint64_t seed)
{
	uint64_t hash = 0xcbf29ce484222325ull ^ seed;

	for (const char *at = drive->params.profile; *at; at++)
		hash = (hash ^ (unsigned char)*at) * 0x100000001b3ull;
	hash = (hash ^ (hash >> 29)) * 0xbf58476d1ce4e5b9ull;
	snprintf(drive->serial, sizeof(drive->serial), "SIM%09llX",
		 (unsigned long long)(hash & 0xfffffffffull));
}

static int hdd_start(struct sim_drive *drive, struct fault *fault)
{
	if (drive->params.contents != 0 || drive->params.precondition != SIM_PRECONDITION_NONE)
		return fault_set(fault, 0, 0, "kind=hdd: contents and precondition are for flash drives");
	sim_thermal_init(&drive->ssd.thermal, &drive->params);
	return sim_hdd_init(&drive->hdd, &drive->params);
}

static int ssd_start(struct sim_drive *drive, uint64_t seed, struct fault *fault)
{
	int status = sim_gate_init(&drive->gate, (uint32_t)drive->params.queue_depth);

	if (!status)
		status = sim_ssd_init(&drive->ssd, &drive->params, seed, fault);
	if (!status)
		status = sim_precondition(&drive->ssd.ftl, (enum sim_precondition)drive->params.precondition,
					  seed);
	return status;
}

static int drive_start(struct sim_drive *drive, uint64_t seed, struct fault *fault)
{
	drive->is_hdd = drive->params.kind == SIM_KIND_HDD;
	sim_inject_init(&drive->inject, &drive->params, seed);
	random_init(&drive->random, seed, 6);
	serial_make(drive, seed);
	return drive->is_hdd ? hdd_start(drive, fault) : ssd_start(drive, seed, fault);
}

int sim_drive_new(const char *spec, uint64_t seed, struct sim_drive **ret_drive, struct fault *fault)
{
	struct sim_drive *drive = calloc(1, sizeof(*drive));
	int status;

	if (!drive)
		return fault_system(fault, -ENOMEM, "out of memory");
	status = sim_params_load(spec, &drive->params, fault);
	if (!status) {
		status = drive_start(drive, seed, fault);
		if (status == -ENOMEM)
			fault_system(fault, status,
				     "out of memory for the simulated drive: use a larger shrink");
	}
	if (status) {
		sim_drive_free(drive);
		return status;
	}
	*ret_drive = drive;
	return 0;
}

struct sim_drive *sim_drive_free(struct sim_drive *drive)
{
	if (!drive)
		return NULL;
	if (drive->is_hdd)
		sim_hdd_release(&drive->hdd);
	else
		sim_ssd_release(&drive->ssd);
	sim_gate_release(&drive->gate);
	free(drive);
	return NULL;
}

uint64_t sim_drive_capacity_bytes(const struct sim_drive *drive)
{
	if (drive->is_hdd)
		return drive->hdd.size_bytes;
	return (uint64_t)drive->ssd.ftl.geometry.user_pages * SIM_PAGE_BYTES;
}

uint32_t sim_drive_block_bytes(const struct sim_drive *drive)
{
	return (uint32_t)drive->params.block;
}

uint32_t sim_drive_queue_depth(const struct sim_drive *drive)
{
	return (uint32_t)drive->params.queue_depth;
}

const struct sim_params *sim_drive_params(const struct sim_drive *drive)
{
	return &drive->params;
}

/* The rare ways in which a command does not reach the medium. */
static bool refused(struct sim_drive *drive, uint64_t now_ns, uint64_t *ret_done_ns, int32_t *ret_result)
{
	if (drive->dead) {
		*ret_done_ns = now_ns + 1000;
		*ret_result = -ENXIO;
		return true;
	}
	if (sim_inject_hang(&drive->inject, now_ns)) {
		*ret_done_ns = now_ns + SIM_HANG_NS;
		*ret_result = -EIO;
		return true;
	}
	return false;
}

/* Injected trouble with a command that reached the medium. */
static int32_t afflict(struct sim_drive *drive, uint8_t op, uint64_t now_ns, int32_t result,
		       uint64_t *done_ns)
{
	struct sim_inject *inject = &drive->inject;

	if ((op == IO_READ || op == IO_WRITE) && result >= 0 && sim_inject_error(inject, now_ns)) {
		*done_ns += inject->error_ns;
		result = -EIO;
	}
	*done_ns = sim_inject_delay(inject, *done_ns);
	return result;
}

static int32_t medium_submit(struct sim_drive *drive, const struct io *io, uint64_t now_ns, const void *owner,
			     uint64_t tag, uint64_t *ret_done_ns)
{
	if (drive->is_hdd)
		return sim_hdd_submit(&drive->hdd, io, now_ns, owner, tag, ret_done_ns);
	return sim_ssd_submit(&drive->ssd, io, now_ns, ret_done_ns);
}

int32_t sim_drive_submit(struct sim_drive *drive, const struct io *io, uint64_t now_ns, const void *owner,
			 uint64_t tag, uint64_t *ret_done_ns)
{
	const bool trouble = drive->inject.on || drive->dead;
	uint64_t enter_ns = sim_gate_enter(&drive->gate, now_ns);
	int32_t result;

	assert(io->offset + io->bytes <= sim_drive_capacity_bytes(drive));
	if (trouble && refused(drive, now_ns, ret_done_ns, &result))
		return result;
	if (trouble)
		enter_ns = sim_inject_stalled_until(&drive->inject, enter_ns);
	result = medium_submit(drive, io, enter_ns, owner, tag, ret_done_ns);
	if (trouble && *ret_done_ns != SIM_LATER)
		result = afflict(drive, io->op, enter_ns, result, ret_done_ns);
	sim_gate_take(&drive->gate, *ret_done_ns);
	return result;
}

void sim_drive_hint(const struct sim_drive *drive, const struct io *io)
{
	if (drive->ssd.ftl.map.physical && io->bytes)
		__builtin_prefetch(&drive->ssd.ftl.map.physical[io->offset / SIM_PAGE_BYTES], 1);
}

uint64_t sim_drive_next_event_ns(const struct sim_drive *drive)
{
	return drive->is_hdd ? sim_hdd_next_event_ns(&drive->hdd) : SIM_LATER;
}

int sim_drive_reap(struct sim_drive *drive, const void *owner, uint64_t now_ns, struct sim_done *ret_done)
{
	if (!drive->is_hdd || !sim_hdd_reap(&drive->hdd, owner, now_ns, ret_done))
		return 0;
	if (drive->inject.on)	/* only transfers have bytes; a flush is not failed */
		ret_done->result = afflict(drive, ret_done->result ? IO_READ : IO_FLUSH, ret_done->done_ns,
					   ret_done->result, &ret_done->done_ns);
	return 1;
}

void sim_drive_forget(struct sim_drive *drive, const void *owner)
{
	if (drive->is_hdd)
		sim_hdd_forget(&drive->hdd, owner);
}

void sim_drive_set_write_cache(struct sim_drive *drive, bool on)
{
	drive->ssd.write_cache = on;
	drive->hdd.write_cache = on;
}

bool sim_drive_write_cache(const struct sim_drive *drive)
{
	return drive->is_hdd ? drive->hdd.write_cache : drive->ssd.write_cache;
}

bool sim_drive_keeps_contents(const struct sim_drive *drive)
{
	return drive->ssd.ftl.contents.pages != NULL;
}

static void cut_sum(struct sim_drive *drive, const struct sim_cut *cut)
{
	drive->power_cuts++;
	drive->cuts.lost_pages += cut->lost_pages;
	drive->cuts.lost_flushed_pages += cut->lost_flushed_pages;
	drive->cuts.rolled_back_pages += cut->rolled_back_pages;
	drive->cuts.damaged_pages += cut->damaged_pages;
	drive->cuts.shorn_pages += cut->shorn_pages;
}

int sim_drive_power_cut(struct sim_drive *drive, uint64_t cut_ns, struct sim_cut *ret_cut)
{
	int status;

	if (drive->is_hdd)
		return -EOPNOTSUPP;
	status = sim_ssd_power_cut(&drive->ssd, &drive->params, &drive->random, cut_ns, ret_cut);
	if (status)
		return status;
	if (random_double(&drive->random) < drive->params.dead_rate)
		drive->dead = true;
	ret_cut->dead = drive->dead;
	sim_gate_clear(&drive->gate);
	cut_sum(drive, ret_cut);
	return 0;
}

static void truth_of_ftl(const struct sim_ftl *ftl, struct sim_truth *truth)
{
	const struct sim_geometry *geometry = &ftl->geometry;

	truth->host_pages = ftl->counts.host_pages;
	truth->padded_pages = ftl->counts.padded_pages;
	truth->background_pages = ftl->counts.background_pages;
	truth->moved_pages = ftl->collect.counts.moved;
	truth->folded_pages = ftl->collect.counts.folded;
	truth->erases = ftl->collect.counts.erased;
	truth->slc_bytes = (uint64_t)ftl->map.slc_valid * SIM_PAGE_BYTES;
	truth->slc_limit_bytes = (uint64_t)ftl->slc.limit_pages * SIM_PAGE_BYTES;
	truth->slc_exhausted = ftl->slc.exhausted;
	truth->superblocks = geometry->superblocks;
	truth->superblock_pages = geometry->superblock_pages;
	truth->user_pages = geometry->user_pages;
	truth->mapped_pages = ftl->map.mapped;
	truth->free_superblocks = ftl->map.free_count;
	truth->free_sum = ftl->counts.unit_free_sum;
	truth->mapped_sum = ftl->counts.unit_mapped_sum;
	truth->units = ftl->counts.units;
	truth->retried_reads = ftl->flash.retried;
	truth->alpha_nominal =
		(double)geometry->superblocks * geometry->superblock_pages / geometry->user_pages;
}

static void truth_of_faults(const struct sim_drive *drive, struct sim_truth *truth)
{
	truth->injected_errors = drive->inject.errors;
	truth->injected_stalled = drive->inject.stalled;
	truth->injected_hang = drive->inject.hung;
	truth->power_cuts = drive->power_cuts;
	truth->lost_pages = drive->cuts.lost_pages;
	truth->lost_flushed_pages = drive->cuts.lost_flushed_pages;
	truth->damaged_pages = drive->cuts.damaged_pages;
	truth->shorn_pages = drive->cuts.shorn_pages;
	truth->rolled_back_pages = drive->cuts.rolled_back_pages;
	truth->dead = drive->dead;
}

void sim_drive_truth(const struct sim_drive *drive, struct sim_truth *ret_truth)
{
	const struct sim_ssd *ssd = &drive->ssd;
	const struct sim_truth zero = { 0 };
	struct sim_truth truth = { 0 };

	if (drive->is_hdd) {
		truth.host_pages = drive->hdd.written_bytes / SIM_PAGE_BYTES;
		truth.read_pages = drive->hdd.read_bytes / SIM_PAGE_BYTES;
	} else {
		truth_of_ftl(&ssd->ftl, &truth);
		truth.read_pages = ssd->read_pages;
	}
	truth.trimmed_pages = ssd->trimmed_pages;
	truth.buffer_hits = ssd->buffer_hits;
	truth.map_misses = ssd->mapcache.misses;
	truth.map_hits = ssd->mapcache.hits;
	truth.temperature_c = ssd->thermal.temperature_c;
	truth.hottest_c = ssd->thermal.hottest_c;
	truth.throttle_count = ssd->thermal.throttle_count;
	truth.throttled_ns = ssd->thermal.throttled_ns;
	truth.first_throttle_ns = ssd->thermal.first_throttle_ns;
	truth_of_faults(drive, &truth);
	truth.write_amplification = sim_truth_amplification(&zero, &truth);
	truth.alpha_effective = sim_truth_alpha(&zero, &truth);
	*ret_truth = truth;
}

char *sim_drive_truth_json(const struct sim_drive *drive)
{
	struct sim_truth truth;

	sim_drive_truth(drive, &truth);
	return sim_truth_json(&truth, drive->params.profile, sim_drive_shrink(drive));
}

const char *sim_drive_model(const struct sim_drive *drive)
{
	return drive->params.model;
}

const char *sim_drive_serial(const struct sim_drive *drive)
{
	return drive->serial;
}

const char *sim_drive_firmware(const struct sim_drive *drive)
{
	return "SIM1";
}

double sim_drive_temperature_c(const struct sim_drive *drive, uint64_t now_ns)
{
	return sim_thermal_at(&drive->ssd.thermal, now_ns);
}

uint32_t sim_drive_shrink(const struct sim_drive *drive)
{
	return (uint32_t)drive->params.shrink;
}
