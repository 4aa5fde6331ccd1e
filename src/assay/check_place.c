/* Self-checks of where the I/Os went: blocks that hold data, the whole range, each worker in a part of its
 * own. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "assay/check.h"
#include "assay/fill.h"
#include "base/units.h"
#include "plan/plan.h"
#include "store/json_reader.h"

#define FAST_NS 5000u	  /* no block device answers faster at the median */
#define WRITE_FAST_NS 1000u /* nor takes a write */
#define SAMPLES_MIN 1000u /* then an end that was used at all has been seen */
#define END_SHARE 0.05
#define WORKERS_MAX 256u
#define WRITTEN_SHARE 0.99

static const char *kind_of(const struct evidence *evidence, const struct load_record *load)
{
	return load->target < evidence->drive_count ? evidence->drives[load->target].kind : "";
}

/* -- faster than physics -- */

/* The load with the lowest median of one kind of I/O on a real drive; NULL = none did any. */
static const struct load_record *fastest(const struct evidence *evidence, enum io_op op, uint64_t *ret_ns)
{
	const struct load_record *load = NULL;

	*ret_ns = UINT64_MAX;
	for (uint32_t i = 0; i < evidence->load_count; i++) {
		const struct load_record *one = &evidence->loads[i];
		uint64_t median;

		if (!one->total || !one->total->op[op].ios || !strcmp(kind_of(evidence, one), "char") ||
		    !strcmp(kind_of(evidence, one), "sim"))
			continue;
		median = histogram_percentile(&one->total->op[op].service, 0.5);
		if (median < *ret_ns) {
			*ret_ns = median;
			load = one;
		}
	}
	return load;
}

int check_plausible(const struct evidence *evidence)
{
	uint64_t lowest, write_ns;
	const struct load_record *load = fastest(evidence, IO_READ, &lowest);
	const struct load_record *write = fastest(evidence, IO_WRITE, &write_ns);
	char time[UNITS_TEXT];

	if (write && write_ns < WRITE_FAST_NS)
		return check_put(evidence, "latency_plausible", CHECK_FAILED,
				 "Lowest median write latency %s (load '%s'): no drive takes them that fast, this computer's "
				 "memory does.",
				 duration_format(write_ns, time), write->name);
	if (!load)
		return check_put(evidence, "latency_plausible", CHECK_NOT_APPLICABLE,
				 "Nothing was read from a real drive.");
	return check_put(evidence, "latency_plausible", lowest >= FAST_NS ? CHECK_PASSED : CHECK_FAILED,
			 lowest >= FAST_NS
				 ? "Lowest median read latency %s (load '%s')."
				 : "Lowest median read latency %s (load '%s'): no drive answers that fast, a "
				   "cache or unwritten blocks do.",
			 duration_format(lowest, time), load->name);
}

/* -- unwritten ranges -- */

/* A block device that was read without having been written by this run. */
static const struct step_record *reads_unknown(const struct evidence *evidence, uint32_t *ret_reads)
{
	const struct step_record *unknown = NULL;

	*ret_reads = 0;
	for (uint32_t i = 0; i < evidence->load_count; i++) {
		const struct load_record *load = &evidence->loads[i];
		const struct step_record *step = evidence_step(evidence, load->step);
		const char *kind = kind_of(evidence, load);
		const struct drive_record *drive = evidence_drive(evidence, load->target);
		double range;

		if (!step || !drive || !load->total || !load->total->op[IO_READ].ios || !strcmp(kind, "char"))
			continue;
		++*ret_reads;
		range = drive->capacity_bytes ? (double)load->range_bytes / (double)drive->capacity_bytes : 1;
		if (!unknown && (!strcmp(kind, "block") || !strcmp(kind, "nvme-generic")) &&
		    filled_before(evidence, step, load->target) < WRITTEN_SHARE * range)
			unknown = step;
	}
	return unknown;
}

