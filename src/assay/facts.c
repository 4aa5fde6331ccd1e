#include "assay/facts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "drive/drive.h"
#include "drive/drive_file.h"
#include "drive/drive_sim.h"

/* Texts that live as long as the row is being written. */
struct facts {
	struct drive_record record;
	struct drive_facts drive;
	bool has_drive;
	char *state, *truth, *drive_text;
	struct text file;
};

static void facts_release(struct facts *facts)
{
	if (facts->has_drive)
		drive_facts_release(&facts->drive);
	free(facts->state);
	free(facts->truth);
	free(facts->drive_text);
	text_release(&facts->file);
}

static void identity_take(struct facts *facts)
{
	facts->record.model = facts->drive.model;
	facts->record.serial = facts->drive.serial;
	facts->record.firmware = facts->drive.firmware;
	facts->record.interface_name = facts->drive.interface;
}

/* A file: the file system, and the drive below it. */
static void file_take(struct facts *facts, const struct guard_subject *subject)
{
	struct drive_file_facts file;
	char *json;

	if (drive_file_facts(NULL, subject->path, &file, NULL))
		return;
	json = drive_file_facts_json(&file);
	if (file.dev && !drive_find_dev(NULL, file.dev, &facts->drive, NULL)) {
		facts->has_drive = true;
		facts->drive_text = drive_facts_json(&facts->drive);
		identity_take(facts);
	}
	text_printf(&facts->file, "{\"file\":%s,\"drive\":%s}", json ? json : "null",
		    facts->drive_text ? facts->drive_text : "null");
	free(json);
	drive_file_facts_release(&file);
	facts->state = text_take(&facts->file);
}

static void facts_gather(struct facts *facts, uint32_t index, const struct assay_target *target)
{
	const struct guard_subject *subject = &target->subject;

	*facts = (struct facts){ 0 };
	facts->record = (struct drive_record){
		.target = index,
		.name = subject->name,
		.kind = target_kind_name(subject->kind),
		.id = subject->id,
		.capacity_bytes = subject->size_bytes,
		.block_bytes = subject->block_bytes,
	};
	switch (subject->kind) {
	case TARGET_SIM:
		facts->record.capacity_bytes = target->sim.size_bytes;
		facts->record.block_bytes = target->sim.block_bytes;
		facts->record.model = drive_sim_model(&target->sim);
		facts->record.serial = drive_sim_serial(&target->sim);
		facts->record.firmware = drive_sim_firmware(&target->sim);
		facts->record.interface_name = "simulated";
		facts->state = drive_sim_facts_json(&target->sim);
		break;
	case TARGET_BLOCK:
	case TARGET_NVME_GENERIC:
		if (drive_find_dev(NULL, subject->dev, &facts->drive, NULL))
			break;
		facts->has_drive = true;
		identity_take(facts);
		facts->state = drive_facts_json(&facts->drive);
		break;
	case TARGET_FILE:
		file_take(facts, subject);
		break;
	case TARGET_CHAR:
		facts->record.model = "no drive: the program's own speed";
		break;
	}
}

int facts_before(struct store *store, uint32_t index, const struct assay_target *target)
{
	struct facts facts;
	int error;

	facts_gather(&facts, index, target);
	facts.record.before_json = facts.state;
	error = store_put_drive(store, &facts.record);
	facts_release(&facts);
	return error;
}

int facts_after(struct store *store, uint32_t index, const struct assay_target *target, uint64_t longest_stall_ns)
{
	const struct drive_record *drives;
	struct drive_record record;
	struct facts facts;
	uint32_t count;
	int error = store_drives(store, &drives, &count);

	if (error || index >= count)
		return error ? error : -ENOENT;
	facts_gather(&facts, index, target);
	record = drives[index];
	record.after_json = facts.state;
	record.longest_stall_ns = longest_stall_ns;
	if (target->subject.kind == TARGET_SIM)
		record.truth_json = facts.truth = drive_sim_truth_json(&target->sim);
	error = store_put_drive(store, &record);
	facts_release(&facts);
	return error;
}
