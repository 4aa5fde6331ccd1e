#include "base/text.h"
#include "drive/drive_host.h"
#include "drive/lines.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROC_BYTES_MAX (4u << 20)	/* /proc/stat and /proc/softirqs grow with CPUs and interrupts */

static int read_proc(const struct machine *machine, const char *name, struct text *text)
{
	char path[PATH_MAX];

	text_clear(text);
	snprintf(path, sizeof path, "%s/proc/%s", machine_or_real(machine)->root, name);
	return text_read_file(text, path, PROC_BYTES_MAX);
}

/* The number after `key` at the start of a line. */
static uint64_t keyed_number(const char *text, const char *key)
{
	const size_t length = strlen(key);
	unsigned long long value;

	for (; text && *text; text = strchr(text, '\n'), text = text ? text + 1 : NULL)
		if (!strncmp(text, key, length) && sscanf(text + length, "%llu", &value) == 1)
			return value;
	return DRIVE_UNKNOWN;
}

/* "cpu3 user nice system idle iowait irq softirq steal guest ..." in ticks; guest time is inside user. */
static bool parse_cpu(const char *numbers, uint64_t tick_ns, struct host_cpu *ret_cpu)
{
	uint64_t t[8] = {0};

	if (sscanf(numbers,
		   "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64,
		   &t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &t[6], &t[7]) < 4)
		return false;
	*ret_cpu = (struct host_cpu){
		.user_ns = (t[0] + t[1]) * tick_ns,
		.system_ns = t[2] * tick_ns,
		.idle_ns = t[3] * tick_ns,
		.iowait_ns = t[4] * tick_ns,
		.irq_ns = t[5] * tick_ns,
		.softirq_ns = t[6] * tick_ns,
		.steal_ns = t[7] * tick_ns,
	};
	return true;
}

static int sample_make_room(struct host_sample *sample)
{
	if (!sample->cpu)
		sample->cpu = calloc(HOST_CPUS_MAX, sizeof *sample->cpu);
	if (!sample->cpu)
		return -ENOMEM;
	memset(sample->cpu, 0, HOST_CPUS_MAX * sizeof *sample->cpu);
	sample->cpu_count = 0;
	return 0;
}

static void parse_stat(const char *text, struct host_sample *sample)
{
	const uint64_t tick_ns = 1000000000ull / (uint64_t)sysconf(_SC_CLK_TCK);
	unsigned int number;
	int used;

	for (const char *line = text; line && !strncmp(line, "cpu", 3);
	     line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
		if (line[3] == ' ')
			parse_cpu(line + 4, tick_ns, &sample->total);
		else if (sscanf(line + 3, "%u%n", &number, &used) == 1 && number < HOST_CPUS_MAX &&
			 parse_cpu(line + 3 + used, tick_ns, &sample->cpu[number]) &&
			 number >= sample->cpu_count)
			sample->cpu_count = number + 1;
	}
	sample->context_switches = keyed_number(text, "ctxt ");
	sample->interrupts = keyed_number(text, "intr ");
}

/* " BLOCK:   12   34 ..." one column a CPU */
static uint64_t parse_block_softirqs(const char *text)
{
	const char *at = strstr(text, "BLOCK:");
	uint64_t sum = 0, one;
	int used;

	if (!at)
		return DRIVE_UNKNOWN;
	for (at += 6; *at == ' ' && sscanf(at, "%" SCNu64 "%n", &one, &used) == 1; at += used)
		sum += one;
	return sum;
}

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=12345" in us */
static uint64_t read_pressure(const struct machine *machine, const char *what)
{
	char text[256];
	const char *total;

	if (machine_read_text(machine, text, sizeof text, "/proc/pressure/%s", what) <= 0)
		return DRIVE_UNKNOWN;
	total = strstr(text, "total=");
	return total ? strtoull(total + 6, NULL, 10) : DRIVE_UNKNOWN;
}

static void add_throttles(const struct machine *machine, uint32_t cpu, struct host_sample *sample)
{
	static const char *const counters[] = {"core_throttle_count", "package_throttle_count"};

	for (int i = 0; i < 2; i++) {
		const uint64_t count = machine_read_u64(
			machine, "/sys/devices/system/cpu/cpu%u/thermal_throttle/%s", cpu, counters[i]);

		if (count != DRIVE_UNKNOWN)
			sample->throttle_events =
				(sample->throttle_events == DRIVE_UNKNOWN ? 0 : sample->throttle_events) +
				count;
	}
}

static void read_cpu_trees(const struct machine *machine, struct host_sample *sample)
{
	sample->frequency_khz_min = sample->frequency_khz_max = sample->throttle_events = DRIVE_UNKNOWN;
	for (uint32_t cpu = 0; cpu < sample->cpu_count; cpu++) {
		const uint64_t khz = machine_read_u64(
			machine, "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_cur_freq", cpu);

		add_throttles(machine, cpu, sample);
		if (khz == DRIVE_UNKNOWN)
			continue;
		if (khz < sample->frequency_khz_min)
			sample->frequency_khz_min = khz;
		if (sample->frequency_khz_max == DRIVE_UNKNOWN || khz > sample->frequency_khz_max)
			sample->frequency_khz_max = khz;
	}
}

int drive_host_sample(const struct machine *machine, struct host_sample *sample)
{
	struct text text = {0};
	uint64_t kibibytes;
	int result = sample_make_room(sample);

	if (!result)
		result = read_proc(machine, "stat", &text);
	if (!result) {
		parse_stat(text_data(&text), sample);
		sample->block_softirqs = read_proc(machine, "softirqs", &text) ? DRIVE_UNKNOWN :
					 parse_block_softirqs(text_data(&text));
		kibibytes = read_proc(machine, "meminfo", &text) ? DRIVE_UNKNOWN :
			    keyed_number(text_data(&text), "MemAvailable:");
		sample->memory_available_bytes =
			kibibytes == DRIVE_UNKNOWN ? DRIVE_UNKNOWN : kibibytes * 1024;
		sample->cpu_pressure_us = read_pressure(machine, "cpu");
		sample->io_pressure_us = read_pressure(machine, "io");
		sample->memory_pressure_us = read_pressure(machine, "memory");
		read_cpu_trees(machine, sample);
	}
	text_release(&text);
	return result;
}

void host_sample_release(struct host_sample *sample)
{
	free(sample->cpu);
	*sample = (struct host_sample){0};
}
