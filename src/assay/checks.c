/* Self-checks ("too good to be true"): each passed, failed or not applicable, with the numbers in its sentence. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "analyze/littles_law.h"
#include "assay/conclude.h"
#include "base/text.h"
#include "base/units.h"

#define LITTLE_IOS_MIN 1000u
#define DEPTH_TOLERANCE 0.9
#define FAST_NS 5000u			/* no block device answers faster at the median */
#define BUSY_SHARE 0.95
#define CPU_JUDGED_NS 200e6		/* a worker that ran shorter is not judged: the kernel counts CPU in ticks */

static int check_put(const struct evidence *checks, const char *name, enum check_result result, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static int check_put(const struct evidence *checks, const char *name, enum check_result result, const char *format, ...)
{
	char text[512];
	struct check_record record = { .name = name, .result = result, .text = text };
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return store_put_check(checks->store, &record);
}

static const char *kind_of(const struct evidence *checks, const struct load_record *load)
{
	return load->target < checks->drive_count ? checks->drives[load->target].kind : "";
}

static double seconds_of(const struct tally *total)
{
	return (double)(total->end_ns - total->start_ns) / 1e9;
}

/* -- bytes_match_block_layer -- */

struct sums {
	uint64_t ios[IO_OPS], bytes[IO_OPS], errors;
};

static int sum_row(void *context, const struct interval_row *row, const struct histogram *service)
{
	struct sums *sums = context;

	(void)service;
	sums->ios[row->op] += row->ios;
	sums->bytes[row->op] += row->bytes;
	sums->errors += row->errors;
	return 0;
}

static uint64_t number_of(const json_t *object, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(object, key));
}

/* One step's event against the sum of its intervals, warm-up included. Returns a mismatch as text, or "". */
static int block_step_compare(const struct evidence *checks, const struct event_record *event, char *text, size_t bytes)
{
	json_t *counted = json_loads(event->data_json ? event->data_json : "", 0, NULL);
	struct sums sums = { 0 };
	int error = store_each_interval(checks->store, event->step, -1, false, sum_row, &sums);
	const struct step_record *step = evidence_step(checks, event->step);

	if (!error && counted && !sums.errors && (number_of(counted, "read_bytes") != sums.bytes[IO_READ] ||
	    number_of(counted, "write_bytes") != sums.bytes[IO_WRITE]))
		snprintf(text, bytes, "step '%s': the program counted %" PRIu64 " bytes read and %" PRIu64
			 " written, the block layer %" PRIu64 " and %" PRIu64, step ? step->name : "?",
			 sums.bytes[IO_READ], sums.bytes[IO_WRITE], number_of(counted, "read_bytes"),
			 number_of(counted, "write_bytes"));
	json_decref(counted);
	return error;
}

static int check_block_layer(const struct evidence *checks)
{
	char text[400] = "";
	uint32_t compared = 0;

	for (uint32_t i = 0; i < checks->event_count && !text[0]; i++) {
		const struct event_record *event = &checks->events[i];
		const struct step_record *step = evidence_step(checks, event->step);
		int error;

		if (strcmp(event->kind, "block_layer") || !checks->drive_count || !step ||
		    step->status != RUN_COMPLETE || strcmp(checks->drives[0].kind, "block"))
			continue;
		compared++;
		error = block_step_compare(checks, event, text, sizeof(text));
		if (error)
			return error;
	}
	if (!compared)
		return check_put(checks, "bytes_match_block_layer", CHECK_NOT_APPLICABLE,
				 "Only a block device that nobody else uses has counters of its own.");
	if (text[0])
		return check_put(checks, "bytes_match_block_layer", CHECK_FAILED, "%s.", text);
	return check_put(checks, "bytes_match_block_layer", CHECK_PASSED,
			 "Bytes read and written agree with the block layer's counters in all %u steps.", compared);
}

/* -- Little's law and the depth reached -- */

