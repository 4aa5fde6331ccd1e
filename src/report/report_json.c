/* report_json: the document of `show --json`; format in docs/formats/show-json.md. */
#include <math.h>
#include <string.h>
#include "report/json_writer.h"
#include "report/model.h"
#include "report/report.h"

static void write_run(struct json_writer *w, const struct run_record *run)
{
	char started[32];

	json_open(w, "run", '{');
	json_text(w, "id", run->id);
	json_text(w, "started",
		  run->started_wall_ns ? report_time_text(run->started_wall_ns, started) : NULL);
	json_u64(w, "duration_ns", run->duration_ns);
	json_u64(w, "wall_duration_ns", run->wall_duration_ns);
	json_text(w, "plan", run->plan_name);
	json_text(w, "plan_title", run->plan_title);
	json_text(w, "plan_report", run->plan_report);
	json_text(w, "plan_source", run->plan_source);
	json_text(w, "plan_text", run->plan_text);
	json_document(w, "command_line", run->command_line);
	json_number(w, "scale", run->scale);
	json_u64(w, "seed", run->seed);
	json_flag(w, "allow_unwritten", run->allow_unwritten);
	json_flag(w, "strict", run->strict);
	json_text(w, "clock", run->clock);
	json_number(w, "ceiling_iops", run->ceiling_iops > 0 ? run->ceiling_iops : NAN);
	json_close(w, '}');
}

static void write_drive(struct json_writer *w, const struct drive_record *drive)
{
	json_open(w, NULL, '{');
	json_u64(w, "index", drive->target);
	json_text(w, "target", drive->name);
	json_text(w, "kind", drive->kind);
	json_text(w, "id", drive->id);
	json_text(w, "model", drive->model);
	json_text(w, "serial", drive->serial);
	json_text(w, "firmware", drive->firmware);
	json_text(w, "interface", drive->interface_name);
	json_u64(w, "capacity_bytes", drive->capacity_bytes);
	json_u64(w, "block_bytes", drive->block_bytes);
	json_u64(w, "longest_stall_ns", drive->longest_stall_ns);
	json_document(w, "before", drive->before_json);
	json_document(w, "after", drive->after_json);
	json_document(w, "truth", drive->truth_json);
	json_close(w, '}');
}

static void write_percentile(struct json_writer *w, const struct report_percentile *percentile)
{
	json_open(w, NULL, '{');
	json_number(w, "p", percentile->percent);
	if (percentile->grade == REPORT_REFUSED) {
		json_none(w, "value");
		json_u64(w, "needs", percentile->needs);
		if (percentile->of_step)
			json_u64(w, "of_step", percentile->value_ns);
	} else {
		json_u64(w, "value", percentile->value_ns);
	}
	if (percentile->grade != REPORT_REFUSED && percentile->bounded) {
		json_u64(w, "low", percentile->low_ns);
		json_u64(w, "high", percentile->high_ns);
	} else {
		json_none(w, "low");
		json_none(w, "high");
	}
	json_number(w, "effective", percentile->effective);
	if (percentile->grade == REPORT_FEW)
		json_flag(w, "few", true);
	json_close(w, '}');
}

static void write_latency(struct json_writer *w, const char *key, const struct report_latency *latency)
{
	if (!latency->histogram) {
		json_none(w, key);
		return;
	}
	json_open(w, key, '{');
	json_u64(w, "n", latency->n);
	if (latency->n)
		json_u64(w, "min", latency->min_ns);
	else
		json_none(w, "min");
	json_number(w, "mean", latency->mean_ns);
	json_number(w, "stddev", latency->stddev_ns);
	if (latency->n)
		json_u64(w, "max", latency->max_ns);
	else
		json_none(w, "max");
	json_open(w, "percentiles", '[');
	for (uint32_t i = 0; i < REPORT_PERCENTILES; i++)
		write_percentile(w, &latency->percentile[i]);
	json_close(w, ']');
	json_close(w, '}');
}

static void write_op(struct json_writer *w, enum io_op kind, const struct report_op *op)
{
	json_open(w, io_op_name(kind), '{');
	if (op->uncounted)
		json_none(w, "ios");
	else
		json_u64(w, "ios", op->ios);
	if (op->unsized)
		json_none(w, "bytes");
	else
		json_u64(w, "bytes", op->bytes);
	json_u64(w, "errors", op->errors);
	json_number(w, "iops", op->iops);
	json_number(w, "bytes_per_second", op->bytes_per_second);
	write_latency(w, "service_ns", &op->service);
	write_latency(w, "response_ns", &op->response);
	write_latency(w, "lateness_ns", &op->lateness);
	json_open(w, "slow_ios", '{');
	for (uint32_t i = 0; i < SLOW_BUCKETS; i++)
		json_u64(w, slow_bucket_name[i], op->slow[i]);
	json_close(w, '}');
	json_close(w, '}');
}