int check_unwritten(const struct evidence *evidence)
{
	uint32_t reads;
	const struct step_record *unknown = reads_unknown(evidence, &reads);

	if (!reads)
		return check_put(evidence, "reads_find_data", CHECK_NOT_APPLICABLE, "Nothing was read.");
	if (evidence->run->allow_unwritten)
		return check_put(evidence, "reads_find_data", CHECK_FAILED,
				 "--allow-unwritten: reads may have been answered without touching the "
				 "drive's flash.");
	if (unknown)
		return check_put(evidence, "reads_find_data", CHECK_NOT_APPLICABLE,
				 "Step '%s' read a range that this run had not written; whether the drive "
				 "held data there cannot be known.",
				 unknown->name);
	return check_put(evidence, "reads_find_data", CHECK_PASSED,
			 "Every range that was read had been written before.");
}

/* -- offsets -- */

struct extent {
	uint64_t low, high; /* first and one past the last byte seen; low > high = none */
	uint32_t samples;
};

/* What the samples of one step saw: of the workers of one load, and of each load as a whole. */
struct seen {
	uint32_t load;
	struct extent worker[WORKERS_MAX], whole[PLAN_LOADS_MAX];
};

static void extent_add(struct extent *extent, const struct logged_io *io)
{
	extent->low = io->offset < extent->low ? io->offset : extent->low;
	extent->high = io->offset + io->bytes > extent->high ? io->offset + io->bytes : extent->high;
	extent->samples++;
}

static int sample_see(void *context, uint64_t step, const struct logged_io *io)
{
	struct seen *seen = context;

	(void)step;
	if (io->op > IO_TRIM)
		return 0;
	if (io->load < PLAN_LOADS_MAX)
		extent_add(&seen->whole[io->load], io);
	if (io->load == seen->load)
		extent_add(&seen->worker[io->worker < WORKERS_MAX ? io->worker : WORKERS_MAX - 1], io);
	return 0;
}

struct offsets {
	uint32_t looked, apart_looked;
	struct saying beyond, short_of, together; /* the first of each fault; empty */
};

/* Random: both ends of the range were used. The range of worker 0 is the one that is stored. */
static void range_judge(const struct load_record *load, const struct extent *extent, const char *name,
			struct offsets *offsets)
{
	double end = END_SHARE * (double)load->range_bytes;
	uint64_t last = load->range_start + load->range_bytes;

	if (extent->samples < SAMPLES_MIN || !load->range_bytes)
		return;
	offsets->looked++;
	if ((extent->low < load->range_start || extent->high > last) && !offsets->beyond.pieces)
		saying_add(&offsets->beyond,
			   "The offsets were not those asked for: step '%s' went beyond its range.", name);
	if (((double)(extent->low - load->range_start) > end || (double)(last - extent->high) > end) &&
	    !offsets->short_of.pieces)
		saying_add(&offsets->short_of,
			   "The offsets were not those asked for: step '%s' used bytes %" PRIu64
			   " to %" PRIu64 " of %" PRIu64 " to %" PRIu64 ".",
			   name, extent->low, extent->high, load->range_start, last);
}

static uint64_t extent_bytes(const struct extent *extent)
{
	return extent->high - extent->low;
}

/* Half of the smaller one and more. */
static bool mostly_same(const struct extent *x, const struct extent *y)
{
	const uint64_t low = x->low > y->low ? x->low : y->low, high = x->high < y->high ? x->high : y->high;
	const struct extent *smaller = extent_bytes(x) < extent_bytes(y) ? x : y;

	return x->samples >= 10 && y->samples >= 10 && high > low && 2 * (high - low) >= extent_bytes(smaller);
}

/* Sequential workers whose extents are mostly the same read what another one has just brought into a cache.
 */
static void apart_judge(const struct load_record *load, const struct seen *seen, const char *name,
			struct offsets *offsets)
{
	uint32_t workers = load->workers < WORKERS_MAX ? load->workers : WORKERS_MAX;

	offsets->apart_looked++;
	for (uint32_t a = 0; a + 1 < workers; a++) {
		if (!mostly_same(&seen->worker[a], &seen->worker[a + 1]))
			continue;
		if (!offsets->together.pieces)
			saying_add(&offsets->together,
				   "Too good to be true: the %u sequential workers of step '%s' went over "
				   "the same blocks.",
				   load->workers, name);
		return;
	}
}

