/* The stages of a long sequential write: the size of the SLC cache, the speed in it and behind it, folding. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "analyze/knee.h"
#include "assay/finding.h"
#include "base/text.h"
#include "base/units.h"

#define BINS 400u
#define INTERVALS_MIN 24u
#define FILL_MIN 0.25		/* of the capacity: shorter writes end before the cache does */
#define WHOLE_SHARE 0.9		/* of capacity / 3: all of the flash is used as SLC first */
#define FULL_SHARE 0.95

struct fill {
	const struct step_record *step;
	const struct drive_record *drive;
	struct store_series series;
	double total, bin;
	double filled_before;		/* share of the capacity that was written before, since the last purge */
	struct knees knees;
};

/* What this target held when the step began, as a share of its capacity; counts writes since the last purge. */
static double filled_before(const struct evidence *evidence, const struct step_record *step, uint32_t target)
{
	const struct drive_record *drive = evidence_drive(evidence, target);
	double written = 0;

	for (const struct step_record *s = evidence->steps; s < step; s++) {
		if (!strcmp(s->kind, "purge") && s->status == RUN_COMPLETE && s->note && strcmp(s->note, "none"))
			written = 0;
		for (uint32_t i = 0; i < evidence->load_count; i++)
			if (evidence->loads[i].step == s->id && evidence->loads[i].target == target &&
			    evidence->loads[i].total)
				written += (double)evidence->loads[i].total->op[IO_WRITE].bytes;
	}
	return drive && drive->capacity_bytes ? written / (double)drive->capacity_bytes : NAN;
}

static int fill_read(const struct evidence *evidence, struct fill *fill)
{
	int error = store_step_series(evidence->store, fill->step->id, STORE_ALL, IO_WRITE, LATENCY_SERVICE, &fill->series);

	if (error)
		return error;
	for (uint32_t i = 0; i < fill->series.count; i++)
		fill->total += fill->series.bytes[i];
	return 0;
}

/* 1 = fill->knees is set, 0 = too little to say anything, or -ENOMEM. */
static int fill_analyze(struct fill *fill)
{
	double *rate;
	uint32_t bins;
	int error = 0;

	if (fill->series.count < INTERVALS_MIN || fill->total < FILL_MIN * (double)fill->drive->capacity_bytes)
		return 0;
	rate = malloc(BINS * sizeof(*rate));
	if (!rate)
		return -ENOMEM;
	fill->bin = fill->total / BINS;
	bins = knee_bins(fill->series.bytes, fill->series.duration_s, fill->series.count, fill->bin, rate, BINS);
	error = bins ? knee_find(rate, bins, &fill->knees) : -ERANGE;
	free(rate);
	return error == -ERANGE ? 0 : error ? error : 1;
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
	data_real(data, "bytes_per_second", fill->knees.rate);
	json_object_set_new(data, "stages", stages_json(fill));
	return data;
}

static const char *drive_state(const struct fill *fill)
{
	return fill->filled_before < 0.01 ? "empty" : fill->filled_before >= FULL_SHARE ? "full" : "partly filled";
}

/* First stage, if it is a cache; bytes. */
static bool cache_size(const struct fill *fill, double *ret_bytes, double *ret_low, double *ret_high)
{
	double at, low, high, sharp, sharp_low, sharp_high;

	if (!knee_cache(&fill->knees, &at, &low, &high))
		return false;
	*ret_bytes = at * fill->bin;
	*ret_low = low * fill->bin;
	*ret_high = high * fill->bin;
	if (!fill->knees.stage[0].cycling && !fill->knees.stage[1].cycling &&
	    knee_sharpen(fill->series.bytes, fill->series.duration_s, fill->series.count, *ret_bytes, &sharp, &sharp_low,
			 &sharp_high)) {
		*ret_bytes = sharp;
		*ret_low = sharp_low;
		*ret_high = sharp_high;
	}
	return true;
}

