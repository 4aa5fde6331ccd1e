#include "run/walk.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "run/picks.h"
#include "run/point.h"
#include "run/rounds.h"
#include "run/step_limits.h"

#define ROUNDS_DEFAULT 25u

/* Most rounds that a group may take; 1 when nothing makes it repeat. */
static uint32_t rounds_max(const struct plan_step *group)
{
	const struct stop_rule *rule = stop_rule_find(group->max, group->max_count, STOP_ROUNDS);

	if (rule)
		return rule->rounds;
	return group->until_count ? ROUNDS_DEFAULT : 1;
}

/* A file system lives as long as the group that its step is in. */
static int group_fs_leave(struct conductor *conductor, const struct plan_step *group)
{
	const struct fs *fs = &conductor->fs;

	if (fs->state == FS_NONE || conductor->config->plan->steps[fs->step].group != (int32_t)group->index)
		return 0;
	return fs_leave(conductor);
}

static int group_rounds_run(struct conductor *conductor, const struct plan_step *group,
			    const struct plan_place *place)
{
	uint32_t outer = conductor->round, limit = rounds_max(group);
	size_t length = strlen(conductor->path);
	int met = 0;

	for (uint32_t round = 0; round < limit && !conductor->ended && !met; round++) {
		conductor->round = round;
		snprintf(conductor->path + length, PATH_BYTES - length, "%s[%u]:%u/", group->name,
			 place->group_point[group->depth], round);
		met = walk_children(conductor, (int32_t)group->index, place);
		if (!met)
			met = group_fs_leave(conductor, group);
		if (!met && !conductor->ended)
			met = rounds_judge(conductor, group, round + 1);
	}
	conductor->path[length] = '\0';
	conductor->round = outer;
	return met < 0 ? met : 0;
}

static int group_run(struct conductor *conductor, const struct plan_step *group,
		     const struct plan_place *outer)
{
	struct plan_place place = *outer;
	uint32_t key = conductor->group_key, outer_point = conductor->group_point;
	int error = 0;

	for (uint32_t point = 0; point < group->point_count && !error && !conductor->ended; point++) {
		place.group_point[group->depth] = point;
		conductor->group_key = key * 31 + group->index * 1009 + point + 1;
		conductor->group_point = outer_point * group->point_count + point;
		error = group_rounds_run(conductor, group, &place);
	}
	conductor->group_key = key;
	conductor->group_point = outer_point;
	return error;
}

static int step_points_run(struct conductor *conductor, const struct plan_step *step,
			   const struct plan_place *outer)
{
	struct point point = { .step = step, .place = *outer };
	int error = 0;

	point.instance = malloc(sizeof(*point.instance));
	if (!point.instance)
		return -ENOMEM;
	point.place.step = step->index;
	for (uint32_t repeat = 0; repeat < step->repeat && !error && !conductor->ended; repeat++)
		for (uint32_t at = 0; at < step->point_count && !error && !conductor->ended; at++) {
			point.repeat = repeat;
			point.place.point = at;
			snprintf(point.path, sizeof(point.path), "%.*s%.*s[%u]:%u", 380, conductor->path, 100,
				 step->name, at, repeat);
			error = point_run(conductor, &point);
		}
	free(point.instance);
	return error;
}

int walk_children(struct conductor *conductor, int32_t group, const struct plan_place *place)
{
	const struct plan *plan = conductor->config->plan;
	int error = 0;

	for (uint32_t i = 0; i < plan->step_count && !error && !conductor->ended; i++) {
		const struct plan_step *step = &plan->steps[i];

		if (step->group != group || step->joined_to >= 0)
			continue;
		if (step->kind == STEP_GROUP)
			error = group_run(conductor, step, place);
		else
			error = step_points_run(conductor, step, place);
		if (group < 0 && conductor->live && !conductor->ended && !error)
			error = picks_tell(conductor, step);
	}
	return error;
}
