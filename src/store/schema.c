#include "store/schema.h"
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "store/connection.h"
#include "store/store.h"

#define TABLE(name, columns) { "table", #name, "CREATE TABLE " #name " (" columns ")" }
#define INDEX(name, unique, on) { "index", #name, "CREATE " unique "INDEX " #name " ON " on }

#define SLOW_COLUMNS \
	"ge_10ms INTEGER, ge_20ms INTEGER, ge_30ms INTEGER, ge_50ms INTEGER, " \
	"ge_100ms INTEGER, ge_200ms INTEGER, ge_500ms INTEGER, ge_1s INTEGER"
#define LATENCY_COLUMNS \
	"n INTEGER, sum_ns INTEGER, sum_squares_ns2 REAL, min_ns INTEGER, max_ns INTEGER, " \
	"over_range INTEGER, p50_ns INTEGER, p99_ns INTEGER, p999_ns INTEGER, histogram BLOB"

const struct schema_object schema_object[] = {
	TABLE(op,
		"op INTEGER PRIMARY KEY, name TEXT"),
	TABLE(latency,
		"kind INTEGER PRIMARY KEY, name TEXT"),
	TABLE(run,
		"one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT, version TEXT, "
		"started_wall_ns INTEGER, duration_ns INTEGER, wall_duration_ns INTEGER, status TEXT, "
		"status_text TEXT, plan_name TEXT, plan_title TEXT, plan_report TEXT, plan_text TEXT, "
		"plan_source TEXT, command_line TEXT, scale REAL, seed INTEGER, "
		"allow_unwritten INTEGER, strict INTEGER, host_json TEXT, clock TEXT, ceiling_iops REAL, "
		"options_json TEXT"),
	TABLE(drive,
		"target INTEGER PRIMARY KEY, name TEXT, kind TEXT, id TEXT, model TEXT, serial TEXT, "
		"firmware TEXT, interface_name TEXT, capacity_bytes INTEGER, block_bytes INTEGER, "
		"longest_stall_ns INTEGER, before_json TEXT, after_json TEXT, truth_json TEXT"),
	TABLE(step,
		"id INTEGER PRIMARY KEY, name TEXT, group_name TEXT, kind TEXT, title TEXT, note TEXT, "
		"plan_step INTEGER, round INTEGER, point INTEGER, repeat INTEGER, path TEXT, "
		"values_json TEXT, status TEXT, status_text TEXT, started_ns INTEGER, "
		"duration_ns INTEGER, measured_start_ns INTEGER, interval_ns INTEGER, "
		"steady_json TEXT, stall_longest_ns INTEGER"),
	TABLE(load,
		"step INTEGER, load INTEGER, name TEXT, target INTEGER, engine TEXT, engine_note TEXT, "
		"workers INTEGER, depth_asked INTEGER, open_loop INTEGER, rate_asked REAL, "
		"range_start INTEGER, range_bytes INTEGER, outliers_kept INTEGER, "
		"outliers_seen INTEGER, samples_every INTEGER, facts_json TEXT, "
		"total_start_ns INTEGER, total_end_ns INTEGER, total_in_flight_ns REAL, "
		"total_spans INTEGER, total_rest_ns INTEGER, thinktime_ns INTEGER"),
	INDEX(load_place, "UNIQUE ", "load (step, load)"),
	TABLE(total,
		"step INTEGER, load INTEGER, op INTEGER, ios INTEGER, bytes INTEGER, errors INTEGER, "
		SLOW_COLUMNS),
	INDEX(total_place, "UNIQUE ", "total (step, load, op)"),
	TABLE(total_latency,
		"step INTEGER, load INTEGER, op INTEGER, kind INTEGER, " LATENCY_COLUMNS),
	INDEX(total_latency_place, "UNIQUE ", "total_latency (step, load, op, kind)"),
	TABLE(series,
		"step INTEGER, load INTEGER, idx INTEGER, op INTEGER, start_ns INTEGER, "
		"duration_ns INTEGER, spans INTEGER, ramp INTEGER, in_flight_ns REAL, ios INTEGER, "
		"bytes INTEGER, errors INTEGER, " SLOW_COLUMNS ", " LATENCY_COLUMNS ", rest_ns INTEGER"),
	INDEX(series_place, "UNIQUE ", "series (step, load, idx, op)"),
	TABLE(series_open,
		"step INTEGER, load INTEGER, idx INTEGER, op INTEGER, kind INTEGER, " LATENCY_COLUMNS),
	INDEX(series_open_place, "UNIQUE ", "series_open (step, load, idx, op, kind)"),
	TABLE(outlier,
		"step INTEGER, load INTEGER, op INTEGER, worker INTEGER, submit_ns INTEGER, "
		"offset INTEGER, bytes INTEGER, service_ns INTEGER, response_ns INTEGER, "
		"result INTEGER, in_flight INTEGER, flags INTEGER"),
	INDEX(outlier_step, "", "outlier (step)"),
	TABLE(sample,
		"step INTEGER, count INTEGER, first_ns INTEGER, last_ns INTEGER, ios BLOB"),
	INDEX(sample_step, "", "sample (step)"),
	TABLE(telemetry_name,
		"id INTEGER PRIMARY KEY, name TEXT UNIQUE"),
	TABLE(telemetry,
		"t_ns INTEGER, step INTEGER, target INTEGER, name INTEGER, value REAL"),
	TABLE(event,
		"t_ns INTEGER, step INTEGER, kind TEXT, text TEXT, data_json TEXT, said_json TEXT"),
	TABLE(finding,
		"kind TEXT, step TEXT, step_id INTEGER, value REAL, low REAL, high REAL, unit TEXT, "
		"text TEXT, data_json TEXT, said_json TEXT"),
	TABLE(self_check,
		"name TEXT, result TEXT, text TEXT, said_json TEXT"),
};
const size_t schema_object_count = sizeof(schema_object) / sizeof(schema_object[0]);

