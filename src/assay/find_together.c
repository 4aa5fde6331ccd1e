/* Targets tested side by side: what did they do at once, all together? A sum, and therefore the host's figure
 * as much as theirs. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "assay/check.h"
#include "assay/finding.h"
#include "base/units.h"

struct sum {
	uint32_t targets;
	double iops, bytes_per_second;
	uint64_t began_ns, ended_ns; /* while all were at it */
};

/* "target0/rest" -> "rest"; NULL for paths of another kind. */
static const char *rest_of(const char *path, uint32_t target)
{
	char head[24];
	size_t length = (size_t)snprintf(head, sizeof(head), "target%u/", target);

	return path && !strncmp(path, head, length) ? path + length : NULL;
}

/* The same point on another target. */
static const struct step_record *twin_of(const struct evidence *evidence, const char *rest, uint32_t target)
{
	for (uint32_t i = 0; i < evidence->step_count; i++) {
		const char *other = rest_of(evidence->steps[i].path, target);

		if (other && !strcmp(other, rest) && step_measured(evidence, &evidence->steps[i]))
			return &evidence->steps[i];
	}
	return NULL;
}

static void sum_add(struct sum *sum, const struct evidence *evidence, const struct step_record *step)
{
	struct step_sum own;
	uint64_t end_ns = step->started_ns + step->duration_ns;

	step_sum(evidence, step, &own);
	sum->iops += own.iops;
	sum->bytes_per_second += own.bytes_per_second;
	sum->began_ns = step->started_ns > sum->began_ns ? step->started_ns : sum->began_ns;
	sum->ended_ns = sum->targets && sum->ended_ns < end_ns ? sum->ended_ns : end_ns;
	sum->targets++;
}

/* Of one point of the first target and its twins; none when they were not at it at the same time. */
static struct sum point_sum(const struct evidence *evidence, const struct step_record *step)
{
	const char *rest = rest_of(step->path, 0);
	struct sum sum = { 0 };

	sum_add(&sum, evidence, step);
	for (uint32_t target = 1; target < evidence->drive_count; target++) {
		const struct step_record *twin = twin_of(evidence, rest, target);

		if (twin)
			sum_add(&sum, evidence, twin);
	}
	if (sum.targets < 2 || sum.began_ns >= sum.ended_ns)
		sum = (struct sum){ 0 };
	return sum;
}

static int sum_tell(const struct evidence *evidence, const struct step_record *step, const struct sum *sum)
{
	struct finding_record finding = {
		.kind = "side_by_side", .unit = "iops", .value = sum->iops, .low = NAN, .high = NAN
	};
	struct reading_sum user, system;
	struct saying busy = { 0 };
	char iops[UNITS_TEXT], rate[UNITS_TEXT];
	json_t *data = json_object();

	step_readings(evidence, step, READING_CPU_USER, -1, &user);
	step_readings(evidence, step, READING_CPU_SYSTEM, -1, &system);
	if (user.count && system.count) {
		saying_add(&busy, ", with %.0f %% of its processors busy", 100 * (user.mean + system.mean));
		data_real(data, "cpu_busy", user.mean + system.mean);
	}
	json_object_set_new(data, "targets", json_integer(sum->targets));
	data_real(data, "iops", sum->iops);
	data_real(data, "bytes_per_second", sum->bytes_per_second);
	return finding_put(evidence, NULL, &finding, data,
			   "Step '%s' side by side: %u targets together did %s IOPS and %s. That sum is what "
			   "this host did with them at once%p.",
			   step->name, sum->targets, count_format(sum->iops, iops),
			   rate_format(sum->bytes_per_second, rate), &busy);
}

/* The best point of a step; nothing when an earlier point has told it. */
static int step_tell(const struct evidence *evidence, uint32_t at)
{
	const struct step_record *first = &evidence->steps[at], *best = NULL;
	struct sum most = { 0 };

	for (uint32_t i = 0; i < evidence->step_count; i++) {
		const struct step_record *step = &evidence->steps[i];
		struct sum sum;

		if (step->plan_step != first->plan_step || !rest_of(step->path, 0) ||
		    !step_measured(evidence, step))
			continue;
		if (i < at)
			return 0;
		sum = point_sum(evidence, step);
		if (sum.targets && sum.iops > most.iops) {
			most = sum;
			best = step;
		}
	}
	return best ? sum_tell(evidence, best, &most) : 0;
}

int find_together(const struct evidence *evidence)
{
	int error = 0;

	if (!evidence_together(evidence) || evidence_virtual(evidence))
		return 0;
	for (uint32_t i = 0; i < evidence->step_count && !error; i++)
		if (rest_of(evidence->steps[i].path, 0) && step_measured(evidence, &evidence->steps[i]) &&
		    strcmp(evidence->steps[i].name, "prepare") != 0)
			error = step_tell(evidence, i);
	return error;
}
