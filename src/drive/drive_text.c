#include "base/units.h"
#include "drive/drive.h"
#include "drive/nvme_log.h"
#include <math.h>
#include <stdarg.h>
#include <string.h>

#define ERRORS_SHOWN 3

/* A line "  heading     one, two, three": it exists from its first item on. */
struct row {
	struct text *out;
	const char *heading;
	bool begun;
};

static void row_add(struct row *row, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void row_add(struct row *row, const char *format, ...)
{
	va_list args;

	if (row->begun)
		text_append(row->out, ", ");
	else
		text_printf(row->out, "  %-11s ", row->heading);
	row->begun = true;
	va_start(args, format);
	text_vprintf(row->out, format, args);
	va_end(args);
}

static void row_count(struct row *row, const char *before, uint64_t number, const char *after)
{
	if (number != DRIVE_UNKNOWN)
		row_add(row, "%s%llu%s", before, (unsigned long long)number, after);
}

static void row_capacity(struct row *row, const char *before, uint64_t bytes)
{
	char size[UNITS_TEXT];

	if (bytes != DRIVE_UNKNOWN)
		row_add(row, "%s%s", before, capacity_format(bytes, size));
}

static void row_end(struct row *row)
{
	if (row->begun)
		text_append_char(row->out, '\n');
}

static void append_identity(struct text *out, const struct drive_facts *facts)
{
	struct row row = {out, "serial", false};
	char size[UNITS_TEXT];

	text_printf(out, "%s  %s%s", facts->path, facts->model, facts->model[0] ? "  " : "");
	text_append(out, facts->capacity_bytes == DRIVE_UNKNOWN ?
				 "unknown size" :
				 capacity_format(facts->capacity_bytes, size));
	text_printf(out, "%s%s\n", facts->interface[0] ? "  " : "", facts->interface);
	if (facts->silent)
		return;
	text_printf(out, "  id          %s\n", facts->id);
	if (facts->serial[0])
		row_add(&row, "%s", facts->serial);
	if (facts->firmware[0])
		row_add(&row, "%sfirmware %s", facts->serial[0] ? "" : "unknown, ", facts->firmware);
	if (facts->namespace_count != DRIVE_UNKNOWN && facts->namespace_count > 1)
		row_add(&row, "namespace %llu of %llu", (unsigned long long)facts->namespace_id,
			(unsigned long long)facts->namespace_count);
	row_end(&row);
}

static void append_blocks(struct text *out, const struct drive_facts *facts)
{
	struct row row = {out, "blocks", false};
	char size[UNITS_TEXT], most[UNITS_TEXT];

	row_count(&row, "", facts->logical_block_bytes, " B logical");
	row_count(&row, "", facts->physical_block_bytes, " B physical");
	if (facts->max_request_bytes != DRIVE_UNKNOWN)
		row_add(&row, "requests of at most %s", size_format(facts->max_request_bytes, size));
	row_end(&row);
	row = (struct row){out, "discard", false};
	if (facts->discard_max_bytes == 0)
		row_add(&row, "no");
	else if (facts->discard_max_bytes != DRIVE_UNKNOWN && facts->discard_granularity_bytes != DRIVE_UNKNOWN)
		row_add(&row, "yes, in units of %s, at most %s at once",
			size_format(facts->discard_granularity_bytes, size),
			size_format(facts->discard_max_bytes, most));
	row_end(&row);
}

static void append_queue(struct text *out, const struct drive_facts *facts)
{
	struct row row = {out, "queue", false};

	if (facts->scheduler[0])
		row_add(&row, "scheduler %s", facts->scheduler);
	row_count(&row, "", facts->hardware_queues, facts->hardware_queues == 1 ? " hardware queue" : " hardware queues");
	row_count(&row, "", facts->queue_requests, " requests each");
	if (facts->polling >= 0)
		row_add(&row, facts->polling ? "polled" : "not polled");
	row_end(&row);
	row = (struct row){out, "cache", false};
	if (facts->write_cache[0])
		row_add(&row, "%s", facts->write_cache);
	row_end(&row);
	row = (struct row){out, "NUMA node", false};
	if (facts->numa_node >= 0)
		row_add(&row, "%lld", (long long)facts->numa_node);
	row_end(&row);
}

static void append_link(struct text *out, const struct drive_link *link, const char *heading)
{
	struct row row = {out, heading, false};

	if (isnan(link->speed_now))
		row_add(&row, "unknown speed");
	else
		row_add(&row, "%g GT/s", link->speed_now);
	if (link->width_now != DRIVE_UNKNOWN)
		text_printf(out, " x%llu", (unsigned long long)link->width_now);
	if (!isnan(link->speed_max))
		row_add(&row, "at most %g GT/s", link->speed_max);
	if (!isnan(link->speed_max) && link->width_max != DRIVE_UNKNOWN)
		text_printf(out, " x%llu", (unsigned long long)link->width_max);
	text_printf(out, " (%s)", link->address);
	row_end(&row);
}

static void append_temperature(struct text *out, const struct drive_health *health)
{
	struct row row = {out, "temperature", false};

	if (!isnan(health->temperature_c))
		row_add(&row, "%.0f C", health->temperature_c);
	if (!isnan(health->throttle1_c))
		row_add(&row, "set to throttle from %.0f C", health->throttle1_c);
	if (!isnan(health->throttle2_c))
		row_add(&row, "hard from %.0f C", health->throttle2_c);
	if (!isnan(health->warning_c))
		row_add(&row, "warning from %.0f C", health->warning_c);
	if (!isnan(health->critical_c))
		row_add(&row, "critical from %.0f C", health->critical_c);
	row_end(&row);
}

static void append_power(struct text *out, const struct drive_facts *facts)
{
	struct row row = {out, "power", false};

	row_count(&row, "in state ", facts->health.power_state, "");
	for (uint32_t i = 0; i < facts->power_state_count; i++)
		if (!isnan(facts->power_state[i].watts))
			row_add(&row, "%s%u: %.4g W%s", i ? "" : "states ", i, facts->power_state[i].watts,
				facts->power_state[i].operational ? "" : " idle");
	row_end(&row);
}

static void append_health(struct text *out, const struct drive_health *health)
{
	struct row row = {out, "health", false};

	row_count(&row, "", health->used_percent, " % used");
	row_count(&row, "spare ", health->spare_percent, " %");
	row_count(&row, "", health->media_errors, health->media_errors == 1 ? " media error" : " media errors");
	row_count(&row, "on for ", health->power_on_hours, " h");
	row_count(&row, "", health->unsafe_shutdowns, " unsafe shutdowns");
	row_end(&row);
	row = (struct row){out, "written", false};
	row_capacity(&row, "by the host ", health->host_write_bytes);
	row_capacity(&row, "to the flash ", health->nand_write_bytes);
	if (health->host_write_bytes != DRIVE_UNKNOWN && health->nand_write_bytes != DRIVE_UNKNOWN &&
	    health->host_write_bytes)
		row_add(&row, "write amplification %.2f",
			(double)health->nand_write_bytes / (double)health->host_write_bytes);
	row_end(&row);
}

static void append_errors(struct text *out, const struct drive_facts *facts)
{
	const struct drive_errors *errors = &facts->errors;
	struct row row = {out, "error log", false};

	row_count(&row, "", facts->health.error_log_entries, " over its life");
	for (uint32_t i = 0; i < errors->count && i < ERRORS_SHOWN; i++) {
		const struct drive_error *error = &errors->entry[i];
		const char *meaning = nvme_status_text(error->status);

		row_add(&row, "%s%s%s", i ? "" : "the last: ", error->queue ? "I/O, " : "command, ",
			meaning ? meaning : "status ");
		if (!meaning)
			text_printf(out, "0x%03x", error->status);
	}
	row_end(&row);
}

static void append_partitions(struct text *out, const struct drive_facts *facts)
{
	char size[UNITS_TEXT], start[UNITS_TEXT];

	for (uint32_t i = 0; i < facts->partition_count && !facts->parent[0]; i++) {
		const struct drive_partition *partition = &facts->partition[i];
		struct row row = {out, "partition", false};

		row_add(&row, "%s", partition->name);
		if (partition->size_bytes != DRIVE_UNKNOWN)
			row_add(&row, "%s", capacity_format(partition->size_bytes, size));
		if (partition->start_bytes != DRIVE_UNKNOWN)
			row_add(&row, "at %s", size_format(partition->start_bytes, start));
		row_add(&row, partition->aligned_4k ? "aligned to 4 KiB" : "not aligned to 4 KiB");
		row_end(&row);
	}
}

static void append_lines(struct text *out, const char *heading, const struct lines *lines)
{
	for (uint32_t i = 0; i < lines->count; i++)
		text_printf(out, "  %-11s %s\n", heading, lines->line[i]);
}

void drive_facts_text(const struct drive_facts *facts, struct text *out)
{
	append_identity(out, facts);
	append_blocks(out, facts);
	append_queue(out, facts);
	for (uint32_t i = 0; i < facts->link_count; i++)
		append_link(out, &facts->link[i], i ? "bridge" : "link");
	append_temperature(out, &facts->health);
	append_power(out, facts);
	append_health(out, &facts->health);
	append_errors(out, facts);
	append_partitions(out, facts);
	append_lines(out, "contains", &facts->signatures);
	append_lines(out, "in use", &facts->in_use);
	if (!facts->in_use.count && !facts->silent)
		text_append(out, facts->use_half_seen ? "  in use      no, as far as it can be seen\n" :
							"  in use      no\n");
	append_lines(out, "warning", &facts->warnings);
	append_lines(out, "not read", &facts->not_read);
}
