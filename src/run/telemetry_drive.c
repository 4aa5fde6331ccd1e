#include "run/telemetry_drive.h"

#include "drive/drive_file.h"

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

void drive_watch_init(struct drive_watch *watch, struct run_target *target, int32_t index)
{
	*watch = (struct drive_watch){
		.target = index,
		.of = target,
		.dev = target_device(target),
		.host_written = DRIVE_UNKNOWN,
		.nand_written = DRIVE_UNKNOWN,
	};
	for (uint32_t i = 0; i < DRIVE_WATCH_STATES; i++)
		watch->state[i] = NAN;
	health_watch_start(&watch->health, watch->dev, &target->health);
}

void drive_watch_release(struct drive_watch *watch)
{
	health_watch_stop(&watch->health);
}

static void counter_rows(struct drive_watch *watch, struct telemetry_rows *rows)
{
	struct drive_counters before = watch->counters, delta;

	if (!watch->dev || drive_counters(NULL, watch->dev, &watch->counters))
		return;
	if (watch->have_counters) {
		drive_counters_delta(&before, &watch->counters, &delta);
		rows_add(rows, watch->target, "block_reads", rows_known(delta.reads));
		rows_add(rows, watch->target, "block_read_bytes", rows_known(delta.read_bytes));
		rows_add(rows, watch->target, "block_writes", rows_known(delta.writes));
		rows_add(rows, watch->target, "block_write_bytes", rows_known(delta.write_bytes));
		rows_add(rows, watch->target, "block_in_flight", rows_known(delta.in_flight));
	}
	rows_add(rows, watch->target, "block_write_total_bytes", rows_known(watch->counters.write_bytes));
	watch->have_counters = true;
}

/* Of the time between two looks in which both counters moved; they count in coarse units. */
static void amplification_row(struct drive_watch *watch, struct telemetry_rows *rows,
			      const struct drive_health *health)
{
	double host = rows_growth(watch->host_written, health->host_write_bytes);
	double nand = rows_growth(watch->nand_written, health->nand_write_bytes);

	if (host > 0 && nand > 0)
		rows_add(rows, watch->target, "write_amplification", nand / host);
	if (!(host == 0) || !(nand == 0)) {
		watch->host_written = health->host_write_bytes;
		watch->nand_written = health->nand_write_bytes;
	}
}

static void health_rows(struct drive_watch *watch, struct telemetry_rows *rows)
{
	struct health_look look;
	const struct drive_health *health = &look.health;

	if (!health_watch_take(&watch->health, &look))
		return;
	rows_add(rows, watch->target, "temperature_c", health->temperature_c);
	if (!watch->of->start_told)
		watch->of->start_c = watch->of->before_told && !isnan(health->temperature_c) ? watch->of->before_c
											     : health->temperature_c;
	watch->of->start_told = true;
	rows_add(rows, watch->target, "host_write_bytes", rows_known(health->host_write_bytes));
	rows_add(rows, watch->target, "nand_write_bytes", rows_known(health->nand_write_bytes));
	amplification_row(watch, rows, health);
	const struct {
		const char *name;
		double value;
	} states[] = {
		{ "critical_warning", rows_known(health->critical_warning) },
		{ "throttle1_count", rows_known(health->throttle1_count) },
		{ "throttle2_count", rows_known(health->throttle2_count) },
		{ "warning_minutes", rows_known(health->warning_minutes) },
		{ "critical_minutes", rows_known(health->critical_minutes) },
		{ "power_state", rows_known(health->power_state) },
		{ "used_percent", rows_known(health->used_percent) },
		{ "media_errors", rows_known(health->media_errors) },
		{ "error_log_entries", rows_known(health->error_log_entries) },
		{ "link_gigatransfers", look.link_speed },
		{ "link_lanes", rows_known(look.link_width) },
	};
	for (uint32_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		rows_add_state(rows, watch->target, states[i].name, states[i].value, &watch->state[i]);
}

void drive_watch_rows(struct drive_watch *watch, int wait_ms, struct telemetry_rows *rows)
{
	if (wait_ms)
		health_watch_wait(&watch->health, wait_ms);
	counter_rows(watch, rows);
	health_rows(watch, rows);
}
