#include "drive/smartctl.h"
#include "drive/health.h"
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DATA_UNIT_BYTES 512000ull	/* NVMe */
#define GIGABYTE 1e9			/* of SCSI's error counter log */

/* -- values, of which none is believed blindly -- */

static const json_t *at(const json_t *object, const char *first, const char *second, const char *third)
{
	object = json_object_get(object, first);
	if (second)
		object = json_object_get(object, second);
	return third ? json_object_get(object, third) : object;
}

static void take_text(const json_t *value, char *buffer, uint32_t buffer_bytes)
{
	if (json_is_string(value) && !buffer[0])
		machine_clean_text(json_string_value(value), buffer, buffer_bytes);
}

static void take_u64(const json_t *value, uint64_t unit, uint64_t *field)
{
	if (json_is_integer(value) && json_integer_value(value) >= 0 &&
	    (uint64_t)json_integer_value(value) <= (UINT64_MAX - 1) / unit)
		*field = (uint64_t)json_integer_value(value) * unit;
}

static void take_celsius(const json_t *value, double *field)
{
	if (json_is_number(value) && json_number_value(value) > -100 && json_number_value(value) < 200 &&
	    json_number_value(value) != 0)
		*field = json_number_value(value);
}

/* -- all kinds -- */

static void parse_common(const json_t *root, struct smartctl *to)
{
	struct drive_health *health = &to->health;
	const json_t *passed = at(root, "smart_status", "passed", NULL);

	take_text(json_object_get(root, "model_name"), to->model, sizeof to->model);
	take_text(json_object_get(root, "scsi_model_name"), to->model, sizeof to->model);
	take_text(json_object_get(root, "serial_number"), to->serial, sizeof to->serial);
	take_text(json_object_get(root, "firmware_version"), to->firmware, sizeof to->firmware);
	take_text(json_object_get(root, "scsi_revision"), to->firmware, sizeof to->firmware);
	to->passed = json_is_boolean(passed) ? json_is_true(passed) : -1;
	take_celsius(at(root, "temperature", "current", NULL), &health->temperature_c);
	take_celsius(at(root, "temperature", "drive_trip", NULL), &health->critical_c);
	take_u64(at(root, "power_on_time", "hours", NULL), 1, &health->power_on_hours);
	take_u64(json_object_get(root, "power_cycle_count"), 1, &health->power_cycles);
	take_u64(at(root, "endurance_used", "current_percent", NULL), 1, &health->used_percent);
	take_u64(at(root, "spare_available", "current_percent", NULL), 1, &health->spare_percent);
}

/* -- ATA -- */

/* The unit that an attribute's name tells; 0 = it tells none. */
static uint64_t unit_of(const char *name)
{
	static const struct {
		const char *part;
		uint64_t bytes;
	} units[] = {
		{ "32MiB", 32ull << 20 }, { "1GiB", 1ull << 30 }, { "GiB", 1ull << 30 }, { "MiB", 1ull << 20 },
		{ "TiB", 1ull << 40 },	  { "LBA", 512 },
	};

	for (uint32_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strstr(name, units[i].part))
			return units[i].bytes;
	return 0;
}

static bool has_word(const char *name, const char *word)
{
	return strcasestr(name, word) != NULL;
}

static void parse_attribute(const char *name, const json_t *raw, struct drive_health *health)
{
	const uint64_t unit = unit_of(name);

	if (!unit)
		return;
	if (has_word(name, "nand") && has_word(name, "writ"))
		take_u64(raw, unit, &health->nand_write_bytes);
	else if (has_word(name, "read"))
		take_u64(raw, unit, &health->host_read_bytes);
	else if (has_word(name, "writ"))
		take_u64(raw, unit, &health->host_write_bytes);
}

static void parse_attributes(const json_t *root, struct drive_health *health)
{
	const json_t *table = at(root, "ata_smart_attributes", "table", NULL), *attribute;
	size_t i;

	json_array_foreach(table, i, attribute) {
		const char *name = json_string_value(json_object_get(attribute, "name"));

		if (name)
			parse_attribute(name, at(attribute, "raw", "value", NULL), health);
	}
}

/* Device Statistics (ACS-4, 9.5): page and offset say what it is. */
static void parse_statistic(json_int_t page, json_int_t offset, const json_t *value,
			    struct drive_health *health)
{
	if (page == 1 && offset == 24)
		take_u64(value, 512, &health->host_write_bytes);
	else if (page == 1 && offset == 40)
		take_u64(value, 512, &health->host_read_bytes);
	else if (page == 4 && offset == 8)
		take_u64(value, 1, &health->media_errors);
	else if (page == 7 && offset == 8)
		take_u64(value, 1, &health->used_percent);
}

