/* One point of the tree: instantiated, recorded, carried out by its kind. */
#include "run/point.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "run/resume.h"
#include "run/values.h"

/* A point whose I/Os would be smaller than the drive's logical block cannot be measured here: declared, not
 * run. */
static bool below_block(struct conductor *conductor, const struct plan_instance *instance)
{
	uint32_t block = run_target_block_bytes(conductor_target(conductor));

	for (uint32_t i = 0; i < instance->load_count; i++)
		for (int op = 0; op < 3; op++)
			for (uint32_t k = 0; k < instance->loads[i].sizes[op].count; k++)
				if (instance->loads[i].sizes[op].part[k].bytes_max < block)
					return true;
	return false;
}

/* The run that goes on may have it already; what the file system's place in that is, its step has found. */
static int point_carry(struct conductor *conductor, struct point *point)
{
	struct step_record record = carry_record(conductor, point);
	char *values;
	int error = resume_point(conductor, point, &record);

	if (error || conductor->ended)
		return error;
	error = fs_step_begin(conductor, point->step); /* again: going on may have made it anew */
	if (error || conductor->ended)
		return error;
	values = values_json(point->instance);
	if (!values)
		return -ENOMEM;
	record.values_json = values;
	error = carry_out(conductor, point, &record);
	free(values);
	return error;
}

/* Whatever does something to the target, now or in the part before. */
static void point_count(struct conductor *conductor, enum step_kind kind)
{
	if (kind == STEP_MKFS && conductor->fs.state == FS_SKIPPED)
		conductor->skipped++;
	else if (kind != STEP_IDLE && kind != STEP_NOTE)
		conductor->carried++;
}

static int point_skip(struct conductor *conductor, const struct point *point)
{
	conductor->skipped++;
	if (point->step->point_count == 1)
		return conductor_event(
			conductor, 0, "skipped", NULL,
			"%s: skipped, its I/Os are smaller than the drive's logical block of %u bytes",
			point->step->name, run_target_block_bytes(conductor_target(conductor)));
	return conductor_event(conductor, 0, "skipped", NULL,
			       "%s: point %u of %u skipped, its I/Os are smaller than the drive's logical "
			       "block of %u bytes",
			       point->step->name, point->place.point + 1, point->step->point_count,
			       run_target_block_bytes(conductor_target(conductor)));
}

int point_run(struct conductor *conductor, struct point *point)
{
	int error = carry_instantiate(conductor, point);

	if (error || conductor->ended)
		return error;
	conductor->context.number = ++conductor->number;
	error = fs_step_begin(conductor, point->step);
	if (!error && !conductor->ended && below_block(conductor, point->instance)) {
		error = point_skip(conductor, point);
	} else if (!error && !conductor->ended) {
		error = point_carry(conductor, point);
		point_count(conductor, point->step->kind);
	}
	fs_step_end(conductor);
	return error < 0 ? error : 0;
}
