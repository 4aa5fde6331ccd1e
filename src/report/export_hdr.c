/* `export --format hdr`: HdrHistogram logs, one for each load, kind of I/O and time:
 * STEP-NAME-LOAD-OP-TIME.hlog. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/output.h"
#include "base/text.h"
#include "report/hdr.h"
#include "report/model.h"
#include "report/report.h"

struct hdr_log {
	struct text text;
	enum io_op op;
};

/* Seconds since StartTime; the length; the maximum in ms (ns over the customary 1,000,000). */
static int line_put(void *context, const struct interval_row *row, const struct histogram *times)
{
	struct hdr_log *log = context;
	int error;

	if (row->op != log->op || row->ramp || !row->moments.n)
		return 0;
	text_printf(&log->text, "Tag=%s,%.3f,%.3f,%.3f,", io_op_name(row->op), (double)row->start_ns / 1e9,
		    (double)row->duration_ns / 1e9, (double)row->moments.max_ns / 1e6);
	error = hdr_append(&log->text, times);
	text_append_char(&log->text, '\n');
	return error ? error : log->text.error;
}

static void head_put(struct text *text, const struct report_model *model, const struct report_step *step,
		     const struct report_load *load, enum io_op op, enum latency_kind kind)
{
	uint64_t start_ns = model->run->started_wall_ns + step->record->started_ns;
	char time[32];

	text_printf(text, "#[ssdassay: %s time of %s, step %s, load %s; values in ns]\n",
		    latency_kind_name(kind), io_op_name(op), step->label, word(load->record->name));
	text_append(text, "#[Histogram log format version 1.3]\n");
	text_printf(text, "#[StartTime: %" PRIu64 ".%03" PRIu64 " (seconds since epoch), %s]\n",
		    start_ns / 1000000000, start_ns / 1000000 % 1000, report_time_text(start_ns, time));
	text_append(text, "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
			  "\"Interval_Compressed_Histogram\"\n");
}

/* Letters, digits and a few signs of a section's name, for a file's. */
static void name_clean(const char *name, char *clean, size_t bytes)
{
	size_t used = 0;

	for (; *name && used + 1 < bytes; name++) {
		bool fine = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') ||
			    (*name >= '0' && *name <= '9') || strchr("._-", *name);

		clean[used++] = fine ? *name : '_';
	}
	clean[used] = '\0';
}

static int file_put(int directory, const char *name, const struct text *text, struct fault *fault)
{
	struct output file;
	int error = output_open(&file, directory, name, fault);

	if (error)
		return error;
	error = output_write(&file, text_data(text), text->bytes);
	if (error)
		output_discard(&file);
	else
		error = output_finish(&file);
	return error ? fault_system(fault, error, "%s cannot be written: %s", name, strerror(-error)) : 0;
}

static int log_put(const struct report_model *model, int directory, const struct report_step *step,
		   const struct report_load *load, enum io_op op, enum latency_kind kind, struct fault *fault)
{
	struct hdr_log log = { .op = op };
	char name[64], step_name[24];
	int error;

	head_put(&log.text, model, step, load, op, kind);
	error = store_each_interval_of(model->store, step->record->id, (int32_t)load->record->load, kind,
				       true, line_put, &log);
	if (error) {
		text_release(&log.text);
		return store_fault(model->store, error, fault);
	}
	name_clean(word(step->record->name), step_name, sizeof(step_name));
	snprintf(name, sizeof(name), "%04" PRIu64 "-%s-%u-%s-%s.hlog", step->record->id, step_name,
		 load->record->load, io_op_name(op), latency_kind_name(kind));
	error = file_put(directory, name, &log.text, fault);
	text_release(&log.text);
	return error;
}

static int load_put(const struct report_model *model, int directory, const struct report_step *step,
		    const struct report_load *load, struct fault *fault)
{
	int error = 0;

	for (int op = 0; op < IO_OPS && !error; op++) {
		const struct report_latency *kinds[LATENCY_KINDS] = {
			&load->op[op].service, &load->op[op].response, &load->op[op].lateness
		};

		for (int kind = 0; kind < LATENCY_KINDS && !error; kind++)
			if (kinds[kind]->n)
				error = log_put(model, directory, step, load, (enum io_op)op,
						(enum latency_kind)kind, fault);
	}
	return error;
}

int report_hdr(struct store *store, int directory, struct fault *fault)
{
	struct report_model *model;
	int error = report_model_new(store, REPORT_ALL_TARGETS, &model, fault);

	if (error)
		return error;
	for (uint32_t i = 0; i < model->step_count && !error; i++)
		for (uint32_t k = 0; k < model->steps[i].load_count && !error; k++)
			error = load_put(model, directory, &model->steps[i], &model->steps[i].loads[k],
					 fault);
	report_model_free(model);
	return error;
}