/* Version 1 is the first. The next change of the tables adds its entry here. A new column stands last in its
 * table above, where ALTER TABLE puts it. */
const struct schema_migration schema_migration[] = {
	{ 1, "ALTER TABLE event ADD COLUMN said_json TEXT;"
	     "ALTER TABLE finding ADD COLUMN said_json TEXT;"
	     "ALTER TABLE self_check ADD COLUMN said_json TEXT" },
	{ 2, "ALTER TABLE load ADD COLUMN total_rest_ns INTEGER;"
	     "ALTER TABLE load ADD COLUMN thinktime_ns INTEGER;"
	     "ALTER TABLE series ADD COLUMN rest_ns INTEGER" },
	{ STORE_SCHEMA, NULL },		/* end */
};
const size_t schema_migration_count = sizeof(schema_migration) / sizeof(schema_migration[0]) - 1;

static int exec(sqlite3 *db, const char *sql)
{
	return store_error(db, sqlite3_exec(db, sql, NULL, NULL, NULL));
}

static int set_version(sqlite3 *db, int version)
{
	char sql[64];

	snprintf(sql, sizeof(sql), "PRAGMA user_version = %d", version);
	return exec(db, sql);
}

static int create_objects(sqlite3 *db)
{
	for (size_t i = 0; i < schema_object_count; i++) {
		int result = exec(db, schema_object[i].sql);

		if (result < 0)
			return result;
	}
	return 0;
}

int schema_create(sqlite3 *db)
{
	static const char names[] =
		"INSERT INTO op VALUES (0,'read'),(1,'write'),(2,'trim'),(3,'flush'),(4,'fsync');"
		"INSERT INTO latency VALUES (0,'service'),(1,'response'),(2,'lateness');";
	char application[64];
	int result;

	snprintf(application, sizeof(application), "PRAGMA application_id = %d", STORE_APPLICATION_ID);
	result = exec(db, application);
	if (result == 0)
		result = set_version(db, STORE_SCHEMA);
	if (result == 0)
		result = create_objects(db);
	if (result == 0)
		result = exec(db, names);
	return result;
}

/* No row where there must be one: the file is wrong, or it could not be read. */
static int absent(sqlite3 *db, int code)
{
	return code == SQLITE_DONE ? -EBADMSG : store_error(db, code);
}

