/* Completion scripts, printed from the table of commands, so that they know what the program knows. */
#include <stdio.h>
#include <string.h>
#include "cli/command.h"
#include "drive/drive_sim.h"
#include "plan/plan.h"

/* Options whose value is one of a few words. */
struct choice { const char *option, *words; };
static const struct choice choices[] = {
	{ "progress", "auto plain json none" }, { "lang", "en zh-Hans zh-Hant" },
	{ "format", "csv json fio-json hdr" },
};

static const char *choice_words(const struct command_option *option)
{
	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++)
		if (!strcmp(option->name, choices[i].option))
			return choices[i].words;
	return NULL;
}

/* Names of simulated drives, each behind `prefix`. */
static void profile_names(const char *prefix)
{
	struct text table = { 0 };
	struct fault fault;
	const char *separator = "", *line, *end;

	if (!drive_sim_profiles(NULL, &table, &fault)) {
		line = strchr(text_data(&table), '\n');	/* behind the heading */
		for (; line && line[1] && line[1] != '\n' && line[1] != ' '; line = end) {
			printf("%s%s%.*s", separator, prefix, (int)strcspn(line + 1, " \n"), line + 1);
			separator = " ";
			end = strchr(line + 1, '\n');
		}
	}
	text_release(&table);
}

static bool takes_target(const struct command *command)
{
	return !strcmp(command->name, "run") || !strcmp(command->name, "check");
}

static bool takes_plan(const struct command *command)
{
	return !strcmp(command->name, "run") || !strcmp(command->name, "check") ||
	       !strcmp(command->name, "plans");
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

/* `text` with a backslash before each of `special`; a ' becomes '\'' for strings in single quotes. */
static void escaped(const char *text, const char *special)
{
	for (; *text; text++) {
		if (*text == '\'') {
			fputs("'\\''", stdout);
			continue;
		}
		if (strchr(special, *text))
			putchar('\\');
		putchar(*text);
	}
}

/* -- bash -- */

static void bash_options(const struct command *command)
{
	printf("\t%s) options=\"--help", command->name);
	for (uint32_t i = 0; i < COMMAND_OPTIONS && command->options[i].name; i++)
		printf(" --%s", command->options[i].name);
	printf("\" ;;\n");
}

static void bash_choices(void)
{
	printf("\tcase $before in\n");
	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++)
		printf("\t--%s) COMPREPLY=($(compgen -W \"%s\" -- \"$word\")); return ;;\n",
		       choices[i].option, choices[i].words);
	printf("\tesac\n");
}

/* What is typed may have a colon, at which bash splits words and completes only what is behind it. */
static void bash_targets(void)
{
	printf("\tlocal typed=${COMP_LINE:0:COMP_POINT}\n\ttyped=${typed##*[[:space:]]}\n"
	       "\tif [[ $typed == sim:* && $COMP_CWORD -gt 2 ]]; then\n"
	       "\t\tCOMPREPLY=($(compgen -W \"");
	profile_names("sim:");
	printf("\" -- \"$typed\"))\n"
	       "\t\t[[ $COMP_WORDBREAKS != *:* ]] || COMPREPLY=(\"${COMPREPLY[@]#sim:}\")\n\t\treturn\n\tfi\n");
}

/* One name a line: they may have spaces. */
static void bash_files(void)
{
	printf("\twhile IFS= read -r file; do\n\t\tCOMPREPLY+=(\"$file\")\n"
	       "\tdone < <(compgen -f -- \"${word//\\\\/}\")\n}\n");
}

static void bash_print(void)
{
	printf("# bash completion of ssdassay; made by 'ssdassay completion bash'\n_ssdassay()\n{\n"
	       "\tlocal word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} "
	       "options= file\n\tCOMPREPLY=()\n"
	       "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n\t\tCOMPREPLY=($(compgen -W \"");
	command_names();
	printf(" --help --version\" -- \"$word\"))\n\t\treturn\n\tfi\n");
	bash_choices();
	printf("\tcase ${COMP_WORDS[1]} in\n");
	for (uint32_t i = 0; command_at(i); i++)
		bash_options(command_at(i));
	printf("\tesac\n\tif [[ $word == -* ]]; then\n\t\tCOMPREPLY=($(compgen -W \"$options\" -- "
	       "\"$word\"))\n\t\treturn\n\tfi\n");
	bash_targets();
	printf("\tif [ \"$COMP_CWORD\" -eq 2 ]; then\n\t\tcase ${COMP_WORDS[1]} in\n"
	       "\t\trun | check | plans) COMPREPLY=($(compgen -W \"");
	plan_names();
	printf("\" -- \"$word\")) ;;\n\t\tcompletion)\n"
	       "\t\t\tCOMPREPLY=($(compgen -W \"bash zsh fish\" -- \"$word\"))\n\t\t\treturn\n\t\t\t;;\n"
	       "\t\tsim)\n\t\t\tCOMPREPLY=($(compgen -W \"");
	profile_names("");
	printf("\" -- \"$word\"))\n\t\t\treturn\n\t\t\t;;\n\t\tesac\n"
	       "\telif [[ ${COMP_WORDS[1]} == run || ${COMP_WORDS[1]} == check ]] && [[ sim: == \"$word\"* ]]; then\n"
	       "\t\tCOMPREPLY=(sim:)\n\t\tcompopt -o nospace 2> /dev/null\n\tfi\n");
	bash_files();
	printf("complete -o filenames -F _ssdassay ssdassay\n");
}

