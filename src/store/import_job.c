/* The jobs of a fio JSON document as steps and loads. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/units.h"
#include "store/import_inside.h"

struct job {
	const char *path;
	json_t *document, *object;
	json_t *facts;			/* what the load's facts_json will say */
	uint64_t runtime_ns, unit_ns;
	bool rebuilt, coarse, summary_only, untimed;
	struct import_load *load;
};

/* -- options: of the job, else global, else fio's default -- */

struct option {
	const char *name, *other_name, *by_default;
};

static const struct option options[] = {
	{ "rw", "readwrite", "read" },    { "bs", "blocksize", "4k" },      { "iodepth", NULL, "1" },
	{ "rwmixread", NULL, "50" },      { "numjobs", NULL, "1" },         { "ioengine", NULL, NULL },
	{ "filename", NULL, NULL },       { "directory", NULL, NULL },      { "direct", NULL, "0" },
	{ "rate_iops", NULL, NULL },      { "write_bw_log", NULL, NULL },   { "write_iops_log", NULL, NULL },
	{ "write_lat_log", NULL, NULL },  { "write_hist_log", NULL, NULL },
};

static const char *text_of(json_t *object, const char *name, const char *other_name)
{
	json_t *value = json_object_get(object, name);

	if (!value && other_name)
		value = json_object_get(object, other_name);
	return json_string_value(value);
}

static const char *option_value(const struct job *job, const struct option *option, const char **ret_from)
{
	json_t *own = json_object_get(job->object, "job options"),
	       *global = json_object_get(job->document, "global options");
	const char *value = text_of(own, option->name, option->other_name);

	*ret_from = "job";
	if (!value) {
		value = text_of(global, option->name, option->other_name);
		*ret_from = "global";
	}
	/* without any options in the file, fio's defaults would be a guess */
	if (!value && (own || global)) {
		value = option->by_default;
		*ret_from = "default";
	}
	return value;
}

static const char *option_get(const struct job *job, const char *name)
{
	const char *from;

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (strcmp(options[i].name, name) == 0)
			return option_value(job, &options[i], &from);
	return NULL;
}

static void tell_options(struct job *job)
{
	json_t *all = json_object();

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		const char *from = NULL, *value = option_value(job, &options[i], &from);

		if (value)
			json_object_set_new(all, options[i].name,
					    json_pack("{ssss}", "value", value, "from", from));
	}
	json_object_set_new(job->facts, "options", all);
}

static uint32_t count_option(const struct job *job, const char *name)
{
	const char *text = option_get(job, name);
	uint64_t value;

	return text && u64_parse(text, &value) == 0 && value <= UINT32_MAX ? (uint32_t)value : 0;
}

/* Bytes of "4k"; 0 when there are several ("4k,8k", "4k-64k") or none. */
static uint64_t block_bytes(const struct job *job)
{
	const char *text = option_get(job, "bs");
	uint64_t bytes;

	return text && size_parse(text, &bytes) == 0 ? bytes : 0;
}

/* -- one direction -- */

static int need_count(struct import *import, const struct job *job, json_t *object, const char *what,
		      const char *key, uint64_t *ret_value)
{
	json_t *value = json_object_get(object, key);

	if (!json_is_number(value) || json_number_value(value) < 0 || json_number_value(value) > 9e18)
		return import_refuse(import, job->path, 0, "job \"%s\", %s: \"%s\" is missing or no number",
				     job->load->name, what, key);
	*ret_value = json_is_integer(value) ? (uint64_t)json_integer_value(value)
					    : (uint64_t)json_number_value(value);
	return 0;
}

/* io_bytes was in KiB until fio 3.0, which added io_kbytes beside it. */
static int read_bytes(struct import *import, const struct job *job, json_t *object, const char *what,
		      uint64_t *ret_bytes)
{
	uint64_t bytes;
	int result = need_count(import, job, object, what, "io_bytes", &bytes);

	if (result < 0)
		return result;
	if (!json_object_get(object, "io_kbytes")) {
		if (bytes > INT64_MAX / 1024)
			return import_refuse(import, job->path, 0, "job \"%s\", %s: io_bytes cannot be",
					     job->load->name, what);
		bytes *= 1024;
	}
	*ret_bytes = bytes;
	return 0;
}

