#include <stdio.h>
#include "cli/command.h"
#include "plan/plan.h"

static enum exit_code plans_run(const struct command_line *line)
{
	const struct plan_builtin *plan;

	if (!line->word_count) {
		for (uint32_t i = 0; (plan = plan_builtin_at(i)); i++)
			printf("%-16s %s\n", plan->name, plan->summary);
		return EXIT_CODE_DONE;
	}
	plan = plan_builtin_find(line->words[0]);
	if (!plan)
		return command_fail(EXIT_CODE_USAGE, "no built-in plan '%s'; 'ssdassay plans' lists them", line->words[0]);
	fputs(plan->text, stdout);
	return EXIT_CODE_DONE;
}

const struct command command_plans = {
	.name = "plans",
	.summary = "the built-in plans; with NAME the plan's text, ready to copy",
	.usage = "[NAME]",
	.details = "Copy a plan, change it, run it: ssdassay plans quick > my.plan",
	.words_max = 1,
	.run = plans_run,
};
