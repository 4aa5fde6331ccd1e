/* I/Os that failed, by reason, and those that moved less than was asked: exact counts, details from the list
 * of outliers. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "assay/finding.h"
#include "assay/io_reason.h"

#define REASONS_MAX 6u

struct reason {
	int32_t result; /* -errno */
	uint64_t ios;
};

/* What the list of outliers says about one load. */
struct failures {
	struct reason reason[REASONS_MAX]; /* the first ones that were met */
	uint32_t reasons;
	uint64_t listed, other;		/* errors; of them those with yet another reason */
	uint64_t offset_low, offset_high;
	uint64_t shorts, short_offset;	/* how many, and where the first was */
	uint32_t short_asked, short_moved;
};

static void error_see(struct failures *failures, const struct logged_io *io)
{
	uint32_t at = 0;

	if (!failures->listed++)
		failures->offset_low = failures->offset_high = io->offset;
	failures->offset_low = io->offset < failures->offset_low ? io->offset : failures->offset_low;
	failures->offset_high = io->offset > failures->offset_high ? io->offset : failures->offset_high;
	while (at < failures->reasons && failures->reason[at].result != io->result)
		at++;
	if (at == REASONS_MAX) {
		failures->other++;
		return;
	}
	failures->reasons += at == failures->reasons;
	failures->reason[at].result = io->result;
	failures->reason[at].ios++;
}

/* One reading of the list serves all loads. */
struct failed_list {
	const struct evidence *evidence;
	struct failures *failures;	/* of each load of the evidence */
	uint32_t last;			/* the load of the I/O before: the next one is likely of it too */
};

/* NULL: the run has no such load. */
static struct failures *failures_of(struct failed_list *list, uint64_t step, uint32_t load)
{
	const uint32_t count = list->evidence->load_count;

	for (uint32_t i = 0; i < count; i++) {
		const uint32_t at = (list->last + i) % count;

		if (list->evidence->loads[at].step == step && list->evidence->loads[at].load == load) {
			list->last = at;
			return &list->failures[at];
		}
	}
	return NULL;
}

static int failed_see(void *context, uint64_t step, const struct logged_io *io)
{
	struct failures *failures = failures_of(context, step, io->load);

	if (!failures)
		return 0;
	if (io->result < 0) {
		error_see(failures, io);
	} else if (io->flags & LOGGED_SHORT && !failures->shorts++) {
		failures->short_offset = io->offset;
		failures->short_asked = io->bytes;
		failures->short_moved = (uint32_t)io->result;
	}
	return 0;
}

static void reasons_say(const struct failures *failures, struct saying *saying)
{
	for (uint32_t i = 0; i < failures->reasons; i++) {
		struct saying reason = { 0 };

		if (i)
			saying_add(saying, ", ");
		io_reason_say(-failures->reason[i].result, &reason);
		if (failures->reasons > 1)
			saying_add(saying, "%p %" PRIu64 " times", &reason, failures->reason[i].ios);
		else
			saying_add(saying, "%p", &reason);
	}
	if (failures->other)
		saying_add(saying, ", and others");
}

static int errors_tell(const struct evidence *evidence, const struct load_record *load,
		       const struct step_record *step, const struct failures *failures)
{
	struct finding_record finding = { .kind = "io_errors", .unit = "ios", .low = NAN, .high = NAN };
	const uint64_t errors = tally_errors(load->total);
	struct saying title = { 0 }, reasons = { 0 };

	if (!errors)
		return 0;
	finding.value = (double)errors;
	if (failures->listed) {
		saying_add(&reasons, ": ");
		reasons_say(failures, &reasons);
		if (failures->offset_low == failures->offset_high)
			saying_add(&reasons, "; at offset %" PRIu64, failures->offset_low);
		else
			saying_add(&reasons, "; at offsets %" PRIu64 " to %" PRIu64, failures->offset_low,
				   failures->offset_high);
	}
	if (errors == 1 && failures->listed)
		return finding_put(evidence, step, &finding, NULL,
				   "1 I/O of %p failed%p; it is in the list of outliers.",
				   step_title(evidence, step, &title), &reasons);
	return finding_put(evidence, step, &finding, NULL,
			   failures->listed >= errors
				   ? "%" PRIu64 " I/Os of %p failed%p; each is in the list of outliers."
				   : "%" PRIu64
				     " I/Os of %p failed%p; the first are in the list of outliers.",
			   errors, step_title(evidence, step, &title), &reasons);
}

static int shorts_tell(const struct evidence *evidence, const struct step_record *step,
		       const struct failures *failures)
{
	struct finding_record finding = { .kind = "short_ios", .unit = "ios", .low = NAN, .high = NAN };
	struct saying title = { 0 };

	if (!failures->shorts)
		return 0;
	finding.value = (double)failures->shorts;
	if (failures->shorts == 1)
		return finding_put(evidence, step, &finding, NULL,
				   "1 I/O of %p moved less than was asked, %" PRIu32 " of %" PRIu32
				   " bytes at offset %" PRIu64 ": it is counted with the bytes it moved.",
				   step_title(evidence, step, &title), failures->short_moved, failures->short_asked,
				   failures->short_offset);
	return finding_put(evidence, step, &finding, NULL,
			   "%" PRIu64 " I/Os of %p moved less than was asked, the first %" PRIu32
			   " of %" PRIu32 " bytes at offset %" PRIu64
			   ": they are counted with the bytes they moved.",
			   failures->shorts, step_title(evidence, step, &title), failures->short_moved,
			   failures->short_asked, failures->short_offset);
}

int find_errors(const struct evidence *evidence)
{
	struct failed_list list = { evidence, calloc(evidence->load_count + 1, sizeof(*list.failures)), 0 };
	int error = list.failures ? store_each_failed(evidence->store, failed_see, &list) : -ENOMEM;

	for (uint32_t i = 0; !error && i < evidence->load_count; i++) {
		const struct load_record *load = &evidence->loads[i];
		const struct step_record *step = evidence_step(evidence, load->step);

		if (!step || !load->total)
			continue;
		error = errors_tell(evidence, load, step, &list.failures[i]);
		if (!error)
			error = shorts_tell(evidence, step, &list.failures[i]);
	}
	free(list.failures);
	return error;
}