/* One number from a pragma. */
static int pragma_number(sqlite3 *db, const char *sql, int64_t *ret_number)
{
	sqlite3_stmt *statement;
	int code;
	int result = store_error(db, sqlite3_prepare_v2(db, sql, -1, &statement, NULL));

	if (result < 0)
		return result;
	code = sqlite3_step(statement);
	if (code == SQLITE_ROW)
		*ret_number = sqlite3_column_int64(statement, 0);
	else
		result = absent(db, code);
	sqlite3_finalize(statement);
	return result;
}

/* Does the database hold this object, with this text and a tree of its own? 0, -EBADMSG, or another
 * -errno. */
static int check_object(sqlite3_stmt *statement, const struct schema_object *object)
{
	int code;

	sqlite3_bind_text(statement, 1, object->type, -1, SQLITE_STATIC);
	sqlite3_bind_text(statement, 2, object->name, -1, SQLITE_STATIC);
	sqlite3_bind_text(statement, 3, object->sql, -1, SQLITE_STATIC);
	code = sqlite3_step(statement);
	sqlite3_reset(statement);
	return code == SQLITE_ROW ? 0 : absent(sqlite3_db_handle(statement), code);
}

static int check_objects(sqlite3 *db, const char *path, struct fault *fault)
{
	static const char sql[] =
		"SELECT 1 FROM sqlite_schema WHERE type = ? AND name = ? AND sql = ? AND rootpage > 0";
	sqlite3_stmt *statement;
	int result = store_error(db, sqlite3_prepare_v2(db, sql, -1, &statement, NULL));

	if (result < 0)
		return fault_system(fault, result, "%s: damaged: %s", path, sqlite3_errmsg(db));
	for (size_t i = 0; i < schema_object_count && result == 0; i++) {
		result = check_object(statement, &schema_object[i]);
		if (result == -EBADMSG)
			fault_system(fault, result,
				     "%s: not a valid run file: the %s \"%s\" is missing or wrong",
				     path, schema_object[i].type, schema_object[i].name);
		else if (result < 0)
			fault_system(fault, result, "%s: cannot be read: %s", path, strerror(-result));
	}
	sqlite3_finalize(statement);
	return result;
}

int schema_check(sqlite3 *db, const char *path, struct fault *fault)
{
	int64_t application = 0, version = 0;
	int result = pragma_number(db, "PRAGMA application_id", &application);

	if (result == 0)
		result = pragma_number(db, "PRAGMA user_version", &version);
	if (result < 0)
		return fault_system(fault, result, "%s: cannot be read: %s", path, sqlite3_errmsg(db));
	if (application != STORE_APPLICATION_ID)
		return fault_system(fault, -EBADMSG, "%s: a database, but not a run file of ssdassay", path);
	if (version > STORE_SCHEMA)
		return fault_system(fault, -ENOTSUP,
				    "%s: written by a newer ssdassay (run file version %lld, this program "
				    "knows up to %d): use a newer ssdassay",
				    path, (long long)version, STORE_SCHEMA);
	if (version < 1)
		return fault_system(fault, -EBADMSG, "%s: damaged: it has no run file version", path);
	if (version < STORE_SCHEMA)
		return -ESTALE;
	return check_objects(db, path, fault);
}

static const struct schema_migration *find_migration(const struct schema_migration *migration, size_t count,
						     int from)
{
	for (size_t i = 0; i < count; i++)
		if (migration[i].from == from)
			return &migration[i];
	return NULL;
}

static int apply_migrations(sqlite3 *db, const struct schema_migration *migration, size_t count, int64_t from,
			    int version)
{
	int result = 0;

	for (; from < version && result == 0; from++) {
		const struct schema_migration *next = find_migration(migration, count, (int)from);

		result = next ? exec(db, next->sql) : -ENOTSUP;
	}
	return result < 0 ? result : set_version(db, version);
}

int schema_migrate(sqlite3 *db, const struct schema_migration *migration, size_t count, int version)
{
	int64_t from = 0;
	int result = pragma_number(db, "PRAGMA user_version", &from);

	if (result == 0)
		result = exec(db, "BEGIN IMMEDIATE");
	if (result < 0)
		return result;
	result = apply_migrations(db, migration, count, from, version);
	if (result == 0)
		result = exec(db, "COMMIT");
	if (result < 0 && !sqlite3_get_autocommit(db))
		exec(db, "ROLLBACK");
	return result;
}