/* Of the load itself: loads of one step need not do the same. */
static bool load_does(const struct evidence *evidence, const struct load_record *load, const char *rw, bool only)
{
	const struct step_record *step = evidence_step(evidence, load->step);
	json_t *facts = load->facts_json ? json_loads(load->facts_json, 0, NULL) : NULL;
	const char *own = json_string_value(json_object_get(facts, "rw"));
	bool does;

	if (!own)
		own = step ? step_word(evidence, step, "rw") : "";
	does = only ? !strcmp(own, rw) : !strncmp(own, rw, strlen(rw));
	json_decref(facts);
	return does;
}

/* Loads of one step that read the same blocks one after another: the same as workers of one load. */
static void others_judge(const struct evidence *evidence, const struct load_record *load, const struct seen *seen,
			 const struct step_record *step, struct offsets *offsets)
{
	uint32_t count;
	const struct load_record *loads = evidence_loads(evidence, step, &count);

	for (uint32_t i = 0; i < count && loads[i].load < load->load; i++) {
		const struct load_record *other = &loads[i];

		if (other->target != load->target || load->load >= PLAN_LOADS_MAX ||
		    !load_does(evidence, other, "read", true))
			continue;
		offsets->apart_looked++;
		if (mostly_same(&seen->whole[other->load], &seen->whole[load->load]) && !offsets->together.pieces)
			saying_add(&offsets->together,
				   "Too good to be true: the sequential loads '%s' and '%s' of step '%s' read the same "
				   "blocks.",
				   other->name, load->name, step->name);
	}
}

static int load_see(const struct evidence *evidence, const struct load_record *load, struct offsets *offsets)
{
	const struct step_record *step = evidence_step(evidence, load->step);
	const bool random = load_does(evidence, load, "rand", false), reads = load_does(evidence, load, "read", true);
	struct seen *seen;
	int error;

	if (!step || !load->total || (!random && load->workers < 2 && !(reads && load->load)))
		return 0;
	seen = calloc(1, sizeof(*seen));
	if (!seen)
		return -ENOMEM;
	seen->load = load->load;
	for (uint32_t i = 0; i < WORKERS_MAX; i++)
		seen->worker[i].low = UINT64_MAX;
	for (uint32_t i = 0; i < PLAN_LOADS_MAX; i++)
		seen->whole[i].low = UINT64_MAX;
	error = store_each_sample(evidence->store, step->id, sample_see, seen);
	if (!error && random)
		range_judge(load, &seen->worker[0], step->name, offsets);
	else if (!error && load->workers > 1)
		apart_judge(load, seen, step->name, offsets);
	if (!error && reads)
		others_judge(evidence, load, seen, step, offsets);
	free(seen);
	return error;
}

static int offsets_put(const struct evidence *evidence, struct offsets *offsets)
{
	struct saying *fault = offsets->beyond.pieces ? &offsets->beyond : &offsets->short_of;

	if (!offsets->looked)
		return check_put(evidence, "offsets_cover_range", CHECK_NOT_APPLICABLE,
				 "No random load has the %u sampled I/Os that this takes.", SAMPLES_MIN);
	if (fault->pieces)
		return check_put(evidence, "offsets_cover_range", CHECK_FAILED, "%p", fault);
	return check_put(
		evidence, "offsets_cover_range", CHECK_PASSED,
		"Random offsets reached both ends of their range and nothing beyond, by their samples.");
}

static int apart_put(const struct evidence *evidence, struct offsets *offsets)
{
	if (!offsets->apart_looked)
		return check_put(evidence, "workers_apart", CHECK_NOT_APPLICABLE,
				 "No sequential load had more than one worker.");
	if (offsets->together.pieces)
		return check_put(evidence, "workers_apart", CHECK_FAILED, "%p", &offsets->together);
	return check_put(evidence, "workers_apart", CHECK_PASSED,
			 "Sequential workers kept to parts of their own.");
}

int check_offsets(const struct evidence *evidence)
{
	struct offsets offsets = { 0 };
	int error = 0;

	for (uint32_t i = 0; i < evidence->load_count && !error; i++)
		error = load_see(evidence, &evidence->loads[i], &offsets);
	if (!error)
		error = offsets_put(evidence, &offsets);
	if (!error)
		error = apart_put(evidence, &offsets);
	saying_release(&offsets.beyond);
	saying_release(&offsets.short_of);
	saying_release(&offsets.together);
	return error;
}
