#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "analyze/numbers.h"
#include "assay/fill.h"

#define AS_FAST 0.98		/* as the first stage */
#define UNEVEN_MOST 1.5		/* the first stage's rate to that of all */
#define BINS 400u
#define FILL_MIN 0.25 /* of the capacity: shorter writes end before the cache does */
#define CYCLE_UPS 2
#define FULL_SHARE 0.95
#define RANDOM_SHARE 0.05 /* of the capacity, written in random order: its garbage is felt */
#define MIXED_INTERVALS                                                                                   \
	1.6 /* a "stage" of no more than that is an interval that saw the end of one and the start of the \
	       next */

static double step_written(const struct evidence *evidence, const struct step_record *step, uint32_t target)
{
	double written = 0;

	for (uint32_t i = 0; i < evidence->load_count; i++)
		if (evidence->loads[i].step == step->id && evidence->loads[i].target == target &&
		    evidence->loads[i].total)
			written += (double)evidence->loads[i].total->op[IO_WRITE].bytes;
	return written;
}

/* Since the last purge, as a share of the capacity: all writes, or those in random order. */
static double written_before(const struct evidence *evidence, const struct step_record *step, uint32_t target,
			     bool random)
{
	const struct drive_record *drive = evidence_drive(evidence, target);
	double written = 0;

	for (const struct step_record *s = evidence->steps; s < step; s++) {
		if (!strcmp(s->kind, "purge") && s->status == RUN_COMPLETE && s->note &&
		    strcmp(s->note, PURGE_NOT_DONE))
			written = 0;
		if (!random || !strncmp(step_word(evidence, s, "rw"), "rand", 4))
			written += step_written(evidence, s, target);
	}
	return drive && drive->capacity_bytes ? written / (double)drive->capacity_bytes : NAN;
}

double filled_before(const struct evidence *evidence, const struct step_record *step, uint32_t target)
{
	return written_before(evidence, step, target, false);
}

static bool drive_rotates(const struct drive_record *drive)
{
	json_t *facts = drive_facts_of(drive, false);
	bool rotates = json_is_true(json_object_get(facts, "rotational"));

	json_decref(facts);
	return rotates;
}

/* 0 or -ENOMEM. */
static int last_pass_take(struct fill *fill, double range_bytes)
{
	const struct store_series *series = &fill->series;
	double *rates = malloc((series->count + 1) * sizeof(*rates)), seconds = 0;
	uint32_t count = 0;

	if (!rates)
		return -ENOMEM;
	for (uint32_t i = series->count; i-- > 0 && fill->last_pass.bytes < range_bytes;) {
		if (!(series->duration_s[i] > 0))
			continue;
		fill->last_pass.bytes += series->bytes[i];
		seconds += series->duration_s[i];
		rates[count++] = series->bytes[i] / series->duration_s[i];
	}
	numbers_sort(rates, count);
	fill->last_pass.rate = fill->last_pass.bytes / seconds;
	fill->last_pass.low = rates[count / 20];
	fill->last_pass.high = rates[count - 1 - count / 20];
	free(rates);
	return 0;
}

/* Only the first pass over the range: later ones overwrite, and what slows them down is garbage collection.
 */
static int fill_read(const struct evidence *evidence, struct fill *fill, uint64_t range_bytes)
{
	int error = store_step_series(evidence->store, fill->step->id, STORE_ALL, IO_WRITE, LATENCY_SERVICE,
				      &fill->series);
	double all = 0;

	if (error)
		return error;
	for (uint32_t i = 0; i < fill->series.count; i++)
		all += fill->series.bytes[i];
	fill->passes = range_bytes ? (uint32_t)fmin(all / (double)range_bytes, UINT32_MAX) : 0;
	if (fill->passes >= FILL_PASSES_MIN)
		error = last_pass_take(fill, (double)range_bytes);
	for (uint32_t i = 0; i < fill->series.count; i++) {
		fill->total += fill->series.bytes[i];
		if (fill->total >= (double)range_bytes)
			fill->series.count = i + 1;
	}
	return error;
}

