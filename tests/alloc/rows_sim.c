/* sim: drives, their parts and their profiles. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "drive/drive_sim.h"
#include "rows.h"
#include "sim/profile.h"
#include "sim/sim.h"
#include "sim/ssd.h"

static int drive(const char *spec)
{
	struct sim_drive *made = NULL;
	struct fault fault = { 0 };
	const int error = sim_drive_new(spec, 1, &made, &fault);

	if (error && !*fault.text)
		return -EINVAL;	/* a failed drive must say why */
	sim_drive_free(made);
	return error;
}

static int make_flash(void *context)
{
	return drive("sn850,shrink=512,contents=on,precondition=steady");
}

static int make_disk(void *context)
{
	return drive("hdd,shrink=64");
}

static int make_target(void *context)
{
	struct target target;
	const int error = drive_sim_open("theory,shrink=256", 1, &target, NULL);

	if (!error)
		drive_sim_close(&target);
	return error;
}

static const char *const profile_path = "/tmp/ssdassay-alloc-profile.sim";

static void *profile_write(void)
{
	FILE *file = fopen(profile_path, "w");

	if (!file || fputs("capacity_gb = 1\nmodel = A drive\n", file) < 0 || fclose(file))
		abort();
	return NULL;
}

static void profile_remove(void *context)
{
	remove(profile_path);
}

static int make_profile(void *context)
{
	struct sim_params params;
	struct fault fault = { 0 };

	return sim_params_load(profile_path, &params, &fault);
}

static const struct alloc_row rows[] = {
	{ .name = "sim: flash drive",
	  .covers = "sim_drive_new sim_ssd_init sim_ftl_init sim_map_init sim_mapcache_init sim_contents_init sim_flash_init "
		    "sim_front_init sim_buffer_init sim_gate_init sim_credit_init",
	  .make = make_flash },
	{ .name = "sim: hard disk", .covers = "sim_hdd_init", .make = make_disk },
	{ .name = "sim: a drive as a target", .make = make_target },
	{ .name = "sim: profile file", .set_up = profile_write, .make = make_profile, .tear_down = profile_remove },
};
const struct alloc_rows alloc_rows_sim = { rows, sizeof(rows) / sizeof(*rows) };
