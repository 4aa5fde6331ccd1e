#include "assay/facts.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "assay/look.h"
#include "drive/drive.h"
#include "drive/drive_file.h"
#include "drive/drive_sim.h"

#define LOOK_AFTER_NS 5000000000ull
#define LOOK_INTERRUPTED_NS 250000000ull	/* the user waits for the end */

/* Texts that live as long as the row is being written. */
struct facts {
	struct drive_record record;
	struct drive_facts drive;
	bool has_drive;
	char *state, *drive_text;
	struct text file;
};

static void facts_release(struct facts *facts)
{
	if (facts->has_drive)
		drive_facts_release(&facts->drive);
	free(facts->state);
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

/* What the guard knows of the target, without a look at it. */
static struct drive_record record_of(uint32_t index, const struct guard_subject *subject)
{
	return (struct drive_record){
		.target = index,
		.name = subject->name,
		.kind = target_kind_name(subject->kind),
		.id = subject->id,
		.capacity_bytes = subject->size_bytes,
		.block_bytes = subject->block_bytes,
	};
}

static void facts_gather(struct facts *facts, uint32_t index, const struct assay_target *target)
{
	const struct guard_subject *subject = &target->subject;

	*facts = (struct facts){ .record = record_of(index, subject) };
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

struct facts_wanted {
	const struct assay_target *target;
	uint32_t index;
};

static void state_ask(void *context, struct text *answer)
{
	const struct facts_wanted *wanted = context;
	struct facts facts;

	facts_gather(&facts, wanted->index, wanted->target);
	text_append(answer, facts.state ? facts.state : "");
	facts_release(&facts);
}

/* A drive that hangs must hold up neither the beginning nor the end of a run. The state as JSON text, or NULL
 * when it did not answer in time. */
static char *state_look(uint32_t index, const struct assay_target *target, uint64_t wait_ns,
			const volatile sig_atomic_t *interrupted)
{
	struct facts_wanted wanted = { .target = target, .index = index };
	struct text state = { 0 };

	if (look(state_ask, &wanted, wait_ns, interrupted, &state) || !state.bytes) {
		text_release(&state);
		return NULL;
	}
	return text_take(&state);
}

static const char *word_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

/* `state` is the document of the drive, or of a file and the drive below it. */
static void identity_from(const json_t *state, struct drive_record *record)
{
	const json_t *below = json_object_get(state, "drive");
	const json_t *drive = json_is_object(below) ? below : state;

	record->model = word_of(drive, "model");
	record->serial = word_of(drive, "serial");
	record->firmware = word_of(drive, "firmware");
	record->interface_name = word_of(drive, "interface");
}

static int put_looked_at(struct store *store, uint32_t index, const struct assay_target *target,
			 const volatile sig_atomic_t *interrupted)
{
	char *text = state_look(index, target, LOOK_ANSWER_NS, interrupted);
	json_t *state = text ? json_loads(text, 0, NULL) : NULL;
	struct drive_record record = record_of(index, &target->subject);
	int error;

	record.before_json = text;
	identity_from(state, &record);
	error = store_put_drive(store, &record);
	json_decref(state);
	free(text);
	return error;
}

static int put_at_once(struct store *store, uint32_t index, const struct assay_target *target)
{
	struct facts facts;
	int error;

	facts_gather(&facts, index, target);
	facts.record.before_json = facts.state;
	error = store_put_drive(store, &facts.record);
	facts_release(&facts);
	return error;
}

int facts_before(struct store *store, uint32_t index, const struct assay_target *target,
		 const volatile sig_atomic_t *interrupted)
{
	const enum target_kind kind = target->subject.kind;

	return kind == TARGET_SIM || kind == TARGET_CHAR ? put_at_once(store, index, target)
							 : put_looked_at(store, index, target, interrupted);
}

static char *state_after(uint32_t index, const struct assay_target *target,
			 const volatile sig_atomic_t *interrupted)
{
	if (target->subject.kind == TARGET_SIM)
		return drive_sim_facts_json(&target->sim);
	if (interrupted && *interrupted)
		return state_look(index, target, LOOK_INTERRUPTED_NS, NULL);
	return state_look(index, target, LOOK_AFTER_NS, interrupted);
}

int facts_after(struct store *store, uint32_t index, const struct assay_target *target,
		uint64_t longest_stall_ns, const volatile sig_atomic_t *interrupted)
{
	const struct drive_record *drives;
	struct drive_record record;
	char *state, *truth = NULL;
	uint32_t count;
	int error = store_drives(store, &drives, &count);

	if (error || index >= count)
		return error ? error : -ENOENT;
	record = drives[index];
	record.after_json = state = state_after(index, target, interrupted);
	record.longest_stall_ns = longest_stall_ns;
	if (target->subject.kind == TARGET_SIM)
		record.truth_json = truth = drive_sim_truth_json(&target->sim);
	error = store_put_drive(store, &record);
	free(state);
	free(truth);
	return error;
}
