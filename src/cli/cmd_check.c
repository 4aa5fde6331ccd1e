#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "assay/assay.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/permission.h"
#include "cli/plan_source.h"
#include "cli/version.h"
#include "guard/guard_fs.h"
#include "run/estimate.h"
#include "run/hiccup.h"

#define NOISE_WAKES 300u	/* takes as many milliseconds */

static void bytes_print(uint64_t bytes)
{
	char text[UNITS_TEXT];

	printf(" %12s", bytes ? capacity_format(bytes, text) : "-");
}

/* Wear: what is written as multiples of the capacity, "0.73x": drives are rated by that. */
static const char *wear_text(uint64_t bytes, uint64_t target_bytes, char text[UNITS_TEXT])
{
	const double times = target_bytes ? (double)bytes / (double)target_bytes : 0;

	if (!(times > 0))
		return "-";
	if (times < 0.01)
		return "<0.01x";
	snprintf(text, UNITS_TEXT, "%.*fx", times < 10 ? 2 : times < 100 ? 1 : 0, times);
	return text;
}

static void row_print(const struct estimate_row *row, uint64_t target_bytes)
{
	char time[UNITS_TEXT], wear[UNITS_TEXT], count[48], name[128];

	snprintf(name, sizeof(name), "%s", row->step->name);
	if (row->rounds > 1)
		snprintf(count, sizeof(count), "%u x %u rounds", row->points * row->repeats, row->rounds);
	else
		snprintf(count, sizeof(count), "%u", row->points * row->repeats);
	printf("%-20s %-9s %16s", command_clean(name), step_kind_name(row->step->kind), count);
	bytes_print(row->write_bytes);
	bytes_print(row->read_bytes);
	printf(" %8s", wear_text(row->write_bytes, target_bytes, wear));
	printf("  %s%s%s\n", row->time_known ? "" : "about ",
	       row->time_ns ? duration_format(row->time_ns, time) : "-", row->rounds > 1 ? " a round" : "");
}

/* "61.4 MB written (7.3 times the capacity)". */
static void written_print(uint64_t bytes, uint64_t target_bytes)
{
	const double times = target_bytes ? (double)bytes / (double)target_bytes : 0;
	char written[UNITS_TEXT];

	printf("%s written", bytes ? capacity_format(bytes, written) : "nothing");
	if (!bytes || !target_bytes)
		return;
	if (times < 0.01)
		printf(" (less than a hundredth of the capacity)");
	else if (times < 1000)
		printf(" (%.*f times the capacity)", times < 10 ? 2 : 0, times);
	else
		printf(" (again and again over the same %s)", capacity_format(target_bytes, written));
}

static void estimate_print(const struct estimate *estimate, uint64_t target_bytes)
{
	char time[UNITS_TEXT], read[UNITS_TEXT], memory[UNITS_TEXT];
	uint64_t measurements = 0;

	printf("%-20s %-9s %16s %12s %12s %8s  %s\n", "step", "kind", "measurements", "written", "read", "wear",
	       "time");
	for (uint32_t i = 0; i < estimate->count; i++)
		if (estimate->row[i].points) {
			row_print(&estimate->row[i], target_bytes);
			measurements += (uint64_t)estimate->row[i].points * estimate->row[i].repeats;
		}
	printf("\n%llu measurement%s", (unsigned long long)measurements, measurements == 1 ? "" : "s");
	printf(", at most %s, ", duration_format(estimate->time_ns, time));
	written_print(estimate->write_bytes, target_bytes);
	printf(", %s read; %s of memory for buffers\n",
	       estimate->read_bytes ? capacity_format(estimate->read_bytes, read) : "nothing",
	       size_format(estimate->memory_bytes, memory));
	printf("Wear is what is written, in capacities of the target; what the flash itself takes is more with random writes.\n");
	printf("Where a step counts bytes, or its bytes follow from its time, a drive of 1 GB/s and 50,000 "
	       "IOPS is assumed.\n");
}

static void lines_print(const char *head, const struct lines *lines)
{
	for (uint32_t i = 0; i < lines->count; i++)
		command_print_line(stdout, "%s%s", head, lines->line[i]);
}

/* The file systems of a step from `first` on that can't be made for one and the same reason; returns where
 * the next begin. */
static uint32_t skipped_print(const struct estimate_row *row, const struct guard_subject *subject,
			      uint32_t first)
{
	struct fault why = { 0 }, other = { 0 };
	struct text names = { 0 };
	uint32_t next = first;

	if (!strcmp(row->fs[first], "raw") || !guard_fs_check(subject, row->fs[first], &why))
		return first + 1;
	for (; next < row->fs_count && guard_fs_check(subject, row->fs[next], &other) &&
	       !strcmp(other.text, why.text);
	     next++)
		text_printf(&names, "%s%s", next > first ? ", " : "", row->fs[next]);
	command_print_line(stdout, "will be skipped: %s, and all that is on %s (counted above): %s",
			   text_data(&names), next > first + 1 ? "them" : "it", why.text);
	text_release(&names);
	return next;
}

/* What this target or system can't have made on it. */
static void skips_print(const struct estimate *estimate, const struct guard_subject *subject)
{
	for (uint32_t i = 0; i < estimate->count; i++)
		for (uint32_t fs = 0; fs < estimate->row[i].fs_count;)
			fs = skipped_print(&estimate->row[i], subject, fs);
}

