/* plan_source: what the user named as PLAN: a built-in's name, a .plan or .fio file, or "-" for standard
 * input. */
#pragma once
#include "base/text.h"
#include "cli/command.h"
#include "measure/records.h"
#include "plan/plan.h"

/* Reads and parses with the command line's --set, --scale, --strict and --allow-commands. Plan warnings go to
 * stderr. 0, or -EINVAL with fault. The plan is the caller's to free. */
int plan_source_read(const struct command_line *line, const char *word, struct plan **ret_plan,
		     struct fault *fault);

/* How the plan was read: what plan_stored_read needs beside the text, as a JSON object. Caller frees; NULL:
 * out of memory. */
char *plan_source_options_json(const struct command_line *line, const struct plan *plan);
/* The plan of a stored run, read again as it was read then. Commands need --allow-commands again. 0, or
 * -EINVAL with fault. */
int plan_stored_read(const struct command_line *line, const struct run_record *run, const char *options_json,
		     struct plan **ret_plan, struct fault *fault);

/* The options that run and check share. */
#define PLAN_SOURCE_OPTIONS                                                                                            \
	{ "set", 0, "KEY=VALUE", true, "set a key for all steps that have none of their own; STEP.KEY=VALUE for one" },                    \
	{ "scale", 0, "F", false, "multiply every duration and size by F (0.01 = a quick try)" },                      \
	{ "strict", 0, NULL, false, "options of a .fio file without effect here are errors" },                         \
	{ "allow-commands", 0, NULL, false, "let the plan run commands" }
