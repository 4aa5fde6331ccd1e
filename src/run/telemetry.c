#include "run/telemetry.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "drive/drive_file.h"
#include "drive/drive_sim.h"
#include "run/worker_usage.h"

#define EVERY_NS 1000000000ull
#define ROWS_MAX 64
#define LAST_WAIT_MS 120	/* for the drive's own counters at the end of a run */

struct rows {
	struct telemetry_record row[ROWS_MAX];
	uint32_t count;
	uint64_t t_ns, step;
};

static void row_add(struct rows *rows, int32_t target, const char *name, double value)
{
	if (rows->count < ROWS_MAX && !isnan(value))
		rows->row[rows->count++] = (struct telemetry_record){
			.t_ns = rows->t_ns, .step = rows->step, .target = target, .name = name, .value = value,
		};
}

static double known(uint64_t value)
{
	return value == DRIVE_UNKNOWN ? NAN : (double)value;
}

static int32_t target_index(const struct telemetry *telemetry)
{
	return (int32_t)(telemetry->context->target - telemetry->context->config->targets);
}

/* A state: told when it is another one than before. */
static void state_add(struct telemetry *telemetry, struct rows *rows, int32_t target, uint32_t slot, const char *name,
		      double value)
{
	if (isnan(value) || value == telemetry->state[slot])
		return;
	telemetry->state[slot] = value;
	row_add(rows, target, name, value);
}

static dev_t target_device(const struct run_target *target)
{
	struct drive_file_facts facts;
	dev_t dev = 0;

	if (target->subject.kind == TARGET_BLOCK || target->subject.kind == TARGET_NVME_GENERIC)
		return target->subject.dev;
	if (target->subject.kind != TARGET_FILE || drive_file_facts(NULL, target->subject.path, &facts, NULL))
		return 0;
	dev = facts.dev;
	drive_file_facts_release(&facts);
	return dev;
}

void telemetry_init(struct telemetry *telemetry, struct step_context *context)
{
	*telemetry = (struct telemetry){
		.context = context,
		.dev = target_device(context->target),
		.cpu = calloc(HOST_CPUS_MAX, sizeof(*telemetry->cpu)),	/* without it: no cpu_busiest */
		.host_written = DRIVE_UNKNOWN,
		.nand_written = DRIVE_UNKNOWN,
	};
	for (uint32_t i = 0; i < TELEMETRY_STATES; i++)
		telemetry->state[i] = NAN;
	health_watch_start(&telemetry->health, telemetry->dev);
}

/* -- the host -- */

static double share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

static uint64_t cpu_whole(const struct host_cpu *cpu)
{
	return cpu->user_ns + cpu->system_ns + cpu->irq_ns + cpu->softirq_ns + cpu->steal_ns + cpu->iowait_ns + cpu->idle_ns;
}

static uint64_t cpu_idle(const struct host_cpu *cpu)
{
	return cpu->iowait_ns + cpu->idle_ns;
}

static double busy(const struct host_cpu *before, const struct host_cpu *now)
{
	uint64_t whole = cpu_whole(now) - cpu_whole(before);
	uint64_t idle = cpu_idle(now) - cpu_idle(before);

	return whole && idle <= whole ? share(whole - idle, whole) : 0;
}

static void cpu_rows(const struct telemetry *telemetry, const struct host_cpu *before, struct rows *rows)
{
	const struct host_cpu *now = &telemetry->host.total;
	uint64_t whole = cpu_whole(now) - cpu_whole(before);
	uint64_t softirq = now->softirq_ns - before->softirq_ns;
	double busiest = 0;

	for (uint32_t i = 0; telemetry->cpu && i < telemetry->host.cpu_count; i++)
		busiest = fmax(busiest, busy(&telemetry->cpu[i], &telemetry->host.cpu[i]));
	row_add(rows, -1, "cpu_user", share(now->user_ns - before->user_ns, whole));
	row_add(rows, -1, "cpu_system", share(now->system_ns - before->system_ns, whole));
	row_add(rows, -1, "cpu_irq", share(now->irq_ns - before->irq_ns + softirq, whole));
	row_add(rows, -1, "cpu_softirq", share(softirq, whole));
	row_add(rows, -1, "cpu_steal", share(now->steal_ns - before->steal_ns, whole));
	row_add(rows, -1, "cpu_busiest", telemetry->cpu ? busiest : NAN);
}

