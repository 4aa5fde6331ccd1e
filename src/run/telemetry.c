#include "run/telemetry.h"

#include <stdlib.h>
#include "drive/drive_file.h"
#include "drive/drive_sim.h"

#define EVERY_NS 1000000000ull
#define ROWS_MAX 32

struct rows {
	struct telemetry_record row[ROWS_MAX];
	uint32_t count;
	uint64_t t_ns, step;
};

static void row_add(struct rows *rows, int32_t target, const char *name, double value)
{
	if (rows->count < ROWS_MAX)
		rows->row[rows->count++] = (struct telemetry_record){
			.t_ns = rows->t_ns, .step = rows->step, .target = target, .name = name, .value = value,
		};
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
	*telemetry = (struct telemetry){ .context = context, .dev = target_device(context->target) };
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

static void host_rows(struct telemetry *telemetry, struct rows *rows)
{
	struct host_cpu before = telemetry->host.total;
	uint64_t switches = telemetry->host.context_switches;
	struct host_cpu *now = &telemetry->host.total;
	uint64_t whole;

	if (drive_host_sample(NULL, &telemetry->host))
		return;
	if (telemetry->have_host) {
		uint64_t user = now->user_ns - before.user_ns, system = now->system_ns - before.system_ns;
		uint64_t irq = now->irq_ns - before.irq_ns + now->softirq_ns - before.softirq_ns;
		uint64_t steal = now->steal_ns - before.steal_ns, idle = now->idle_ns - before.idle_ns;
		uint64_t wait = now->iowait_ns - before.iowait_ns;

		whole = user + system + irq + steal + idle + wait;
		row_add(rows, -1, "cpu_user", share(user, whole));
		row_add(rows, -1, "cpu_system", share(system, whole));
		row_add(rows, -1, "cpu_irq", share(irq, whole));
		row_add(rows, -1, "cpu_steal", share(steal, whole));
		row_add(rows, -1, "context_switches",
			(double)(telemetry->host.context_switches - switches));
	}
	telemetry->have_host = true;
}

static void counter_rows(struct telemetry *telemetry, struct rows *rows)
{
	struct drive_counters before = telemetry->counters, delta;
	int32_t target = (int32_t)(telemetry->context->target - telemetry->context->config->targets);

	if (!telemetry->dev || drive_counters(NULL, telemetry->dev, &telemetry->counters))
		return;
	if (telemetry->have_counters) {
		drive_counters_delta(&before, &telemetry->counters, &delta);
		row_add(rows, target, "block_reads", (double)delta.reads);
		row_add(rows, target, "block_read_bytes", (double)delta.read_bytes);
		row_add(rows, target, "block_writes", (double)delta.writes);
		row_add(rows, target, "block_write_bytes", (double)delta.write_bytes);
		row_add(rows, target, "block_in_flight", (double)delta.in_flight);
	}
	telemetry->have_counters = true;
}

int telemetry_tick(struct telemetry *telemetry, uint64_t now_ns, uint64_t step)
{
	const struct run_observer *observer = telemetry->context->observer;
	struct rows rows = { .t_ns = now_ns - telemetry->context->run_start_ns, .step = step };

	if (now_ns < telemetry->next_ns)
		return 0;
	telemetry->next_ns = now_ns + EVERY_NS;
	host_rows(telemetry, &rows);
	counter_rows(telemetry, &rows);
	if (!rows.count)
		return 0;
	return observer->telemetry(observer->context, rows.row, rows.count);
}

void telemetry_release(struct telemetry *telemetry)
{
	host_sample_release(&telemetry->host);
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
