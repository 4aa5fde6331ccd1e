#include <stdio.h>
#include <string.h>
#include "cli/command.h"
#include "plan/plan.h"

static void bash_command(const struct command *command)
{
	printf("\t%s) options=\"--help", command->name);
	for (uint32_t i = 0; i < COMMAND_OPTIONS && command->options[i].name; i++)
		printf(" --%s", command->options[i].name);
	printf("\" ;;\n");
}

static void plan_names(void)
{
	for (uint32_t i = 0; plan_builtin_at(i); i++)
		printf("%s%s", i ? " " : "", plan_builtin_at(i)->name);
}

static void command_names(void)
{
	for (uint32_t i = 0; command_at(i); i++)
		printf("%s%s", i ? " " : "", command_at(i)->name);
}

static void bash_print(void)
{
	printf("# bash completion of ssdassay; made by 'ssdassay completion bash'\n_ssdassay()\n{\n"
	       "\tlocal word=${COMP_WORDS[COMP_CWORD]} options=\n\tCOMPREPLY=()\n"
	       "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n\t\tCOMPREPLY=($(compgen -W \"");
	command_names();
	printf("\" -- \"$word\"))\n\t\treturn\n\tfi\n\tcase ${COMP_WORDS[1]} in\n");
	for (uint32_t i = 0; command_at(i); i++)
		bash_command(command_at(i));
	printf("\tesac\n\tif [[ $word == -* ]]; then\n\t\tCOMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n\t\treturn\n"
	       "\tfi\n\tif [ \"$COMP_CWORD\" -eq 2 ]; then\n\t\tcase ${COMP_WORDS[1]} in\n"
	       "\t\trun | check | plans) COMPREPLY=($(compgen -W \"");
	plan_names();
	printf("\" -- \"$word\")) ;;\n\t\tesac\n\tfi\n\tCOMPREPLY+=($(compgen -f -- \"$word\"))\n}\n"
	       "complete -o filenames -F _ssdassay ssdassay\n");
}

static void zsh_print(void)
{
	printf("#compdef ssdassay\n# zsh completion of ssdassay; made by 'ssdassay completion zsh'\n"
	       "local -a commands plans\ncommands=(\n");
	for (uint32_t i = 0; command_at(i); i++)
		printf("\t'%s:%s'\n", command_at(i)->name, command_at(i)->summary);
	printf(")\nplans=(");
	plan_names();
	printf(")\nif (( CURRENT == 2 )); then\n\t_describe command commands\n\treturn\nfi\ncase $words[2] in\n");
	for (uint32_t i = 0; command_at(i); i++) {
		const struct command *command = command_at(i);

		printf("%s) _arguments '--help[explain the command]'", command->name);
		for (uint32_t k = 0; k < COMMAND_OPTIONS && command->options[k].name; k++)
			printf(" '%s--%s[%s]%s'", command->options[k].repeats ? "*" : "", command->options[k].name,
			       command->options[k].help, command->options[k].value ? ":value:_files" : "");
		if (!strcmp(command->name, "run") || !strcmp(command->name, "check") || !strcmp(command->name, "plans"))
			printf(" '2:plan:($plans)'");
		printf(" '*:file:_files' ;;\n");
	}
	printf("esac\n");
}

static void fish_print(void)
{
	printf("# fish completion of ssdassay; made by 'ssdassay completion fish'\n");
	for (uint32_t i = 0; command_at(i); i++) {
		const struct command *command = command_at(i);

		printf("complete -c ssdassay -n __fish_use_subcommand -a %s -d \"%s\"\n", command->name, command->summary);
		for (uint32_t k = 0; k < COMMAND_OPTIONS && command->options[k].name; k++) {
			printf("complete -c ssdassay -n '__fish_seen_subcommand_from %s' -l %s", command->name,
			       command->options[k].name);
			if (command->options[k].letter)
				printf(" -s %c", command->options[k].letter);
			printf("%s -d \"%s\"\n", command->options[k].value ? " -r" : "", command->options[k].help);
		}
	}
	printf("complete -c ssdassay -n '__fish_seen_subcommand_from run check plans' -a \"");
	plan_names();
	printf("\"\n");
}

static enum exit_code completion_run(const struct command_line *line)
{
	if (!strcmp(line->words[0], "bash"))
		bash_print();
	else if (!strcmp(line->words[0], "zsh"))
		zsh_print();
	else if (!strcmp(line->words[0], "fish"))
		fish_print();
	else
		return command_fail(EXIT_CODE_USAGE, "completion %s: known shells are bash, zsh and fish", line->words[0]);
	return EXIT_CODE_DONE;
}

const struct command command_completion = {
	.name = "completion",
	.summary = "the completion script for bash, zsh or fish",
	.usage = "bash|zsh|fish",
	.details = "bash: ssdassay completion bash > /etc/bash_completion.d/ssdassay",
	.words_min = 1,
	.words_max = 1,
	.run = completion_run,
};
