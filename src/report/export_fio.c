/* `export --format fio-json`: a run in the shape of fio 3's JSON, for what reads that. Each load of each
 * step is a job, each step a group. Completion latency (clat_ns) is the service time; total latency
 * (lat_ns) is counted from the intended start in open loops. Bins are slots of the run's histograms, named
 * by the middle of the slot, as in json+. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/units.h"
#include "report/json_writer.h"
#include "report/model.h"
#include "report/report.h"

#define FIO_SHAPE "fio-3.33"	/* whose keys these are: readers look at the number */

static const double percentiles[] = {
	1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99,
};

/* Rates over the intervals of one direction, as fio samples them. */
struct sampled {
	enum io_op op;
	uint64_t least_ns;		/* shorter intervals, the last one mostly, are no sample of a rate */
	uint64_t count;
	double iops_min, iops_max, iops_sum, iops_squares;
	double bw_min, bw_max, bw_sum, bw_squares;	/* KiB/s */
};

static int sample_interval(void *context, const struct interval_row *row, const struct histogram *service)
{
	struct sampled *sampled = context;
	double seconds = (double)interval_sent_ns(row) / 1e9;
	double iops = (double)row->ios / seconds, bw = (double)row->bytes / 1024 / seconds;

	(void)service;
	if (row->op != sampled->op || row->ramp || interval_sent_ns(row) <= sampled->least_ns)
		return 0;
	sampled->iops_min = sampled->count ? fmin(sampled->iops_min, iops) : iops;
	sampled->bw_min = sampled->count ? fmin(sampled->bw_min, bw) : bw;
	sampled->iops_max = fmax(sampled->iops_max, iops);
	sampled->bw_max = fmax(sampled->bw_max, bw);
	sampled->iops_sum += iops;
	sampled->iops_squares += iops * iops;
	sampled->bw_sum += bw;
	sampled->bw_squares += bw * bw;
	sampled->count++;
	return 0;
}

static double mean_of(double sum, uint64_t count)
{
	return count ? sum / (double)count : 0;
}

static double deviation_of(double sum, double squares, uint64_t count)
{
	double mean = mean_of(sum, count), variance = count ? squares / (double)count - mean * mean : 0;

	return variance > 0 ? sqrt(variance) : 0;
}

static void put_sampled(struct json_writer *w, const struct sampled *sampled)
{
	json_u64(w, "bw_min", (uint64_t)sampled->bw_min);
	json_u64(w, "bw_max", (uint64_t)sampled->bw_max);
	json_number(w, "bw_agg", sampled->count ? 100 : 0);
	json_number(w, "bw_mean", mean_of(sampled->bw_sum, sampled->count));
	json_number(w, "bw_dev", deviation_of(sampled->bw_sum, sampled->bw_squares, sampled->count));
	json_u64(w, "bw_samples", sampled->count);
	json_u64(w, "iops_min", (uint64_t)sampled->iops_min);
	json_u64(w, "iops_max", (uint64_t)sampled->iops_max);
	json_number(w, "iops_mean", mean_of(sampled->iops_sum, sampled->count));
	json_number(w, "iops_stddev", deviation_of(sampled->iops_sum, sampled->iops_squares, sampled->count));
	json_u64(w, "iops_samples", sampled->count);
}

static void put_bins(struct json_writer *w, const struct histogram *histogram)
{
	char key[24];

	json_open(w, "bins", '{');
	for (uint32_t slot = 0; slot < HISTOGRAM_SLOTS; slot++) {
		uint64_t middle = histogram_slot_low(slot, HISTOGRAM_BITS) +
				  (histogram_slot_width(slot, HISTOGRAM_BITS) - 1) / 2;

		if (!histogram->slot[slot])
			continue;
		snprintf(key, sizeof(key), "%" PRIu64, middle);
		json_u64(w, key, histogram->slot[slot]);
	}
	json_close(w, '}');
}

static void put_percentiles(struct json_writer *w, const struct histogram *histogram)
{
	char key[24];

	json_open(w, "percentile", '{');
	for (size_t i = 0; i < sizeof(percentiles) / sizeof(*percentiles); i++) {
		snprintf(key, sizeof(key), "%.6f", percentiles[i]);
		json_u64(w, key, histogram_percentile(histogram, percentiles[i] / 100));
	}
	json_close(w, '}');
}

