#include "base/nearest.h"
#include "cli/command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>
#include "plan/plan.h"

static uint32_t option_count(const struct command *command)
{
	uint32_t count = 0;

	while (count < COMMAND_OPTIONS && command->options[count].name)
		count++;
	return count;
}

static int option_index(const struct command *command, const char *name, size_t length)
{
	for (uint32_t i = 0; i < option_count(command); i++)
		if (strlen(command->options[i].name) == length &&
		    !strncmp(command->options[i].name, name, length))
			return (int)i;
	return -1;
}

static int option_unknown(const struct command *command, const char *word, size_t length, struct fault *fault)
{
	const char *names[COMMAND_OPTIONS];
	char name[128];
	const char *near;
	uint32_t count = option_count(command);

	for (uint32_t i = 0; i < count; i++)
		names[i] = command->options[i].name;
	if (length >= sizeof(name))
		length = sizeof(name) - 1;
	memcpy(name, word, length);
	name[length] = '\0';
	near = nearest_name(name, names, count);
	if (near)
		return fault_set(fault, 0, 0, "%s: unknown option --%s; did you mean --%s?", command->name,
				 name, near);
	return fault_set(fault, 0, 0, "%s: unknown option --%s; see 'ssdassay %s --help'", command->name,
			 name, command->name);
}

static int option_store(struct command_line *line, uint32_t index, const char *value, struct fault *fault)
{
	const struct command_option *option = &line->command->options[index];
	struct command_values *values = &line->options[index];

	if (values->count && !option->repeats)
		return fault_set(fault, 0, 0, "%s: --%s was given twice", line->command->name, option->name);
	if (values->count == COMMAND_VALUES)
		return fault_set(fault, 0, 0, "%s: --%s was given more than %d times", line->command->name,
				 option->name, COMMAND_VALUES);
	values->value[values->count++] = value;
	return 0;
}

/* One option at argv[*at]; moves *at over a separate value. */
static int option_parse(struct command_line *line, int argc, char **argv, int *at, struct fault *fault)
{
	const char *word = argv[*at];
	bool is_long = word[1] == '-';
	const char *equals = is_long ? strchr(word, '=') : NULL;
	const struct command_option *option;
	const char *value = NULL;
	int index = -1;

	if (is_long) {
		size_t length = equals ? (size_t)(equals - word - 2) : strlen(word + 2);

		index = option_index(line->command, word + 2, length);
		if (index < 0)
			return option_unknown(line->command, word + 2, length, fault);
		value = equals ? equals + 1 : NULL;
	} else {
		for (uint32_t i = 0; i < option_count(line->command); i++)
			if (line->command->options[i].letter == word[1])
				index = (int)i;
		if (index < 0)
			return fault_set(fault, 0, 0, "%s: unknown option -%c; see 'ssdassay %s --help'",
					 line->command->name, word[1], line->command->name);
		value = word[2] ? word + 2 : NULL;
	}
	option = &line->command->options[index];
	if (!option->value && value)
		return fault_set(fault, 0, 0, "%s: --%s takes no value", line->command->name, option->name);
	if (option->value && !value) {
		if (*at + 1 >= argc)
			return fault_set(fault, 0, 0, "%s: --%s needs a value: --%s %s", line->command->name,
					 option->name, option->name, option->value);
		value = argv[++*at];
	}
	return option_store(line, (uint32_t)index, value ? value : "", fault);
}

/* The word of the usage at that place ("RUN" of "RUN RUN... [--json]"). */
static int word_wanted(const char *usage, uint32_t place, const char **ret_word)
{
	while (place--)
		usage += strcspn(usage, " ") + 1;
	*ret_word = usage;
	return (int)strcspn(usage, " .");
}

static int words_check(const struct command_line *line, struct fault *fault)
{
	const struct command *command = line->command;
	const char *word;
	int bytes;

	if (line->word_count < command->words_min) {
		bytes = word_wanted(command->usage, line->word_count, &word);
		return fault_set(fault, 0, 0, "%s: %s%.*s is missing; usage: ssdassay %s %s", command->name,
				 line->word_count ? "another " : "", bytes, word, command->name,
				 command->usage);
	}
	if (line->word_count > command->words_max)
		return fault_set(fault, 0, 0, "%s: '%s' is too much; usage: ssdassay %s %s", command->name,
				 line->words[command->words_max], command->name, command->usage);
	return 0;
}

int command_line_parse(const struct command *command, int argc, char **argv, struct command_line *ret_line,
		       bool *ret_help, struct fault *fault)
{
	struct command_line line = { .command = command, .argc = argc, .argv = argv };
	bool options_end = false;
	int error = 0;

	*ret_help = false;
	line.words = calloc((size_t)argc + 1, sizeof(*line.words));
	if (!line.words)
		return fault_system(fault, -ENOMEM, "out of memory");
	for (int i = 0; i < argc && !error; i++) {
		if (!options_end && !strcmp(argv[i], "--"))
			options_end = true;
		else if (!options_end && (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")))
			*ret_help = true;
		else if (!options_end && argv[i][0] == '-' && argv[i][1])
			error = option_parse(&line, argc, argv, &i, fault);
		else
			line.words[line.word_count++] = argv[i];
	}
	if (!error && !*ret_help)
		error = words_check(&line, fault);
	if (error) {
		command_line_release(&line);
		return error;
	}
	*ret_line = line;
	return 0;
}

void command_line_release(struct command_line *line)
{
	free(line->words);
	line->words = NULL;
}

const struct command_values *command_values(const struct command_line *line, const char *name)
{
	static const struct command_values none;
	int index = option_index(line->command, name, strlen(name));

	return index < 0 ? &none : &line->options[index];
}

const char *command_value(const struct command_line *line, const char *name)
{
	const struct command_values *values = command_values(line, name);

	return values->count ? values->value[values->count - 1] : NULL;
}

bool command_given(const struct command_line *line, const char *name)
{
	return command_values(line, name)->count > 0;
}

char *command_line_json(const struct command_line *line)
{
	json_t *array = json_array();
	char *text;

	json_array_append_new(array, json_string("ssdassay"));
	json_array_append_new(array, json_string(line->command->name));
	for (int i = 0; i < line->argc; i++) {
		json_t *word = json_string(line->argv[i]);

		json_array_append_new(array, word ? word : json_string("(not UTF-8)"));
	}
	text = json_dumps(array, JSON_COMPACT);
	json_decref(array);
	return text;
}
