#include "drive/drive.h"
#include "drive/json.h"
#include "drive/nvme_log.h"
#include <math.h>
#include <stdio.h>
#include <sys/sysmacros.h>

static void put_identity(json_t *object, const struct drive_facts *facts)
{
	char numbers[32];

	snprintf(numbers, sizeof numbers, "%u:%u", major(facts->dev), minor(facts->dev));
	json_put_text(object, "path", facts->path);
	json_put_text(object, "name", facts->name);
	json_put_text(object, "id", facts->id);
	json_put_text(object, "dev", numbers);
	json_put_text(object, "parent", facts->parent);
	json_put_text(object, "model", facts->model);
	json_put_text(object, "serial", facts->serial);
	json_put_text(object, "firmware", facts->firmware);
	json_put_text(object, "interface", facts->interface);
	json_put_u64(object, "namespace_id", facts->namespace_id);
	json_put_u64(object, "namespace_count", facts->namespace_count);
	json_put_u64(object, "capacity_bytes", facts->capacity_bytes);
}

static json_t *queue_json(const struct drive_facts *facts)
{
	json_t *object = json_object();

	json_put_u64(object, "logical_block_bytes", facts->logical_block_bytes);
	json_put_u64(object, "physical_block_bytes", facts->physical_block_bytes);
	json_put_u64(object, "minimum_io_bytes", facts->minimum_io_bytes);
	json_put_u64(object, "optimal_io_bytes", facts->optimal_io_bytes);
	json_put_u64(object, "max_request_bytes", facts->max_request_bytes);
	json_put_u64(object, "max_segments", facts->max_segments);
	json_put_u64(object, "requests", facts->queue_requests);
	json_put_u64(object, "hardware_queues", facts->hardware_queues);
	json_put_text(object, "scheduler", facts->scheduler);
	json_put_text(object, "write_cache", facts->write_cache);
	json_put_text(object, "zoned", facts->zoned);
	json_put_flag(object, "polling", facts->polling);
	json_put_u64(object, "nomerges", facts->nomerges);
	json_put_u64(object, "rq_affinity", facts->rq_affinity);
	json_put_u64(object, "writeback_latency_us", facts->writeback_latency_us);
	json_put_u64(object, "read_ahead_bytes", facts->read_ahead_bytes);
	json_put_u64(object, "discard_granularity_bytes", facts->discard_granularity_bytes);
	json_put_u64(object, "discard_max_bytes", facts->discard_max_bytes);
	return object;
}