static void write_load(struct json_writer *w, const struct report_load *load)
{
	const struct load_record *record = load->record;

	json_open(w, NULL, '{');
	json_text(w, "name", record->name);
	json_u64(w, "target", record->target);
	json_text(w, "engine", record->engine);
	json_text(w, "engine_note", record->engine_note);
	json_u64(w, "workers", record->workers);
	json_open(w, "queue_depth", '{');
	if (record->open_loop)
		json_none(w, "asked");
	else
		json_u64(w, "asked", (uint64_t)record->workers * record->depth_asked);
	json_number(w, "reached", load->depth_reached);
	json_u64(w, "per_worker", record->depth_asked);
	json_close(w, '}');
	json_text(w, "arrival", record->open_loop ? "open" : "closed");
	json_number(w, "rate_asked", record->open_loop ? record->rate_asked : NAN);
	json_u64(w, "measured_ns", load->duration_ns);
	json_u64(w, "rest_ns", load->rest_ns);
	json_u64(w, "range_start_bytes", record->range_start);
	json_u64(w, "range_bytes", record->range_bytes);
	json_u64(w, "outliers_kept", record->outliers_kept);
	json_u64(w, "outliers_seen", record->outliers_seen);
	json_u64(w, "samples_every", record->samples_every);
	for (int op = 0; op < IO_OPS; op++)
		write_op(w, op, &load->op[op]);
	json_document(w, "facts", record->facts_json);
	json_close(w, '}');
}

static void write_state(struct json_writer *w, const struct report_state *state)
{
	if (!state->known) {
		json_none(w, "state");
		return;
	}
	json_open(w, "state", '{');
	json_text(w, "is", state_name(state->name));
	json_flag(w, "purged", state->purged);
	json_number(w, "written", state->written);
	json_u64(w, "idle_ns", state->idle_ns);
	json_text(w, "by", state->by);
	json_close(w, '}');
}

static void write_step(struct json_writer *w, const struct report_step *step)
{
	const struct step_record *record = step->record;

	json_open(w, NULL, '{');
	json_u64(w, "id", record->id);
	json_text(w, "name", record->name);
	json_text(w, "group", record->group_name);
	json_u64(w, "round", record->round);
	json_u64(w, "point", record->point);
	json_u64(w, "repeat", record->repeat);
	json_text(w, "kind", record->kind);
	json_document(w, "values", record->values_json);
	json_text(w, "status", run_status_name(record->status));
	json_text(w, "ended_by", record->status_text);
	json_text(w, "title", record->title);
	json_text(w, "note", record->note);
	json_u64(w, "started_ns", record->started_ns);
	json_u64(w, "duration_ns", record->duration_ns);
	json_u64(w, "measured_start_ns", record->measured_start_ns);
	json_u64(w, "interval_ns", record->interval_ns);
	json_u64(w, "longest_stall_ns", record->stall_longest_ns);
	json_document(w, "steady", step->steady_json);
	json_flag(w, "steady_window", step->part.verified);
	write_state(w, &step->state);
	json_open(w, "loads", '[');
	for (uint32_t i = 0; i < step->load_count; i++)
		write_load(w, &step->loads[i]);
	json_close(w, ']');
	json_close(w, '}');
}

static void write_finding(struct json_writer *w, const struct finding_record *finding)
{
	json_open(w, NULL, '{');
	json_text(w, "kind", finding->kind);
	json_text(w, "step", finding->step);
	if (finding->step_id)
		json_u64(w, "step_id", finding->step_id);
	else
		json_none(w, "step_id");
	json_number(w, "value", finding->value);
	json_text(w, "unit", finding->unit);
	json_number(w, "low", finding->low);
	json_number(w, "high", finding->high);
	json_text(w, "text", finding->text);
	json_document(w, "data", finding->data_json);
	json_close(w, '}');
}

static void write_check(struct json_writer *w, const struct check_record *check)
{
	json_open(w, NULL, '{');
	json_text(w, "name", check->name);
	json_text(w, "result", check_result_name(check->result));
	json_text(w, "text", check->text);
	json_close(w, '}');
}

static void write_event(struct json_writer *w, const struct event_record *event)
{
	json_open(w, NULL, '{');
	json_u64(w, "t_ns", event->t_ns);
	json_u64(w, "step_id", event->step);
	json_text(w, "kind", event->kind);
	json_text(w, "text", event->text);
	json_document(w, "data", event->data_json);
	json_close(w, '}');
}

static void write_lists(struct json_writer *w, const struct report_model *model)
{
	json_open(w, "drives", '[');
	for (uint32_t i = 0; i < model->drive_count; i++)
		write_drive(w, &model->drives[i]);
	json_close(w, ']');
	json_open(w, "steps", '[');
	for (uint32_t i = 0; i < model->step_count; i++)
		write_step(w, &model->steps[i]);
	json_close(w, ']');
	json_open(w, "findings", '[');
	for (uint32_t i = 0; i < model->finding_count; i++)
		write_finding(w, &model->findings[i]);
	json_close(w, ']');
	json_open(w, "checks", '[');
	for (uint32_t i = 0; i < model->check_count; i++)
		write_check(w, &model->checks[i]);
	json_close(w, ']');
	json_open(w, "events", '[');
	for (uint32_t i = 0; i < model->event_count; i++)
		write_event(w, &model->events[i]);
	json_close(w, ']');
}

static void write_document(struct json_writer *w, const struct report_model *model)
{
	const struct run_record *run = model->run;

	json_open(w, NULL, '{');
	json_text(w, "ssdassay", run->version);
	json_u64(w, "schema", 1);
	json_text(w, "status", run_status_name(run->status));
	json_text(w, "status_text", run->status_text);
	write_run(w, run);
	json_document(w, "host", run->host_json);
	write_lists(w, model);
	json_close(w, '}');
	text_append_char(w->out, '\n');
}

int report_json(struct store *store, struct text *out, struct fault *fault)
{
	struct report_model *model;
	struct json_writer writer;
	int error = report_model_new(store, REPORT_ALL_TARGETS, &model, fault);

	if (error)
		return error;
	json_writer_init(&writer, out, 7);
	write_document(&writer, model);
	report_model_free(model);
	return out->error ? fault_system(fault, out->error, "not enough memory for the document") : 0;
}
