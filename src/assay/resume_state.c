/* Is a drive as the run left it? Whether anything else wrote since is told by the counters that the run noted
 * once a second: the drive's own count of bytes written by hosts, the block layer's within one boot of the
 * host, the time of the last change of a file. A run that was killed may have written for a moment after its
 * last note. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "assay/resume.h"

#define SECONDS_UNSEEN 3.0		/* between the last note of a killed run and its last write */
#define HOST_UNIT 512000.0		/* NVMe counts in thousands of 512 bytes, rounded up */

struct noted {
	double host_bytes, host_step;	/* last, and largest growth within one note; NaN = never noted */
	double block_bytes, block_step;
};

struct notes {
	int32_t target;
	struct noted noted;
};

static void counter_note(double value, double *last, double *step)
{
	if (!isnan(*last) && value - *last > *step)
		*step = value - *last;
	*last = value;
}

static int row_note(void *context, const struct telemetry_record *row)
{
	struct notes *notes = context;
	struct noted *noted = &notes->noted;

	if (row->target != notes->target)
		return 0;
	if (!strcmp(row->name, "host_write_bytes"))
		counter_note(row->value, &noted->host_bytes, &noted->host_step);
	if (!strcmp(row->name, "block_write_total_bytes"))
		counter_note(row->value, &noted->block_bytes, &noted->block_step);
	return 0;
}

/* `why`: a SAID_WORD. */
static bool verdict(struct resume *resume, bool kept, const char *name, const char *why)
{
	struct saying words = { 0 };

	saying_release(&resume->state);
	saying_add(&resume->state,
		   kept ? "nothing else has written to %s %p: no preconditioning again"
			: "preconditioning is done again: %s %p",
		   name, saying_word(&words, why));
	return kept;
}

static bool grown_little(const struct resume *resume, double now, double last, double step, double unit)
{
	double allowed = unit + (resume->run->status == RUN_RUNNING ? SECONDS_UNSEEN * step : 0);

	return now >= last && now - last <= allowed;
}

static bool block_kept(struct resume *resume, const char *name, const struct resume_drive *now,
		       const struct noted *noted)
{
	if (!isnan(noted->host_bytes) && now->host_write_bytes != DRIVE_UNKNOWN)
		return grown_little(resume, (double)now->host_write_bytes, noted->host_bytes,
				    noted->host_step, HOST_UNIT)
			       ? verdict(resume, true, name, SAID_WORD("by its own counter"))
			       : verdict(resume, false, name,
					 SAID_WORD("has been written to since, by its own counter"));
	if (isnan(noted->block_bytes) || !resume->same_boot || now->block_write_bytes == DRIVE_UNKNOWN)
		return verdict(resume, false, name,
			       SAID_WORD("has no counter that would tell whether it was written to since"));
	return grown_little(resume, (double)now->block_write_bytes, noted->block_bytes, noted->block_step, 0)
		       ? verdict(resume, true, name, SAID_WORD("by the block layer's counter"))
		       : verdict(resume, false, name,
				 SAID_WORD("has been written to since, by the block layer's counter"));
}

static bool file_kept(struct resume *resume, const struct assay_target *target, const struct resume_drive *now)
{
	double unseen = resume->run->status == RUN_RUNNING ? SECONDS_UNSEEN : 0.1;
	const char *name = target->subject.name;

	if (target->subject.temporary)
		return verdict(resume, false, name, SAID_WORD("gets a new file"));
	if (!resume->wall_ns || !now->found)
		return verdict(resume, false, name, SAID_WORD("is not known to be unchanged"));
	return now->changed_s <= (double)resume->wall_ns / 1e9 + unseen
		       ? verdict(resume, true, name, SAID_WORD("by the time of its last change"))
		       : verdict(resume, false, name, SAID_WORD("was changed since"));
}

static int target_kept(struct resume *resume, const struct assay_target *target, int32_t index, bool *ret_kept)
{
	struct notes notes = { index, { NAN, 0, NAN, 0 } };
	int error = store_each_telemetry(resume->store, row_note, &notes);

	if (error)
		return error;
	switch (target->subject.kind) {
	case TARGET_BLOCK:
	case TARGET_NVME_GENERIC:
		*ret_kept = block_kept(resume, target->subject.name, &resume->now[index], &notes.noted);
		break;
	case TARGET_FILE:
		*ret_kept = file_kept(resume, target, &resume->now[index]);
		break;
	default:
		*ret_kept = true;
		break;
	}
	return 0;
}

int resume_state(struct resume *resume, const struct assay_target *targets, uint32_t count, bool trusted)
{
	bool kept = true;
	int error = 0;

	resume->state_kept = true;
	saying_release(&resume->state);
	saying_add(&resume->state,
		   trusted ? "the user trusts the state of the drive" : "there is nothing to precondition");
	if (trusted || resume->is_virtual)
		return 0;
	for (uint32_t i = 0; i < count && kept && !error; i++)
		error = target_kept(resume, &targets[i], (int32_t)i, &kept);
	if (!error && kept && resume->again_cut)
		kept = verdict(resume, false, targets[0].subject.name,
			       SAID_WORD("was not brought back to its state by the part before"));
	resume->state_kept = kept;
	return error;
}
