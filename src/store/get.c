/* Reading: the small tables. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "store/abandoned.h"
#include "store/connection.h"
#include "store/get.h"
#include "store/row.h"
#include "store/writer_lock.h"

static const char *status_name(int value)
{
	return run_status_name((enum run_status)value);
}

static const char *result_name(int value)
{
	return check_result_name((enum check_result)value);
}

/* -- a whole table as an array -- */

static void *grow(void *records, uint32_t count, uint32_t *capacity, size_t bytes)
{
	uint32_t wanted = *capacity ? *capacity * 2 : 16;
	void *grown;

	if (count < *capacity)
		return records;
	grown = realloc(records, wanted * bytes);
	if (grown)
		*capacity = wanted;
	return grown;
}

static int read_rows(struct store *store, sqlite3_stmt *statement, const struct table_shape *shape,
		     void **records, uint32_t *count)
{
	struct row row = { .statement = statement, .arena = &store->arena };
	uint32_t capacity = 0;
	int more;

	while ((more = store_next(store, statement)) > 0) {
		void *grown = *count < shape->rows_max
				      ? grow(*records, *count, &capacity, shape->record_bytes)
				      : NULL;

		if (!grown) {
			row.error = *count < shape->rows_max ? -ENOMEM : -EBADMSG;
			break;
		}
		*records = grown;
		row.column = 0;
		memset((char *)grown + *count * shape->record_bytes, 0, shape->record_bytes);
		shape->read(&row, (char *)grown + *count * shape->record_bytes);
		if (row.error < 0)
			break;
		(*count)++;
	}
	sqlite3_reset(statement);
	return row.error < 0 ? row.error : more;
}

int store_table(struct store *store, const struct table_shape *shape, void **ret_records, uint32_t *ret_count)
{
	sqlite3_stmt *statement;
	void *records = NULL, *kept = NULL;
	uint32_t count = 0;
	int result = store_statement(store, shape->statement, &statement);

	if (result < 0)
		return result;
	result = read_rows(store, statement, shape, &records, &count);
	if (result == 0) {
		kept = arena_alloc(&store->arena, count ? count * shape->record_bytes : 1);
		result = kept ? 0 : -ENOMEM;
	}
	if (result == 0) {
		if (count)
			memcpy(kept, records, count * shape->record_bytes);
		*ret_records = kept;
		*ret_count = count;
	}
	free(records);
	return result;
}

/* -- the tables -- */

static void read_run(struct row *row, void *record)
{
	struct run_record *run = record;

	row_u64(row);
	run->id = row_text(row);
	run->version = row_text(row);
	run->started_wall_ns = row_u64(row);
	run->duration_ns = row_u64(row);
	run->wall_duration_ns = row_u64(row);
	run->status = (enum run_status)row_name(row, status_name, RUN_REFUSED + 1);
	run->status_text = row_text(row);
	run->plan_name = row_text(row);
	run->plan_title = row_text(row);
	run->plan_report = row_text(row);
	run->plan_text = row_text(row);
	run->plan_source = row_text(row);
	run->command_line = row_text(row);
	run->scale = row_real(row);
	run->seed = (uint64_t)row_i64(row);
	run->allow_unwritten = row_bool(row);
	run->strict = row_bool(row);
	run->host_json = row_text(row);
	run->clock = row_text(row);
	run->ceiling_iops = row_real_or(row, 0);
	run->options_json = row_text(row);
}

static int run_read(struct store *store, struct run_record **ret_run)
{
	static const struct table_shape shape = { GET_RUN, sizeof(struct run_record), 1, read_run };
	void *records;
	uint32_t count;
	int result = store_table(store, &shape, &records, &count);

	if (result == 0 && count == 0)
		result = -ENODATA;
	if (result == 0)
		*ret_run = records;
	return result;
}

int store_run(struct store *store, const struct run_record **ret_run)
{
	struct run_record *run;
	int result = run_read(store, &run);

	/* Whoever ends a run writes that before letting go: what is read after nobody was found is the last
	 * word. */
	if (result == 0 && run->status == RUN_RUNNING && !store->writable &&
	    writer_is_there(store->path) == 0) {
		result = run_read(store, &run);
		if (result == 0 && run->status == RUN_RUNNING)
			run_abandoned(run);
	}
	if (result == 0)
		*ret_run = run;
	return result;
}

static void read_drive(struct row *row, void *record)
{
	struct drive_record *drive = record;

	drive->target = row_u32(row);
	drive->name = row_text(row);
	drive->kind = row_text(row);
	drive->id = row_text(row);
	drive->model = row_text(row);
	drive->serial = row_text(row);
	drive->firmware = row_text(row);
	drive->interface_name = row_text(row);
	drive->capacity_bytes = row_u64(row);
	drive->block_bytes = row_u32(row);
	drive->longest_stall_ns = row_u64(row);
	drive->before_json = row_text(row);
	drive->after_json = row_text(row);
	drive->truth_json = row_text(row);
}

int store_drives(struct store *store, const struct drive_record **ret_drives, uint32_t *ret_count)
{
	static const struct table_shape shape = { GET_DRIVE, sizeof(struct drive_record), 65536, read_drive };
	void *records;
	int result = store_table(store, &shape, &records, ret_count);

	if (result == 0)
		*ret_drives = records;
	return result;
}

