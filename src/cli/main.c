/* The front door: finds the command, and nothing else. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/nearest.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/process_limits.h"
#include "cli/version.h"
#include "plan/plan.h"

static void usage_print(FILE *out)
{
	char head[32];

	command_fold(out, "ssdassay " SSDASSAY_VERSION " - ", 2,
		     "what a storage drive will really do: for hours, under load, and how bad it gets");
	fprintf(out, "\nUsage: ssdassay COMMAND [ARGUMENT...]\n\nCommands:\n");
	for (uint32_t i = 0; command_at(i); i++) {
		snprintf(head, sizeof(head), "  %-12s ", command_at(i)->name);
		command_fold(out, head, 15, command_at(i)->summary);
	}
	fprintf(out, "\nFirst steps:\n"
		     "  ssdassay run quick sim:tlc-consumer     a simulated drive, no hardware touched\n"
		     "  ssdassay run quick /mnt/disk/           a file in a directory on the drive\n"
		     "  ssdassay report RUN.assay -o page.html  the page to look at\n\n"
		     "'ssdassay COMMAND --help' explains a command.\n"
		     "'ssdassay --version' tells the version.\n");
}

static enum exit_code command_unknown(const char *word)
{
	const char *names[32];
	const char *near;
	uint32_t count = 0;

	for (; command_at(count) && count < 32; count++)
		names[count] = command_at(count)->name;
	near = nearest_name(word, names, count);
	if (near)
		return command_fail(EXIT_CODE_USAGE, "unknown command '%s'; did you mean '%s'?", word, near);
	return command_fail(EXIT_CODE_USAGE, "unknown command '%s'; 'ssdassay --help' lists them", word);
}

static enum exit_code command_do(const struct command *command, int argc, char **argv)
{
	struct command_line line;
	struct fault fault = { 0 };
	bool help;
	enum exit_code code = EXIT_CODE_DONE;

	if (command_line_parse(command, argc, argv, &line, &help, &fault))
		return command_fail_fault(EXIT_CODE_USAGE, &fault);
	line.interrupted = interrupt_count();
	if (help)
		command_help(command);
	else
		code = command->run(&line);
	command_line_release(&line);
	return code;
}

static enum exit_code program_do(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2) {
		usage_print(stderr);
		return EXIT_CODE_USAGE;
	}
	if (!strcmp(argv[1], "help") && argc > 2) {
		command = command_find(argv[2]);
		if (!command)
			return command_unknown(argv[2]);
		command_help(command);
		return EXIT_CODE_DONE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		usage_print(stdout);
		return EXIT_CODE_DONE;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("ssdassay %s\n", SSDASSAY_VERSION);
		return EXIT_CODE_DONE;
	}
	command = command_find(argv[1]);
	return command ? command_do(command, argc - 2, argv + 2) : command_unknown(argv[1]);
}

/* The reader of a pipe has had enough ("show --json RUN | head"): nobody is there to be told. */
static bool reader_is_gone(void)
{
	struct pollfd output = { .fd = STDOUT_FILENO };

	return poll(&output, 1, 0) == 1 && output.revents & POLLERR;
}

int main(int argc, char **argv)
{
	enum exit_code code;

	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);	/* ulimit -f: an error of the write, which says what it was */
	code = limits_check();
	if (!code)
		code = program_do(argc, argv);
	if ((fflush(stdout) || ferror(stdout)) && !reader_is_gone())
		return command_fail(EXIT_CODE_FAILED, "cannot write the result to standard output");
	return code;
}
