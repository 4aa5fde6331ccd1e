/* What rests between writes give back: the speed of a duty cycle to that of the same load without rests, right
 * after it (host idle recovery). */
#include <math.h>
#include <string.h>
#include "assay/finding.h"
#include "base/units.h"

#define POINTS_MAX 16u
#define GAIN_MIN 1.05 /* less is nothing to speak of */
#define LATE_S 0.01

struct pair {
	const struct step_record *duty, *after;
	double duty_iops, after_iops; /* while it was to send; over the last half */
};

struct pairs {
	uint32_t count;
	struct pair pair[POINTS_MAX];
};

/* Rests, or a delay before it began. */
static bool has_rests(const struct evidence *evidence, const struct step_record *step)
{
	uint32_t loads;
	const struct load_record *load = evidence_loads(evidence, step, &loads);

	return loads == 1 && load->total->rest_ns > 0 && load->total->op[IO_WRITE].ios > 0;
}

static bool same_load(const struct evidence *evidence, const struct step_record *a, const struct step_record *b)
{
	static const char *const keys[] = { "rw", "bs", "rwmixread", "iodepth", "numjobs" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (!step_same(evidence, a, b, keys[i]))
			return false;
	return step_target(evidence, a) != UINT32_MAX && step_target(evidence, a) == step_target(evidence, b);
}

static bool is_pair(const struct evidence *evidence, uint32_t at)
{
	const struct step_record *duty = &evidence->steps[at], *after = duty + 1;

	return at + 1 < evidence->step_count && step_measured(evidence, duty) && step_measured(evidence, after) &&
	       strcmp(duty->name, after->name) && has_rests(evidence, duty) && !has_rests(evidence, after) &&
	       same_load(evidence, duty, after);
}

/* Of its last half: the first may still have something of the rests. */
static int last_half_iops(const struct evidence *evidence, const struct step_record *step, double *ret_iops)
{
	struct store_series series;
	double ios = 0, seconds = 0;
	int error = store_step_series(evidence->store, step->id, STORE_ALL, STORE_ALL, LATENCY_SERVICE, &series);

	for (uint32_t i = series.count / 2; !error && i < series.count; i++) {
		ios += series.ios[i];
		seconds += series.duration_s[i];
	}
	*ret_iops = seconds > 0 ? ios / seconds : NAN;
	store_series_release(&series);
	return error;
}

/* 1 = it rested once it had begun, 0 = it only began late; or -errno. */
static int rested(const struct evidence *evidence, const struct step_record *step)
{
	struct store_series series;
	uint32_t loads;
	const struct load_record *load = evidence_loads(evidence, step, &loads);
	int error = store_step_series(evidence->store, step->id, STORE_ALL, STORE_ALL, LATENCY_SERVICE, &series);

	if (!error)
		error = series.count && (double)load->total->rest_ns / 1e9 > series.start_s[0] + LATE_S;
	store_series_release(&series);
	return error;
}

static int pair_add(const struct evidence *evidence, const struct step_record *duty, struct pairs *pairs)
{
	struct pair pair = { .duty = duty, .after = duty + 1 };
	struct step_sum sum;
	int error = rested(evidence, duty);

	if (error <= 0)
		return error;
	error = last_half_iops(evidence, pair.after, &pair.after_iops);
	step_sum(evidence, duty, &sum);
	pair.duty_iops = sum.iops;
	if (!error && pair.after_iops > 0 && pairs->count < POINTS_MAX)
		pairs->pair[pairs->count++] = pair;
	return error;
}

static double gain_of(const struct pair *pair)
{
	return pair->duty_iops / pair->after_iops;
}

static json_t *pairs_json(const struct evidence *evidence, const struct pairs *pairs)
{
	json_t *data = json_object(), *points = json_array();
	char words[160];

	for (uint32_t i = 0; i < pairs->count; i++) {
		const struct pair *pair = &pairs->pair[i];
		json_t *point = json_object();

		data_text(point, "point", step_point_text(evidence, pair->duty, words, sizeof(words)));
		data_real(point, "iops", pair->duty_iops);
		data_real(point, "continuous_iops", pair->after_iops);
		data_real(point, "ratio", gain_of(pair));
		json_array_append_new(points, point);
	}
	json_object_set_new(data, "points", points);
	data_text(data, "continuous_step", pairs->pair[0].after->name);
	return data;
}

static void pair_say(const struct evidence *evidence, const struct pair *pair, bool first, struct saying *saying)
{
	char words[160];

	step_point_text(evidence, pair->duty, words, sizeof(words));
	if (!first)
		saying_add(saying, ", ");
	if (words[0])
		saying_add(saying, "%s: %.2f times (%.0f against %.0f IOPS)", words, gain_of(pair), pair->duty_iops,
			   pair->after_iops);
	else
		saying_add(saying, "%.2f times (%.0f against %.0f IOPS)", gain_of(pair), pair->duty_iops,
			   pair->after_iops);
}

static int pairs_tell(const struct evidence *evidence, const struct pairs *pairs)
{
	struct finding_record finding = { .kind = "idle_recovery", .unit = "ratio", .value = 0, .low = NAN,
					  .high = NAN };
	struct saying list = { 0 }, end = { 0 };

	for (uint32_t i = 0; i < pairs->count; i++) {
		finding.value = fmax(finding.value, gain_of(&pairs->pair[i]));
		pair_say(evidence, &pairs->pair[i], i == 0, &list);
	}
	if (finding.value < GAIN_MIN)
		saying_word(&end, SAID_WORD("; the rests gave back nothing to speak of"));
	return finding_put(evidence, pairs->pair[0].duty, &finding, pairs_json(evidence, pairs),
			   "Writes between the rests of step '%s' to those without rests right after it (step '%s'): "
			   "%p%p.",
			   pairs->pair[0].duty->name, pairs->pair[0].after->name, &list, &end);
}

static bool told_before(const struct evidence *evidence, uint32_t at)
{
	for (uint32_t i = 0; i < at; i++)
		if (is_pair(evidence, i) && step_siblings(evidence, &evidence->steps[i], &evidence->steps[at]))
			return true;
	return false;
}

int find_rests(const struct evidence *evidence)
{
	int error = 0;

	for (uint32_t i = 0; i < evidence->step_count && !error; i++) {
		struct pairs pairs = { 0 };

		if (!is_pair(evidence, i) || told_before(evidence, i))
			continue;
		for (uint32_t j = i; j < evidence->step_count && !error; j++)
			if (is_pair(evidence, j) && step_siblings(evidence, &evidence->steps[j], &evidence->steps[i]))
				error = pair_add(evidence, &evidence->steps[j], &pairs);
		if (!error && pairs.count)
			error = pairs_tell(evidence, &pairs);
	}
	return error;
}
