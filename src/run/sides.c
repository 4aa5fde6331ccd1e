#include "run/sides.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "run/pass.h"
#include "run/together.h"

static bool is_virtual(const struct run_config *config)
{
	return config->targets[0].subject.kind == TARGET_SIM;
}

struct side {
	struct conductor conductor;
	struct run_config config; /* with the observer that all share */
	struct together *together;
	uint32_t target;
	pthread_t thread;
	bool started;
	int error;
};

static void *side_main(void *context)
{
	struct side *side = context;

	side->error = pass_run(&side->conductor, side->target);
	pass_judge(&side->conductor);
	if (side->together)
		together_leave(side->together);
	return NULL;
}

static void side_init(struct side *side, const struct run_config *config, uint32_t target, uint64_t *next_id,
		      struct together *together)
{
	side->config = *config;
	side->target = target;
	side->together = together;
	if (together)
		side->config.observer = &together->told;
	pass_init(&side->conductor, &side->config, next_id);
	side->conductor.context.first = target == 0;
	side->conductor.context.together = together;
	side->conductor.context.side_by_side = config->target_count;
}

/* Simulated drives have a time of their own each: it does not matter in which order they are computed. */
static void sides_run_virtual(struct side *sides, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (i && (sides[i - 1].error || sides[i - 1].conductor.status == RUN_INTERRUPTED))
			break;
		side_main(&sides[i]);
	}
}

static void sides_run_real(struct side *sides, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		sides[i].error = -pthread_create(&sides[i].thread, NULL, side_main, &sides[i]);
		sides[i].started = !sides[i].error;
		if (sides[i].error)
			together_leave(sides[i].together);
	}
	for (uint32_t i = 0; i < count; i++)
		if (sides[i].started)
			pthread_join(sides[i].thread, NULL);
}

static int worse(enum run_status status)
{
	switch (status) {
	case RUN_INTERRUPTED:
		return 3;
	case RUN_FAILED:
		return 2;
	case RUN_REFUSED:
		return 1;
	default:
		return 0;
	}
}

/* The run took as long as its longest side and is as complete as its worst one, which it names. */
static void sides_outcome(const struct side *sides, uint32_t count, struct run_outcome *outcome)
{
	const struct side *worst = &sides[0];
	struct run_outcome one = { 0 };
	uint64_t longest_ns = 0;
	double ceiling = 0;
	uint32_t unfinished = 0;

	for (uint32_t i = 0; i < count; i++) {
		pass_outcome(&sides[i].conductor, &one);
		longest_ns = one.duration_ns > longest_ns ? one.duration_ns : longest_ns;
		ceiling = one.ceiling_iops > ceiling ? one.ceiling_iops : ceiling;
		unfinished += one.status != RUN_COMPLETE;
		if (worse(one.status) > worse(worst->conductor.status))
			worst = &sides[i];
	}
	pass_outcome(&worst->conductor, outcome);
	outcome->duration_ns = longest_ns;
	outcome->ceiling_iops = ceiling;
	if (outcome->status == RUN_FAILED || outcome->status == RUN_REFUSED)
		snprintf(outcome->text, sizeof(outcome->text), "%.100s: %.330s%s",
			 sides[0].config.targets[worst->target].subject.name, worst->conductor.text,
			 unfinished < count ? "; the other targets went on" : "");
}

static int together_tell(const struct run_config *config)
{
	char json[48];
	struct event_record event = { .kind = "together", .data_json = json };
	struct saying saying = { 0 };

	saying_add(&saying, "%u targets are tested side by side", config->target_count);
	snprintf(json, sizeof(json), "{\"targets\":%u}", config->target_count);
	return event_say(config->observer, &event, &saying);
}

int sides_run(const struct run_config *config, uint64_t *next_id, struct run_outcome *outcome)
{
	struct side *sides = calloc(config->target_count, sizeof(*sides));
	struct together together;
	int error = sides ? 0 : -ENOMEM;

	if (!error && !config->resume)
		error = together_tell(config);
	if (error) {
		free(sides);
		return error;
	}
	together_init(&together, config->target_count, config->observer);
	for (uint32_t i = 0; i < config->target_count; i++)
		side_init(&sides[i], config, i, next_id, is_virtual(config) ? NULL : &together);
	if (is_virtual(config))
		sides_run_virtual(sides, config->target_count);
	else
		sides_run_real(sides, config->target_count);
	sides_outcome(sides, config->target_count, outcome);
	for (uint32_t i = 0; i < config->target_count; i++) {
		error = error ? error : sides[i].error;
		pass_release(&sides[i].conductor);
	}
	together_release(&together);
	free(sides);
	return error;
}
