/* The stages of a long sequential write: the size of the SLC cache, the speed in it and behind it, folding.
 */
#include <math.h>
#include <string.h>
#include "assay/fill.h"
#include "assay/finding.h"
#include "base/units.h"

#define WHOLE_SHARE 0.9 /* of capacity / 3 or 4: all of the flash is used as SLC first */
#define WHOLE_MOST 1.1

/* An interval of that many whole milliseconds that are easy to say: with twice as many of them as it takes. */
static uint64_t interval_for(double seconds)
{
	static const uint64_t ms[] = { 500, 200, 100, 50, 20, 10, 5, 2 };

	for (size_t i = 0; i < sizeof(ms) / sizeof(*ms); i++)
		if ((double)ms[i] * 2 * FILL_INTERVALS_MIN <= 1000 * seconds)
			return ms[i] * 1000000;
	return 1000000;
}

static json_t *stages_json(const struct fill *fill)
{
	json_t *stages = json_array();

	for (uint32_t i = 0; i < fill->knees.stage_count; i++) {
		const struct stage *stage = &fill->knees.stage[i];
		json_t *object = json_object();

		data_real(object, "from_bytes", stage->from * fill->bin);
		data_real(object, "to_bytes", stage->to * fill->bin);
		data_real(object, "from_low_bytes", stage->from_low * fill->bin);
		data_real(object, "from_high_bytes", stage->from_high * fill->bin);
		data_real(object, "bytes_per_second", stage->rate);
		data_real(object, "bytes_per_second_p5", stage->rate_p5);
		data_real(object, "bytes_per_second_p95", stage->rate_p95);
		data_text(object, "likely", stage_label_name(stage->label));
		if (stage->cycling)
			data_real(object, "period_bytes", stage->period * fill->bin);
		json_array_append_new(stages, object);
	}
	return stages;
}

static json_t *fill_json(const struct fill *fill)
{
	json_t *data = json_object();

	data_real(data, "written_bytes", fill->total);
	data_real(data, "capacity_bytes", (double)fill->drive->capacity_bytes);
	data_real(data, "filled_before", fill->filled_before);
	json_object_set_new(data, "passes", json_integer(fill->passes));
	data_real(data, "bytes_per_second", fill->knees.rate);
	json_object_set_new(data, "stages", stages_json(fill));
	return data;
}

/* Flash of three or four bits a cell holds a third or a quarter of its capacity with one bit each. No drive
 * tells which it has, and a smaller cache of another kind of flash may be as large: it is said as what it would
 * mean, not as what is likely. */
static void whole_part(double share, struct saying *saying)
{
	if (share >= WHOLE_SHARE / 3 && share <= WHOLE_MOST / 3)
		saying_add(saying, "; about a third of the capacity, which is what all of the flash holds as "
				   "cache if its cells are of three bits");
	else if (share >= WHOLE_SHARE / 4 && share <= WHOLE_MOST / 4)
		saying_add(saying, "; about a quarter of the capacity, which is what all of the flash holds "
				   "as cache if its cells are of four bits");
}

static int cache_tell(const struct evidence *evidence, const struct fill *fill)
{
	struct finding_record finding = { .kind = "slc_cache", .unit = "bytes" };
	const struct stage *burst = &fill->knees.stage[0], *next = &fill->knees.stage[1];
	double capacity = (double)fill->drive->capacity_bytes;
	char size[UNITS_TEXT], low[UNITS_TEXT], high[UNITS_TEXT], fast[UNITS_TEXT], slow[UNITS_TEXT];
	struct saying state = { 0 }, how = { 0 }, whole = { 0 };

	if (!fill->has_cache)
		return 0;
	finding.value = fill->cache;
	finding.low = fill->cache_low;
	finding.high = fill->cache_high;
	whole_part(finding.value / capacity, &whole);
	return finding_put(evidence, fill->step, &finding, fill_json(fill),
			   "The SLC cache of the %p drive held %s (%s to %s, %.0f %% of the capacity): %s "
			   "until then, %s after it, likely %p%p.",
			   saying_word(&state, fill_drive_state(fill)),
			   capacity_format((uint64_t)finding.value, size),
			   capacity_format((uint64_t)finding.low, low),
			   capacity_format((uint64_t)finding.high, high), 100 * finding.value / capacity,
			   rate_format(burst->rate, fast), rate_format(next->rate, slow),
			   saying_word(&how, next->label == STAGE_DIRECT ? SAID_WORD("written directly")
									 : stage_label_name(next->label)),
			   &whole);
}

