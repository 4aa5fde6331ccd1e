#include "run/telemetry.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "drive/drive_sim.h"
#include "run/worker_usage.h"

#define EVERY_NS 1000000000ull
#define CORE_CHANGE 0.05	/* smaller ones of a core are not told */
#define VIRTUAL_WRITES_EVERY 10u	/* seconds */
#define LAST_WAIT_MS 120	/* for the drive's own counters at the end of a run */

/* The targets that are tested now: the one in turn, or all that the plan names. */
static void drives_init(struct telemetry *telemetry)
{
	const struct run_config *config = telemetry->context->config;
	const bool all = config->plan_names_targets;
	uint32_t first = all ? 0 : (uint32_t)(telemetry->context->target - config->targets);
	uint32_t count = all ? config->target_count : 1;

	telemetry->drives = calloc(count, sizeof(*telemetry->drives));	/* without it: the host alone */
	telemetry->drive_count = telemetry->drives ? count : 0;
	for (uint32_t i = 0; i < telemetry->drive_count; i++)
		drive_watch_init(&telemetry->drives[i], &config->targets[first + i], (int32_t)(first + i));
}

void telemetry_init(struct telemetry *telemetry, struct step_context *context)
{
	*telemetry = (struct telemetry){
		.context = context,
		.cpu = calloc(HOST_CPUS_MAX, sizeof(*telemetry->cpu)),	/* without it: no cpu_busiest */
		.throttle_told = NAN,
	};
	for (uint32_t i = 0; i < TELEMETRY_CORES; i++)
		telemetry->core[i] = -1;
	drives_init(telemetry);
}

/* -- the host -- */

static double share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

