/* Self-checks of the machine around the drive: CPU, noise, clock, the run file's place, the plan's length. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "assay/check.h"
#include "assay/noise.h"
#include "base/units.h"
#include "store/json_reader.h"

#define BUSY_SHARE 0.95
#define CPU_JUDGED_NS 200e6 /* a worker that ran shorter is not judged: the kernel counts CPU in ticks */
#define CLOCK_SLACK_NS 1000000000ull

/* -- the host -- */

double check_busiest_worker(const struct load_record *load)
{
	json_t *facts = load->facts_json ? json_loads(load->facts_json, 0, NULL) : NULL;
	json_t *worker;
	double busiest = 0;
	size_t i;

	json_array_foreach (json_object_get(facts, "workers"), i, worker) {
		double cpu = (double)(json_count_in(worker, "cpu_user_ns") + json_count_in(worker, "cpu_system_ns"));
		double wall = (double)json_count_in(worker, "finished_ns");

		if (wall >= CPU_JUDGED_NS)
			busiest = fmax(busiest, cpu / wall);
	}
	json_decref(facts);
	return busiest;
}

int check_cpu(const struct evidence *evidence)
{
	const struct load_record *load = NULL;
	double busiest = 0;

	if (!strcmp(evidence->run->clock, "virtual"))
		return check_put(evidence, "cpu_not_the_limit", CHECK_NOT_APPLICABLE,
				 "A simulated drive takes no part of the host.");
	for (uint32_t i = 0; i < evidence->load_count; i++) {
		double busy = check_busiest_worker(&evidence->loads[i]);

		if (busy > busiest || !load) {
			busiest = busy;
			load = &evidence->loads[i];
		}
	}
	if (!load)
		return check_put(evidence, "cpu_not_the_limit", CHECK_NOT_APPLICABLE, "No load ran.");
	return check_put(evidence, "cpu_not_the_limit", busiest < BUSY_SHARE ? CHECK_PASSED : CHECK_FAILED,
			 busiest < BUSY_SHARE
				 ? "Busiest worker: %.0f %% of one CPU (load '%s')."
				 : "Busiest worker: %.0f %% of one CPU (load '%s'): the host may have set "
				   "the figure, not the drive.",
			 busiest * 100, load->name);
}

static void reasons_say(const struct noise *noise, struct saying *saying)
{
	if (noise->steal > NOISE_STEAL_MAX)
		saying_add(saying, "; CPU time taken by the hypervisor: %.2f %% (1 %% is allowed)",
			   100 * noise->steal);
	if (noise->late_share > NOISE_LATE_MAX)
		saying_add(saying, "; %.3g %% of the wake-ups of a thread that watches the computer came late (0.1 %% is allowed)",
			   100 * noise->late_share);
	if (noise->wait_share > NOISE_WAIT_MAX)
		saying_add(saying, "; workers waited %.3g %% of their time for a processor (1 %% is allowed)",
			   100 * noise->wait_share);
	if (noise->busy > NOISE_BUSY_MAX)
		saying_add(saying, "; all processors were busy for %.3g %% of the time (95 %% is allowed)",
			   100 * noise->busy);
	if (noise->switches > NOISE_SWITCHES_MAX)
		saying_add(saying, "; a worker lost its CPU %.3g times a second (10 are allowed)",
			   noise->switches);
}

struct quiet {
	double steal_worst, steal_sum;
	uint32_t steps, noisy; /* with a figure of the hypervisor's share; that were noisy */
	bool listened;	       /* in a step long enough to hear what was heard before the first */
	const struct step_record *steal_step, *worst_step; /* of the most steal; the noisiest */
	struct noise worst;
};

static void quiet_see(const struct step_record *step, const struct noise *noise, struct quiet *quiet)
{
	const double worst = noise_worst(noise);

	quiet->listened |= (double)step->duration_ns >= NOISE_LATE_JUDGED_NS;
	quiet->noisy += worst > 1;
	if (worst > 1 && (!quiet->worst_step || worst > noise_worst(&quiet->worst))) {
		quiet->worst = *noise;
		quiet->worst_step = step;
	}
	if (isnan(noise->steal))
		return;
	quiet->steps++;
	quiet->steal_sum += noise->steal;
	if (noise->steal > quiet->steal_worst || !quiet->steal_step) {
		quiet->steal_worst = noise->steal;
		quiet->steal_step = step;
	}
}

/* What was heard before the first step, of the last part of a run that went on; false: nothing, it was quiet. */
static bool before_say(const struct evidence *evidence, struct saying *before)
{
	const struct event_record *heard = NULL;
	char longest[UNITS_TEXT];
	json_t *data;

	for (uint32_t i = 0; i < evidence->event_count; i++)
		if (!strcmp(evidence->events[i].kind, "host_noise") && evidence->events[i].data_json)
			heard = &evidence->events[i];
	if (!heard)
		return false;
	data = json_loads(heard->data_json, 0, NULL);
	saying_add(before, "%" PRIu64 " of %" PRIu64 " wake-ups of a thread that watches the computer came late, at worst %s",
		   json_count_in(data, "late"), json_count_in(data, "wakes"),
		   duration_format(json_count_in(data, "longest_ns"), longest));
	json_decref(data);
	return true;
}

static enum check_result noisy_say(const struct evidence *evidence, const struct quiet *quiet, struct saying *saying)
{
	struct saying reasons = { 0 }, before = { 0 };