/* Ups and downs behind the first stage, as the drive folds and fills its cache by turns. */
static void cycles_say(const struct knees *knees, bool has_cache, struct saying *saying)
{
	double slowest = INFINITY, fastest = 0;
	char low[UNITS_TEXT], high[UNITS_TEXT];

	for (uint32_t i = 1; i < knees->stage_count; i++) {
		slowest = fmin(slowest,
			       knees->stage[i].cycling ? knees->stage[i].rate_p5 : knees->stage[i].rate);
		fastest = fmax(fastest,
			       knees->stage[i].cycling ? knees->stage[i].rate_p95 : knees->stage[i].rate);
	}
	saying_add(saying, ", then up and down between %s and %s", rate_format(slowest, low),
		   rate_format(fastest, high));
	if (has_cache)
		saying_add(saying, " (likely folding and filling the cache by turns)");
}

static bool is_slow(enum stage_label label)
{
	return label == STAGE_FOLDING || label == STAGE_COLLECTING;
}

static void stage_say(const struct fill *fill, uint32_t at, struct saying *saying)
{
	const struct stage *stage = &fill->knees.stage[at];
	struct saying label = { 0 };
	char size[UNITS_TEXT], rate[UNITS_TEXT];

	if (fill->rotates) {
		saying_add(saying, at ? ", then %s to %s" : "%s to %s", rate_format(stage->rate, rate),
			   capacity_format((uint64_t)(stage->to * fill->bin), size));
		return;
	}
	saying_word(&label, at || fill->has_cache || is_slow(stage->label) ? stage_label_name(stage->label)
											 : SAID_WORD("direct"));
	saying_add(saying, at ? ", then %s to %s (likely %p)" : "%s to %s (likely %p)",
		   rate_format(stage->rate, rate),
		   capacity_format((uint64_t)(stage->to * fill->bin), size), &label);
}

static int stages_tell(const struct evidence *evidence, const struct fill *fill)
{
	const struct knees *knees = &fill->knees;
	struct finding_record finding = {
		.kind = "write_stages", .unit = "stages", .value = knees->stage_count, .low = NAN, .high = NAN
	};
	struct saying state = { 0 }, stages = { 0 };
	char size[UNITS_TEXT], rate[UNITS_TEXT];

	saying_word(&state, fill_drive_state(fill));
	if (knees->stage_count < 2)
		return finding_put(evidence, fill->step, &finding, fill_json(fill),
				   "One speed from the first to the last of the %s written in step '%s' to "
				   "the %p drive: %s, no cache seen.",
				   capacity_format((uint64_t)fill->total, size), fill->step->name, &state,
				   rate_format(knees->rate, rate));
	for (uint32_t i = 0; i < knees->stage_count && !(i && fill_cycles(fill)); i++)
		stage_say(fill, i, &stages);
	if (fill_cycles(fill))
		cycles_say(knees, fill->has_cache, &stages);
	if (fill->rotates)
		saying_add(&stages, " (a hard disk is slower on its inner tracks)");
	if (fill->last_pass.bytes > 0)
		return finding_put(evidence, fill->step, &finding, fill_json(fill),
				   "The first of %u passes of step '%s' over the %p drive had %u speeds: %p.",
				   fill->passes, fill->step->name, &state, knees->stage_count, &stages);
	return finding_put(evidence, fill->step, &finding, fill_json(fill),
			   "Step '%s' on the %p drive had %u speeds: %p.",
			   fill->step->name, &state, knees->stage_count, &stages);
}

/* What is left when the cache is full: the last stage; where the speed goes up and down, all that is behind
 * the first. */
