/* What the run cost the drive: written by the host and to the flash, and rated life, by the drive's own
 * counters. */
#include <math.h>
#include <stdio.h>
#include "assay/finding.h"
#include "base/units.h"
#include "store/json_reader.h"

struct wear {
	double host, nand;		/* bytes during the run; NaN = not known */
	double used_before, used_after;	/* % of the rated life */
};

static double count_of(const json_t *facts, const char *key)
{
	return json_real_in(json_object_get(facts, "health"), key);
}

static void wear_read(const struct drive_record *drive, struct wear *wear)
{
	json_t *before = drive_facts_of(drive, false), *after = drive_facts_of(drive, true);

	*wear = (struct wear){
		.host = count_of(after, "host_write_bytes") - count_of(before, "host_write_bytes"),
		.nand = count_of(after, "nand_write_bytes") - count_of(before, "nand_write_bytes"),
		.used_before = count_of(before, "used_percent"),
		.used_after = count_of(after, "used_percent"),
	};
	json_decref(before);
	json_decref(after);
}

static int wear_tell(const struct evidence *evidence, const struct drive_record *drive, const struct wear *wear)
{
	struct finding_record finding = { .kind = "wear", .unit = "bytes", .value = wear->host, .low = NAN, .high = NAN };
	struct saying flash = { 0 }, life = { 0 };
	char host[UNITS_TEXT], nand[UNITS_TEXT];
	json_t *data = json_object();

	data_real(data, "host_write_bytes", wear->host);
	data_real(data, "nand_write_bytes", wear->nand);
	data_real(data, "write_amplification", wear->nand / wear->host);
	data_real(data, "used_percent_before", wear->used_before);
	data_real(data, "used_percent_after", wear->used_after);
	if (wear->nand > 0)
		saying_add(&flash, " and wrote %s to its flash (write amplification %.2f)",
			 capacity_format((uint64_t)wear->nand, nand), wear->nand / wear->host);
	if (wear->used_after > wear->used_before)
		saying_add(&life, "; its rated life used went from %.0f to %.0f %%", wear->used_before,
			 wear->used_after);
	return finding_put(evidence, NULL, &finding, data,
			   "By its own counters %s took %s from the host during the run%p%p.", drive->name,
			   capacity_format((uint64_t)wear->host, host), &flash, &life);
}

int find_wear(const struct evidence *evidence)
{
	struct wear wear;
	int error = 0;

	for (uint32_t i = 0; i < evidence->drive_count && !error; i++) {
		wear_read(&evidence->drives[i], &wear);
		if (wear.host > 0)
			error = wear_tell(evidence, &evidence->drives[i], &wear);
	}
	return error;
}
