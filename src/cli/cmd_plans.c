#include <stdio.h>
#include "cli/command.h"
#include "plan/plan.h"

static const char *where_name(const struct plan_option *option)
{
	if (option->in_plan && option->in_fio)
		return ".plan .fio";
	return option->in_plan ? ".plan" : ".fio";
}

static void option_print(const struct plan_option *option)
{
	printf("%-28s %-11s %s\n", option->name, where_name(option), option->help);
	if (*option->aliases)
		printf("%-28s %-11s also written: %s\n", "", "", option->aliases);
}

static void reasons_print(enum plan_option_state state, const char *head)
{
	struct plan_option option;

	printf("\n%s\n", head);
	for (uint32_t i = 0; plan_option_at(i, &option); i++)
		if (option.state == state)
			printf("\n%s:\n  %s\n", option.help, option.name);
}

/* Straight from the parser's own table: docs/PLANS.md and the man page carry copies that a test compares. */
static void options_print(void)
{
	struct plan_option option;

	for (uint32_t i = 0; plan_option_at(i, &option); i++)
		if (option.state == PLAN_OPTION_LIVE)
			option_print(&option);
	reasons_print(PLAN_OPTION_NO_EFFECT,
		      "Known in .fio files, without effect here (a warning; an error with --strict):");
	reasons_print(PLAN_OPTION_UNSUPPORTED, "Known and refused:");
}

static enum exit_code plan_unknown(const char *word)
{
	const char *near = plan_builtin_nearest(word);

	if (near)
		return command_fail(EXIT_CODE_USAGE, "no built-in plan '%s'; did you mean '%s'?", word, near);
	return command_fail(EXIT_CODE_USAGE, "no built-in plan '%s'; 'ssdassay plans' lists them", word);
}

static enum exit_code plans_run(const struct command_line *line)
{
	const struct plan_builtin *plan;

	if (command_given(line, "options")) {
		if (line->word_count)
			return command_fail(EXIT_CODE_USAGE, "plans: --options stands alone, without a NAME");
		options_print();
		return EXIT_CODE_DONE;
	}
	if (!line->word_count) {
		for (uint32_t i = 0; (plan = plan_builtin_at(i)); i++)
			printf("%-18s %s\n", plan->name, plan->summary);
		return EXIT_CODE_DONE;
	}
	plan = plan_builtin_find(line->words[0]);
	if (!plan)
		return plan_unknown(line->words[0]);
	fputs(plan->text, stdout);
	return EXIT_CODE_DONE;
}

const struct command command_plans = {
	.name = "plans",
	.summary = "the built-in plans; with NAME the plan's text, ready to copy",
	.usage = "[NAME | --options]",
	.details = "Copy a plan, change it, run it: ssdassay plans quick > my.plan",
	.words_max = 1,
	.options = { { "options", 0, NULL, false, "every option that a plan may hold, with what it does" } },
	.run = plans_run,
};