static void parse_statistics(const json_t *root, struct drive_health *health)
{
	const json_t *pages = at(root, "ata_device_statistics", "pages", NULL), *page, *row;
	size_t p, r;

	json_array_foreach(pages, p, page)
		json_array_foreach(json_object_get(page, "table"), r, row)
			if (json_is_true(at(row, "flags", "valid", NULL)))
				parse_statistic(json_integer_value(json_object_get(page, "number")),
						json_integer_value(json_object_get(row, "offset")),
						json_object_get(row, "value"), health);
}

/* -- SCSI -- */

/* "12345.678": gigabytes as a decimal string. */
static void take_gigabytes(const json_t *value, uint64_t *field)
{
	const char *text = json_string_value(value);
	char *end;
	double gigabytes;

	if (!text)
		return;
	gigabytes = strtod(text, &end);
	if (end != text && gigabytes >= 0 && gigabytes < 1e10)
		*field = (uint64_t)(gigabytes * GIGABYTE);
}

static void parse_scsi(const json_t *root, struct drive_health *health)
{
	uint64_t read_errors = DRIVE_UNKNOWN, write_errors = DRIVE_UNKNOWN;

	take_u64(json_object_get(root, "scsi_percentage_used_endurance_indicator"), 1, &health->used_percent);
	take_gigabytes(at(root, "scsi_error_counter_log", "read", "gigabytes_processed"),
		       &health->host_read_bytes);
	take_gigabytes(at(root, "scsi_error_counter_log", "write", "gigabytes_processed"),
		       &health->host_write_bytes);
	take_u64(at(root, "scsi_error_counter_log", "read", "total_uncorrected_errors"), 1, &read_errors);
	take_u64(at(root, "scsi_error_counter_log", "write", "total_uncorrected_errors"), 1, &write_errors);
	if (read_errors != DRIVE_UNKNOWN || write_errors != DRIVE_UNKNOWN)
		health->media_errors = (read_errors == DRIVE_UNKNOWN ? 0 : read_errors) +
				       (write_errors == DRIVE_UNKNOWN ? 0 : write_errors);
}

/* -- NVMe, behind a bridge -- */

static void parse_nvme(const json_t *root, struct drive_health *health)
{
	const json_t *log = json_object_get(root, "nvme_smart_health_information_log"), *sensor;
	size_t i;

	take_u64(json_object_get(log, "critical_warning"), 1, &health->critical_warning);
	take_celsius(json_object_get(log, "temperature"), &health->temperature_c);
	take_u64(json_object_get(log, "available_spare"), 1, &health->spare_percent);
	take_u64(json_object_get(log, "available_spare_threshold"), 1, &health->spare_threshold_percent);
	take_u64(json_object_get(log, "percentage_used"), 1, &health->used_percent);
	take_u64(json_object_get(log, "data_units_read"), DATA_UNIT_BYTES, &health->host_read_bytes);
	take_u64(json_object_get(log, "data_units_written"), DATA_UNIT_BYTES, &health->host_write_bytes);
	take_u64(json_object_get(log, "power_cycles"), 1, &health->power_cycles);
	take_u64(json_object_get(log, "power_on_hours"), 1, &health->power_on_hours);
	take_u64(json_object_get(log, "unsafe_shutdowns"), 1, &health->unsafe_shutdowns);
	take_u64(json_object_get(log, "media_errors"), 1, &health->media_errors);
	take_u64(json_object_get(log, "num_err_log_entries"), 1, &health->error_log_entries);
	take_u64(json_object_get(log, "warning_temp_time"), 1, &health->warning_minutes);
	take_u64(json_object_get(log, "critical_comp_time"), 1, &health->critical_minutes);
	json_array_foreach(json_object_get(log, "temperature_sensors"), i, sensor)
		if (i < 8)
			take_celsius(sensor, &health->sensor_c[i]);
}

/* -- the document -- */

static void parse_message(const json_t *root, struct smartctl *to)
{
	const json_t *messages = at(root, "smartctl", "messages", NULL);

	take_text(json_object_get(json_array_get(messages, 0), "string"), to->message, sizeof to->message);
}

int smartctl_parse(const char *json, struct smartctl *ret_smartctl)
{
	json_t *root = json_loads(json, JSON_REJECT_DUPLICATES, NULL);
	struct smartctl *to = ret_smartctl;
	bool told;

	*to = (struct smartctl){.passed = -1};
	health_unknown(&to->health);
	if (json_is_object(root)) {
		parse_message(root, to);
		parse_common(root, to);
		parse_attributes(root, &to->health);
		parse_statistics(root, &to->health);
		parse_scsi(root, &to->health);
		parse_nvme(root, &to->health);
	}
	json_decref(root);
	told = to->model[0] || to->serial[0] || !health_is_unknown(&to->health);
	return told ? 0 : -EBADMSG;
}

void smartctl_complete(const struct smartctl *smartctl, struct drive_health *health)
{
	health_complete(&smartctl->health, health);
}
