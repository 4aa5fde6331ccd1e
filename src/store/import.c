#include "store/import.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include "base/saying.h"
#include "store/import_inside.h"

int import_note(struct import *import, uint64_t step, const char *format, ...)
{
	struct event_record event = { .t_ns = import->clock_ns, .step = step, .kind = "import" };
	struct saying saying = { 0 };
	va_list args;
	char *said;
	int result;

	va_start(args, format);
	saying_vadd(&saying, format, args);
	va_end(args);
	event.text = saying_text(&saying);
	event.said_json = said = saying_json(&saying);
	result = said && !saying.error ? store_put_event(import->store, &event) : -ENOMEM;
	free(said);
	saying_release(&saying);
	return result;
}

int import_refuse(struct import *import, const char *path, uint64_t line, const char *format, ...)
{
	char text[400];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (import->fault)
		snprintf(import->fault->source, sizeof(import->fault->source), "%s", path);
	fault_set(import->fault, line <= UINT32_MAX ? (uint32_t)line : 0, 0, "%s", text);
	return -EBADMSG;
}

struct import_load *import_add_load(struct import *import)
{
	if (!import->tally) {
		import->tally = calloc(1, sizeof(*import->tally));
		if (!import->tally)
			return NULL;
		tally_clear(import->tally);
	}
	if (import->loads == import->loads_room) {
		uint32_t room = import->loads_room ? import->loads_room * 2 : 16;
		struct import_load *grown = realloc(import->load, room * sizeof(*grown));

		if (!grown)
			return NULL;
		import->load = grown;
		import->loads_room = room;
	}
	memset(&import->load[import->loads], 0, sizeof(*import->load));
	return &import->load[import->loads++];
}

struct step_record *import_new_step(struct import *import, uint64_t id, const char *name,
				    uint64_t duration_ns)
{
	struct step_record *step = arena_alloc(&import->arena, sizeof(*step));

	if (!step)
		return NULL;
	*step = (struct step_record){
		.id = id,
		.name = name,
		.kind = "load",
		.plan_step = (uint32_t)id - 1,
		.path = arena_printf(&import->arena, "import:%llu", (unsigned long long)id),
		.status = RUN_COMPLETE,
		.status_text = "imported",
		.started_ns = import->clock_ns,
		.duration_ns = duration_ns,
	};
	import->clock_ns += duration_ns;
	return step->path ? step : NULL;
}

/* -- files -- */

/* "dir/PREFIX_clat_hist.2.log": prefix, kind, number. */
static int read_log_name(struct import_log *log)
{
	static const struct {
		const char *ending; enum import_log_kind kind;
	} kinds[] = {
		{ "_clat_hist", IMPORT_HIST }, { "_hist", IMPORT_HIST }, { "_bw", IMPORT_BW },
		{ "_iops", IMPORT_IOPS },      { "_clat", IMPORT_LAT },  { "_slat", IMPORT_OTHER },
		{ "_lat", IMPORT_OTHER },
	};
	const char *name = strrchr(log->path, '/') ? strrchr(log->path, '/') + 1 : log->path;
	char *at;

	log->kind = IMPORT_OTHER;
	log->prefix = strdup(name);
	if (!log->prefix)
		return -ENOMEM;
	at = strstr(log->prefix, ".log");
	if (at)
		*at = '\0';
	at = strrchr(log->prefix, '.');
	if (at && at[1] && strspn(at + 1, "0123456789") == strlen(at + 1)) {
		log->number = (uint32_t)strtoul(at + 1, NULL, 10);
		*at = '\0';
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t length = strlen(log->prefix), ending = strlen(kinds[i].ending);

		if (length <= ending || strcmp(log->prefix + length - ending, kinds[i].ending) != 0)
			continue;
		log->prefix[length - ending] = '\0';
		log->kind = kinds[i].kind;
		/* a lat log stands in where there is no clat log: see choose_latency */
		if (strcmp(kinds[i].ending, "_lat") == 0)
			log->kind = IMPORT_LAT;
		return 0;
	}
	return 0;
}

static bool is_lat_not_clat(const struct import_log *log)
{
	return log->kind == IMPORT_LAT && !strstr(log->path, "_clat");
}