static int cache_tell(const struct evidence *evidence, const struct fill *fill)
{
	struct finding_record finding = { .kind = "slc_cache", .unit = "bytes" };
	const struct stage *burst = &fill->knees.stage[0], *next = &fill->knees.stage[1];
	double capacity = (double)fill->drive->capacity_bytes;
	char size[UNITS_TEXT], low[UNITS_TEXT], high[UNITS_TEXT], fast[UNITS_TEXT], slow[UNITS_TEXT];
	bool whole;

	if (!cache_size(fill, &finding.value, &finding.low, &finding.high))
		return 0;
	whole = finding.value >= WHOLE_SHARE * capacity / 3 && finding.value <= 1.1 * capacity / 3;
	return finding_put(evidence, fill->step, &finding, fill_json(fill),
			   "The SLC cache of the %s drive held %s (%s to %s, %.0f %% of the capacity): %s until then, %s after it, "
			   "likely %s%s.", drive_state(fill), capacity_format((uint64_t)finding.value, size),
			   capacity_format((uint64_t)finding.low, low), capacity_format((uint64_t)finding.high, high),
			   100 * finding.value / capacity, rate_format(burst->rate, fast), rate_format(next->rate, slow),
			   next->label == STAGE_DIRECT ? "written directly" : stage_label_name(next->label),
			   whole ? "; about a third of the capacity: likely all of the flash serves as cache" : "");
}

static int stages_tell(const struct evidence *evidence, const struct fill *fill)
{
	const struct knees *knees = &fill->knees;
	struct finding_record finding = { .kind = "write_stages", .unit = "stages", .value = knees->stage_count,
					  .low = NAN, .high = NAN };
	struct text text = { 0 };
	char size[UNITS_TEXT], rate[UNITS_TEXT];
	int error;

	if (knees->stage_count < 2)
		return finding_put(evidence, fill->step, &finding, fill_json(fill),
				   "One speed from the first to the last of the %s written in step '%s' to the %s drive: %s, no cache seen.",
				   capacity_format((uint64_t)fill->total, size), fill->step->name, drive_state(fill),
				   rate_format(knees->rate, rate));
	for (uint32_t i = 0; i < knees->stage_count; i++) {
		const struct stage *stage = &knees->stage[i];

		text_printf(&text, "%s%s to %s (likely %s)", i ? ", then " : "", rate_format(stage->rate, rate),
			    capacity_format((uint64_t)(stage->to * fill->bin), size), stage_label_name(stage->label));
	}
	error = text.error ? text.error :
		finding_put(evidence, fill->step, &finding, fill_json(fill), "Step '%s' on the %s drive had %u speeds: %s.",
			    fill->step->name, drive_state(fill), knees->stage_count, text_data(&text));
	text_release(&text);
	return error;
}

/* What is left when the cache is full: the last stage. */
static int sustained_tell(const struct evidence *evidence, const struct fill *fill)
{
	const struct stage *last = &fill->knees.stage[fill->knees.stage_count - 1];
	struct finding_record finding = { .kind = "sustained_write", .unit = "bytes_per_second", .value = last->rate,
					  .low = last->rate_p5, .high = last->rate_p95 };
	char rate[UNITS_TEXT], low[UNITS_TEXT], high[UNITS_TEXT], size[UNITS_TEXT];

	return finding_put(evidence, fill->step, &finding, fill_json(fill),
			   "Sustained sequential write to the %s drive: %s over the last %s (90 %% of the time between %s and %s).",
			   drive_state(fill), rate_format(last->rate, rate),
			   capacity_format((uint64_t)((last->to - last->from) * fill->bin), size), rate_format(last->rate_p5, low),
			   rate_format(last->rate_p95, high));
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

static bool is_fill(const struct evidence *evidence, const struct step_record *step)
{
	const char *rw = step_word(evidence, step, "rw");

	return step_measured(evidence, step) && (!strcmp(rw, "write") || (!rw[0] && !strcmp(step->kind, "fill")));
}

int find_cache(const struct evidence *evidence)
{
	int error = 0;

	for (uint32_t i = 0; i < evidence->step_count && !error; i++) {
		struct fill fill = { .step = &evidence->steps[i] };
		uint32_t count;
		const struct load_record *load;

		if (!is_fill(evidence, fill.step))
			continue;
		load = evidence_loads(evidence, fill.step, &count);
		fill.drive = evidence_drive(evidence, load->target);
		if (count != 1 || !fill.drive || !fill.drive->capacity_bytes)
			continue;
		fill.filled_before = filled_before(evidence, fill.step, load->target);
		error = fill_read(evidence, &fill);
		if (!error)
			error = fill_analyze(&fill);
		if (error > 0)
			error = fill_tell(evidence, &fill);
		store_series_release(&fill.series);
	}
	return error;
}