/* Microseconds in which something waited, as a share of the time. */
static double pressure(uint64_t before_us, uint64_t now_us, uint64_t ns)
{
	if (before_us == DRIVE_UNKNOWN || now_us == DRIVE_UNKNOWN || now_us < before_us || !ns)
		return NAN;
	return (double)(now_us - before_us) * 1e3 / (double)ns;
}

static double growth(uint64_t before, uint64_t now)
{
	return before == DRIVE_UNKNOWN || now == DRIVE_UNKNOWN || now < before ? NAN : (double)(now - before);
}

static void host_rows(struct telemetry *telemetry, struct rows *rows, uint64_t ns)
{
	struct host_sample *host = &telemetry->host;
	const struct host_sample before = *host;	/* numbers only: its array is the same */

	for (uint32_t i = 0; telemetry->cpu && i < host->cpu_count; i++)
		telemetry->cpu[i] = host->cpu[i];
	if (drive_host_sample(NULL, host))
		return;
	if (telemetry->have_host) {
		cpu_rows(telemetry, &before.total, rows);
		row_add(rows, -1, "context_switches", growth(before.context_switches, host->context_switches));
		row_add(rows, -1, "memory_pressure", pressure(before.memory_pressure_us, host->memory_pressure_us, ns));
		row_add(rows, -1, "io_pressure", pressure(before.io_pressure_us, host->io_pressure_us, ns));
	}
	if (host->frequency_khz_min != DRIVE_UNKNOWN) {
		row_add(rows, -1, "frequency_mhz_min", (double)host->frequency_khz_min / 1e3);
		row_add(rows, -1, "frequency_mhz_max", (double)host->frequency_khz_max / 1e3);
	}
	state_add(telemetry, rows, -1, 0, "host_throttle_events", known(host->throttle_events));
	telemetry->have_host = true;
}

static void worker_rows(struct telemetry *telemetry, struct rows *rows, uint64_t ns)
{
	struct worker_usage usage;

	if (!telemetry->pid || worker_usage_read(telemetry->pid, &usage))
		return;
	if (telemetry->have_worker && usage.cpu_ns >= telemetry->worker_cpu_ns && ns) {
		row_add(rows, -1, "worker_cpus", (double)(usage.cpu_ns - telemetry->worker_cpu_ns) / (double)ns);
		if (usage.switches >= telemetry->worker_switches)
			row_add(rows, -1, "worker_switches", (double)(usage.switches - telemetry->worker_switches));
	}
	telemetry->worker_cpu_ns = usage.cpu_ns;
	telemetry->worker_switches = usage.switches;
	telemetry->have_worker = true;
}

/* -- the drive -- */

static void counter_rows(struct telemetry *telemetry, struct rows *rows)
{
	struct drive_counters before = telemetry->counters, delta;
	int32_t target = target_index(telemetry);

	if (!telemetry->dev || drive_counters(NULL, telemetry->dev, &telemetry->counters))
		return;
	if (telemetry->have_counters) {
		drive_counters_delta(&before, &telemetry->counters, &delta);
		row_add(rows, target, "block_reads", known(delta.reads));
		row_add(rows, target, "block_read_bytes", known(delta.read_bytes));
		row_add(rows, target, "block_writes", known(delta.writes));
		row_add(rows, target, "block_write_bytes", known(delta.write_bytes));
		row_add(rows, target, "block_in_flight", known(delta.in_flight));
	}
	row_add(rows, target, "block_write_total_bytes", known(telemetry->counters.write_bytes));
	telemetry->have_counters = true;
}