/* fio before 2.2 wrote no total_ios: then from IOPS and runtime. */
static int read_ios(struct import *import, struct job *job, json_t *object, const char *what,
		    uint64_t *ret_ios)
{
	json_t *rate = json_object_get(object, "iops"), *runtime = json_object_get(object, "runtime");
	double iops = json_number_value(rate), runtime_ms = json_number_value(runtime);

	if (json_object_get(object, "total_ios"))
		return need_count(import, job, object, what, "total_ios", ret_ios);
	if (!rate || !runtime)
		return import_refuse(import, job->path, 0,
				     "job \"%s\", %s: neither \"total_ios\" nor \"iops\" and \"runtime\"",
				     job->load->name, what);
	if (!(iops >= 0 && runtime_ms >= 0 && iops * runtime_ms < 1e18))
		return import_refuse(import, job->path, 0,
				     "job \"%s\", %s: no count of I/Os comes of \"iops\" and \"runtime\"",
				     job->load->name, what);
	*ret_ios = (uint64_t)(iops * runtime_ms / 1000 + 0.5);
	json_object_set_new(job->facts, "ios_from_iops", json_true());
	return 0;
}

/* The latency of an I/O from submission on, if it has a distribution; else from the start; the key says the
 * unit. */
static json_t *find_latency(json_t *object, uint64_t *ret_unit_ns)
{
	static const struct { const char *key; uint64_t unit_ns; } keys[] = {
		{ "clat_ns", 1 }, { "clat", 1000 }, { "lat_ns", 1 }, { "lat", 1000 },
	};
	json_t *first = NULL;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		json_t *latency = json_object_get(object, keys[i].key);
		bool spread = json_object_get(latency, "percentile") || json_object_get(latency, "bins");

		if (json_is_object(latency) && (!first || spread)) {
			if (!first ||
			    !(json_object_get(first, "percentile") || json_object_get(first, "bins"))) {
				first = latency;
				*ret_unit_ns = keys[i].unit_ns;
			}
		}
	}
	return first;
}

static void tell_summary(struct job *job, const char *what, json_t *latency)
{
	json_t *copy = json_deep_copy(latency);

	json_object_del(copy, "percentile");
	json_object_del(copy, "bins");
	json_object_set_new(copy, "unit_ns", json_integer((json_int_t)job->unit_ns));
	json_object_set_new(job->facts, what, copy);
}

static int read_latency(struct import *import, struct job *job, json_t *object, const char *what,
			struct op_tally *op)
{
	json_t *object_latency = find_latency(object, &job->unit_ns);
	struct import_latency latency;
	int result;

	if (!object_latency)
		return import_refuse(import, job->path, 0,
				     "job \"%s\", %s: none of \"clat_ns\", \"clat\", \"lat_ns\", \"lat\" is "
				     "there",
				     job->load->name, what);
	result = import_latency_read(import, job->path, what, object_latency, job->unit_ns, op, &latency);
	if (result < 0)
		return result;
	job->rebuilt |= latency.rebuilt;
	job->coarse |= latency.coarse;
	job->summary_only |= latency.summary_only;
	job->untimed |= latency.n == 0 && op->ios > 0;
	if (op->ios > 0)
		tell_summary(job, what, object_latency);
	return 0;
}

static int read_direction(struct import *import, struct job *job, const char *what, enum io_op which)
{
	json_t *object = json_object_get(job->object, what);
	struct op_tally *op = &import->tally->op[which];
	uint64_t runtime_ms = 0;
	int result;

	if (!object)
		return 0;
	result = read_ios(import, job, object, what, &op->ios);
	if (result == 0 && which != IO_FSYNC)
		result = read_bytes(import, job, object, what, &op->bytes);
	if (result == 0 && which != IO_FSYNC)
		result = need_count(import, job, object, what, "runtime", &runtime_ms);
	if (result == 0 && (op->ios > 0 || op->bytes > 0))
		result = read_latency(import, job, object, what, op);
	if (result < 0)
		return result;
	if (runtime_ms > 1000000000000)
		return import_refuse(import, job->path, 0, "job \"%s\", %s: a runtime that cannot be",
				     job->load->name, what);
	if (runtime_ms * 1000000 > job->runtime_ns)
		job->runtime_ns = runtime_ms * 1000000;
	job->load->ios[which] = op->ios;
	return 0;
}

/* unified_rw_reporting: one number for reads and writes. It has a place only when the job did one of them,
 * and none when they stand beside it (unified_rw_reporting=both). A file with global options only doesn't
 * say what its jobs did. */
static int read_mixed(struct import *import, struct job *job)
{
	const char *rw = json_object_get(job->object, "job options") ? option_get(job, "rw") : NULL;
	json_t *mixed = json_object_get(job->object, "mixed");

	if (!mixed || (json_object_get(job->object, "read") && json_object_get(job->object, "write")))
		return 0;
	if (!rw || (strcmp(rw, "read") != 0 && strcmp(rw, "randread") != 0 && strcmp(rw, "write") != 0 &&
		    strcmp(rw, "randwrite") != 0))
		return import_refuse(import, job->path, 0,
				     "job \"%s\": reads and writes were added up (unified_rw_reporting) and "
				     "cannot be told apart",
				     job->load->name);
	return read_direction(import, job, "mixed", strstr(rw, "read") ? IO_READ : IO_WRITE);
}