/* NULL or an empty one is all zeros, as fio has it. */
static void put_latency(struct json_writer *w, const char *key, const struct histogram *histogram,
			bool spread)
{
	bool any = histogram && histogram->moments.n;

	json_open(w, key, '{');
	json_u64(w, "min", any ? histogram->moments.min_ns : 0);
	json_u64(w, "max", any ? histogram->moments.max_ns : 0);
	json_number(w, "mean", any ? histogram_mean_ns(histogram) : 0);
	json_number(w, "stddev", any ? histogram_stddev_ns(histogram) : 0);
	json_u64(w, "N", any ? histogram->moments.n : 0);
	if (any && spread) {
		put_percentiles(w, histogram);
		put_bins(w, histogram);
	}
	json_close(w, '}');
}

/* fio knows no part that counts: all that was measured. NULL = nothing. */
static const struct op_tally *tally_of(const struct report_load *load, enum io_op op)
{
	return load->record->total ? &load->record->total->op[op] : NULL;
}

static void put_latencies(struct json_writer *w, const struct report_load *load, const struct op_tally *tally)
{
	bool open_loop = tally && load->record->open_loop && tally->response.moments.n;

	put_latency(w, "slat_ns", NULL, false);
	put_latency(w, "clat_ns", tally ? &tally->service : NULL, true);
	put_latency(w, "lat_ns", open_loop ? &tally->response : tally ? &tally->service : NULL, open_loop);
}

static double per_second(uint64_t count, uint64_t duration_ns)
{
	return duration_ns ? (double)count * 1e9 / (double)duration_ns : 0;
}

static int put_direction(struct json_writer *w, const struct report_model *model,
			 const struct report_step *step, const struct report_load *load, enum io_op which)
{
	const struct report_op *op = &load->op[which];
	struct sampled sampled = { .op = which, .least_ns = step->record->interval_ns / 2 };
	int error = op->used ? store_each_interval(model->store, load->record->step,
						   (int32_t)load->record->load, false, sample_interval,
						   &sampled)
			     : 0;

	json_open(w, io_op_name(which), '{');
	json_u64(w, "io_bytes", op->bytes);
	json_u64(w, "io_kbytes", op->bytes / 1024);
	json_u64(w, "bw_bytes", (uint64_t)per_second(op->bytes, load->duration_ns));
	json_u64(w, "bw", (uint64_t)(per_second(op->bytes, load->duration_ns) / 1024));
	json_number(w, "iops", per_second(op->ios, load->duration_ns));
	json_u64(w, "runtime", op->used ? (load->duration_ns + 500000) / 1000000 : 0);
	json_u64(w, "total_ios", op->ios);
	json_u64(w, "short_ios", 0);
	json_u64(w, "drop_ios", 0);
	put_latencies(w, load, tally_of(load, which));
	put_sampled(w, &sampled);
	json_close(w, '}');
	return error;
}

static void put_sync(struct json_writer *w, const char *key, const struct report_load *load, enum io_op op)
{
	const struct op_tally *tally = tally_of(load, op);

	json_open(w, key, '{');
	json_u64(w, "total_ios", load->op[op].ios);
	put_latency(w, "lat_ns", tally ? &tally->service : NULL, true);
	json_close(w, '}');
}

/* I/Os of slots that begin at `below` or after and before `until`. */
static uint64_t between(const struct histogram *histogram, uint64_t below, uint64_t until)
{
	uint64_t count = 0;

	for (uint32_t slot = histogram_slot(below); slot < HISTOGRAM_SLOTS; slot++) {
		uint64_t low = histogram_slot_low(slot, HISTOGRAM_BITS);

		if (low >= until)
			break;
		count += low >= below ? histogram->slot[slot] : 0;
	}
	return count;
}

/* Shares of all I/Os in the steps 2, 4, 10, ... of a unit: above the step before, up to this one. */
static void put_shares(struct json_writer *w, const struct report_load *load, const char *key,
		       uint64_t unit_ns, bool last)
{
	static const uint32_t steps[] = { 2, 4, 10, 20, 50, 100, 250, 500, 750, 1000, 2000 };
	uint64_t below = unit_ns == 1 ? 0 : unit_ns;
	double total = 0;
	char name[16];

	for (int op = 0; op <= IO_TRIM && load->record->total; op++)
		total += (double)load->record->total->op[op].service.moments.n;
	json_open(w, key, '{');
	for (size_t i = 0; i < (last ? 12 : 10); i++) {
		uint64_t until = i < 11 ? steps[i] * unit_ns : UINT64_MAX, count = 0;

		for (int op = 0; op <= IO_TRIM && total > 0; op++)
			count += between(&load->record->total->op[op].service, below, until);
		if (i < 11)
			snprintf(name, sizeof(name), "%u", steps[i]);
		json_number(w, i < 11 ? name : ">=2000", total > 0 ? 100 * (double)count / total : 0);
		below = until;
	}
	json_close(w, '}');
}

/* -- options -- */

