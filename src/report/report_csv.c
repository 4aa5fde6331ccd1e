/* report_csv: series, outliers, telemetry and results as comma-separated files. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include "report/csv.h"
#include "report/csv_windows.h"
#include "report/model.h"
#include "report/report.h"

struct export {
	const struct report_model *model;
	struct csv csv;
	uint32_t last;		/* index of the step found last: rows come in order */
};

static void header(struct csv *csv, const char *const *names)
{
	for (; *names; names++)
		csv_text(csv, *names);
	csv_row_end(csv);
}

static const struct report_step *step_of(struct export *export, uint64_t id)
{
	const struct report_model *model = export->model;

	for (uint32_t i = 0; i < model->step_count; i++) {
		uint32_t at = (export->last + i) % model->step_count;

		if (model->steps[at].record->id == id) {
			export->last = at;
			return &model->steps[at];
		}
	}
	return NULL;
}

static const struct load_record *load_of(const struct report_step *step, uint32_t load)
{
	for (uint32_t i = 0; step && i < step->load_count; i++)
		if (step->loads[i].record->load == load)
			return step->loads[i].record;
	return NULL;
}

static const char *load_name(const struct report_step *step, uint32_t load)
{
	const struct load_record *record = load_of(step, load);

	return record ? record->name : NULL;
}

/* What tells rows apart whose step and load have the same names. */
static void put_place(struct csv *csv, const struct report_step *step, uint64_t id, uint32_t load)
{
	const struct load_record *record = load_of(step, load);

	csv_u64(csv, load);
	if (record)
		csv_u64(csv, record->target);
	else
		csv_empty(csv);
	csv_u64(csv, id);
	if (!step) {
		for (int i = 0; i < 3; i++)
			csv_empty(csv);
		return;
	}
	csv_u64(csv, step->record->round);
	csv_u64(csv, step->record->point);
	csv_u64(csv, step->record->repeat);
}

/* -- series.csv -- */

static void put_moments(struct csv *csv, const struct moments *moments)
{
	if (!moments->n) {
		for (int i = 0; i < 3; i++)
			csv_empty(csv);
		return;
	}
	csv_u64(csv, moments->min_ns);
	csv_number(csv, (double)moments->sum_ns / (double)moments->n);
	csv_u64(csv, moments->max_ns);
}

static int put_interval(void *context, const struct interval_row *row, const struct histogram *service)
{
	struct export *export = context;
	struct csv *csv = &export->csv;
	const struct report_step *step = step_of(export, row->step);
	const uint64_t percentiles[] = { row->p50_ns, row->p99_ns, row->p999_ns };

	csv_text(csv, step ? step->record->name : NULL);
	csv_text(csv, load_name(step, row->load));
	csv_text(csv, io_op_name(row->op));
	csv_u64(csv, row->start_ns);
	csv_u64(csv, row->duration_ns);
	csv_u64(csv, row->ios);
	csv_u64(csv, row->bytes);
	csv_u64(csv, row->errors);
	put_moments(csv, &row->moments);
	for (int i = 0; i < 3; i++) {
		if (row->ios)
			csv_u64(csv, percentiles[i]);
		else
			csv_empty(csv);
	}
	csv_u64(csv, row->index);
	csv_text(csv, row->ramp ? "1" : "0");
	csv_u64(csv, (step ? step->record->started_ns : 0) + row->start_ns);
	put_place(csv, step, row->step, row->load);
	csv_u64(csv, row->rest_ns);
	csv_row_end(csv);
	return ferror(csv->stream) ? -(errno ? errno : EIO) : 0;
}

static int series(struct export *export)
{
	static const char *const names[] = { "step",  "load",	  "direction",	"t_ns",	  "duration_ns",
					     "ios",   "bytes",	  "errors",	"min",	  "mean",
					     "max",   "p50",	  "p99",	"p99.9",  "interval",
					     "ramp",  "run_t_ns", "load_index", "target", "step_id",
					     "round", "point",	  "repeat",	"rest_ns", NULL };
	int error = 0;

	header(&export->csv, names);
	for (uint32_t i = 0; i < export->model->step_count && !error; i++)
		error = store_each_interval(export->model->store, export->model->steps[i].record->id, -1,
					    false, put_interval, export);
	return error;
}