static int read_directions(struct import *import, struct job *job)
{
	static const struct { const char *name; enum io_op op; } directions[] = {
		{ "read", IO_READ }, { "write", IO_WRITE }, { "trim", IO_TRIM }, { "sync", IO_FSYNC },
	};
	int result = read_mixed(import, job);
	bool any = json_object_get(job->object, "mixed");

	for (size_t i = 0; i < sizeof(directions) / sizeof(directions[0]) && result == 0; i++) {
		any |= json_is_object(json_object_get(job->object, directions[i].name));
		result = read_direction(import, job, directions[i].name, directions[i].op);
	}
	if (result == 0 && !any)
		return import_refuse(import, job->path, 0,
				     "job \"%s\": neither \"read\" nor \"write\" is there", job->load->name);
	return result;
}

/* -- one job -- */

static char *keep(struct import *import, const char *text)
{
	return text ? arena_strdup(&import->arena, text) : NULL;
}

static void set_log_prefixes(struct import *import, const struct job *job)
{
	static const char *const names[IMPORT_LOG_KINDS] = { "write_bw_log", "write_iops_log",
							     "write_lat_log", "write_hist_log" };

	for (int i = 0; i < IMPORT_LOG_KINDS; i++)
		job->load->log_prefix[i] = keep(import, option_get(job, names[i]));
}

static const char *engine_note(const struct job *job)
{
	if (job->coarse)
		return "imported; latencies rebuilt from the percentiles in the file, which are few "
		       "(percentile_list): between them they are far too high";
	if (job->rebuilt)
		return "imported; latencies rebuilt from the percentiles in the file: exact at those, too "
		       "high between them";
	if (job->summary_only)
		return "imported; the file has no latency distribution";
	if (job->untimed)
		return "imported; latencies were not recorded";
	return "imported";
}

static int put_load(struct import *import, struct job *job)
{
	char *facts = json_dumps(job->facts, JSON_COMPACT | JSON_SORT_KEYS);
	struct tally *tally = import->tally;
	struct load_record record = {
		.step = job->load->step,
		.load = job->load->load,
		.name = job->load->name,
		.engine = option_get(job, "ioengine"),
		.engine_note = engine_note(job),
		.workers = count_option(job, "numjobs"),
		.depth_asked = count_option(job, "iodepth"),
		.open_loop = false,
		.rate_asked = count_option(job, "rate_iops"),
		.facts_json = facts,
		.total = tally,
	};
	int result;

	tally->end_ns = job->runtime_ns;
	tally->spans = 1;
	for (int op = 0; op < IO_OPS; op++)
		tally->in_flight_ns += (double)tally->op[op].service.moments.sum_ns;	/* Little's law */
	result = store_put_load(import->store, &record);
	free(facts);
	return result;
}

static int import_job(struct import *import, struct job *job)
{
	json_int_t error = json_integer_value(json_object_get(job->object, "error"));
	const char *host = json_string_value(json_object_get(job->object, "hostname"));
	int result;

	tally_clear(import->tally);
	job->facts = json_object();
	job->load->block_bytes = block_bytes(job);
	job->load->has_total = true;
	set_log_prefixes(import, job);
	tell_options(job);
	if (host)
		json_object_set_new(job->facts, "hostname", json_string(host));
	json_object_set_new(job->facts, "file", json_string(job->path));
	result = read_directions(import, job);
	if (result == 0)
		result = put_load(import, job);
	if (result == 0 && job->coarse)
		result = import_note(
			import, job->load->step,
			"job \"%s\": median, p99 or p99.9 is not in the file "
			"(percentile_list): in its place stands the next higher percentile that is",
			job->load->name);
	if (result == 0 && error != 0)
		result = import_note(import, job->load->step, "fio ended job \"%s\" with error %lld (%s)",
				     job->load->name, (long long)error, strerror((int)error));
	if (!import->target)
		import->target = keep(import, option_get(job, "filename") ? option_get(job, "filename")
									  : option_get(job, "directory"));
	json_decref(job->facts);
	return result;
}

/* -- all jobs -- */

static json_int_t group_of(json_t *object)
{
	return json_integer_value(json_object_get(object, "groupid"));
}

/* Client and server: the last entry adds up all the others. */
static bool is_sum_of_clients(json_t *jobs, json_t *object)
{
	const char *name = json_string_value(json_object_get(object, "jobname"));

	return json_array_size(jobs) > 1 && name && strcmp(name, "All clients") == 0;
}