/* Completion latency is what the run file calls service; total latency is used only where it is all there is.
 */
static void choose_latency(struct import_log *logs, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < count && is_lat_not_clat(&logs[i]); k++)
			if (logs[k].kind == IMPORT_LAT && !is_lat_not_clat(&logs[k]) && logs[k].rows > 0 &&
			    strcmp(logs[i].prefix, logs[k].prefix) == 0)
				logs[i].kind = IMPORT_OTHER;
}

static int import_json(struct import *import, const char *path, const struct text *text)
{
	uint32_t documents;
	json_t *root;
	int result = import_json_parse(import, path, text, &root, &documents);

	if (result < 0)
		return result;
	if (documents > 1)
		result = import_note(import, 0,
				     "%s: %u reports in one file; each adds up everything before it: the "
				     "last one is used",
				     path, documents);
	if (result == 0)
		result = import_jobs(import, path, root);
	json_decref(root);
	return result;
}

/* Reads one file: JSON is imported at once, a log is checked and kept. */
static int import_file(struct import *import, const char *path, struct import_log *log, bool *ret_is_log)
{
	struct text text = { 0 };
	int result = text_read_file(&text, path, IMPORT_FILE_BYTES_MAX);

	*ret_is_log = false;
	if (result < 0)
		result = fault_system(import->fault, result, "%s: cannot be read: %s", path,
				      strerror(-result));
	else if (strlen(text_data(&text)) != text.bytes)
		result = import_refuse(import, path, 0, "not a text file");
	else if (!import_log_looks_like(&text))
		result = import_json(import, path, &text);
	else
		*ret_is_log = true;
	if (!*ret_is_log || result < 0) {
		text_release(&text);
		return result;
	}
	log->path = path;
	log->text = text;
	result = read_log_name(log);
	if (result == 0 && log->kind == IMPORT_OTHER && !strstr(path, "_slat"))
		return import_refuse(import, path, 0, text_data(&text)[strspn(text_data(&text), " \t\r\n")] ?
				     "a log of what? Its name must end in _bw, _iops, _lat, _clat or "
				     "_clat_hist, number and .log" : "the file is empty");
	return result < 0 || log->kind == IMPORT_OTHER ? result : import_log_scan(import, log);
}

/* -- logs and their jobs -- */

static bool prefix_is(const char *option, const char *prefix)
{
	const char *name = option && strrchr(option, '/') ? strrchr(option, '/') + 1 : option;

	return name && strcmp(name, prefix) == 0;
}

static bool load_has_log(const struct import_load *load, const char *prefix)
{
	for (int i = 0; i < IMPORT_LOG_KINDS; i++)
		if (prefix_is(load->log_prefix[i], prefix))
			return true;
	return load->has_total && strcmp(load->name, prefix) == 0;
}

/* The load that a log belongs to: the only one of that prefix, or the one of its number; NULL = none. */
static struct import_load *load_of(struct import *import, const struct import_log *log)
{
	struct import_load *found = NULL, *numbered = NULL;
	uint32_t matching = 0;

	for (uint32_t i = 0; i < import->loads; i++) {
		if (!load_has_log(&import->load[i], log->prefix))
			continue;
		found = &import->load[i];
		if (++matching == log->number)
			numbered = found;
	}
	return matching == 1 ? found : numbered;
}

static int add_own_step(struct import *import, struct import_log *log, struct import_load **ret_load)
{
	struct import_load *load = import_add_load(import);
	struct load_record record = { .engine_note = "imported from logs alone: no totals in them" };
	int result;

	if (!load)
		return -ENOMEM;
	load->name = arena_strdup(&import->arena, log->prefix);
	load->log_prefix[0] = load->name;
	load->step = record.step = ++import->steps;
	load->step_record = import_new_step(import, load->step, load->name,
					    (log->last_ms - log->base_ms) * 1000000);
	record.name = load->name;
	result = load->name && load->step_record ? store_put_step(import->store, load->step_record) : -ENOMEM;
	if (result == 0)
		result = store_put_load(import->store, &record);
	*ret_load = load;
	return result;
}

