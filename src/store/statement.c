#include "store/statement.h"

#define V5 "?,?,?,?,?"
#define V10 V5 "," V5
#define V20 V10 "," V10

/* Values are in the order of the tables' columns, which the schema check has proved: see schema.c. Indexes
 * are named or forbidden, so that one added to the file cannot change what a statement reads. */
const char *const statement_sql[STATEMENTS] = {
	[PUT_RUN] = "INSERT OR REPLACE INTO run VALUES (1," V20 ",?)",
	[PUT_DRIVE] = "INSERT OR REPLACE INTO drive VALUES (" V10 ",?,?,?,?)",
	[PUT_STEP] = "INSERT OR REPLACE INTO step VALUES (" V20 ")",
	[PUT_LOAD] = "INSERT OR REPLACE INTO load VALUES (" V20 ",?,?)",
	[PUT_TOTAL] = "INSERT INTO total VALUES (" V10 ",?,?,?,?)",
	[PUT_TOTAL_LATENCY] = "INSERT INTO total_latency VALUES (" V10 ",?,?,?,?)",
	[PUT_SERIES] = "INSERT INTO series VALUES (" V20 "," V10 ",?)",
	[PUT_SERIES_OPEN] = "INSERT INTO series_open VALUES (" V10 "," V5 ")",
	[PUT_OUTLIER] = "INSERT INTO outlier VALUES (" V10 ",?,?)",
	[PUT_SAMPLE] = "INSERT INTO sample VALUES (" V5 ")",
	[PUT_TELEMETRY_NAME] = "INSERT INTO telemetry_name VALUES (?,?)",
	[PUT_TELEMETRY] = "INSERT INTO telemetry VALUES (" V5 ")",
	[PUT_EVENT] = "INSERT INTO event VALUES (" V5 ",?)",
	[PUT_FINDING] = "INSERT INTO finding VALUES (" V10 ")",
	[PUT_CHECK] = "INSERT INTO self_check VALUES (?,?,?,?)",

	[CLEAR_FINDINGS] = "DELETE FROM finding",
	[CLEAR_CHECKS] = "DELETE FROM self_check",
	[CLEAR_TOTAL] = "DELETE FROM total WHERE step = ? AND load = ?",
	[CLEAR_TOTAL_LATENCY] = "DELETE FROM total_latency WHERE step = ? AND load = ?",

	[DELETE_STEP] = "DELETE FROM step WHERE id = ?",
	[DELETE_LOAD] = "DELETE FROM load WHERE step = ?",
	[DELETE_TOTAL] = "DELETE FROM total WHERE step = ?",
	[DELETE_TOTAL_LATENCY] = "DELETE FROM total_latency WHERE step = ?",
	[DELETE_SERIES] = "DELETE FROM series WHERE step = ?",
	[DELETE_SERIES_OPEN] = "DELETE FROM series_open WHERE step = ?",
	[DELETE_OUTLIER] = "DELETE FROM outlier WHERE step = ?",
	[DELETE_SAMPLE] = "DELETE FROM sample WHERE step = ?",
	[DELETE_TELEMETRY] = "DELETE FROM telemetry WHERE step = ?",
	[DELETE_EVENT] = "DELETE FROM event WHERE step = ?",

	[GET_RUN] = "SELECT * FROM run WHERE one = 1",
	[GET_DRIVE] = "SELECT * FROM drive NOT INDEXED ORDER BY target",
	[GET_STEP] = "SELECT * FROM step NOT INDEXED ORDER BY id",
	[GET_STEP_LENGTH] = "SELECT duration_ns FROM step NOT INDEXED WHERE id = ? AND status = 'complete'",
	[GET_LOAD] = "SELECT * FROM load INDEXED BY load_place ORDER BY step, load",
	[GET_EVENT] = "SELECT * FROM event NOT INDEXED ORDER BY rowid",
	[GET_FINDING] = "SELECT * FROM finding NOT INDEXED ORDER BY rowid",
	[GET_CHECK] = "SELECT * FROM self_check NOT INDEXED ORDER BY rowid",
	[GET_TOTAL] = "SELECT * FROM total INDEXED BY total_place WHERE step = ? AND load = ? ORDER BY op",
	[GET_TOTAL_LATENCY] = "SELECT * FROM total_latency INDEXED BY total_latency_place "
		"WHERE step = ? AND load = ? ORDER BY op, kind",
	[GET_SERIES] = "SELECT * FROM series INDEXED BY series_place "
		"WHERE step = ?1 AND load BETWEEN ?2 AND ?3 ORDER BY load, idx, op",
	[GET_SERIES_OPEN] = "SELECT * FROM series_open INDEXED BY series_open_place "
		"WHERE step = ?1 AND load = ?2 AND idx = ?3 AND op = ?4 AND kind = ?5",
	[GET_SLOTS] = "SELECT histogram FROM series INDEXED BY series_place "
		"WHERE step = ?1 AND load = ?2 AND idx = ?3 AND op = ?4 AND ?5 = 0",
	[GET_SLOTS_OPEN] = "SELECT histogram FROM series_open INDEXED BY series_open_place "
		"WHERE step = ?1 AND load = ?2 AND idx = ?3 AND op = ?4 AND kind = ?5",
	[GET_OUTLIER] = "SELECT * FROM outlier INDEXED BY outlier_step WHERE step = ? ORDER BY rowid",
	[GET_OUTLIER_ALL] = "SELECT * FROM outlier NOT INDEXED ORDER BY rowid",
	[GET_OUTLIER_FAILED] = "SELECT * FROM outlier NOT INDEXED WHERE result < 0 OR flags & ? ORDER BY rowid",
	[GET_SAMPLE] = "SELECT * FROM sample INDEXED BY sample_step WHERE step = ? ORDER BY rowid",
	[GET_SAMPLE_ALL] = "SELECT * FROM sample NOT INDEXED ORDER BY rowid",
	[GET_TELEMETRY_NAME] = "SELECT * FROM telemetry_name NOT INDEXED ORDER BY id",
	[GET_TELEMETRY] = "SELECT * FROM telemetry NOT INDEXED ORDER BY rowid",
};
