/* Writing: the small tables. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "store/connection.h"
#include "store/row.h"

static int start(struct store *store, enum statement which, struct binder *binder)
{
	*binder = (struct binder){ 0 };
	return store_statement(store, which, &binder->statement);
}

static int finish(struct store *store, struct binder *binder)
{
	return store_finish(store, binder->statement, binder->error);
}

int store_put_run(struct store *store, const struct run_record *run)
{
	struct binder to;
	int result = start(store, PUT_RUN, &to);

	if (result < 0)
		return result;
	bind_text(&to, run->id);
	bind_text(&to, run->version);
	bind_u64(&to, run->started_wall_ns);
	bind_u64(&to, run->duration_ns);
	bind_u64(&to, run->wall_duration_ns);
	bind_text(&to, run_status_name(run->status));
	bind_text(&to, run->status_text);
	bind_text(&to, run->plan_name);
	bind_text(&to, run->plan_title);
	bind_text(&to, run->plan_report);
	bind_text(&to, run->plan_text);
	bind_text(&to, run->plan_source);
	bind_text(&to, run->command_line);
	bind_real(&to, run->scale);
	bind_i64(&to, (int64_t)run->seed);	/* 64 random bits: a negative number in the file */
	bind_u64(&to, run->allow_unwritten);
	bind_u64(&to, run->strict);
	bind_text(&to, run->host_json);
	bind_text(&to, run->clock);
	bind_real(&to, run->ceiling_iops);
	bind_text(&to, run->options_json);
	return finish(store, &to);
}

int store_put_drive(struct store *store, const struct drive_record *drive)
{
	struct binder to;
	int result = start(store, PUT_DRIVE, &to);

	if (result < 0)
		return result;
	bind_u64(&to, drive->target);
	bind_text(&to, drive->name);
	bind_text(&to, drive->kind);
	bind_text(&to, drive->id);
	bind_text(&to, drive->model);
	bind_text(&to, drive->serial);
	bind_text(&to, drive->firmware);
	bind_text(&to, drive->interface_name);
	bind_u64(&to, drive->capacity_bytes);
	bind_u64(&to, drive->block_bytes);
	bind_u64(&to, drive->longest_stall_ns);
	bind_text(&to, drive->before_json);
	bind_text(&to, drive->after_json);
	bind_text(&to, drive->truth_json);
	return finish(store, &to);
}

int store_put_step(struct store *store, const struct step_record *step)
{
	struct binder to;
	int result = start(store, PUT_STEP, &to);

	if (result < 0)
		return result;
	bind_u64(&to, step->id);
	bind_text(&to, step->name);
	bind_text(&to, step->group_name);
	bind_text(&to, step->kind);
	bind_text(&to, step->title);
	bind_text(&to, step->note);
	bind_u64(&to, step->plan_step);
	bind_u64(&to, step->round);
	bind_u64(&to, step->point);
	bind_u64(&to, step->repeat);
	bind_text(&to, step->path);
	bind_text(&to, step->values_json);
	bind_text(&to, run_status_name(step->status));
	bind_text(&to, step->status_text);
	bind_u64(&to, step->started_ns);
	bind_u64(&to, step->duration_ns);
	bind_u64(&to, step->measured_start_ns);
	bind_u64(&to, step->interval_ns);
	bind_text(&to, step->steady_json);
	bind_u64(&to, step->stall_longest_ns);
	return finish(store, &to);
}

int store_put_event(struct store *store, const struct event_record *event)
{
	struct binder to;
	int result = start(store, PUT_EVENT, &to);

	if (result < 0)
		return result;
	bind_u64(&to, event->t_ns);
	bind_u64(&to, event->step);
	bind_text(&to, event->kind);
	bind_text(&to, event->text);
	bind_text(&to, event->data_json);
	bind_text(&to, event->said_json);
	return finish(store, &to);
}

int store_put_finding(struct store *store, const struct finding_record *finding)
{
	struct binder to;
	int result = start(store, PUT_FINDING, &to);

	if (result < 0)
		return result;
	bind_text(&to, finding->kind);
	bind_text(&to, finding->step);
	bind_u64(&to, finding->step_id);
	bind_real(&to, finding->value);
	bind_real(&to, finding->low);
	bind_real(&to, finding->high);
	bind_text(&to, finding->unit);
	bind_text(&to, finding->text);
	bind_text(&to, finding->data_json);
	bind_text(&to, finding->said_json);
	return finish(store, &to);
}

int store_put_check(struct store *store, const struct check_record *check)
{
	struct binder to;
	int result = start(store, PUT_CHECK, &to);

	if (result < 0)
		return result;
	bind_text(&to, check->name);
	bind_text(&to, check_result_name(check->result));
	bind_text(&to, check->text);
	bind_text(&to, check->said_json);
	return finish(store, &to);
}

static int clear(struct store *store, enum statement which)
{
	struct binder to;
	int result = start(store, which, &to);

	return result < 0 ? result : finish(store, &to);
}

int store_clear_findings(struct store *store)
{
	int result = clear(store, CLEAR_FINDINGS);

	return result < 0 ? result : clear(store, CLEAR_CHECKS);
}

int store_delete_step(struct store *store, uint64_t step)
{
	int result = 0;

	for (enum statement which = DELETE_STEP; which <= DELETE_EVENT && result == 0; which++) {
		struct binder to;

		result = start(store, which, &to);
		if (result < 0)
			break;
		bind_u64(&to, step);
		result = finish(store, &to);
	}
	return result;
}

/* -- telemetry: names are kept once -- */

static int add_name(struct store *store, const char *name, uint32_t *ret_id)
{
	struct binder to;
	char *copy = strdup(name);
	char **names = copy ? realloc(store->telemetry_name, (store->telemetry_names + 1) * sizeof(*names))
			    : NULL;
	int result;

	if (!names) {
		free(copy);
		return -ENOMEM;
	}
	store->telemetry_name = names;
	result = start(store, PUT_TELEMETRY_NAME, &to);
	if (result == 0) {
		bind_u64(&to, store->telemetry_names + 1);
		bind_text(&to, name);
		result = finish(store, &to);
	}
	if (result < 0) {
		free(copy);
		return result;
	}
	names[store->telemetry_names++] = copy;
	*ret_id = store->telemetry_names;
	return 0;
}

static int name_id(struct store *store, const char *name, uint32_t *ret_id)
{
	for (uint32_t i = 0; i < store->telemetry_names; i++) {
		if (strcmp(store->telemetry_name[i], name) == 0) {
			*ret_id = i + 1;
			return 0;
		}
	}
	return add_name(store, name, ret_id);
}

static int put_telemetry(struct store *store, const struct telemetry_record *row)
{
	struct binder to;
	uint32_t name = 0;
	int result = name_id(store, row->name, &name);

	if (result == 0)
		result = start(store, PUT_TELEMETRY, &to);
	if (result < 0)
		return result;
	bind_u64(&to, row->t_ns);
	bind_u64(&to, row->step);
	bind_i64(&to, row->target);
	bind_u64(&to, name);
	bind_real(&to, row->value);
	return finish(store, &to);
}

int store_put_telemetry(struct store *store, const struct telemetry_record *rows, uint32_t count)
{
	int result = 0;

	for (uint32_t i = 0; i < count && result == 0; i++)
		result = put_telemetry(store, &rows[i]);
	return result;
}
