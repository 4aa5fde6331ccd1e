#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "assay/drives.h"
#include "cli/command.h"
#include "drive/drive.h"

/* How many were told, and the name of one that did not answer; NULL = all did. */
struct drives_told {
	uint32_t count, silent_count;
	const char *silent;
};

/* Text is shown as it comes: a drive that does not answer takes its time. */
static int drive_print(const char *name, bool json, struct text *document, struct drives_told *told)
{
	const char *between = !told->count ? "" : json ? "," : "\n";
	struct text text = { 0 };
	int error = drives_tell(name, json, &text);

	if (error == 1) {
		told->silent_count++;
		told->silent = name;
	}
	if (error >= 0) {
		text_printf(document, "%s%s", between, text_data(&text));
		told->count++;
	}
	text_release(&text);
	if (!json) {
		fwrite(text_data(document), 1, document->bytes, stdout);
		fflush(stdout);
		text_clear(document);
	}
	return error == -ENOENT || error == 1 ? 0 : error;	/* unplugged while we looked */
}

static int drives_print(const struct lines *names, bool json, struct drives_told *told)
{
	struct text document = { 0 };
	int error = 0;

	text_append(&document, json ? "{\"drives\":[" : "");
	for (uint32_t i = 0; i < names->count && !error; i++)
		error = drive_print(names->line[i], json, &document, told);
	if (json)
		text_append(&document, "]}\n");
	else if (!told->count)
		text_append(&document, "No drives are visible on this machine.\n");
	if (!error)
		error = document.error;
	if (!error)
		fwrite(text_data(&document), 1, document.bytes, stdout);
	text_release(&document);
	return error;
}

static enum exit_code drives_verdict(int error, const struct drives_told *told)
{
	if (error)
		return command_fail(EXIT_CODE_FAILED, "cannot look at the drives of this machine: %s",
				    strerror(-error));
	if (told->silent_count == 1)
		return command_fail(EXIT_CODE_FAILED, "%s does not answer: the kernel's log (dmesg) may say why",
				    told->silent);
	if (told->silent_count)
		return command_fail(EXIT_CODE_FAILED,
				    "%u drives do not answer, %s among them: the kernel's log (dmesg) may say why",
				    told->silent_count, told->silent);
	return EXIT_CODE_DONE;
}

static enum exit_code drives_run(const struct command_line *line)
{
	struct drives_told told = { 0 };
	struct lines names;
	enum exit_code code;
	int error = drive_names(NULL, &names);

	if (error)
		return command_fail(EXIT_CODE_FAILED, "cannot list the drives of this machine: %s",
				    strerror(-error));
	error = drives_print(&names, command_given(line, "json"), &told);
	code = drives_verdict(error, &told);
	lines_release(&names);
	return code;
}

const struct command command_drives = {
	.name = "drives",
	.summary = "the drives of this machine: identity, link, temperature, use, and what to watch out for",
	.usage = "[--json]",
	.details = "Exits 4 when a drive did not answer; what the others say is told all the same.",
	.options = { { "json", 0, NULL, false, "one JSON document" } },
	.run = drives_run,
};