/* Throughput x mean time in the drive = I/Os in flight: a clock or accounting that is wrong breaks it. */
static int check_littles_law(const struct evidence *checks)
{
	double worst = 0;
	const struct load_record *worst_load = NULL;
	uint32_t looked = 0, broken = 0;

	for (uint32_t i = 0; i < checks->load_count; i++) {
		const struct load_record *load = &checks->loads[i];
		struct littles_law law;

		if (!load->total || tally_ios(load->total) < LITTLE_IOS_MIN || tally_errors(load->total))
			continue;
		law = littles_law_of(load->total);
		if (isnan(law.difference))
			continue;
		looked++;
		broken += !law.agrees;
		if (law.difference > worst || !worst_load) {
			worst = law.difference;
			worst_load = load;
		}
	}
	if (!looked)
		return check_put(checks, "littles_law", CHECK_NOT_APPLICABLE, "No load with %u I/Os or more.",
				 LITTLE_IOS_MIN);
	return check_put(checks, "littles_law", broken ? CHECK_FAILED : CHECK_PASSED,
			 "I/Os in flight against IOPS x mean latency: largest difference %.2f %% (load '%s').",
			 worst * 100, worst_load->name);
}

static int check_queue_depth(const struct evidence *checks)
{
	char list[320] = "";
	uint32_t looked = 0, low = 0;

	for (uint32_t i = 0; i < checks->load_count; i++) {
		const struct load_record *load = &checks->loads[i];
		double asked = (double)load->depth_asked * load->workers, reached;

		if (!load->total || load->open_loop || seconds_of(load->total) <= 0 ||
		    tally_ios(load->total) < LITTLE_IOS_MIN)
			continue;
		looked++;
		reached = load->total->in_flight_ns / 1e9 / seconds_of(load->total);
		if (reached >= DEPTH_TOLERANCE * asked)
			continue;
		if (low++ < 3)
			snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s'%s' %.1f of %.0f", low > 1 ? ", " : "",
				 load->name, reached, asked);
	}
	if (!looked)
		return check_put(checks, "queue_depth_reached", CHECK_NOT_APPLICABLE, "No closed loop ran long enough.");
	if (low)
		return check_put(checks, "queue_depth_reached", CHECK_FAILED,
				 "%u of %u loads did not keep the queue depth they asked for: %s.", low, looked, list);
	return check_put(checks, "queue_depth_reached", CHECK_PASSED, "All %u loads kept their queue depth.", looked);
}

/* -- faster than physics, errors, unwritten ranges -- */

static int check_plausible(const struct evidence *checks)
{
	uint64_t lowest = UINT64_MAX;
	const struct load_record *load = NULL;
	char time[UNITS_TEXT];

	for (uint32_t i = 0; i < checks->load_count; i++) {
		const struct load_record *one = &checks->loads[i];
		uint64_t median;

		if (!one->total || !one->total->op[IO_READ].ios || !strcmp(kind_of(checks, one), "char") ||
		    !strcmp(kind_of(checks, one), "sim"))
			continue;
		median = histogram_percentile(&one->total->op[IO_READ].service, 0.5);
		if (median < lowest) {
			lowest = median;
			load = one;
		}
	}
	if (!load)
		return check_put(checks, "latency_plausible", CHECK_NOT_APPLICABLE, "Nothing was read from a real drive.");
	return check_put(checks, "latency_plausible", lowest >= FAST_NS ? CHECK_PASSED : CHECK_FAILED,
			 "Lowest median read latency %s (load '%s')%s", duration_format(lowest, time), load->name,
			 lowest >= FAST_NS ? "." : ": no drive answers that fast, a cache or unwritten blocks do.");
}

static int check_errors(const struct evidence *checks)
{
	uint64_t errors = 0;

	for (uint32_t i = 0; i < checks->load_count; i++)
		if (checks->loads[i].total)
			errors += tally_errors(checks->loads[i].total);
	return check_put(checks, "no_io_errors", errors ? CHECK_FAILED : CHECK_PASSED,
			 errors ? "%" PRIu64 " I/Os failed." : "No I/O failed.", errors);
}

