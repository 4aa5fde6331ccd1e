#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/command.h"
#include "drive/drive.h"

static enum exit_code drives_run(const struct command_line *line)
{
	struct drive_list list;
	struct text text = { 0 };
	int error = drive_list(NULL, &list);

	if (error)
		return command_fail(EXIT_CODE_FAILED, "cannot list the drives of this machine: %s",
				    strerror(-error));
	if (command_given(line, "json")) {
		char *json = drive_list_json(&list);

		if (json)
			puts(json);
		error = json ? 0 : -ENOMEM;
		free(json);
	} else {
		drive_list_text(&list, &text);
		if (!list.count)
			text_append(&text, "No drives are visible on this machine.\n");
		fwrite(text_data(&text), 1, text.bytes, stdout);
		text_release(&text);
	}
	drive_list_release(&list);
	return error ? command_fail(EXIT_CODE_FAILED, "out of memory") : EXIT_CODE_DONE;
}

const struct command command_drives = {
	.name = "drives",
	.summary = "the drives of this machine: identity, link, temperature, use, and what to watch out for",
	.usage = "[--json]",
	.options = { { "json", 0, NULL, false, "one JSON document" } },
	.run = drives_run,
};
