/* The checks that failed, and how many there were. */
#include "report/show.h"

#include <string.h>

/* Criteria are the plan's own questions: also those that are met are answered. */
static bool is_criterion(const struct check_record *check)
{
	return !strncmp(word(check->name), "expect ", 7);
}

static void check_line(struct show *show, const struct check_record *check)
{
	const bool failed = check->result == CHECK_FAILED;
	struct text text = { 0 };

	text_printf(&text, "%s: %s", word(check->name), word(check->text));
	show_marked(show, failed ? TEXT_BAD : TEXT_GOOD, failed ? "check failed " : "criterion met ",
		    text_data(&text));
	text_release(&text);
}

static void checks_tell(struct show *show)
{
	const struct report_model *model = show->model;
	uint32_t counts[3] = { 0 };

	for (uint32_t i = 0; i < model->check_count; i++) {
		const struct check_record *check = &model->checks[i];

		counts[check->result]++;
		if (check->result == CHECK_FAILED || (check->result == CHECK_PASSED && is_criterion(check)))
			check_line(show, check);
	}
	if (model->check_count)
		text_printf(show->out, "checks: %u passed, %u failed, %u not applicable\n",
			    counts[CHECK_PASSED], counts[CHECK_FAILED], counts[CHECK_NOT_APPLICABLE]);
}

/* A run that was killed, or still runs, has nothing concluded: that is no sign that all is well. */
static void unconcluded(struct show *show)
{
	const struct report_model *model = show->model;

	if (model->check_count || model->finding_count)
		return;
	if (model->run->status == RUN_RUNNING)
		show_marked(show, TEXT_WARN, "no findings and checks yet: ",
				 "they are drawn when the run ends");
	else if (model->run->status == RUN_INTERRUPTED || model->run->status == RUN_FAILED)
		show_marked(show, TEXT_WARN, "no findings and checks: ",
				 "they are drawn when a run ends, and this one did not come to it; ssdassay run "
				 "--resume RUN goes on with it, and draws them");
}

void show_checks(struct show *show)
{
	checks_tell(show);
	unconcluded(show);
}