static int check_unwritten(const struct evidence *checks)
{
	if (checks->run->allow_unwritten)
		return check_put(checks, "reads_find_data", CHECK_FAILED,
				 "--allow-unwritten: reads may have been answered without touching the drive's flash.");
	return check_put(checks, "reads_find_data", CHECK_PASSED,
			 "Ranges known to be empty were filled before anything read them.");
}

static int check_scale(const struct evidence *checks)
{
	if (checks->run->scale == 1)
		return 0;
	return check_put(checks, "full_length", CHECK_FAILED,
			 "Scaled by %g: shorter than the procedure asks for; not scored.", checks->run->scale);
}

/* -- the host -- */

static double busiest_worker(const struct load_record *load)
{
	json_t *facts = load->facts_json ? json_loads(load->facts_json, 0, NULL) : NULL;
	json_t *worker;
	double busiest = 0;
	size_t i;

	json_array_foreach(json_object_get(facts, "workers"), i, worker) {
		double cpu = (double)(number_of(worker, "cpu_user_ns") + number_of(worker, "cpu_system_ns"));
		double wall = (double)number_of(worker, "finished_ns");

		if (wall >= CPU_JUDGED_NS)
			busiest = fmax(busiest, cpu / wall);
	}
	json_decref(facts);
	return busiest;
}

static int check_cpu(const struct evidence *checks)
{
	const struct load_record *load = NULL;
	double busiest = 0;

	if (!strcmp(checks->run->clock, "virtual"))
		return check_put(checks, "cpu_not_the_limit", CHECK_NOT_APPLICABLE,
				 "A simulated drive takes no part of the host.");
	for (uint32_t i = 0; i < checks->load_count; i++) {
		double busy = busiest_worker(&checks->loads[i]);

		if (busy > busiest || !load) {
			busiest = busy;
			load = &checks->loads[i];
		}
	}
	if (!load)
		return check_put(checks, "cpu_not_the_limit", CHECK_NOT_APPLICABLE, "No load ran.");
	return check_put(checks, "cpu_not_the_limit", busiest < BUSY_SHARE ? CHECK_PASSED : CHECK_FAILED,
			 "Busiest worker: %.0f %% of one CPU (load '%s')%s", busiest * 100, load->name,
			 busiest < BUSY_SHARE ? "." : ": the host may have set the figure, not the drive.");
}

static int check_link(const struct evidence *checks)
{
	for (uint32_t i = 0; i < checks->drive_count; i++) {
		json_t *facts = checks->drives[i].before_json ? json_loads(checks->drives[i].before_json, 0, NULL) : NULL;
		json_t *link = json_array_get(json_object_get(facts, "links"), 0);
		double now = json_number_value(json_object_get(link, "speed_now_gts"));
		double max = json_number_value(json_object_get(link, "speed_max_gts"));
		bool known = now > 0 && max > 0;

		json_decref(facts);
		if (known)
			return check_put(checks, "link_at_full_speed", now >= max ? CHECK_PASSED : CHECK_FAILED,
					 "PCIe link at %g of %g GT/s.", now, max);
	}
	return check_put(checks, "link_at_full_speed", CHECK_NOT_APPLICABLE, "No PCIe link is visible.");
}

static int check_run_file(const struct evidence *checks)
{
	for (uint32_t i = 0; i < checks->event_count; i++)
		if (!strcmp(checks->events[i].kind, "run_file_same_fs"))
			return check_put(checks, "run_file_elsewhere", CHECK_FAILED,
					 "The run file lies on the file system under test: its own writes disturb the measurement.");
	return check_put(checks, "run_file_elsewhere", CHECK_PASSED, "The run file does not lie on the target.");
}

int conclude_checks(const struct evidence *evidence)
{
	static int (*const all[])(const struct evidence *) = {
		check_block_layer, check_littles_law, check_queue_depth, check_plausible, check_errors, check_unwritten,
		check_scale, check_cpu, check_link, check_run_file,
	};
	int error = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]) && !error; i++)
		error = all[i](evidence);
	return error;
}
