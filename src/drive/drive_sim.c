#include "drive/drive_sim.h"
#include "drive/json.h"
#include "sim/describe.h"
#include "sim/geometry.h"
#include "sim/profile.h"
#include "sim/sim.h"
#include "sim/truth.h"
#include <stdio.h>
#include <string.h>

#define PREFIX "sim:"

bool drive_sim_is(const char *target_name)
{
	return !strncmp(target_name, PREFIX, strlen(PREFIX));
}

int drive_sim_open(const char *spec, uint64_t seed, struct target *ret_target, struct fault *fault)
{
	struct sim_drive *drive;
	int result;

	if (strlen(spec) + sizeof PREFIX > sizeof ret_target->name)
		return fault_set(fault, 0, 0, "the name of the simulated drive is too long");
	result = sim_drive_new(spec, seed, &drive, fault);
	if (result)
		return result;
	*ret_target = (struct target){
		.kind = TARGET_SIM,
		.fd = -1,
		.direct = true,
		.may_write = true,
		.no_trim = sim_drive_params(drive)->kind != SIM_KIND_SSD,
		.memory_align = 1,
		.sim = drive,
		.block_bytes = sim_drive_block_bytes(drive),
		.size_bytes = sim_drive_capacity_bytes(drive),
	};
	snprintf(ret_target->name, sizeof ret_target->name, PREFIX "%s", spec);
	return 0;
}

void drive_sim_close(struct target *target)
{
	target->sim = sim_drive_free(target->sim);
}

double drive_sim_temperature_c(const struct target *target, uint64_t now_ns)
{
	return sim_drive_temperature_c(target->sim, now_ns);
}

void drive_sim_writes(const struct target *target, uint64_t *ret_host_bytes, uint64_t *ret_nand_bytes)
{
	struct sim_truth truth;

	sim_drive_truth(target->sim, &truth);
	*ret_host_bytes = truth.host_pages * SIM_PAGE_BYTES;
	*ret_nand_bytes = (truth.host_pages + truth.moved_pages + truth.padded_pages) * SIM_PAGE_BYTES;
}

/* As drive_json.c writes the link of a real drive. */
static json_t *links_json(const struct sim_params *params)
{
	static const double gigatransfers[] = { 0, 2.5, 5, 8, 16, 32, 64 };
	const double now = params->pcie_generation;
	const double max = params->pcie_generation_max > now ? params->pcie_generation_max : now;
	json_t *links = json_array(), *link;

	if (params->interface != SIM_INTERFACE_PCIE)
		return links;
	link = json_object();
	json_put_real(link, "speed_now_gt_per_second", gigatransfers[(int)now]);
	json_put_real(link, "speed_max_gt_per_second", gigatransfers[(int)max]);
	json_put_u64(link, "width_now", (uint64_t)params->pcie_lanes);
	json_put_u64(link, "width_max", (uint64_t)params->pcie_lanes);
	json_array_append_new(links, link);
	return links;
}

/* Where drives of this kind say, in what they tell of themselves, that they get too warm. */
static json_t *health_json(const struct sim_params *params)
{
	json_t *health = json_object();

	if (params->interface == SIM_INTERFACE_PCIE && params->heat_resistance > 0)
		json_put_real(health, "warning_c", params->throttle_c);
	return health;
}

char *drive_sim_facts_json(const struct target *target)
{
	const struct sim_drive *drive = target->sim;
	static const char *const interfaces[] = { "sim", "sata", "nvme" };
	const struct sim_params *params = sim_drive_params(drive);
	json_t *object = json_object(), *queue = json_object();

	json_put_text(object, "path", target->name);
	json_put_text(object, "id", sim_drive_serial(drive));
	json_put_text(object, "model", sim_drive_model(drive));
	json_put_text(object, "serial", sim_drive_serial(drive));
	json_put_text(object, "interface", interfaces[(int)params->interface]);
	json_put_flag(object, "rotational", params->kind == SIM_KIND_HDD);
	json_put_u64(object, "capacity_bytes", target->size_bytes);
	json_put_u64(object, "shrink", sim_drive_shrink(drive));
	json_put_u64(queue, "logical_block_bytes", target->block_bytes);
	json_put_u64(queue, "requests", sim_drive_queue_depth(drive));
	json_object_set_new(object, "queue", queue);
	json_object_set_new(object, "links", links_json(params));
	json_object_set_new(object, "health", health_json(params));
	return json_take_text(object);
}

char *drive_sim_truth_json(const struct target *target)
{
	return sim_drive_truth_json(target->sim);
}

int drive_sim_profiles(const char *name_or_null, struct text *out, struct fault *fault)
{
	const struct sim_profile *profile;
	struct sim_params params;
	int result;

	if (!name_or_null) {
		sim_profiles_list(out);
		return out->error;
	}
	profile = sim_profile_find(name_or_null);
	result = sim_params_load(name_or_null, &params, fault);
	if (result)
		return result;
	sim_params_describe(&params, profile ? profile->title : "changed, or from a file", out);
	return out->error;
}

const char *drive_sim_model(const struct target *target)
{
	return sim_drive_model(target->sim);
}

const char *drive_sim_serial(const struct target *target)
{
	return sim_drive_serial(target->sim);
}

const char *drive_sim_firmware(const struct target *target)
{
	return sim_drive_firmware(target->sim);
}

bool drive_sim_set_write_cache(const struct target *target, bool on)
{
	const bool was = sim_drive_write_cache(target->sim);

	sim_drive_set_write_cache(target->sim, on);
	return was;
}