static void put_option(struct json_writer *w, const char *key, const char *text)
{
	if (text && *text)
		json_text(w, key, text);
}

static void put_count_option(struct json_writer *w, const char *key, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	json_text(w, key, text);
}

static const char *engine_name(const struct load_record *load)
{
	return load->engine && !strcmp(load->engine, "uring") ? "io_uring" : load->engine;
}

/* Of a load whose pattern is not in the point's values, nor kept with it: what it did. Consumers ask for "rw"
 * and "bs" of every job. */
static const char *directions_name(const struct report_load *load)
{
	if (load->op[IO_TRIM].used)
		return "trim";
	if (load->op[IO_WRITE].used)
		return load->op[IO_READ].used ? "rw" : "write";
	return "read";
}

static void put_mean_size(struct json_writer *w, const struct report_load *load)
{
	uint64_t ios = 0, bytes = 0;
	char text[24];

	for (int op = IO_READ; op <= IO_TRIM; op++) {
		ios += load->op[op].ios;
		bytes += load->op[op].bytes;
	}
	bytes = ios ? bytes / ios : 0;
	if (bytes && bytes % 1024 == 0)		/* as the sizes of a plan are written */
		snprintf(text, sizeof(text), "%" PRIu64 "k", bytes / 1024);
	else
		snprintf(text, sizeof(text), "%" PRIu64, bytes);
	put_option(w, "bs", text);
}

/* fio's words for when the next I/O is due. */
static void put_rate(struct json_writer *w, const struct report_load *load, const char *arrival)
{
	if (!load->record->open_loop || load->record->rate_asked < 1)
		return;
	put_count_option(w, "rate_iops", (uint64_t)load->record->rate_asked);
	if (arrival)
		put_option(w, "rate_process", strcmp(arrival, "poisson") ? "linear" : "poisson");
}

/* What the values of the point say of the step's own load; of a joined load only what its record says. */
static void put_options(struct json_writer *w, const struct report_step *step, const struct report_load *load)
{
	bool own = load == step->loads;
	const struct report_value *rw = report_values_find(&step->values, "rw"),
				  *bs = report_values_find(&step->values, "bs");
	const struct report_value *mix = report_values_find(&step->values, "rwmixread");
	json_t *facts = load->record->facts_json ? json_loads(load->record->facts_json, 0, NULL) : NULL;
	const char *known = json_string_value(json_object_get(facts, "rw"));

	json_open(w, "job options", '{');
	put_option(w, "name", load->record->name);
	put_option(w, "filename", load->drive ? load->drive->name : NULL);
	put_option(w, "rw", own && rw ? rw->text : known ? known : directions_name(load));
	if (own && bs)
		put_option(w, "bs", bs->text);
	else
		put_mean_size(w, load);
	if (own && mix)
		put_option(w, "rwmixread", mix->text);
	put_count_option(w, "iodepth", load->record->depth_asked);
	put_count_option(w, "numjobs", load->record->workers);
	put_option(w, "ioengine", engine_name(load->record));
	put_rate(w, load, json_string_value(json_object_get(facts, "arrival")));
	json_close(w, '}');
	json_decref(facts);
}

/* -- processor time -- */

static double fact_sum(const json_t *facts, const char *key)
{
	double sum = 0;
	size_t index;
	json_t *worker;

	json_array_foreach(json_object_get(facts, "workers"), index, worker)
		sum += json_number_value(json_object_get(worker, key));
	return sum;
}

static void put_cpu(struct json_writer *w, const struct report_load *load)
{
	json_t *facts = load->record->facts_json ? json_loads(load->record->facts_json, 0, NULL) : NULL;
	double whole = (double)load->duration_ns * (load->record->workers ? load->record->workers : 1);

	json_u64(w, "job_runtime", (load->duration_ns + 500000) / 1000000);
	json_number(w, "usr_cpu", whole > 0 ? 100 * fact_sum(facts, "cpu_user_ns") / whole : 0);
	json_number(w, "sys_cpu", whole > 0 ? 100 * fact_sum(facts, "cpu_system_ns") / whole : 0);
	json_u64(w, "ctx",
		 (uint64_t)(fact_sum(facts, "switches_voluntary") + fact_sum(facts, "switches_involuntary")));
	json_decref(facts);
}

/* -- jobs -- */

