/* fuzz_report: hostile values in the rows of a run file, and the forms that are made of it: text, JSON, HTML.
 * The input is a list of lines: a byte that picks the statement, then its new value. No form may hold a
 * control character, and the page no tag that came from a value. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sqlite3.h>
#include "memory_store.h"
#include "report/report.h"
#include "store/connection.h"
#include "../unit/store/fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static const char *const changes[] = {
	"UPDATE run SET plan_name = ?", "UPDATE run SET plan_title = ?", "UPDATE run SET status_text = ?",
	"UPDATE run SET plan_report = ?", "UPDATE run SET host_json = ?", "UPDATE run SET command_line = ?",
	"UPDATE run SET options_json = ?", "UPDATE run SET duration_ns = ?", "UPDATE run SET status = ?",
	"UPDATE drive SET model = ?", "UPDATE drive SET serial = ?", "UPDATE drive SET before_json = ?",
	"UPDATE drive SET after_json = ?", "UPDATE drive SET capacity_bytes = ?", "UPDATE drive SET kind = ?",
	"UPDATE step SET name = ?", "UPDATE step SET values_json = ?", "UPDATE step SET steady_json = ?",
	"UPDATE step SET duration_ns = ?", "UPDATE step SET measured_start_ns = ?", "UPDATE step SET interval_ns = ?",
	"UPDATE step SET kind = ?", "UPDATE step SET path = ?", "UPDATE step SET started_ns = ?",
	"UPDATE load SET name = ?", "UPDATE load SET engine = ?", "UPDATE load SET rate_asked = ?",
	"UPDATE load SET facts_json = ?", "UPDATE load SET total_end_ns = ?", "UPDATE load SET workers = ?",
	"UPDATE total SET ios = ?", "UPDATE total SET bytes = ?", "UPDATE total_latency SET histogram = ?",
	"UPDATE total_latency SET sum_ns = ?", "UPDATE series SET start_ns = ?", "UPDATE series SET duration_ns = ?",
	"UPDATE series SET ios = ?", "UPDATE series SET histogram = ?", "UPDATE outlier SET submit_ns = ?",
	"UPDATE outlier SET service_ns = ?", "UPDATE telemetry_name SET name = ? WHERE id = 1",
	"UPDATE telemetry SET value = ?", "UPDATE telemetry SET t_ns = ?", "UPDATE event SET kind = ?",
	"UPDATE event SET text = ?", "UPDATE event SET data_json = ?", "UPDATE finding SET kind = ?",
	"UPDATE finding SET text = ?", "UPDATE finding SET value = ?", "UPDATE finding SET data_json = ?",
	"UPDATE self_check SET text = ?", "UPDATE step SET id = ?",
};

#define CHANGES (sizeof(changes) / sizeof(*changes))

static void check_printable(const struct text *text)
{
	for (const char *c = text_data(text); *c; c++)
		if (((unsigned char)*c < 0x20 && *c != '\n') || *c == 0x7f)
			abort();
}

static void check_json(const struct text *text)
{
	/* as reals: seeds are larger than jansson's integers */
	json_t *root = json_loads(text_data(text), JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, NULL);

	if (!root)
		abort();
	json_decref(root);
}

static void report_all(struct store *store)
{
	const struct report_options options = { .language = REPORT_ENGLISH };
	const struct report_layout layout = { .width = 80 };
	struct text text = { 0 };

	if (!report_text(store, &layout, &text, NULL))
		check_printable(&text);
	text_clear(&text);
	if (!report_json(store, &text, NULL))
		check_json(&text);
	text_clear(&text);
	if (!report_html(&store, 1, &options, &text, NULL) && strstr(text_data(&text), "<evil"))
		abort();
	text_release(&text);
}

static void change(sqlite3 *db, uint8_t which, const uint8_t *value, size_t bytes)
{
	static sqlite3_stmt *statement[CHANGES];
	sqlite3_stmt **kept = &statement[which % CHANGES];

	if (!*kept && sqlite3_prepare_v2(db, changes[which % CHANGES], -1, kept, NULL))
		abort();
	if (strstr(changes[which % CHANGES], "histogram"))
		sqlite3_bind_blob(*kept, 1, value, (int)bytes, SQLITE_TRANSIENT);
	else
		sqlite3_bind_text(*kept, 1, (const char *)value, (int)bytes, SQLITE_TRANSIENT);
	sqlite3_step(*kept);
	sqlite3_reset(*kept);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static struct memory_store *memory;
	struct store *store;

	if (!memory) {
		memory = memory_store_new();
		run_fill(memory_store_borrow(memory), 1, 3, 1);
		memory_store_keep(memory);
	}
	store = memory_store_borrow(memory);
	while (bytes) {
		const uint8_t *end = memchr(data, '\n', bytes);
		const size_t length = end ? (size_t)(end - data) : bytes;

		if (length)
			change(store->db, data[0], data + 1, length - 1);
		data += length + (end != NULL);
		bytes -= length + (end != NULL);
	}
	report_all(store);
	memory_store_back(memory);
	return 0;
}