static bool is_mixed(const struct fill *fill, uint32_t at)
{
	const struct stage *stage = &fill->knees.stage[at];
	double before = stage[-1].rate, after = stage[1].rate;
	double seconds = (stage->to - stage->from) * fill->bin / stage->rate;
	double interval = (double)fill->step->interval_ns / 1e9;

	return !stage->cycling && seconds <= MIXED_INTERVALS * interval &&
	       stage->rate < fmax(before, after) && stage->rate > fmin(before, after);
}

/* The part of a mixed interval that was at the rate before it belongs to the stage before it. */
static void stage_split(struct fill *fill, uint32_t at)
{
	struct stage *before = &fill->knees.stage[at - 1], *mixed = before + 1, *after = before + 2;
	double share = (1 / mixed->rate - 1 / after->rate) / (1 / before->rate - 1 / after->rate);
	uint32_t border = mixed->from + (uint32_t)lround(share * (mixed->to - mixed->from));

	after->from_low = mixed->from_low;
	before->to = after->from = border;
	memmove(mixed, after, (fill->knees.stage_count - at - 1) * sizeof(*mixed));
	fill->knees.stage_count--;
}

static void stages_clean(struct fill *fill)
{
	for (uint32_t i = 1; i + 1 < fill->knees.stage_count;)
		if (is_mixed(fill, i))
			stage_split(fill, i);
		else
			i++;
}

/* What is slower behind random writes has their garbage to collect, whatever it does with its cache. */
static void stages_collecting(struct fill *fill)
{
	for (uint32_t i = 0; i < fill->knees.stage_count; i++)
		if (fill->knees.stage[i].label == STAGE_FOLDING)
			fill->knees.stage[i].label = STAGE_COLLECTING;
}

/* A speed that comes back later, and is not far from the average, is no cache that is used up: the drive is
 * uneven. */
static bool comes_back(const struct knees *knees)
{
	bool again = false;

	for (uint32_t i = 1; i < knees->stage_count; i++)
		again = again || knees->stage[i].rate_p95 >= AS_FAST * knees->stage[0].rate;
	return again && knees->stage[0].rate < UNEVEN_MOST * knees->rate;
}

/* First stage, if it is a cache; bytes. */
static bool cache_size(const struct fill *fill, double *ret_bytes, double *ret_low, double *ret_high)
{
	double at, low, high, sharp, sharp_low, sharp_high;

	if (fill->rotates || comes_back(&fill->knees) || !knee_cache(&fill->knees, &at, &low, &high))
		return false;
	*ret_bytes = at * fill->bin;
	*ret_low = low * fill->bin;
	*ret_high = high * fill->bin;
	if (!fill->knees.stage[0].cycling && !fill->knees.stage[1].cycling &&
	    knee_sharpen(fill->series.bytes, fill->series.duration_s, fill->series.count, *ret_bytes, &sharp,
			 &sharp_low, &sharp_high)) {
		*ret_bytes = sharp;
		*ret_low = sharp_low;
		*ret_high = sharp_high;
	}
	return true;
}

double fill_last_rate(const struct fill *fill)
{
	double bytes = 0, seconds = 0;

	for (uint32_t i = fill->series.count; i-- > 0 && bytes < fill->total / 4;) {
		bytes += fill->series.bytes[i];
		seconds += fill->series.duration_s[i];
	}
	return seconds > 0 ? bytes / seconds : NAN;
}

bool fill_cycles(const struct fill *fill)
{
	uint32_t ups = 0;

	for (uint32_t i = 1; i < fill->knees.stage_count; i++) {
		if (fill->knees.stage[i].cycling)
			return true;
		ups += i > 1 && fill->knees.stage[i].rate > fill->knees.stage[i - 1].rate;
	}
	return ups >= CYCLE_UPS;
}