static int put_job(struct json_writer *w, const struct report_model *model, const struct report_step *step,
		   const struct report_load *load)
{
	int error = 0;

	json_open(w, NULL, '{');
	json_text(w, "jobname", word(load->record->name));
	json_u64(w, "groupid", step->record->id - 1);
	/* EIO: what fio says of a failed job */
	json_u64(w, "error", step->record->status == RUN_FAILED ? 5 : 0);
	json_u64(w, "eta", 0);
	json_u64(w, "elapsed", load->duration_ns / 1000000000 + 1);
	put_options(w, step, load);
	for (int op = IO_READ; op <= IO_TRIM && !error; op++)
		error = put_direction(w, model, step, load, (enum io_op)op);
	put_sync(w, "sync", load, IO_FSYNC);
	if (load->op[IO_FLUSH].used)
		put_sync(w, "flush", load, IO_FLUSH);	/* fio has none */
	put_cpu(w, load);
	put_shares(w, load, "latency_ns", 1, false);
	put_shares(w, load, "latency_us", 1000, false);
	put_shares(w, load, "latency_ms", 1000000, true);
	json_u64(w, "latency_depth", load->record->depth_asked);
	json_u64(w, "latency_target", 0);
	json_number(w, "latency_percentile", 100);
	json_u64(w, "latency_window", 0);
	json_close(w, '}');
	return error;
}

/* -- what the block layer counted -- */

struct block_sums {
	int32_t target;
	bool known;
	double reads, writes, read_bytes, write_bytes;
};

static int block_add(void *context, const struct telemetry_record *row)
{
	struct block_sums *sums = context;
	const struct { const char *name; double *sum; } rows[] = {
		{ "block_reads", &sums->reads }, { "block_writes", &sums->writes },
		{ "block_read_bytes", &sums->read_bytes }, { "block_write_bytes", &sums->write_bytes },
	};

	for (size_t i = 0; row->target == sums->target && i < sizeof(rows) / sizeof(*rows); i++)
		if (row->name && !strcmp(row->name, rows[i].name) && isfinite(row->value)) {
			*rows[i].sum += row->value;
			sums->known = true;
		}
	return 0;
}

/* Only for drives whose counters were read. */
static int put_disks(struct json_writer *w, const struct report_model *model)
{
	bool started = false;
	int error = 0;

	for (uint32_t i = 0; i < model->drive_count && !error; i++) {
		const char *name = word(model->drives[i].name), *last = strrchr(name, '/');
		struct block_sums sums = { .target = (int32_t)model->drives[i].target };

		error = store_each_telemetry(model->store, block_add, &sums);
		if (error || !sums.known)
			continue;
		if (!started)
			json_open(w, "disk_util", '[');
		started = true;
		json_open(w, NULL, '{');
		json_text(w, "name", last && last[1] ? last + 1 : name);
		json_u64(w, "read_ios", (uint64_t)sums.reads);
		json_u64(w, "write_ios", (uint64_t)sums.writes);
		json_u64(w, "read_sectors", (uint64_t)(sums.read_bytes / 512));
		json_u64(w, "write_sectors", (uint64_t)(sums.write_bytes / 512));
		json_close(w, '}');
	}
	if (started)
		json_close(w, ']');
	return error;
}

static void put_head(struct json_writer *w, const struct report_model *model)
{
	time_t seconds = (time_t)(model->run->started_wall_ns / 1000000000);
	char text[64] = "";
	struct tm tm;

	if (gmtime_r(&seconds, &tm))
		strftime(text, sizeof(text), "%a %b %d %H:%M:%S %Y", &tm);
	json_text(w, "fio version", FIO_SHAPE);
	json_text(w, "written by", "ssdassay");
	json_text(w, "run", model->run->id);
	json_u64(w, "timestamp", (uint64_t)seconds);
	json_u64(w, "timestamp_ms", model->run->started_wall_ns / 1000000);
	json_text(w, "time", text);
}

static void put_global(struct json_writer *w, const struct report_model *model)
{
	json_open(w, "global options", '{');
	put_option(w, "description", model->run->plan_title ? model->run->plan_title : model->run->plan_name);
	json_close(w, '}');
}

int report_fio_json(struct store *store, struct text *out, struct fault *fault)
{
	struct report_model *model;
	struct json_writer w;
	int error = report_model_new(store, REPORT_ALL_TARGETS, &model, fault);

	if (error)
		return error;
	json_writer_init(&w, out, 6);
	json_open(&w, NULL, '{');
	put_head(&w, model);
	put_global(&w, model);
	json_open(&w, "jobs", '[');
	for (uint32_t i = 0; i < model->step_count && !error; i++)
		for (uint32_t k = 0; k < model->steps[i].load_count && !error; k++)
			error = put_job(&w, model, &model->steps[i], &model->steps[i].loads[k]);
	json_close(&w, ']');
	if (!error)
		error = put_disks(&w, model);
	json_close(&w, '}');
	report_model_free(model);
	if (!error)
		error = out->error;
	return error ? fault_system(fault, error, "the copy cannot be made: %s", strerror(-error)) : 0;
}
