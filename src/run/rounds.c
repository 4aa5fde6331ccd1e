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

/* The tracked figure of each round of this group, NaN where a round lacks it; the step that has the last one,
 * 0 = none. */
static uint64_t rounds_collect(const struct conductor *conductor, const struct plan_track *track,
			       uint32_t rounds, double *values)
{
	uint64_t last = 0;
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
		last = figure->record;
	}
	return last;
}

static int verdict_tell(struct conductor *conductor, const struct plan_step *group,
			const struct plan_track *track, uint64_t step, bool ended,
			const struct snia_verdict *verdict)
{
	char tracked[256];
	char *json;
	int error;

	snprintf(tracked, sizeof(tracked), "%s%s%s%s %s", track->step,
		 track->point && track->point[0] ? "[" : "", track->point ? track->point : "",
		 track->point && track->point[0] ? "]" : "", track->figure);
	json = steady_json(verdict->met ? "steady" : "not_steady", verdict, tracked, ended);
	if (!json)
		return -ENOMEM;
	if (!verdict->complete)
		error = conductor_event(conductor, step, "steady", json,
					"group '%s', %s: not judged after round %u, since the rule takes %u",
					group->name, tracked, verdict->last_round, SNIA_WINDOW);
	else
		error = conductor_event(
			conductor, step, "steady", json,
			verdict->met ? "group '%s', %s: steady after round %u (range %.1f %% of 20 %%, slope "
				       "%.1f %% of 10 %%)"
				     : "group '%s', %s: not steady after round %u (range %.1f %% of 20 %%, "
				       "slope %.1f %% of 10 %%)",
			group->name, tracked, verdict->last_round, 100 * verdict->range / verdict->average,
			100 * verdict->slope_excursion / verdict->average);
	free(json);
	return error;
}

/* What is known of one tracked figure after a round. */
struct judged {
	uint64_t step;			/* that has the last round's figure */
	struct snia_verdict verdict;
};

/* At the end of the group every figure is told, before it those that are steady. */
static int judged_tell(struct conductor *conductor, const struct plan_step *group,
		       const struct judged *judged, bool ended)
{
	int error = 0;

	for (uint32_t i = 0; i < group->track_count && !error; i++)
		if (judged[i].verdict.met || ended)
			error = verdict_tell(conductor, group, &group->track[i], judged[i].step, ended,
					     &judged[i].verdict);
	return error;
}

int rounds_judge(struct conductor *conductor, const struct plan_step *group, uint32_t rounds_done)
{
	const struct stop_rule *max = stop_rule_find(group->max, group->max_count, STOP_ROUNDS);
	bool last = rounds_done >= (max ? max->rounds : SNIA_ROUNDS_MAX), met = group->track_count > 0;
	struct judged *judged;
	double *values;
	int error;

	if (!stop_rule_find(group->until, group->until_count, STOP_SNIA) || conductor->ended)
		return 0;
	values = calloc(rounds_done, sizeof(*values));
	judged = calloc(group->track_count + 1, sizeof(*judged));
	error = values && judged ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < group->track_count && !error; i++) {
		judged[i].step = rounds_collect(conductor, &group->track[i], rounds_done, values);
		snia_evaluate(values, rounds_done, &judged[i].verdict);
		met = met && judged[i].verdict.met;
	}
	if (!error)
		error = judged_tell(conductor, group, judged, last || met);
	free(values);
	free(judged);
	return error ? error : met;
}
