#include <stdio.h>
#include "cli/command.h"
#include "drive/drive_sim.h"

static enum exit_code sim_run(const struct command_line *line)
{
	struct text text = { 0 };
	struct fault fault = { 0 };

	if (drive_sim_profiles(line->word_count ? line->words[0] : NULL, &text, &fault))
		return command_fail_fault(EXIT_CODE_USAGE, &fault);
	fwrite(text_data(&text), 1, text.bytes, stdout);
	text_release(&text);
	return EXIT_CODE_DONE;
}

const struct command command_sim = {
	.name = "sim",
	.summary = "the simulated drives and their parameters",
	.usage = "[PROFILE]",
	.details = "Use one as a target: ssdassay run quick sim:tlc-consumer\n"
		   "Override parameters: ssdassay run quick sim:tlc-consumer,shrink=64,slc_gb=10",
	.words_max = 1,
	.run = sim_run,
};