/* -- outliers.csv -- */

static void put_flags(struct csv *csv, uint8_t flags)
{
	char text[32] = "";

	if (flags & LOGGED_ERROR)
		strcat(text, "error ");
	if (flags & LOGGED_SHORT)
		strcat(text, "short ");
	if (flags & LOGGED_HOST)
		strcat(text, "host ");
	if (flags & LOGGED_TOP)
		strcat(text, "top ");
	if (text[0])
		text[strlen(text) - 1] = '\0';
	csv_text(csv, text);
}

static int put_outlier(void *context, uint64_t id, const struct logged_io *io)
{
	struct export *export = context;
	struct csv *csv = &export->csv;
	const struct report_step *step = step_of(export, id);

	csv_text(csv, step ? step->record->name : NULL);
	csv_text(csv, load_name(step, io->load));
	csv_text(csv, io->op < IO_OPS ? io_op_name(io->op) : NULL);
	csv_u64(csv, io->submit_ns);
	csv_u64(csv, io->offset);
	csv_u64(csv, io->bytes);
	csv_u64(csv, io->service_ns);
	csv_u64(csv, io->response_ns);
	csv_i64(csv, io->result);
	csv_u64(csv, io->worker);
	csv_u64(csv, io->in_flight);
	put_flags(csv, io->flags);
	csv_u64(csv, (step ? step->record->started_ns : 0) + io->submit_ns);
	put_place(csv, step, id, io->load);
	csv_row_end(csv);
	return ferror(csv->stream) ? -(errno ? errno : EIO) : 0;
}

static int outliers(struct export *export)
{
	static const char *const names[] = { "step",	  "load",	"direction",   "t_ns",	     "offset",
					     "bytes",	  "service_ns", "response_ns", "result",     "worker",
					     "in_flight", "flags",	"run_t_ns",    "load_index", "target",
					     "step_id",	  "round",	"point",       "repeat",     NULL };

	header(&export->csv, names);
	return store_each_outlier(export->model->store, 0, put_outlier, export);
}

/* -- telemetry.csv -- */

static int put_telemetry(void *context, const struct telemetry_record *row)
{
	struct export *export = context;
	struct csv *csv = &export->csv;
	const struct report_step *step = row->step ? step_of(export, row->step) : NULL;

	csv_u64(csv, row->t_ns);
	csv_text(csv, step ? step->record->name : NULL);
	if (row->target < 0)
		csv_text(csv, "host");
	else
		csv_i64(csv, row->target);
	csv_text(csv, row->name);
	csv_number(csv, row->value);
	csv_u64(csv, row->step);
	csv_row_end(csv);
	return ferror(csv->stream) ? -(errno ? errno : EIO) : 0;
}

static int telemetry(struct export *export)
{
	static const char *const names[] = { "t_ns", "step", "target", "name", "value", "step_id", NULL };

	header(&export->csv, names);
	return store_each_telemetry(export->model->store, put_telemetry, export);
}

/* -- results.csv -- */

static void put_latency(struct csv *csv, const struct report_latency *latency)
{
	if (!latency->n) {
		for (int i = 0; i < 4 + REPORT_PERCENTILES; i++)
			csv_empty(csv);
		return;
	}
	csv_u64(csv, latency->min_ns);
	csv_number(csv, latency->mean_ns);
	csv_number(csv, latency->stddev_ns);
	csv_u64(csv, latency->max_ns);
	for (int i = 0; i < REPORT_PERCENTILES; i++) {
		if (latency->percentile[i].grade == REPORT_REFUSED)
			csv_empty(csv);
		else
			csv_u64(csv, latency->percentile[i].value_ns);
	}
}

static void put_result(struct csv *csv, const struct report_step *step, const struct report_load *load,
		       enum io_op kind)
{
	const struct report_op *op = &load->op[kind];