static uint64_t cpu_whole(const struct host_cpu *cpu)
{
	return cpu->user_ns + cpu->system_ns + cpu->irq_ns + cpu->softirq_ns + cpu->steal_ns +
	       cpu->iowait_ns + cpu->idle_ns;
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

/* Soft ones included. */
static double interrupts(const struct host_cpu *before, const struct host_cpu *now)
{
	uint64_t whole = cpu_whole(now) - cpu_whole(before);
	uint64_t part = now->irq_ns + now->softirq_ns - before->irq_ns - before->softirq_ns;

	return part <= whole ? share(part, whole) : 0;
}

static void cpu_rows(const struct telemetry *telemetry, const struct host_cpu *before,
		     struct telemetry_rows *rows)
{
	const struct host_cpu *now = &telemetry->host.total;
	uint64_t whole = cpu_whole(now) - cpu_whole(before);
	uint64_t softirq = now->softirq_ns - before->softirq_ns;
	double busiest = 0, interrupted = 0;

	for (uint32_t i = 0; telemetry->cpu && i < telemetry->host.cpu_count; i++) {
		busiest = fmax(busiest, busy(&telemetry->cpu[i], &telemetry->host.cpu[i]));
		interrupted = fmax(interrupted, interrupts(&telemetry->cpu[i], &telemetry->host.cpu[i]));
	}
	rows_add(rows, -1, "cpu_user", share(now->user_ns - before->user_ns, whole));
	rows_add(rows, -1, "cpu_system", share(now->system_ns - before->system_ns, whole));
	rows_add(rows, -1, "cpu_irq", share(now->irq_ns - before->irq_ns + softirq, whole));
	rows_add(rows, -1, "cpu_softirq", share(softirq, whole));
	rows_add(rows, -1, "cpu_irq_busiest", telemetry->cpu ? interrupted : NAN);
	rows_add(rows, -1, "cpu_steal", share(now->steal_ns - before->steal_ns, whole));
	rows_add(rows, -1, "cpu_busiest", telemetry->cpu ? busiest : NAN);
}

/* Each core by itself, when its share of busy time changes: idle ones cost nothing. */
static void core_rows(struct telemetry *telemetry, struct telemetry_rows *rows)
{
	for (uint32_t i = 0; telemetry->cpu && i < telemetry->host.cpu_count && i < TELEMETRY_CORES; i++) {
		double share_busy = busy(&telemetry->cpu[i], &telemetry->host.cpu[i]);

		if (fabs(share_busy - telemetry->core[i]) < CORE_CHANGE)
			continue;
		telemetry->core[i] = share_busy;
		snprintf(telemetry->core_name[i], sizeof(telemetry->core_name[i]), "core_%u", i);
		rows_add(rows, -1, telemetry->core_name[i], share_busy);
	}
}

/* Microseconds in which something waited, as a share of the time. */
static double pressure(uint64_t before_us, uint64_t now_us, uint64_t ns)
{
	if (before_us == DRIVE_UNKNOWN || now_us == DRIVE_UNKNOWN || now_us < before_us || !ns)
		return NAN;
	return (double)(now_us - before_us) * 1e3 / (double)ns;
}

static void host_rows(struct telemetry *telemetry, struct telemetry_rows *rows, uint64_t ns)
{
	struct host_sample *host = &telemetry->host;
	const struct host_sample before = *host;	/* numbers only: its array is the same */

	for (uint32_t i = 0; telemetry->cpu && i < host->cpu_count; i++)
		telemetry->cpu[i] = host->cpu[i];
	if (drive_host_sample(NULL, host))
		return;
	if (telemetry->have_host) {
		cpu_rows(telemetry, &before.total, rows);
		core_rows(telemetry, rows);
		rows_add(rows, -1, "context_switches",
			 rows_growth(before.context_switches, host->context_switches));
		rows_add(rows, -1, "memory_pressure",
			 pressure(before.memory_pressure_us, host->memory_pressure_us, ns));
		rows_add(rows, -1, "io_pressure", pressure(before.io_pressure_us, host->io_pressure_us, ns));
	}
	if (host->frequency_khz_min != DRIVE_UNKNOWN) {
		rows_add(rows, -1, "frequency_mhz_min", (double)host->frequency_khz_min / 1e3);
		rows_add(rows, -1, "frequency_mhz_max", (double)host->frequency_khz_max / 1e3);
	}
	rows_add_state(rows, -1, "host_throttle_events", rows_known(host->throttle_events),
		       &telemetry->throttle_told);
	telemetry->have_host = true;
}

static void worker_rows(struct telemetry *telemetry, struct telemetry_rows *rows, uint64_t ns)
{
	struct worker_usage usage;

	if (!telemetry->pid || worker_usage_read(telemetry->pid, &usage))
		return;
	if (telemetry->have_worker && usage.cpu_ns >= telemetry->worker_cpu_ns && ns) {
		rows_add(rows, -1, "worker_cpus",
			 (double)(usage.cpu_ns - telemetry->worker_cpu_ns) / (double)ns);
		if (usage.switches >= telemetry->worker_switches)
			rows_add(rows, -1, "worker_switches",
				 (double)(usage.switches - telemetry->worker_switches));
	}
	telemetry->worker_cpu_ns = usage.cpu_ns;
	telemetry->worker_switches = usage.switches;
	telemetry->have_worker = true;
}

/* -- telling -- */

static int rows_tell(const struct telemetry *telemetry, const struct telemetry_rows *rows)
{
	const struct run_observer *observer = telemetry->context->observer;

	return rows->count ? observer->telemetry(observer->context, rows->row, rows->count) : 0;
}

/* In parts, so that no target's rows are lost among many. */
static int drives_tell(struct telemetry *telemetry, int wait_ms, struct telemetry_rows *rows)
{
	int error = 0;

	for (uint32_t i = 0; i < telemetry->drive_count && !error; i++) {
		drive_watch_rows(&telemetry->drives[i], wait_ms, rows);
		error = rows_tell(telemetry, rows);
		rows->count = 0;
	}
	return error;
}

int telemetry_tick(struct telemetry *telemetry, uint64_t now_ns, uint64_t step)
{
	struct telemetry_rows rows = { .t_ns = now_ns - telemetry->context->run_start_ns, .step = step };
	uint64_t ns = telemetry->last_ns ? now_ns - telemetry->last_ns : 0;
	int error;

	if (now_ns < telemetry->next_ns)
		return 0;
	telemetry->next_ns = now_ns + EVERY_NS;
	telemetry->last_ns = now_ns;
	host_rows(telemetry, &rows, ns);
	worker_rows(telemetry, &rows, ns);
	error = rows_tell(telemetry, &rows);
	rows.count = 0;
	return error ? error : drives_tell(telemetry, 0, &rows);
}

int telemetry_last(struct step_context *context)
{
	struct telemetry *telemetry = calloc(1, sizeof(*telemetry));
	struct telemetry_rows rows = { .t_ns = clock_monotonic_ns() - context->run_start_ns };
	int error;

	if (!telemetry)
		return -ENOMEM;
	telemetry_init(telemetry, context);
	error = drives_tell(telemetry, LAST_WAIT_MS, &rows);
	telemetry_release(telemetry);
	free(telemetry);
	return error;
}

void telemetry_release(struct telemetry *telemetry)
{
	for (uint32_t i = 0; i < telemetry->drive_count; i++)
		drive_watch_release(&telemetry->drives[i]);
	free(telemetry->drives);
	host_sample_release(&telemetry->host);
	free(telemetry->cpu);
}

/* Coarsely, as drives do. */
static void virtual_writes(const struct telemetry_record *like, const struct target *target,
			   struct telemetry_rows *rows)
{
	uint64_t host, nand;

	rows->t_ns = like->t_ns;
	rows->step = like->step;
	drive_sim_writes(target, &host, &nand);
	rows_add(rows, like->target, "host_write_bytes", (double)host);
	rows_add(rows, like->target, "nand_write_bytes", (double)nand);
}

int telemetry_virtual(struct step_context *context, uint64_t now_ns, uint64_t step)
{
	struct telemetry_rows rows = { 0 };
	struct telemetry_record temperature = {
		.t_ns = now_ns - context->run_start_ns,
		.step = step,
		.target = (int32_t)(context->target - context->config->targets),
		.name = "temperature_c",
		.value = drive_sim_temperature_c(&context->target->sim, now_ns),
	};

	if (!context->target->start_told)
		context->target->start_c = temperature.value;
	context->target->start_told = true;
	rows.row[rows.count++] = temperature;
	if (now_ns / EVERY_NS % VIRTUAL_WRITES_EVERY == 0)
		virtual_writes(&temperature, &context->target->sim, &rows);
	return context->observer->telemetry(context->observer->context, rows.row, rows.count);
}
