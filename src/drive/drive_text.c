#include "base/units.h"
#include "drive/drive.h"
#include <math.h>

static void append_size(struct text *out, const char *before, uint64_t bytes, const char *after)
{
	char size[UNITS_TEXT];

	if (bytes == DRIVE_UNKNOWN)
		text_printf(out, "%sunknown%s", before, after);
	else
		text_printf(out, "%s%s%s", before, capacity_format(bytes, size), after);
}

static void append_number(struct text *out, const char *before, uint64_t number, const char *after)
{
	if (number != DRIVE_UNKNOWN)
		text_printf(out, "%s%llu%s", before, (unsigned long long)number, after);
}

static void append_identity(struct text *out, const struct drive_facts *facts)
{
	text_printf(out, "%s  %s", facts->path, facts->model[0] ? facts->model : "unknown model");
	append_size(out, "  ", facts->capacity_bytes, "");
	text_printf(out, "  %s\n", facts->interface);
	text_printf(out, "  id          %s\n", facts->id);
	if (facts->serial[0] || facts->firmware[0])
		text_printf(out, "  serial      %s, firmware %s\n",
			    facts->serial[0] ? facts->serial : "unknown",
			    facts->firmware[0] ? facts->firmware : "unknown");
}

static void append_blocks(struct text *out, const struct drive_facts *facts)
{
	append_number(out, "  blocks      ", facts->logical_block_bytes, " B logical");
	append_number(out, ", ", facts->physical_block_bytes, " B physical");
	append_number(out, ", requests up to ", facts->max_request_bytes, " B");
	if (facts->discard_max_bytes != DRIVE_UNKNOWN)
		text_append(out, facts->discard_max_bytes ? ", discard" : ", no discard");
	text_printf(out, "\n  queue       %s%s", facts->scheduler[0] ? "scheduler " : "no scheduler known",
		    facts->scheduler);
	append_number(out, ", ", facts->hardware_queues, " hardware queues");
	append_number(out, ", ", facts->queue_requests, " requests");
	if (facts->write_cache[0])
		text_printf(out, ", write cache: %s", facts->write_cache);
	if (facts->numa_node >= 0)
		text_printf(out, ", NUMA node %lld", (long long)facts->numa_node);
	text_append_char(out, '\n');
}

static void append_links(struct text *out, const struct drive_facts *facts)
{
	for (uint32_t i = 0; i < facts->link_count; i++) {
		const struct drive_link *link = &facts->link[i];

		text_append(out, i ? "  bridge      " : "  link        ");
		if (isnan(link->speed_now))
			text_append(out, "unknown speed");
		else
			text_printf(out, "%g GT/s", link->speed_now);
		append_number(out, " x", link->width_now, "");
		if (!isnan(link->speed_max))
			text_printf(out, ", at most %g GT/s", link->speed_max);
		append_number(out, " x", link->width_max, "");
		text_printf(out, " (%s)\n", link->address);
	}
}

static void append_health(struct text *out, const struct drive_health *health)
{
	if (!isnan(health->temperature_c))
		text_printf(out, "  temperature %.0f C", health->temperature_c);
	if (!isnan(health->temperature_c) && !isnan(health->warning_c))
		text_printf(out, ", warning from %.0f C", health->warning_c);
	if (!isnan(health->temperature_c))
		text_append_char(out, '\n');
	if (health->used_percent == DRIVE_UNKNOWN)
		return;
	append_number(out, "  health      ", health->used_percent, " % used");
	append_number(out, ", spare ", health->spare_percent, " %");
	append_number(out, ", media errors ", health->media_errors, "");
	append_number(out, ", on for ", health->power_on_hours, " h");
	if (health->host_write_bytes != DRIVE_UNKNOWN)
		append_size(out, ", written ", health->host_write_bytes, "");
	text_append_char(out, '\n');
}

static void append_partitions(struct text *out, const struct drive_facts *facts)
{
	for (uint32_t i = 0; i < facts->partition_count && !facts->parent[0]; i++) {
		const struct drive_partition *partition = &facts->partition[i];

		append_size(out, "  partition   ", partition->size_bytes, "");
		text_printf(out, "  %s, %s\n", partition->name,
			    partition->aligned_4k ? "aligned" : "not aligned to 4 KiB");
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
	append_links(out, facts);
	append_health(out, &facts->health);
	append_partitions(out, facts);
	append_lines(out, "contains", &facts->signatures);
	append_lines(out, "in use", &facts->in_use);
	if (!facts->in_use.count)
		text_append(out, "  in use      no\n");
	append_lines(out, "warning", &facts->warnings);
	append_lines(out, "not read", &facts->not_read);
}

void drive_list_text(const struct drive_list *list, struct text *out)
{
	for (uint32_t i = 0; i < list->count; i++) {
		if (i)
			text_append_char(out, '\n');
		drive_facts_text(&list->drive[i], out);
	}
	if (!list->count)
		text_append(out, "no drives found\n");
}