	csv_text(csv, step->record->name);
	csv_text(csv, load->record->name);
	csv_text(csv, io_op_name(kind));
	csv_text(csv, step->record->kind);
	csv_text(csv, run_status_name(step->record->status));
	csv_text(csv, step->record->values_json);
	csv_text(csv, load->record->engine);
	csv_number(csv, load->depth_asked);
	csv_number(csv, load->depth_reached);
	csv_u64(csv, load->duration_ns);
	if (op->uncounted)
		csv_empty(csv);
	else
		csv_u64(csv, op->ios);
	if (op->unsized)
		csv_empty(csv);
	else
		csv_u64(csv, op->bytes);
	csv_u64(csv, op->errors);
	csv_number(csv, op->iops);
	csv_number(csv, op->bytes_per_second);
	for (int i = 0; i < SLOW_BUCKETS; i++)
		csv_u64(csv, op->slow[i]);
	put_latency(csv, &op->service);
	put_latency(csv, &op->response);
	put_latency(csv, &op->lateness);
	csv_u64(csv, step->record->started_ns);
	put_place(csv, step, step->record->id, load->record->load);
	csv_u64(csv, load->rest_ns);
	csv_row_end(csv);
}

static void result_header(struct csv *csv)
{
	static const char *const first[] = { "step",	    "load",	   "direction",
					     "kind",	    "status",	   "values",
					     "engine",	    "depth_asked", "depth_reached",
					     "duration_ns", "ios",	   "bytes",
					     "errors",	    "iops",	   "bytes_per_second" };
	static const char *const clocks[] = { "service", "response", "lateness" };
	static const char *const moments[] = { "min", "mean", "stddev", "max" };
	static const char *const last[] = { "started_ns", "load_index", "target", "step_id", "round", "point",
		"repeat", "rest_ns", NULL };
	char name[64];

	for (uint32_t i = 0; i < sizeof(first) / sizeof(*first); i++)
		csv_text(csv, first[i]);
	for (int i = 0; i < SLOW_BUCKETS; i++)
		csv_text(csv, slow_bucket_name[i]);
	for (int clock = 0; clock < 3; clock++) {
		for (int i = 0; i < 4; i++) {
			snprintf(name, sizeof(name), "%s_%s", clocks[clock], moments[i]);
			csv_text(csv, name);
		}
		for (int i = 0; i < REPORT_PERCENTILES; i++) {
			snprintf(name, sizeof(name), "%s_p%g", clocks[clock], report_percentiles[i]);
			csv_text(csv, name);
		}
	}
	header(csv, last);
}

static int results(struct export *export)
{
	const struct report_model *model = export->model;

	result_header(&export->csv);
	for (uint32_t i = 0; i < model->step_count; i++)
		for (uint32_t j = 0; j < model->steps[i].load_count; j++)
			for (int op = 0; op < IO_OPS; op++)
				if (model->steps[i].loads[j].op[op].used)
					put_result(&export->csv, &model->steps[i], &model->steps[i].loads[j],
						   op);
	return 0;
}

static int windows(struct export *export)
{
	csv_windows(&export->csv, export->model);
	return 0;
}

static int export_file(const struct report_model *model, int directory, const char *name,
		       int (*write)(struct export *export), struct fault *fault)
{
	struct export export = { .model = model };
	int error = csv_create(&export.csv, directory, name, fault);

	if (error)
		return error;
	error = write(&export);
	if (error) {
		csv_discard(&export.csv);
		return store_fault(model->store, error, fault);
	}
	error = csv_finish(&export.csv);
	return error ? fault_system(fault, error, "%s cannot be written: %s", name, strerror(-error)) : 0;
}

int report_csv(struct store *store, int directory, struct fault *fault)
{
	static const struct {
		const char *name;
		int (*write)(struct export *export);
	} files[] = {
		{ "series.csv", series }, { "outliers.csv", outliers },
		{ "telemetry.csv", telemetry }, { "results.csv", results },
		{ "windows.csv", windows },
	};
	struct report_model *model;
	int error = report_model_new(store, REPORT_ALL_TARGETS, &model, fault);

	if (error)
		return error;
	for (uint32_t i = 0; i < sizeof(files) / sizeof(*files) && !error; i++)
		error = export_file(model, directory, files[i].name, files[i].write, fault);
	report_model_free(model);
	return error;
}
