/* Rounds of a group: is each tracked figure steady by SNIA's rule? */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analyze/snia.h"
#include "run/rounds.h"
#include "run/step_limits.h"
#include "run/steady_text.h"

/* The tracked figure of each round of this group, NaN where a round lacks it. */
static void rounds_collect(const struct conductor *conductor, const struct plan_track *track, uint32_t rounds,
			   double *values)
{
	const struct plan *plan = conductor->config->plan;

	for (uint32_t round = 0; round < rounds; round++)
		values[round] = NAN;
	for (uint32_t i = 0; i < conductor->figures.count; i++) {
		const struct figure *figure = &conductor->figures.figure[i];

		if (figure->group_key != conductor->group_key || figure->target != conductor->target ||
		    figure->round >= rounds || strcmp(plan->steps[figure->step].name, track->step) ||
		    !figure_matches(figure, track->point))
			continue;
		values[figure->round] = figure_value(figure, track->figure);
	}
}

static int verdict_tell(struct conductor *conductor, const struct plan_step *group,
			const struct plan_track *track, const struct snia_verdict *verdict)
{
	char tracked[256];
	char *json;
	int error;

	snprintf(tracked, sizeof(tracked), "%s%s%s%s %s", track->step,
		 track->point && track->point[0] ? "[" : "", track->point ? track->point : "",
		 track->point && track->point[0] ? "]" : "", track->figure);
	json = steady_json(verdict->met ? "steady" : "not_steady", verdict, tracked);
	if (!json)
		return -ENOMEM;
	error = conductor_event(
		conductor, 0, "steady", json,
		verdict->met ? "group '%s', %s: steady after round %u (range %.1f %% of 20 %%, slope "
			       "%.1f %% of 10 %%)"
			     : "group '%s', %s: not steady after round %u (range %.1f %% of 20 %%, "
			       "slope %.1f %% of 10 %%)",
		group->name, tracked, verdict->last_round, 100 * verdict->range / verdict->average,
		100 * verdict->slope_excursion / verdict->average);
	free(json);
	return error;
}

int rounds_judge(struct conductor *conductor, const struct plan_step *group, uint32_t rounds_done)
{
	bool last = rounds_done >= SNIA_ROUNDS_MAX, met = group->track_count > 0;
	const struct stop_rule *max = stop_rule_find(group->max, group->max_count, STOP_ROUNDS);
	double *values;
	int error = 0;

	if (!stop_rule_find(group->until, group->until_count, STOP_SNIA) || conductor->ended)
		return 0;
	if (max)
		last = rounds_done >= max->rounds;
	values = calloc(rounds_done, sizeof(*values));
	if (!values)
		return -ENOMEM;
	for (uint32_t i = 0; i < group->track_count && !error; i++) {
		struct snia_verdict verdict;

		rounds_collect(conductor, &group->track[i], rounds_done, values);
		snia_evaluate(values, rounds_done, &verdict);
		met = met && verdict.met;
		if (verdict.met || (last && verdict.complete))
			error = verdict_tell(conductor, group, &group->track[i], &verdict);
	}
	free(values);
	return error ? error : met;
}
