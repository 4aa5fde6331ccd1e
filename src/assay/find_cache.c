/* The stages of a long sequential write: the size of the SLC cache, the speed in it and behind it, folding.
 */
#include <math.h>
#include <string.h>
#include "assay/fill.h"
#include "assay/finding.h"
#include "base/text.h"
#include "base/units.h"

#define WHOLE_SHARE 0.9 /* of capacity / 3 or 4: all of the flash is used as SLC first */
#define WHOLE_MOST 1.1

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
	data_real(data, "bytes_per_second", fill->knees.rate);
	json_object_set_new(data, "stages", stages_json(fill));
	return data;
}

/* Flash of three or four bits a cell holds a third or a quarter of its capacity with one bit each; NULL =
 * neither. */
static const char *whole_part(double share)
{
	if (share >= WHOLE_SHARE / 3 && share <= WHOLE_MOST / 3)
		return "a third";
	return share >= WHOLE_SHARE / 4 && share <= WHOLE_MOST / 4 ? "a quarter" : NULL;
}

static int cache_tell(const struct evidence *evidence, const struct fill *fill)
{
	struct finding_record finding = { .kind = "slc_cache", .unit = "bytes" };
	const struct stage *burst = &fill->knees.stage[0], *next = &fill->knees.stage[1];
	double capacity = (double)fill->drive->capacity_bytes;
	char size[UNITS_TEXT], low[UNITS_TEXT], high[UNITS_TEXT], fast[UNITS_TEXT], slow[UNITS_TEXT];
	const char *whole;

	if (!fill->has_cache)
		return 0;
	finding.value = fill->cache;
	finding.low = fill->cache_low;
	finding.high = fill->cache_high;
	whole = whole_part(finding.value / capacity);
	return finding_put(evidence, fill->step, &finding, fill_json(fill),
			   "The SLC cache of the %s drive held %s (%s to %s, %.0f %% of the capacity): %s "
			   "until then, %s after it, "
			   "likely %s%s%s%s.",
			   fill_drive_state(fill), capacity_format((uint64_t)finding.value, size),
			   capacity_format((uint64_t)finding.low, low),
			   capacity_format((uint64_t)finding.high, high), 100 * finding.value / capacity,
			   rate_format(burst->rate, fast), rate_format(next->rate, slow),
			   next->label == STAGE_DIRECT ? "written directly" : stage_label_name(next->label),
			   whole ? "; about " : "", whole ? whole : "",
			   whole ? " of the capacity: likely all of the flash serves as cache" : "");
}

/* Ups and downs behind the first stage, as the drive folds and fills its cache by turns. */
static void cycles_text(const struct knees *knees, bool has_cache, struct text *text)
{
	double slowest = INFINITY, fastest = 0;
	char low[UNITS_TEXT], high[UNITS_TEXT];

	for (uint32_t i = 1; i < knees->stage_count; i++) {
		slowest = fmin(slowest,
			       knees->stage[i].cycling ? knees->stage[i].rate_p5 : knees->stage[i].rate);
		fastest = fmax(fastest,
			       knees->stage[i].cycling ? knees->stage[i].rate_p95 : knees->stage[i].rate);
	}
	text_printf(text,
		    ", then up and down between %s and %s%s",
		    rate_format(slowest, low), rate_format(fastest, high),
		    has_cache ? " (likely folding and filling the cache by turns)" : "");
}

static int stages_tell(const struct evidence *evidence, const struct fill *fill)
{
	const struct knees *knees = &fill->knees;
	struct finding_record finding = {
		.kind = "write_stages", .unit = "stages", .value = knees->stage_count, .low = NAN, .high = NAN
	};
	struct text text = { 0 };
	char size[UNITS_TEXT], rate[UNITS_TEXT];
	int error;

	if (knees->stage_count < 2)
		return finding_put(evidence, fill->step, &finding, fill_json(fill),
				   "One speed from the first to the last of the %s written in step '%s' to "
				   "the %s drive: %s, no cache seen.",
				   capacity_format((uint64_t)fill->total, size), fill->step->name,
				   fill_drive_state(fill), rate_format(knees->rate, rate));
	for (uint32_t i = 0; i < knees->stage_count && !(i && fill_cycles(fill)); i++) {
		const struct stage *stage = &knees->stage[i];

		text_printf(&text, "%s%s to %s (likely %s)", i ? ", then " : "",
			    rate_format(stage->rate, rate),
			    capacity_format((uint64_t)(stage->to * fill->bin), size),
			    i || fill->has_cache ? stage_label_name(stage->label) : "direct");
	}
	if (fill_cycles(fill))
		cycles_text(knees, fill->has_cache, &text);
	error = text.error ? text.error
			   : finding_put(evidence, fill->step, &finding, fill_json(fill),
					 "Step '%s' on the %s drive had %u speeds: %s.", fill->step->name,
					 fill_drive_state(fill), knees->stage_count, text_data(&text));
	text_release(&text);
	return error;
}

/* What is left when the cache is full: the last stage; where the speed goes up and down, all that is behind
 * the first. */
static int sustained_tell(const struct evidence *evidence, const struct fill *fill)
{
	struct finding_record finding = { .kind = "sustained_write", .unit = "bytes_per_second" };
	char rate[UNITS_TEXT], low[UNITS_TEXT], high[UNITS_TEXT], size[UNITS_TEXT];
	uint64_t bytes = (uint64_t)fill_sustained(fill, &finding.value, &finding.low, &finding.high);

	return finding_put(evidence, fill->step, &finding, fill_json(fill),
			   "Sustained sequential write to the %s drive: %s over the last %s (90 %% of it "
			   "between %s and %s).",
			   fill_drive_state(fill), rate_format(finding.value, rate),
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

int find_cache(const struct evidence *evidence)
{
	int error = 0;

	for (uint32_t i = 0; i < evidence->step_count && error >= 0; i++) {
		struct fill fill;

		if (i && !strcmp(evidence->steps[i - 1].kind, "idle"))
			continue; /* a burst after a pause: find_recovery.c */
		error = fill_of(evidence, &evidence->steps[i], &fill);
		if (error > 0)
			error = fill_tell(evidence, &fill);
		fill_release(&fill);
	}
	return error < 0 ? error : 0;
}
