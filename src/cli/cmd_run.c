#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "assay/assay.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/permission.h"
#include "cli/plan_source.h"
#include "cli/progress.h"
#include "cli/run_file.h"
#include "cli/terminal.h"
#include "cli/version.h"
#include "report/report.h"

#define DEFAULT_SEED 1

static void lines_print(const char *head, const struct lines *lines)
{
	for (uint32_t i = 0; i < lines->count; i++)
		command_print_line(stderr, "%s%s", head, lines->line[i]);
}

static void destruction_print(const struct guard_subject *subject)
{
	command_print_line(stderr, "This run DESTROYS what is on %s:", subject->name);
	lines_print("  ", &subject->destroys);
}

/* Shows what would be lost and asks for the id, on a terminal only. */
static bool confirm(void *context, const struct guard_subject *subject)
{
	char typed[DRIVE_ID_BYTES + 2];

	(void)context;
	if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
		return false;
	destruction_print(subject);
	fprintf(stderr, "Type its ID to go on (%s): ", subject->id);
	fflush(stderr);
	if (!fgets(typed, sizeof(typed), stdin))
		return false;
	typed[strcspn(typed, "\n")] = '\0';
	return !strcmp(typed, subject->id);
}

static void progress_forward(void *context, const struct run_progress *now)
{
	progress_show(context, now);
}

static void granted(void *context)
{
	(void)context;
	interrupt_catch();
}

/* With --progress json an object, as every line of a run is; else "ssdassay: " and what it is. */
static void tell(struct progress *progress, const char *key, const char *text)
{
	struct text plain = { 0 };

	text_printf(&plain, "ssdassay: %s%s", !strcmp(key, "warning") ? "warning: " : "", text);
	progress_say(progress, key, text, text_data(&plain));
	text_release(&plain);
}

static void warn(void *context, const char *text)
{
	tell(context, "warning", text);
}

