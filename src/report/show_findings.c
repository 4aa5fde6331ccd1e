/* What was concluded, in sentences. */
#include "report/show.h"

#include <string.h>
#include "base/units.h"
#include "report/digest.h"

#define NAMES_MAX 6u	/* of steps */

static void stalls(struct show *show)
{
	for (uint32_t i = 0; i < show->model->drive_count; i++) {
		const struct drive_record *drive = &show->model->drives[i];
		char duration[UNITS_TEXT];
		struct text text = { 0 };

		if (drive->longest_stall_ns < REPORT_STALL_TOLD_NS || report_finds(show->model, "longest_"
												"stall"))
			continue;
		text_printf(&text,
			    "The longest time in which %s had I/Os in flight and completed none was %s.",
			    drive->name ? drive->name : "the drive",
			    duration_format(drive->longest_stall_ns, duration));
		show_paragraph(show, "- ", text_data(&text));
		text_release(&text);
	}
}

/* What the plan has and the run has not, with the reason. */
static void left_out(struct show *show)
{
	for (uint32_t i = 0; i < show->model->event_count; i++)
		if (!strcmp(word(show->model->events[i].kind), "skipped"))
			show_paragraph(show, "- ", word(show->model->events[i].text));
}

/* How many more of a kind there are, and of which steps. */
static void rest_tell(struct show *show, const struct digest *digest, const struct digest_group *group)
{
	struct text rest = { 0 };
	const char *last = "";
	uint32_t told = 0;

	text_printf(&rest, "%u more of this kind", group->count - group->shown);
	for (uint32_t i = group->shown; i < group->count && told <= NAMES_MAX; i++) {
		const char *step = word(show->model->findings[digest->order[group->first + i]].step);

		if (!strcmp(step, last))
			continue;
		last = step;
		if (told++ < NAMES_MAX)
			text_printf(&rest, told == 1 ? ": '%s'" : ", '%s'", step);
		else
			text_append(&rest, ", ...");
	}
	text_append(&rest, " (the page and show --json have them)");
	show_paragraph(show, "  ", text_data(&rest));
	text_release(&rest);
}

int show_findings(struct show *show)
{
	struct digest digest;
	int error = digest_make(show->model, &digest);

	text_append_char(show->out, '\n');
	for (uint32_t g = 0; !error && g < digest.group_count; g++) {
		const struct digest_group *group = &digest.group[g];

		for (uint32_t i = 0; i < group->shown; i++)
			show_paragraph(show, "- ", show->model->findings[digest.order[group->first + i]].text);
		if (group->count > group->shown)
			rest_tell(show, &digest, group);
	}
	digest_release(&digest);
	stalls(show);
	left_out(show);
	return error;
}
