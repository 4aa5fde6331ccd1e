/* While a resumed run is under way: what is stored already is not stored again; what a replay gives is
 * compared with it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "assay/resume.h"

static const struct step_record *done_step(const struct resume *resume, uint64_t id)
{
	for (uint32_t i = 0; i < resume->step_count; i++)
		if (resume->steps[i].id == id)
			return resume_knows(resume, id) ? &resume->steps[i] : NULL;
	return NULL;
}

bool resume_knows(const struct resume *resume, uint64_t step)
{
	for (uint32_t low = 0, high = resume->done_count; low < high;) {
		uint32_t middle = (low + high) / 2;

		if (resume->done_id[middle] == step)
			return true;
		if (resume->done_id[middle] < step)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

static int mismatch(struct resume *resume, const char *name, const char *what, uint64_t now, uint64_t stored)
{
	snprintf(resume->mismatch, sizeof(resume->mismatch),
		 "step '%.80s' replayed gives %" PRIu64 " %s where the run file has %" PRIu64 ": another version of the program, "
		 "or the profile was changed; the run cannot go on", name, now, what, stored);
	return -EBADE;
}

int resume_hears_step(struct resume *resume, const struct step_record *step)
{
	const struct step_record *stored = done_step(resume, step->id);

	if (!stored) {
		resume->live = true;
		return 0;
	}
	if (strcmp(stored->path, step->path ? step->path : ""))
		return mismatch(resume, step->name, "as number of the step", step->id, stored->id);
	if (step->status == RUN_COMPLETE && step->duration_ns != stored->duration_ns)
		return mismatch(resume, step->name, "ns", step->duration_ns, stored->duration_ns);
	return 1;
}

int resume_hears_load(struct resume *resume, const struct load_record *load)
{
	const struct load_record *stored = NULL;

	if (!resume_knows(resume, load->step))
		return 0;
	for (uint32_t i = 0; i < resume->load_count && !stored; i++)
		if (resume->loads[i].step == load->step && resume->loads[i].load == load->load)
			stored = &resume->loads[i];
	if (!load->total || !stored || !stored->total)
		return 1;
	for (int op = 0; op < IO_OPS; op++) {
		const struct op_tally *now = &load->total->op[op], *then = &stored->total->op[op];

		if (now->ios != then->ios)
			return mismatch(resume, load->name, "I/Os", now->ios, then->ios);
		if (now->service.moments.sum_ns != then->service.moments.sum_ns)
			return mismatch(resume, load->name, "ns of latency in all",
					(uint64_t)now->service.moments.sum_ns,
					(uint64_t)then->service.moments.sum_ns);
	}
	return 1;
}

int resume_hears_event(const struct resume *resume, const struct event_record *event)
{
	if (resume_knows(resume, event->step))
		return 1;
	if (resume->live || event->step)
		return 0;
	for (uint32_t i = 0; i < resume->event_count; i++) {
		const struct event_record *stored = &resume->events[i];

		if (!stored->step && !strcmp(stored->kind ? stored->kind : "", event->kind) &&
		    !strcmp(stored->text ? stored->text : "", event->text ? event->text : "") &&
		    strcmp(event->kind, "resume"))
			return 1;
	}
	return 0;
}