/* Do the two belong together: to the same job, or, when they belong to none, by their names? */
static bool same_load(struct import *import, const struct import_log *a, const struct import_log *b)
{
	const struct import_load *load = load_of(import, a);

	return load_of(import, b) == load && (load || strcmp(a->prefix, b->prefix) == 0);
}

/* All logs of the load of logs[first], which then are done. */
static int import_logs_of(struct import *import, struct import_log *logs, uint32_t count, uint32_t first)
{
	struct import_load *load = load_of(import, &logs[first]);
	struct import_log **chosen = calloc(count, sizeof(*chosen));
	uint32_t chosen_count = 0;
	int result = chosen ? 0 : -ENOMEM;

	for (uint32_t i = first; i < count && result == 0; i++)
		if (logs[i].kind != IMPORT_OTHER && same_load(import, &logs[first], &logs[i]))
			chosen[chosen_count++] = &logs[i];
	if (result == 0 && !load)
		result = add_own_step(import, &logs[first], &load);
	if (result == 0)
		result = import_series(import, load, chosen, chosen_count);
	for (uint32_t i = 0; i < chosen_count; i++)
		chosen[i]->kind = IMPORT_OTHER;
	free(chosen);
	return result;
}

static int import_logs(struct import *import, struct import_log *logs, uint32_t count)
{
	int result = 0;

	choose_latency(logs, count);
	for (uint32_t i = 0; i < count && result == 0; i++)
		if (logs[i].kind != IMPORT_OTHER)
			result = import_logs_of(import, logs, count, i);
	return result;
}

/* -- the run -- */

static int put_drive(struct import *import)
{
	const char *name = import->target ? import->target : "unknown";
	struct drive_record drive = { .name = name,
				      .kind = strncmp(name, "/dev/", 5) == 0 ? "block" : "file",
				      .id = "" };

	return store_put_drive(import->store, &drive);
}

static int put_run(struct import *import, const struct import_request *request)
{
	char id[33];
	uint64_t number[2];
	struct run_record run = {
		.id = id,
		.version = request->version,
		.started_wall_ns = import->started_wall_ns,
		.duration_ns = import->clock_ns,
		.wall_duration_ns = import->clock_ns,
		.status = RUN_COMPLETE,
		.status_text = "imported",
		.plan_name = IMPORT_PLAN,
		.plan_title = arena_printf(&import->arena, "Results of %s",
					   import->tool ? import->tool : "fio"),
		.plan_source = request->count ? request->paths[0] : NULL,
		.command_line = request->command_line,
		.scale = 1,
		.clock = "vdso",
	};

	if (getrandom(number, sizeof(number), 0) != sizeof(number))
		return -errno;
	snprintf(id, sizeof(id), "%016llx%016llx", (unsigned long long)number[0],
		 (unsigned long long)number[1]);
	return store_put_run(import->store, &run);
}

static int import_all(struct import *import, const struct import_request *request, struct import_log *logs)
{
	uint32_t count = 0;
	int result = 0;

	for (uint32_t i = 0; i < request->count && result == 0; i++) {
		bool is_log;

		result = import_file(import, request->paths[i], &logs[count], &is_log);
		count += is_log;
	}
	if (result == 0)
		result = import_logs(import, logs, count);
	for (uint32_t i = 0; i < count; i++)
		import_log_release(&logs[i]);
	if (result == 0 && import->steps == 0)
		result = import_refuse(import, request->count ? request->paths[0] : "", 0,
				       "nothing to import in it");
	return result;
}

int store_import(struct store *store, const struct import_request *request, struct fault *fault)
{
	struct import import = { .store = store, .fault = fault };
	struct import_log *logs = calloc(request->count + 1, sizeof(*logs));
	int result = logs ? import_all(&import, request, logs) : -ENOMEM;

	if (result == 0)
		result = put_drive(&import);
	if (result == 0)
		result = put_run(&import, request);
	if (result == 0)
		result = store_commit(store);
	if (result < 0 && result != -EBADMSG && fault && !fault->text[0])
		fault_system(fault, result, "cannot write the run file: %s", strerror(-result));
	free(logs);
	free(import.tally);
	free(import.load);
	arena_release(&import.arena);
	return result;
}