	reasons_say(&quiet->worst, &reasons);
	if (quiet->noisy == 1)
		saying_add(saying,
			   "This computer was noisy in step '%s'%p; latency tails there are not to be "
			   "trusted.",
			   quiet->worst_step->name, &reasons);
	else
		saying_add(saying,
			   "This computer was noisy in %u steps, most in '%s'%p; latency tails there are "
			   "not to be trusted.",
			   quiet->noisy, quiet->worst_step->name, &reasons);
	if (before_say(evidence, &before))
		saying_add(saying, " It was so before the first step: %p.", &before);
	return CHECK_FAILED;
}

/* Where the steps are too short to be listened to, what was heard before them is what is known. */
static enum check_result quiet_say(const struct evidence *evidence, const struct quiet *quiet, struct saying *saying)
{
	struct saying before = { 0 };
	const bool noisy = before_say(evidence, &before);

	if (noisy && !quiet->listened) {
		saying_add(saying,
			   "This computer was noisy before the first step: %p. No step was long enough to see "
			   "whether it stayed so; latency tails are not to be trusted.",
			   &before);
		return CHECK_FAILED;
	}
	if (quiet->steps)
		saying_add(saying,
			   "CPU time taken by the hypervisor: %.2f %% on average, %.2f %% in step '%s'.",
			   100 * quiet->steal_sum / quiet->steps, 100 * quiet->steal_worst,
			   quiet->steal_step->name);
	else
		saying_add(saying, "No step was long enough to see the host's load.");
	if (noisy)
		saying_add(saying, " Before the first step it was noisy, and in none of them: %p.", &before);
	return quiet->steps ? CHECK_PASSED : CHECK_NOT_APPLICABLE;
}

int check_quiet(const struct evidence *evidence)
{
	struct check_record check = { .name = "host_not_noisy" };
	struct quiet quiet = { 0 };
	struct saying saying = { 0 };
	int error;

	if (evidence_virtual(evidence))
		return check_put(evidence, "host_not_noisy", CHECK_NOT_APPLICABLE,
				 "The time of a simulated drive is not the host's.");
	for (uint32_t i = 0; i < evidence->step_count; i++) {
		const struct step_record *step = &evidence->steps[i];
		struct noise noise;
		uint32_t loads;

		if (!evidence_loads(evidence, step, &loads))
			continue; /* nothing was measured that noise could disturb */
		noise_of(evidence, step, &noise);
		quiet_see(step, &noise, &quiet);
	}
	check.result = quiet.worst_step ? noisy_say(evidence, &quiet, &saying) : quiet_say(evidence, &quiet, &saying);
	error = check_record_put(evidence->store, &check, &saying);
	saying_release(&saying);
	return error;
}

/* The event of a time stamp counter that went wrong while I/Os were timed by it; NULL = none did. */
static const struct event_record *counter_given_up(const struct evidence *evidence)
{
	const struct event_record *given_up = NULL;

	for (uint32_t i = 0; i < evidence->event_count && !given_up; i++) {
		const struct event_record *event = &evidence->events[i];
		json_t *data = !strcmp(event->kind, "clock") && event->data_json
				       ? json_loads(event->data_json, 0, NULL) : NULL;

		if (json_is_true(json_object_get(data, "given_up")))
			given_up = event;
		json_decref(data);
	}
	return given_up;
}

int check_clock(const struct evidence *evidence)
{
	const struct run_record *run = evidence->run;
	const struct event_record *given_up = counter_given_up(evidence);
	uint64_t apart = run->duration_ns > run->wall_duration_ns ? run->duration_ns - run->wall_duration_ns
								  : run->wall_duration_ns - run->duration_ns;
	const struct step_record *step = given_up ? evidence_step(evidence, given_up->step) : NULL;
	const bool agree = apart <= CLOCK_SLACK_NS + run->wall_duration_ns / 1000;
	char time[UNITS_TEXT];

	if (evidence_virtual(evidence))
		return check_put(evidence, "clock_without_steps", CHECK_NOT_APPLICABLE,
				 "Simulated drives run on virtual time.");
	if (given_up)
		return check_put(evidence, "clock_without_steps", CHECK_FAILED,
				 "The clock changed in step '%s', and times of up to a second before may be wrong: %s.",
				 step ? step->name : "?", given_up->text);
	if (!run->duration_ns || !run->wall_duration_ns)
		return check_put(evidence, "clock_without_steps", CHECK_NOT_APPLICABLE,
				 "The run has no end time.");
	return check_put(evidence, "clock_without_steps", agree ? CHECK_PASSED : CHECK_FAILED,
			 agree ? "The clock that the I/Os were timed by and the kernel's differ by %s over the run."
			       : "The clock that the I/Os were timed by and the kernel's differ by %s over the run: the computer "
				 "was suspended, or a clock stepped.",
			 duration_format(apart, time));
}

int check_run_file(const struct evidence *evidence)
{
	for (uint32_t i = 0; i < evidence->event_count; i++)
		if (!strcmp(evidence->events[i].kind, "run_file_same_fs"))
			return check_put(evidence, "run_file_elsewhere", CHECK_FAILED,
					 "The run file lies on the file system under test: its own writes "
					 "disturb the measurement. Choose another place with -o.");
	return check_put(evidence, "run_file_elsewhere", CHECK_PASSED,
			 "The run file does not lie on the target.");
}

int check_scale(const struct evidence *evidence)
{
	if (evidence->run->scale == 1)
		return 0;
	return check_put(evidence, "full_length", CHECK_FAILED,
			 "Scaled by %g, for trying the plan out: the figures say little about the drive and are not scored. A "
			 "measurement takes the whole plan, without --scale.", evidence->run->scale);
}