static json_t *links_json(const struct drive_facts *facts)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < facts->link_count; i++) {
		const struct drive_link *link = &facts->link[i];
		json_t *object = json_object();

		json_put_text(object, "address", link->address);
		json_put_real(object, "speed_now_gt_per_second", link->speed_now);
		json_put_real(object, "speed_max_gt_per_second", link->speed_max);
		json_put_u64(object, "width_now", link->width_now);
		json_put_u64(object, "width_max", link->width_max);
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *sensors_json(const struct drive_health *health)
{
	json_t *array = json_array();

	for (int i = 0; i < 8; i++)
		if (isfinite(health->sensor_c[i]))
			json_array_append_new(array, json_real(health->sensor_c[i]));
	return array;
}

static json_t *health_json(const struct drive_health *health)
{
	json_t *object = json_object();

	json_put_real(object, "temperature_c", health->temperature_c);
	json_object_set_new(object, "sensors_c", sensors_json(health));
	json_put_real(object, "warning_c", health->warning_c);
	json_put_real(object, "critical_c", health->critical_c);
	json_put_real(object, "throttle1_c", health->throttle1_c);
	json_put_real(object, "throttle2_c", health->throttle2_c);
	json_put_u64(object, "critical_warning", health->critical_warning);
	json_put_u64(object, "spare_percent", health->spare_percent);
	json_put_u64(object, "spare_threshold_percent", health->spare_threshold_percent);
	json_put_u64(object, "used_percent", health->used_percent);
	json_put_u64(object, "host_read_bytes", health->host_read_bytes);
	json_put_u64(object, "host_write_bytes", health->host_write_bytes);
	json_put_u64(object, "nand_write_bytes", health->nand_write_bytes);
	json_put_u64(object, "nand_log", health->nand_log);
	json_put_u64(object, "media_errors", health->media_errors);
	json_put_u64(object, "error_log_entries", health->error_log_entries);
	json_put_u64(object, "power_cycles", health->power_cycles);
	json_put_u64(object, "power_on_hours", health->power_on_hours);
	json_put_u64(object, "unsafe_shutdowns", health->unsafe_shutdowns);
	json_put_u64(object, "warning_minutes", health->warning_minutes);
	json_put_u64(object, "critical_minutes", health->critical_minutes);
	json_put_u64(object, "throttle1_count", health->throttle1_count);
	json_put_u64(object, "throttle2_count", health->throttle2_count);
	json_put_u64(object, "throttle1_seconds", health->throttle1_seconds);
	json_put_u64(object, "throttle2_seconds", health->throttle2_seconds);
	json_put_u64(object, "power_state", health->power_state);
	return object;
}

static json_t *partitions_json(const struct drive_facts *facts)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < facts->partition_count; i++) {
		const struct drive_partition *partition = &facts->partition[i];
		json_t *object = json_object();

		json_put_text(object, "name", partition->name);
		json_put_u64(object, "number", partition->number);
		json_put_u64(object, "start_bytes", partition->start_bytes);
		json_put_u64(object, "size_bytes", partition->size_bytes);
		json_put_flag(object, "aligned_4k", partition->aligned_4k);
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *power_states_json(const struct drive_facts *facts)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < facts->power_state_count; i++) {
		const struct drive_power_state *state = &facts->power_state[i];
		json_t *object = json_object();

		json_put_real(object, "watts_max", state->watts);
		json_put_flag(object, "operational", state->operational);
		json_put_u64(object, "entry_us", state->entry_us);
		json_put_u64(object, "exit_us", state->exit_us);
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *error_json(const struct drive_error *error)
{
	json_t *object = json_object();

	json_put_u64(object, "number", error->number);
	json_put_u64(object, "queue", error->queue);
	json_put_u64(object, "status", error->status);
	json_put_text(object, "meaning", nvme_status_text(error->status));
	json_put_u64(object, "block", error->block);
	json_put_u64(object, "namespace_id", error->namespace_id);
	return object;
}

/* Newest first; null when the log could not be read. */
static json_t *errors_json(const struct drive_errors *errors)
{
	json_t *array = errors->known ? json_array() : json_null();

	for (uint32_t i = 0; i < errors->count; i++)
		json_array_append_new(array, error_json(&errors->entry[i]));
	return array;
}

/* That nothing uses a drive is said only of one that answered. */
static json_t *known_lines(const struct drive_facts *facts, const struct lines *lines)
{
	return facts->silent ? json_null() : json_from_lines(lines);
}

static json_t *facts_json(const struct drive_facts *facts)
{
	json_t *object = json_object();

	put_identity(object, facts);
	json_put_flag(object, "rotational", facts->rotational);
	json_put_flag(object, "read_only", facts->read_only);
	json_put_flag(object, "removable", facts->removable);
	json_object_set_new(object, "numa_node",
			    facts->numa_node < 0 ? json_null() : json_integer(facts->numa_node));
	json_object_set_new(object, "queue", queue_json(facts));
	json_object_set_new(object, "links", facts->silent ? json_null() : links_json(facts));
	json_object_set_new(object, "health", health_json(&facts->health));
	json_object_set_new(object, "power_states", facts->silent ? json_null() : power_states_json(facts));
	json_object_set_new(object, "error_log", errors_json(&facts->errors));
	json_object_set_new(object, "partitions", facts->silent ? json_null() : partitions_json(facts));
	json_object_set_new(object, "in_use", known_lines(facts, &facts->in_use));
	json_object_set_new(object, "signatures", known_lines(facts, &facts->signatures));
	json_object_set_new(object, "warnings", known_lines(facts, &facts->warnings));
	json_object_set_new(object, "not_read", json_from_lines(&facts->not_read));
	return object;
}

char *drive_facts_json(const struct drive_facts *facts)
{
	return json_take_text(facts_json(facts));
}

char *drive_health_json(const struct drive_health *health)
{
	return json_take_text(health_json(health));
}
