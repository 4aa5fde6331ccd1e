/* Purges that purged nothing: what was measured after them was measured on the drive as it was. */
#include <math.h>
#include <string.h>
#include "assay/finding.h"

/* Why, in the words of who tried; "" when nobody was to try (method=none). */
static const char *reason_of(const struct evidence *evidence, const struct step_record *step)
{
	for (uint32_t i = 0; i < evidence->event_count; i++)
		if (evidence->events[i].step == step->id && evidence->events[i].text &&
		    !strcmp(evidence->events[i].kind, "not_purged"))
			return evidence->events[i].text;
	return "";
}

static int tell(const struct evidence *evidence, const struct step_record *step)
{
	struct finding_record finding = { .kind = "not_purged", .value = NAN, .low = NAN, .high = NAN };
	const char *reason = reason_of(evidence, step);
	struct saying title = { 0 };

	step_title(evidence, step, &title);
	if (!*reason)
		return finding_put(
			evidence, step, &finding, NULL,
			"The drive was NOT purged in %p: what follows was measured on the drive as it was.",
			&title);
	return finding_put(
		evidence, step, &finding, NULL,
		"The drive was NOT purged in %p (%s): what follows was measured on the drive as it was.",
		&title, reason);
}

int find_purge(const struct evidence *evidence)
{
	int error = 0;

	for (uint32_t i = 0; i < evidence->step_count && !error; i++) {
		const struct step_record *step = &evidence->steps[i];

		if (!strcmp(step->kind, "purge") && step->note && !strcmp(step->note, PURGE_NOT_DONE))
			error = tell(evidence, step);
	}
	return error;
}