/* `index` in the plan's own targets, or ESTIMATE_ANY. */
static enum exit_code target_print(const struct plan *plan, const struct assay_target *target, uint32_t index)
{
	const struct guard_subject *subject = &target->subject;
	bool sim = subject->kind == TARGET_SIM;
	const struct estimate_target at = estimate_target_of(subject, &target->sim, index);
	struct estimate estimate;
	struct fault fault = { 0 };
	char size[UNITS_TEXT];
	int error;

	if (target->error && target->error != -EPERM)
		return command_fail_fault(target->error == -EINVAL ? EXIT_CODE_USAGE : EXIT_CODE_FAILED,
					  &target->fault);
	putchar('\n');
	command_print_line(stdout, "Target %s (%s, %s)", subject->name, target_kind_name(subject->kind),
			   capacity_format(at.bytes, size));
	error = estimate_make(plan, &at, &estimate, &fault);
	if (error) {
		snprintf(fault.source, sizeof(fault.source), "%s", plan->source);
		return command_fail_fault(EXIT_CODE_USAGE, &fault);
	}
	estimate_print(&estimate, at.bytes);
	skips_print(&estimate, subject);
	if (!sim)
		error = assay_memory_fits(estimate.memory_bytes, &fault);
	estimate_release(&estimate);
	if (subject->writes && subject->destroys.count) {
		printf("\nWould be destroyed:\n");
		lines_print("  ", &subject->destroys);
	}
	lines_print("warning: ", &subject->warnings);
	lines_print("refused: ", &subject->refusals);
	lines_print("needed: ", &subject->missing);
	if (error)
		return command_fail_fault(EXIT_CODE_USAGE, &fault);
	return target->error ? EXIT_CODE_REFUSED : EXIT_CODE_DONE;
}

/* What a run would hear all the time: pauses of this computer that look like slow I/Os. */
static void noise_print(void)
{
	struct hiccup_ear ear;
	struct saying saying = { 0 };

	if (!hiccup_ear_open(&ear, NOISE_WAKES))
		hiccup_ear_close(&ear, EAR_ALL);
	if (!ear.noise.noisy)
		return;
	hiccup_noise_say(&ear.noise, &saying);
	printf("\nwarning: %s\n", saying_text(&saying));
	saying_release(&saying);
}

static bool any_real(const struct assay_target *targets, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (!targets[i].error && targets[i].subject.kind != TARGET_SIM)
			return true;
	return false;
}

/* Where nothing can be told of any target, what is wrong with them is all that is told. */
static bool any_examined(const struct assay_target *targets, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (!targets[i].error || targets[i].error == -EPERM)
			return true;
	return false;
}

static enum exit_code check_with(const struct command_line *line, const struct plan *plan)
{
	const struct assay_request request = {
		.plan = plan,
		.target_count = line->word_count - 1,
		.targets = line->words + 1,
		.permission = permission_of(line),
		.seed = 1,
		.version = SSDASSAY_VERSION,
	};
	struct assay_target *targets;
	struct fault fault = { 0 };
	enum exit_code code = EXIT_CODE_DONE;
	uint32_t count;
	int error = assay_examine(&request, &targets, &count, &fault);

	if (error)
		return command_fail_fault(error == -EINVAL ? EXIT_CODE_USAGE : EXIT_CODE_FAILED, &fault);
	if (any_examined(targets, count))
		command_print_line(stdout, "Plan %s%s%s", plan->name, plan->title ? ": " : "",
				   plan->title ? plan->title : "");
	for (uint32_t i = 0; i < count; i++) {
		enum exit_code one = target_print(plan, &targets[i], request.target_count ? ESTIMATE_ANY : i);

		if (one > code)
			code = one;
	}
	if (any_real(targets, count))
		noise_print();
	assay_targets_free(targets, count);
	return code;
}

static enum exit_code check_run(const struct command_line *line)
{
	struct fault fault = { 0 };
	struct plan *plan;
	enum exit_code code;

	if (plan_source_read(line, line->words[0], &plan, &fault))
		return command_fail_fault(EXIT_CODE_USAGE, &fault);
	code = check_with(line, plan);
	if (!code && assay_unsupported(plan, &fault))
		code = command_fail_fault(EXIT_CODE_USAGE, &fault);
	plan_free(plan);
	return code;
}

const struct command command_check = {
	.name = "check",
	.summary = "dry run: steps, bytes, time, memory, what would be destroyed, and every mistake",
	.usage = "PLAN TARGET... [OPTION...]",
	.details = "Changes nothing. Exits as 'run' would before it begins: 0, 2 (a mistake), 3 (refused) or 4 (the target can't be used).",
	.words_min = 1,
	.words_max = 64,
	.options = {
		PLAN_SOURCE_OPTIONS,
		{ "destroy", 0, "ID", true, "as for run" },
		{ "wipe-signatures", 0, NULL, false, "as for run" },
		{ "overwrite", 0, NULL, false, "as for run" },
		{ "allow-unwritten", 0, NULL, false, "as for run" },
	},
	.run = check_run,
};
