#include "run/telemetry.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "drive/drive_file.h"

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

/* The kernel is too old to count it: nothing was counted. */
static uint64_t known(uint64_t count)
{
	return count == DRIVE_UNKNOWN ? 0 : count;
}

void telemetry_init(struct telemetry *telemetry, struct step_context *context)
{
	*telemetry = (struct telemetry){ .context = context, .dev = target_device(context->target) };
	telemetry->have_begin = telemetry->dev && !drive_counters(NULL, telemetry->dev, &telemetry->begin);
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

int telemetry_finish(struct telemetry *telemetry, uint64_t now_ns, uint64_t step)
{
	const struct run_observer *observer = telemetry->context->observer;
	struct drive_counters now, delta;
	char json[640];
	struct event_record event = {
		.t_ns = now_ns - telemetry->context->run_start_ns,
		.step = step,
		.kind = "block_layer",
		.text = "counted by the block layer during this step",
		.data_json = json,
	};

	if (!telemetry->have_begin || drive_counters(NULL, telemetry->dev, &now))
		return 0;
	drive_counters_delta(&telemetry->begin, &now, &delta);
	snprintf(json, sizeof(json),
		 "{\"target\":%d,\"reads\":%" PRIu64 ",\"read_merges\":%" PRIu64 ",\"read_bytes\":%" PRIu64
		 ",\"writes\":%" PRIu64 ",\"write_merges\":%" PRIu64 ",\"write_bytes\":%" PRIu64
		 ",\"discards\":%" PRIu64 ",\"discard_bytes\":%" PRIu64 ",\"flushes\":%" PRIu64 "}",
		 (int)(telemetry->context->target - telemetry->context->config->targets), delta.reads, delta.read_merges,
		 delta.read_bytes, delta.writes, delta.write_merges, delta.write_bytes, known(delta.discards),
		 known(delta.discard_bytes), known(delta.flushes));
	return observer->event(observer->context, &event);
}

void telemetry_release(struct telemetry *telemetry)
{
	host_sample_release(&telemetry->host);
}