static void read_step(struct row *row, void *record)
{
	struct step_record *step = record;

	step->id = row_u64(row);
	step->name = row_text(row);
	step->group_name = row_text(row);
	step->kind = row_text(row);
	step->title = row_text(row);
	step->note = row_text(row);
	step->plan_step = row_u32(row);
	step->round = row_u32(row);
	step->point = row_u32(row);
	step->repeat = row_u32(row);
	step->path = row_text(row);
	step->values_json = row_text(row);
	step->status = (enum run_status)row_name(row, status_name, RUN_REFUSED + 1);
	step->status_text = row_text(row);
	step->started_ns = row_u64(row);
	step->duration_ns = row_u64(row);
	step->measured_start_ns = row_u64(row);
	step->interval_ns = row_u64(row);
	step->steady_json = row_text(row);
	step->stall_longest_ns = row_u64(row);
}

/* A step ends with its run, also when nobody could write that. */
static int steps_end(struct store *store, struct step_record *steps, uint32_t count)
{
	const struct run_record *run;
	uint32_t at = 0;
	int result;

	while (at < count && steps[at].status != RUN_RUNNING)
		at++;
	if (at == count)
		return 0;
	result = store_run(store, &run);
	if (result == -ENODATA || (result == 0 && run->status == RUN_RUNNING))
		return 0;
	for (; at < count && result == 0; at++)
		if (steps[at].status == RUN_RUNNING)
			steps[at].status = RUN_INTERRUPTED;
	return result;
}

int store_steps(struct store *store, const struct step_record **ret_steps, uint32_t *ret_count)
{
	static const struct table_shape shape = { GET_STEP, sizeof(struct step_record), 1000000, read_step };
	void *records;
	int result = store_table(store, &shape, &records, ret_count);

	if (result == 0 && !store->writable)
		result = steps_end(store, records, *ret_count);
	if (result == 0)
		*ret_steps = records;
	return result;
}

static void read_event(struct row *row, void *record)
{
	struct event_record *event = record;

	event->t_ns = row_u64(row);
	event->step = row_u64(row);
	event->kind = row_text(row);
	event->text = row_text(row);
	event->data_json = row_text(row);
	event->said_json = row_text(row);
}

int store_events(struct store *store, const struct event_record **ret_events, uint32_t *ret_count)
{
	static const struct table_shape shape = { GET_EVENT, sizeof(struct event_record), 4000000,
						  read_event };
	void *records;
	int result = store_table(store, &shape, &records, ret_count);

	if (result == 0)
		*ret_events = records;
	return result;
}

static void read_finding(struct row *row, void *record)
{
	struct finding_record *finding = record;

	finding->kind = row_text(row);
	finding->step = row_text(row);
	finding->step_id = row_u64(row);
	finding->value = row_real(row);
	finding->low = row_real(row);
	finding->high = row_real(row);
	finding->unit = row_text(row);
	finding->text = row_text(row);
	finding->data_json = row_text(row);
	finding->said_json = row_text(row);
}

int store_findings(struct store *store, const struct finding_record **ret_findings, uint32_t *ret_count)
{
	static const struct table_shape shape = { GET_FINDING, sizeof(struct finding_record), 100000,
						  read_finding };
	void *records;
	int result = store_table(store, &shape, &records, ret_count);

	if (result == 0)
		*ret_findings = records;
	return result;
}

static void read_check(struct row *row, void *record)
{
	struct check_record *check = record;

	check->name = row_text(row);
	check->result = (enum check_result)row_name(row, result_name, CHECK_NOT_APPLICABLE + 1);
	check->text = row_text(row);
	check->said_json = row_text(row);
}

int store_checks(struct store *store, const struct check_record **ret_checks, uint32_t *ret_count)
{
	static const struct table_shape shape = { GET_CHECK, sizeof(struct check_record), 100000,
						  read_check };
	void *records;
	int result = store_table(store, &shape, &records, ret_count);

	if (result == 0)
		*ret_checks = records;
	return result;
}

/* -- telemetry -- */

static void read_name(struct row *row, void *record)
{
	struct name_record *name = record;

	name->id = row_u64(row);
	name->name = row_text(row);
}

static int compare_names(const void *key, const void *record)
{
	uint64_t id = *(const uint64_t *)key, other = ((const struct name_record *)record)->id;

	return id < other ? -1 : id > other;
}

int store_names(struct store *store, const struct name_record **ret_names, uint32_t *ret_count)
{
	static const struct table_shape shape = { GET_TELEMETRY_NAME, sizeof(struct name_record), 100000,
						  read_name };
	void *records;
	int result = store_table(store, &shape, &records, ret_count);

	if (result == 0)
		*ret_names = records;
	return result;
}

static int read_telemetry(struct row *row, const struct name_record *names, uint32_t count,
			  struct telemetry_record *record)
{
	const struct name_record *name;
	uint64_t id;

	row->column = 0;
	record->t_ns = row_u64(row);
	record->step = row_u64(row);
	record->target = (int32_t)row_i64(row);
	id = row_u64(row);
	record->value = row_real(row);
	name = bsearch(&id, names, count, sizeof(*names), compare_names);
	if (!name || !name->name)
		row_fail(row, -EBADMSG);
	else
		record->name = name->name;
	return row->error;
}

int store_each_telemetry(struct store *store, store_telemetry_fn fn, void *context)
{
	const struct name_record *names;
	uint32_t count;
	struct row row = { .arena = &store->arena };
	int result = store_names(store, &names, &count);

	if (result == 0)
		result = store_statement(store, GET_TELEMETRY, &row.statement);
	if (result < 0)
		return result;
	while ((result = store_next(store, row.statement)) > 0) {
		struct telemetry_record record;

		result = read_telemetry(&row, names, count, &record);
		if (result == 0)
			result = fn(context, &record);
		if (result != 0)
			break;
	}
	sqlite3_reset(row.statement);
	return result;
}