/* Of the time between two looks in which both counters moved; they count in coarse units. */
static void amplification_row(struct telemetry *telemetry, struct rows *rows, const struct drive_health *health)
{
	double host = growth(telemetry->host_written, health->host_write_bytes);
	double nand = growth(telemetry->nand_written, health->nand_write_bytes);

	if (host > 0 && nand > 0)
		row_add(rows, target_index(telemetry), "write_amplification", nand / host);
	if (!(host == 0) || !(nand == 0)) {
		telemetry->host_written = health->host_write_bytes;
		telemetry->nand_written = health->nand_write_bytes;
	}
}

static void health_rows(struct telemetry *telemetry, struct rows *rows)
{
	int32_t target = target_index(telemetry);
	struct health_look look;
	const struct drive_health *health = &look.health;

	if (!health_watch_take(&telemetry->health, &look))
		return;
	row_add(rows, target, "temperature_c", health->temperature_c);
	row_add(rows, target, "host_write_bytes", known(health->host_write_bytes));
	row_add(rows, target, "nand_write_bytes", known(health->nand_write_bytes));
	amplification_row(telemetry, rows, health);
	const struct { const char *name; double value; } states[] = {
		{ "critical_warning", known(health->critical_warning) },
		{ "throttle1_count", known(health->throttle1_count) },
		{ "throttle2_count", known(health->throttle2_count) },
		{ "warning_minutes", known(health->warning_minutes) },
		{ "critical_minutes", known(health->critical_minutes) },
		{ "power_state", known(health->power_state) },
		{ "used_percent", known(health->used_percent) },
		{ "media_errors", known(health->media_errors) },
		{ "link_gigatransfers", look.link_speed },
		{ "link_lanes", known(look.link_width) },
	};
	for (uint32_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		state_add(telemetry, rows, target, i + 1, states[i].name, states[i].value);
}

static int rows_tell(const struct telemetry *telemetry, const struct rows *rows)
{
	const struct run_observer *observer = telemetry->context->observer;

	return rows->count ? observer->telemetry(observer->context, rows->row, rows->count) : 0;
}

int telemetry_tick(struct telemetry *telemetry, uint64_t now_ns, uint64_t step)
{
	struct rows rows = { .t_ns = now_ns - telemetry->context->run_start_ns, .step = step };
	uint64_t ns = telemetry->last_ns ? now_ns - telemetry->last_ns : 0;

	if (now_ns < telemetry->next_ns)
		return 0;
	telemetry->next_ns = now_ns + EVERY_NS;
	telemetry->last_ns = now_ns;
	host_rows(telemetry, &rows, ns);
	worker_rows(telemetry, &rows, ns);
	counter_rows(telemetry, &rows);
	health_rows(telemetry, &rows);
	return rows_tell(telemetry, &rows);
}

int telemetry_last(struct step_context *context)
{
	struct telemetry *telemetry = calloc(1, sizeof(*telemetry));
	struct rows rows = { .t_ns = clock_monotonic_ns() - context->run_start_ns };
	int error;

	if (!telemetry)
		return -ENOMEM;
	telemetry_init(telemetry, context);
	health_watch_wait(&telemetry->health, LAST_WAIT_MS);
	counter_rows(telemetry, &rows);
	health_rows(telemetry, &rows);
	error = rows_tell(telemetry, &rows);
	telemetry_release(telemetry);
	free(telemetry);
	return error;
}

void telemetry_release(struct telemetry *telemetry)
{
	health_watch_stop(&telemetry->health);
	host_sample_release(&telemetry->host);
	free(telemetry->cpu);
}

int telemetry_virtual(struct step_context *context, uint64_t now_ns, uint64_t step)
{
	struct telemetry_record row = {
		.t_ns = now_ns - context->run_start_ns,
		.step = step,
		.target = (int32_t)(context->target - context->config->targets),
		.name = "temperature_c",
		.value = drive_sim_temperature_c(&context->target->sim, now_ns),
	};

	return context->observer->telemetry(context->observer->context, &row, 1);
}