double fill_sustained(const struct fill *fill, double *ret_rate, double *ret_low, double *ret_high)
{
	uint32_t last = fill->knees.stage_count - 1, first = last && fill_cycles(fill) ? 1 : last;
	double bytes = 0, seconds = 0;

	if (fill->last_pass.bytes > 0) {
		*ret_rate = fill->last_pass.rate;
		*ret_low = fill->last_pass.low;
		*ret_high = fill->last_pass.high;
		return fill->last_pass.bytes;
	}
	*ret_low = INFINITY;
	*ret_high = 0;
	for (uint32_t i = first; i <= last; i++) {
		const struct stage *stage = &fill->knees.stage[i];

		bytes += (stage->to - stage->from) * fill->bin;
		seconds += (stage->to - stage->from) * fill->bin / stage->rate;
		*ret_low = fmin(*ret_low, stage->rate_p5);
		*ret_high = fmax(*ret_high, stage->rate_p95);
	}
	*ret_rate = bytes / seconds;
	return bytes;
}

/* 1 = fill->knees is set, 0 = too little to say anything, or -ENOMEM. */
static int fill_analyze(struct fill *fill)
{
	double *rate;
	uint32_t bins;
	int error = 0;

	if (fill->total < FILL_MIN * (double)fill->drive->capacity_bytes)
		return 0;
	fill->too_coarse = fill->series.count < FILL_INTERVALS_MIN;
	if (fill->too_coarse)
		return 0;
	rate = malloc(BINS * sizeof(*rate));
	if (!rate)
		return -ENOMEM;
	fill->bin = fill->total / BINS;
	bins = knee_bins(fill->series.bytes, fill->series.duration_s, fill->series.count, fill->bin, rate,
			 BINS);
	error = bins ? knee_find(rate, bins, &fill->knees) : -ERANGE;
	free(rate);
	if (error)
		return error == -ERANGE ? 0 : error;
	stages_clean(fill);
	for (uint32_t i = 0; i < fill->knees.stage_count && fill->rotates; i++)
		fill->knees.stage[i].label = fill->knees.stage_count > 1 ? STAGE_DIRECT : STAGE_ONLY;
	if (fill->random_before && !fill->rotates)
		stages_collecting(fill);
	fill->has_cache = cache_size(fill, &fill->cache, &fill->cache_low, &fill->cache_high);
	return 1;
}

const char *fill_drive_state(const struct fill *fill)
{
	return fill->filled_before < 0.01	   ? SAID_WORD("empty")
	       : fill->random_before		   ? SAID_WORD("randomly written")
	       : fill->filled_before >= FULL_SHARE ? SAID_WORD("full")
						   : SAID_WORD("partly filled");
}

bool step_fills(const struct evidence *evidence, const struct step_record *step)
{
	const char *rw = step_word(evidence, step, "rw");

	return step_measured(evidence, step) &&
	       (!strcmp(rw, "write") || (!rw[0] && !strcmp(step->kind, "fill")));
}

int fill_of(const struct evidence *evidence, const struct step_record *step, struct fill *fill)
{
	const struct load_record *load;
	uint32_t count;
	int error;

	*fill = (struct fill){ .step = step };
	if (!step_fills(evidence, step))
		return 0;
	load = evidence_loads(evidence, step, &count);
	fill->drive = evidence_drive(evidence, load->target);
	/* whatever it wrote over and over again, a small range is no fill */
	if (count != 1 || !fill->drive || (double)load->range_bytes < FILL_MIN * (double)fill->drive->capacity_bytes)
		return 0;
	fill->rotates = drive_rotates(fill->drive);
	fill->filled_before = filled_before(evidence, step, load->target);
	fill->random_before = written_before(evidence, step, load->target, true) >= RANDOM_SHARE;
	error = fill_read(evidence, fill, load->range_bytes);
	return error ? error : fill_analyze(fill);
}

void fill_release(struct fill *fill)
{
	store_series_release(&fill->series);
}