/* As a run of ours has it: a number where it is one. */
static json_t *value_json(const char *name, const char *text)
{
	uint64_t number;

	if (strcmp(name, "rw") && (strcmp(name, "bs") ? u64_parse(text, &number) : size_parse(text, &number)) == 0)
		return json_integer((json_int_t)number);
	return json_string(text);
}

/* The values of a point that runs of ours have, too, so that the same job compares with itself. */
static char *step_values(struct import *import, const struct job *job)
{
	static const char *const names[] = { "rw", "bs", "iodepth", "numjobs", "rwmixread" };
	const char *rw = option_get(job, "rw");
	const size_t count = rw && strstr(rw, "rw") ? 5 : 4;
	json_t *values = json_object();
	char *text, *kept;

	for (size_t i = 0; i < count; i++)
		if (option_get(job, names[i]))
			json_object_set_new(values, names[i], value_json(names[i], option_get(job, names[i])));
	text = json_dumps(values, JSON_COMPACT);
	kept = keep(import, text);
	free(text);
	json_decref(values);
	return kept;
}

/* The step of the last `loads` loads, which the first of them names. */
static int put_step(struct import *import, const struct job *first, uint32_t loads, uint64_t duration_ns)
{
	struct import_load *load = &import->load[import->loads - loads];
	struct step_record *step = import_new_step(import, load->step, load->name, duration_ns);

	if (!step)
		return -ENOMEM;
	step->values_json = step_values(import, first);
	for (uint32_t i = 0; i < loads; i++)
		load[i].step_record = step;
	return store_put_step(import->store, step);
}

static int begin_job(struct import *import, struct job *job, uint64_t step, uint32_t load, size_t index)
{
	const char *name = json_string_value(json_object_get(job->object, "jobname"));

	job->load = import_add_load(import);
	if (!job->load)
		return -ENOMEM;
	job->load->step = step;
	job->load->load = load;
	job->load->name = name ? keep(import, name) : arena_printf(&import->arena, "job %zu", index + 1);
	return job->load->name ? 0 : -ENOMEM;
}

/* The jobs of one group, from `first` on, as one step. */
static int import_group(struct import *import, const char *path, json_t *document, json_t *jobs, size_t first)
{
	struct job first_job = { 0 };
	uint64_t duration_ns = 0, step = ++import->steps;
	uint32_t loads = 0;
	int result = 0;

	for (size_t i = first; i < json_array_size(jobs) && result == 0; i++) {
		struct job job = { .path = path, .document = document, .object = json_array_get(jobs, i) };

		if (is_sum_of_clients(jobs, job.object) ||
		    group_of(job.object) != group_of(json_array_get(jobs, first)))
			continue;
		result = begin_job(import, &job, step, loads++, i);
		if (result == 0)
			result = import_job(import, &job);
		duration_ns = job.runtime_ns > duration_ns ? job.runtime_ns : duration_ns;
		if (loads == 1)
			first_job = job;
	}
	return result < 0 ? result : put_step(import, &first_job, loads, duration_ns);
}

static bool group_begins(json_t *jobs, size_t index)
{
	json_int_t group = group_of(json_array_get(jobs, index));

	for (size_t i = 0; i < index; i++)
		if (!is_sum_of_clients(jobs, json_array_get(jobs, i)) &&
		    group_of(json_array_get(jobs, i)) == group)
			return false;
	return true;
}

int import_jobs(struct import *import, const char *path, json_t *root)
{
	json_t *clients = json_object_get(root, "client_stats");
	json_t *jobs = clients ? clients : json_object_get(root, "jobs");
	const char *version = json_string_value(json_object_get(root, "fio version"));
	json_t *timestamp = json_object_get(root, "timestamp");
	int result = 0;

	if (version && !import->tool)
		import->tool = keep(import, version);
	if (json_is_integer(timestamp) && json_integer_value(timestamp) > 0 &&
	    json_integer_value(timestamp) < 9000000000)
		import->started_wall_ns = (uint64_t)json_integer_value(timestamp) * 1000000000;
	if (json_array_size(jobs) == 0)
		return import_refuse(import, path, 0, "no jobs in it: fio did nothing");
	for (size_t i = 0; i < json_array_size(jobs) && result == 0; i++) {
		json_t *object = json_array_get(jobs, i);

		if (is_sum_of_clients(jobs, object))
			result = import_note(import, 0,
					     "%s: \"All clients\" left out: it adds up the other entries",
					     path);
		else if (group_begins(jobs, i))
			result = import_group(import, path, root, jobs, i);
	}
	return result;
}
