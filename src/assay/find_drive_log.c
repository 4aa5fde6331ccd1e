/* What the drive itself wrote into its error log during the run. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "assay/finding.h"
#include "store/json_reader.h"

struct log_growth {
	double entries;			/* new ones, by the drive's own count */
	uint32_t seen, of_io;		/* of those still in the log: all, and of I/O commands */
	char first[120];		/* the oldest new one of I/O, else of all */
	double block;			/* where */
};

static double count_of(const json_t *facts)
{
	return json_real_in(json_object_get(facts, "health"), "error_log_entries");
}

/* What it was, in the words of the log. */
static void entry_take(const json_t *entry, struct log_growth *growth)
{
	const char *meaning = json_string_value(json_object_get(entry, "meaning"));

	if (meaning)
		snprintf(growth->first, sizeof(growth->first), "%.100s", meaning);
	else
		snprintf(growth->first, sizeof(growth->first), "status 0x%03x",
			 (unsigned int)json_real_in(entry, "status"));
	growth->block = json_real_in(entry, "block");
}

/* The log is newest first, so the last one that is looked at is the oldest of the run. */
static void entries_see(const json_t *log, double before, struct log_growth *growth)
{
	const json_t *entry;
	size_t i;

	json_array_foreach (log, i, entry) {
		bool is_io = json_real_in(entry, "queue") > 0;

		if (!(json_real_in(entry, "number") > before))
			continue;
		growth->seen++;
		growth->of_io += is_io;
		if (is_io || !growth->of_io)
			entry_take(entry, growth);
	}
}

static int tell(const struct evidence *evidence, const struct drive_record *drive,
		const struct log_growth *growth)
{
	struct finding_record finding = {
		.kind = "error_log", .unit = "entries", .value = growth->entries, .low = NAN, .high = NAN
	};
	json_t *data = json_object();
	struct saying which = { 0 };

	data_real(data, "entries", growth->entries);
	data_real(data, "seen", growth->seen);
	data_real(data, "of_io", growth->of_io);
	if (growth->of_io)
		saying_add(&which, ", %u of them of reads and writes, first: %s at block %.0f", growth->of_io,
			   growth->first, growth->block);
	else if (growth->seen)
		saying_add(&which,
			   ", none of reads or writes in what the log still holds (%s: a question that the "
			   "drive does not answer)",
			   growth->first);
	return finding_put(evidence, NULL, &finding, data,
			   growth->entries == 1
				   ? "%s wrote %.0f new entry into its error log during the run%p."
				   : "%s wrote %.0f new entries into its error log during the run%p.",
			   drive->name, growth->entries, &which);
}

static int drive_see(const struct evidence *evidence, const struct drive_record *drive)
{
	json_t *before = drive_facts_of(drive, false), *after = drive_facts_of(drive, true);
	struct log_growth growth = { .entries = count_of(after) - count_of(before) };
	int error = 0;

	if (growth.entries > 0) {
		entries_see(json_object_get(after, "error_log"), count_of(before), &growth);
		error = tell(evidence, drive, &growth);
	}
	json_decref(before);
	json_decref(after);
	return error;
}

int find_drive_log(const struct evidence *evidence)
{
	int error = 0;

	for (uint32_t i = 0; i < evidence->drive_count && !error; i++)
		error = drive_see(evidence, &evidence->drives[i]);
	return error;
}