static int sustained_tell(const struct evidence *evidence, const struct fill *fill)
{
	struct finding_record finding = { .kind = "sustained_write", .unit = "bytes_per_second" };
	char rate[UNITS_TEXT], low[UNITS_TEXT], high[UNITS_TEXT], size[UNITS_TEXT];
	struct saying state = { 0 };
	uint64_t bytes = (uint64_t)fill_sustained(fill, &finding.value, &finding.low, &finding.high);

	if (fill->last_pass.bytes > 0)
		return finding_put(evidence, fill->step, &finding, fill_json(fill),
				   "Sustained sequential write of step '%s': %s over the last of its %u passes "
				   "(90 %% of it between %s and %s).",
				   fill->step->name, rate_format(finding.value, rate), fill->passes,
				   rate_format(finding.low, low), rate_format(finding.high, high));
	return finding_put(evidence, fill->step, &finding, fill_json(fill),
			   "Sustained sequential write to the %p drive: %s over the last %s (90 %% of it "
			   "between %s and %s).",
			   saying_word(&state, fill_drive_state(fill)), rate_format(finding.value, rate),
			   capacity_format(bytes, size), rate_format(finding.low, low),
			   rate_format(finding.high, high));
}

static int fill_tell(const struct evidence *evidence, struct fill *fill)
{
	int error = cache_tell(evidence, fill);

	if (!error)
		error = stages_tell(evidence, fill);
	if (!error)
		error = sustained_tell(evidence, fill);
	return error;
}

/* Rates that were called folding in fills before, of the drives that they were seen on. */
#define FOLDING_MAX 32u
#define ALIKE 0.05	/* rates of one kind */
struct folding {
	uint32_t count;
	struct {
		const struct drive_record *drive;
		double rate;
	} seen[FOLDING_MAX];
};

static bool was_folding(const struct folding *folding, const struct fill *fill, double rate)
{
	for (uint32_t i = 0; i < folding->count; i++)
		if (folding->seen[i].drive == fill->drive && fabs(rate / folding->seen[i].rate - 1) <= ALIKE)
			return true;
	return false;
}

/* A rate that was folding in one step of a run is not something else in the next. */
static void labels_agree(struct folding *folding, struct fill *fill)
{
	for (uint32_t i = 0; i < fill->knees.stage_count; i++) {
		struct stage *stage = &fill->knees.stage[i];

		if (stage->label == STAGE_DIRECT && !fill->random_before && was_folding(folding, fill, stage->rate))
			stage->label = STAGE_FOLDING;
		if (stage->label != STAGE_FOLDING || folding->count == FOLDING_MAX)
			continue;
		folding->seen[folding->count].drive = fill->drive;
		folding->seen[folding->count++].rate = stage->rate;
	}
}

/* The reason why nothing is said of the stages of a write that was to show them. */
static int coarse_tell(const struct evidence *evidence, const struct fill *fill)
{
	struct finding_record finding = {
		.kind = "write_stages", .unit = "stages", .value = NAN, .low = NAN, .high = NAN
	};
	char now[UNITS_TEXT], wanted[UNITS_TEXT], lasted[UNITS_TEXT], point[120];
	double seconds = 0;
	json_t *data;

	/* a point of a sweep shows something else, a disk has nothing to show */
	if (step_point_text(evidence, fill->step, point, sizeof(point))[0] || fill->rotates)
		return 0;
	data = json_object();
	for (uint32_t i = 0; i < fill->series.count; i++)
		seconds += fill->series.duration_s[i];
	data_real(data, "written_bytes", fill->total);
	data_real(data, "intervals", fill->series.count);
	data_real(data, "needs_intervals", FILL_INTERVALS_MIN);
	return finding_put(evidence, fill->step, &finding, data,
			   "Step '%s' was over in %s: its %u intervals of %s are too few to see a cache or stages in, it takes "
			   "%u (interval=%s or less).",
			   fill->step->name, duration_format((uint64_t)(seconds * 1e9), lasted), fill->series.count,
			   duration_format(fill->step->interval_ns, now), FILL_INTERVALS_MIN,
			   duration_format(interval_for(seconds), wanted));
}

int find_cache(const struct evidence *evidence)
{
	struct folding folding = { 0 };
	int error = 0;

	for (uint32_t i = 0; i < evidence->step_count && error >= 0; i++) {
		struct fill fill;

		if (i && !strcmp(evidence->steps[i - 1].kind, "idle"))
			continue; /* a burst after a pause: find_recovery.c */
		error = fill_of(evidence, &evidence->steps[i], &fill);
		if (error > 0)
			labels_agree(&folding, &fill);
		if (error > 0)
			error = fill_tell(evidence, &fill);
		else if (!error && fill.too_coarse && strcmp(evidence->steps[i].kind, "fill"))
			error = coarse_tell(evidence, &fill);
		fill_release(&fill);
	}
	return error < 0 ? error : 0;
}