/* "quick-nvme0n1-20260131-120000.assay": letters, digits and a few signs only. */
static void name_clean(char *name)
{
	for (; *name; name++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", *name))
			*name = '-';
}

static void run_path_default(const struct plan *plan, const char *target, char path[PATH_MAX])
{
	char drive[80], when[32], name[80];
	const char *slash = target ? strrchr(target, '/') : NULL;
	time_t now = time(NULL);
	struct tm tm;
	struct stat status;

	snprintf(name, sizeof(name), "%s", plan->name);
	snprintf(drive, sizeof(drive), "%s", !target ? "files" : slash && slash[1] ? slash + 1 : target);
	drive[strcspn(drive, ",")] = '\0';
	name_clean(name);
	name_clean(drive);
	strftime(when, sizeof(when), "%Y%m%d-%H%M%S", localtime_r(&now, &tm));
	snprintf(path, PATH_MAX, "%s-%s-%s.assay", name, drive, when);
	for (int i = 2; !stat(path, &status); i++)
		snprintf(path, PATH_MAX, "%s-%s-%s-%d.assay", name, drive, when, i);
}

/* Returns whether anything was measured. */
static bool result_show(const char *path)
{
	struct report_layout layout = terminal_layout();
	struct text text = { 0 };
	struct store *store;
	bool measured;

	if (run_file_open(path, &store))
		return true;
	if (!report_text(store, &layout, &text, NULL))
		terminal_write(stdout, text_data(&text), text.bytes);
	fflush(stdout);
	if (store_measured(store, &measured))
		measured = true;
	text_release(&text);
	store_close(store);
	return measured;
}

static void kept_tell(struct progress *progress, const char *path, bool measured)
{
	struct text quoted = { 0 }, plain = { 0 };

	command_quote(&quoted, path);
	text_printf(&plain, measured ? "Run file: %s   (page: ssdassay report %s -o page.html)"
				     : "Run file: %s   (nothing was measured; to begin anew: ssdassay run --resume %s)",
		    path, text_data(&quoted));
	progress_say(progress, "run_file", path, text_data(&plain));
	text_release(&quoted);
	text_release(&plain);
}

static enum exit_code result_code(const struct assay_result *result, const char *path, struct progress *progress)
{
	const bool interrupted = result->status == RUN_INTERRUPTED;
	struct text why = { 0 };

	if (result->kept)
		kept_tell(progress, path, result_show(path));
	if (result->status == RUN_COMPLETE)
		return result->criteria_met ? EXIT_CODE_DONE : EXIT_CODE_CRITERIA;
	text_printf(&why, "%s%s", result->text,
		    interrupted && result->kept ? "; what was measured is kept" : "");
	tell(progress, "error", text_data(&why));
	text_release(&why);
	return interrupted ? EXIT_CODE_INTERRUPTED
	       : result->status == RUN_REFUSED ? EXIT_CODE_REFUSED : EXIT_CODE_FAILED;
}

/* Why a name is taken, and what to do with what is there. */
static void taken_say(const char *path, struct fault *fault)
{
	struct fault unreadable;
	const struct run_record *run;
	struct text again = { 0 };
	struct store *store;
	bool measured = true;

	fault_set(fault, 0, 0, "%s exists; a run is never overwritten: choose another name", path);
	if (store_open(path, &store, &unreadable))
		return;
	command_quote(&again, path);
	if (!store_run(store, &run) && !store_measured(store, &measured) &&
	    (run->status == RUN_FAILED || run->status == RUN_INTERRUPTED))
		fault_set(fault, 0, 0,
			  measured ? "%.150s exists, and holds a run that %s (%.100s); a run is never overwritten: choose another "
				     "name, or go on with it: ssdassay run --resume %.150s"
				   : "%.150s exists, and holds a run that %s before anything was measured (%.100s): remove it, choose "
				     "another name, or begin it anew: ssdassay run --resume %.150s",
			  path, run->status == RUN_FAILED ? "failed" : "was interrupted",
			  run->status_text ? run->status_text : "no reason is kept", text_data(&again));
	text_release(&again);
	store_close(store);
}

static int output_path(const struct command_line *line, const struct plan *plan, const char *target,
		       char path[PATH_MAX], struct fault *fault)
{
	const char *output = command_value(line, "output");
	struct stat status;

	if (!output) {
		run_path_default(plan, target, path);
		return 0;
	}
	if (!output[0])
		return fault_set(fault, 0, 0, "-o: the name of the run file is empty");
	if (!strcmp(output, "-"))
		return fault_set(fault, 0, 0, "-o -: a run file cannot go to standard output, since it is read again while it "
				 "is written: give it a name (results: ssdassay export, ssdassay show --json)");
	if (snprintf(path, PATH_MAX, "%s", output) >= PATH_MAX)
		return fault_set(fault, 0, 0, "-o: the name is too long");
	if (lstat(path, &status))	/* a link that leads nowhere is there, too */
		return 0;
	taken_say(path, fault);
	return -EINVAL;
}

/* What both a new and a resumed run ask for. */
static struct assay_request request_make(const struct command_line *line, const struct plan *plan,
					 struct progress *progress)
{
	return (struct assay_request){
		.plan = plan,
		.permission = permission_of(line),
		.seed = plan->seed ? plan->seed : DEFAULT_SEED,
		.strict = command_given(line, "strict"),
		.version = SSDASSAY_VERSION,
		.interrupted = line->interrupted,
		.context = progress,
		.confirm = confirm,
		.granted = granted,
		.warning = warn,
		.progress = progress_forward,
	};
}

static enum exit_code request_run(const struct assay_request *request, struct progress *progress)
{
	struct assay_result result;
	struct fault fault = { 0 };
	char why[1024];
	int error = assay_run(request, &result, &fault);

	progress_end(progress);
	if (!error)
		return result_code(&result, request->run_path, progress);
	tell(progress, "error", fault_format(&fault, why, sizeof(why)));
	return error == -EINVAL ? EXIT_CODE_USAGE : EXIT_CODE_FAILED;
}

static enum exit_code run_with(const struct command_line *line, const struct plan *plan,
			       struct progress *progress)
{
	struct assay_request request = request_make(line, plan, progress);
	char *json = command_line_json(line), *options = plan_source_options_json(line, plan);
	char path[PATH_MAX];
	struct fault fault = { 0 };
	enum exit_code code;

	request.target_count = line->word_count - 1;
	request.targets = line->words + 1;
	request.together = command_given(line, "together");
	request.run_path = path;
	request.command_line_json = json;
	request.options_json = options;
	if (output_path(line, plan, line->word_count > 1 ? line->words[1] : NULL, path, &fault))
		code = command_fail_fault(EXIT_CODE_USAGE, &fault);
	else
		code = request_run(&request, progress);
	free(json);
	free(options);
	return code;
}

static enum exit_code run_new(const struct command_line *line, struct progress *progress)
{
	struct fault fault = { 0 };
	struct plan *plan;
	enum exit_code code;

	if (!line->word_count)
		return command_fail(EXIT_CODE_USAGE, "run: no plan; usage: ssdassay run %s",
				    line->command->usage);
	if (command_given(line, "trust-state"))
		return command_fail(EXIT_CODE_USAGE, "run: --trust-state is for --resume");
	if (command_given(line, "together") && line->word_count < 3)
		return command_fail(EXIT_CODE_USAGE,
				    "run: --together is for several targets, named after the plan");
	if (plan_source_read(line, line->words[0], &plan, &fault))
		return command_fail_fault(EXIT_CODE_USAGE, &fault);
	code = run_with(line, plan, progress);
	plan_free(plan);
	return code;
}

/* -- going on -- */

static const char *unfit_for_resume(const struct command_line *line)
{
	static const char *const names[] = {
		"output", "set", "scale", "strict", "allow-unwritten", "together"
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (command_given(line, names[i]))
			return names[i];
	return NULL;
}

/* A complete run has nothing left; its criteria stand among its checks. */
static enum exit_code complete_code(struct store *store, const char *path, struct progress *progress)
{
	const struct check_record *checks;
	uint32_t count;
	enum exit_code code = EXIT_CODE_DONE;
	struct text note = { 0 };

	if (store_checks(store, &checks, &count))
		return command_fail(EXIT_CODE_FAILED, "cannot read run %s", path);
	for (uint32_t i = 0; i < count; i++)
		if (checks[i].name && !strncmp(checks[i].name, "expect ", 7) &&
		    checks[i].result == CHECK_FAILED)
			code = EXIT_CODE_CRITERIA;
	text_printf(&note, "%s is complete: nothing is left to run", path);
	tell(progress, "note", text_data(&note));
	text_release(&note);
	return code;
}

/* The same request as the one that made the run; lets the reader's hold on the run file go. */
static enum exit_code resume_plan(const struct command_line *line, const struct assay_stored *stored,
				  const char *path, const struct plan *plan, struct progress *progress,
				  struct store **store)
{
	struct assay_request request = request_make(line, plan, progress);

	request.run_path = path;
	request.resume = true;
	request.trust_state = command_given(line, "trust-state");
	request.seed = stored->run->seed;
	request.strict = stored->run->strict;
	request.permission.allow_unwritten = stored->run->allow_unwritten;
	*store = store_close(*store);
	request.target_count = stored->target_count;
	request.targets = stored->targets;
	request.together = stored->together;
	if (line->word_count) {
		request.target_count = line->word_count;
		request.targets = line->words;
	} else {
		for (uint32_t i = 0; i < stored->moved.count; i++)
			tell(progress, "note", stored->moved.line[i]);
	}
	return request_run(&request, progress);
}

/* A run that was killed while it closed its file has left a log beside it: opened and closed for writing, it
 * is one file again. */
static void log_take_in(const char *path)
{
	struct store *store;
	struct fault fault;

	if (!store_open_resume(path, &store, &fault))
		store_close(store);
}

static enum exit_code resume_stored(const struct command_line *line, const char *path, struct store **store,
				    struct progress *progress)
{
	struct assay_stored stored;
	struct fault fault = { 0 };
	struct plan *plan;
	enum exit_code code;
	int error = assay_stored(*store, &stored, &fault);

	if (error)
		return command_fail(error == -EINVAL ? EXIT_CODE_USAGE : EXIT_CODE_FAILED, "%s: %s", path,
				    fault.text);
	if (stored.run->status == RUN_COMPLETE) {
		code = complete_code(*store, path, progress);
		*store = store_close(*store);
		log_take_in(path);
	} else if (plan_stored_read(line, stored.run, stored.plan_options_json, &plan, &fault)) {
		code = command_fail_fault(EXIT_CODE_USAGE, &fault);
	} else {
		code = resume_plan(line, &stored, path, plan, progress, store);
		plan_free(plan);
	}
	assay_stored_release(&stored);
	return code;
}

static enum exit_code run_resume(const struct command_line *line, const char *path, struct progress *progress)
{
	const char *unfit = unfit_for_resume(line);
	struct store *store;
	enum exit_code code;

	if (unfit)
		return command_fail(EXIT_CODE_USAGE,
				    "run: --resume goes on with the plan and the options of the run file; "
				    "--%s cannot be given",
				    unfit);
	code = run_file_open(path, &store);
	if (code)
		return code;
	code = resume_stored(line, path, &store, progress);
	store_close(store);
	return code;
}

static enum exit_code run_run(const struct command_line *line)
{
	const char *resume = command_value(line, "resume");
	struct progress progress;

	if (progress_init(&progress, command_value(line, "progress")))
		return command_fail(EXIT_CODE_USAGE, "run: --progress %s: known are auto, plain, json, none",
				    command_value(line, "progress"));
	return resume ? run_resume(line, resume, &progress) : run_new(line, &progress);
}

const struct command command_run = {
	.name = "run",
	.summary = "run a plan on a drive, a file or a simulated drive",
	.usage = "PLAN TARGET... [-o RUN] [OPTION...] | --resume RUN [TARGET...]",
	.details =
		"PLAN    a built-in plan ('ssdassay plans'), a .plan or fio .fio file, or - for standard input\n"
		"TARGET  a block device, a file (made when it does not exist), a directory of a mounted file system "
		"(a file is made there and removed), sim:PROFILE[,key=value...], /dev/null or /dev/zero\n\n"
		"Writing to a block device destroys what is on it, so it needs --destroy ID, where ID is what "
		"'ssdassay drives' prints. A device in use is always refused.\n\n"
		"--resume RUN goes on with the first step that is not done: after Ctrl-C, kill, a reboot or a failure. Plan, "
		"options and targets come from the run file; --destroy is needed again. A drive that has another name now "
		"is found by its ID; a target can also be named, but must be the same. When something else wrote to the "
		"drive since, what preconditions it is done again first. Simulated drives are replayed to where they were.\n\n"
		"Exit codes: 0 done, all criteria met; 1 criteria not met; 2 usage or plan error; 3 refused; "
		"4 device or environment failure (partial run kept); 130 interrupted (partial run kept).",
	.words_min = 0,
	.words_max = 64,
	.options = {
		{ "output", 'o', "RUN", false, "the run file; default: plan, drive and date in the current directory" },
		PLAN_SOURCE_OPTIONS,
		{ "together", 0, NULL, false, "several targets side by side in time; default: one after another" },
		{ "destroy", 0, "ID", true, "allow the run to destroy what is on the drive with this ID" },
		{ "wipe-signatures", 0, NULL, false, "also when it carries a file system or other signature" },
		{ "overwrite", 0, NULL, false, "write to an existing file that ssdassay did not make" },
		{ "allow-unwritten", 0, NULL, false, "read ranges that nothing was written to (marks the result)" },
		{ "resume", 0, "RUN", false, "go on with an interrupted run" },
		{ "trust-state", 0, NULL, false, "with --resume: the drive is as the run left it, no preconditioning again" },
		{ "progress", 0, "STYLE", false, "auto, plain, json or none" },
	},
	.run = run_run,
};