/* -- zsh -- */

static void zsh_option(const struct command_option *option)
{
	printf(" \\\n\t\t'%s--%s[", option->repeats ? "*" : "", option->name);
	escaped(option->help, "[]:\\");
	putchar(']');
	if (option->value && choice_words(option))
		printf(":value:(%s)", choice_words(option));
	else if (option->value)
		printf(":value:_files");
	putchar('\'');
}

static void zsh_command(const struct command *command)
{
	printf("%s) _arguments '1:command:' '--help[explain the command]'", command->name);
	for (uint32_t i = 0; i < COMMAND_OPTIONS && command->options[i].name; i++)
		zsh_option(&command->options[i]);
	if (takes_plan(command))
		printf(" '2:plan:_ssdassay_plans'");
	else if (!strcmp(command->name, "completion"))
		printf(" '2:shell:(bash zsh fish)'");
	else if (!strcmp(command->name, "sim"))
		printf(" '2:profile:_ssdassay_profiles'");
	printf(" '*:file:%s' ;;\n", takes_target(command) ? "_ssdassay_targets" : "_files");
}

static void zsh_print(void)
{
	printf("#compdef ssdassay\n# zsh completion of ssdassay; made by 'ssdassay completion zsh'\n"
	       "_ssdassay_plans() {\n\tcompadd ");
	plan_names();
	printf("\n\t_files\n}\n_ssdassay_targets() {\n\tcompadd ");
	profile_names("sim:");
	printf("\n\t_files\n}\n_ssdassay_profiles() {\n\tcompadd ");
	profile_names("");
	printf("\n}\n_ssdassay() {\n\tlocal -a commands\n\tcommands=(\n");
	for (uint32_t i = 0; command_at(i); i++) {
		printf("\t'%s:", command_at(i)->name);
		escaped(command_at(i)->summary, ":\\");
		printf("'\n");
	}
	printf("\t)\n\tif (( CURRENT == 2 )); then\n\t\t_describe command commands\n"
	       "\t\tcompadd -- --help --version\n\t\treturn\n\tfi\n"
	       "\tcase $words[2] in\n");
	for (uint32_t i = 0; command_at(i); i++) {
		putchar('\t');
		zsh_command(command_at(i));
	}
	printf("\tesac\n}\n_ssdassay \"$@\"\n");
}

/* -- fish -- */

static void fish_option(const struct command *command, const struct command_option *option)
{
	printf("complete -c ssdassay -n '__fish_seen_subcommand_from %s' -l %s", command->name, option->name);
	if (option->letter)
		printf(" -s %c", option->letter);
	if (option->value && choice_words(option))
		printf(" -x -a '%s'", choice_words(option));
	else if (option->value)
		printf(" -r");
	printf(" -d '");
	escaped(option->help, "\\");
	printf("'\n");
}

static void fish_print(void)
{
	printf("# fish completion of ssdassay; made by 'ssdassay completion fish'\n");
	for (uint32_t i = 0; command_at(i); i++) {
		const struct command *command = command_at(i);

		printf("complete -c ssdassay -n __fish_use_subcommand -f -a %s -d '", command->name);
		escaped(command->summary, "\\");
		printf("'\n");
		for (uint32_t k = 0; k < COMMAND_OPTIONS && command->options[k].name; k++)
			fish_option(command, &command->options[k]);
	}
	printf("complete -c ssdassay -n '__fish_seen_subcommand_from run check plans' -a '");
	plan_names();
	printf("'\ncomplete -c ssdassay -n '__fish_seen_subcommand_from run check' -a '");
	profile_names("sim:");
	printf("'\ncomplete -c ssdassay -n '__fish_seen_subcommand_from sim' -f -a '");
	profile_names("");
	printf("'\ncomplete -c ssdassay -n __fish_use_subcommand -l help -d 'what there is'\n"
	       "complete -c ssdassay -n __fish_use_subcommand -l version -d 'the version");
	printf("'\ncomplete -c ssdassay -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'\n");
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
		return command_fail(EXIT_CODE_USAGE, "completion %s: known shells are bash, zsh and fish",
				    line->words[0]);
	return EXIT_CODE_DONE;
}

const struct command command_completion = {
	.name = "completion",
	.summary = "the completion script for bash, zsh or fish",
	.usage = "bash|zsh|fish",
	.details = "'meson install' puts all three where the shells look for them. By hand:\n"
		   "bash: ssdassay completion bash > ~/.local/share/bash-completion/completions/ssdassay\n"
		   "zsh:  ssdassay completion zsh > a directory of $fpath, as _ssdassay\n"
		   "fish: ssdassay completion fish > ~/.config/fish/completions/ssdassay.fish",
	.words_min = 1,
	.words_max = 1,
	.run = completion_run,
};
