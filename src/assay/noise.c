#include "assay/noise.h"

#include <math.h>
#include <string.h>
#include "store/json_reader.h"

#define METER_NS 1e6		/* between two wake-ups of run/hiccup.h */
#define WORKER_JUDGED_NS 200e6	/* of a shorter time, how workers begin and end is most */

static void pauses_fill(const struct evidence *evidence, const struct step_record *step, uint32_t workers,
			struct noise *noise)
{
	const double time_ns = (double)step->duration_ns;

	for (uint32_t i = 0; i < evidence->event_count; i++) {
		const struct event_record *event = &evidence->events[i];
		json_t *data;

		if (event->step != step->id || !event->kind || strcmp(event->kind, "hiccup") ||
		    !event->data_json)
			continue;
		data = json_loads(event->data_json, 0, NULL);
		if (time_ns >= NOISE_LATE_JUDGED_NS)
			noise->late_share = json_real_in(data, "pauses") / (time_ns / METER_NS);
		noise->pause_longest_ns = json_real_in(data, "pause_ns_max");
		if (workers && time_ns >= WORKER_JUDGED_NS)
			noise->wait_share = json_real_in(data, "wait_ns") / (time_ns * workers);
		json_decref(data);
	}
}

/* Of workers that are bound to a CPU: others are moved about by the kernel as it likes. */
static double switches_of(const struct load_record *load)
{
	json_t *facts = load->facts_json ? json_loads(load->facts_json, 0, NULL) : NULL, *worker;
	double most = NAN;
	size_t i;

	json_array_foreach (json_object_get(facts, "workers"), i, worker) {
		double wall = json_real_in(worker, "finished_ns");

		if (wall >= WORKER_JUDGED_NS)
			most = fmax(most, json_real_in(worker, "switches_involuntary") / wall * 1e9);
	}
	json_decref(facts);
	return most;
}

void noise_of(const struct evidence *evidence, const struct step_record *step, struct noise *ret_noise)
{
	bool pinned = step_word(evidence, step, "cpus_allowed")[0] != 0;
	struct reading_sum steal, user, system;
	uint32_t count = 0, workers = 0;
	const struct load_record *load = evidence_loads(evidence, step, &count);

	*ret_noise = (struct noise){ NAN, NAN, NAN, NAN, NAN, NAN };
	for (uint32_t i = 0; load && i < count; i++) {
		workers += load[i].workers;
		if (pinned)
			ret_noise->switches = fmax(ret_noise->switches, switches_of(&load[i]));
	}
	step_readings(evidence, step, READING_CPU_STEAL, -1, &steal);
	step_readings(evidence, step, READING_CPU_USER, -1, &user);
	step_readings(evidence, step, READING_CPU_SYSTEM, -1, &system);
	ret_noise->steal = steal.mean;
	ret_noise->busy = user.mean + system.mean;
	pauses_fill(evidence, step, workers, ret_noise);
}

double noise_worst(const struct noise *noise)
{
	double worst = fmax(noise->steal / NOISE_STEAL_MAX, noise->late_share / NOISE_LATE_MAX);

	worst = fmax(worst, noise->wait_share / NOISE_WAIT_MAX);
	worst = fmax(worst, noise->busy / NOISE_BUSY_MAX);
	worst = fmax(worst, noise->switches / NOISE_SWITCHES_MAX);
	return isnan(worst) ? 0 : worst;
}
