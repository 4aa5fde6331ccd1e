#include "cli/plan_source.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/units.h"

#define PLAN_BYTES_MAX (4u << 20)

static const char *variable_get(void *context, const char *name)
{
	(void)context;
	return getenv(name);
}

static bool ends_with(const char *word, const char *ending)
{
	size_t length = strlen(word), end = strlen(ending);

	return length > end && !strcmp(word + length - end, ending);
}

/* "dir/my-test.plan" -> "my-test" into name; the directory into directory. */
static void path_split(const char *path, char *name, size_t name_bytes, char *directory,
		       size_t directory_bytes)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	char *dot;

	snprintf(directory, directory_bytes, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
	if (slash == path)
		snprintf(directory, directory_bytes, "/");
	snprintf(name, name_bytes, "%s", base);
	dot = strrchr(name, '.');
	if (dot && dot != name)
		*dot = '\0';
}

static int text_of_file(const char *path, struct text *text, struct fault *fault)
{
	int error = text_read_file(text, path, PLAN_BYTES_MAX);

	if (error == -EFBIG)
		return fault_set(fault, 0, 0, "%s: larger than 4 MiB: not a plan", path);
	if (error)
		return fault_set(fault, 0, 0, "cannot read plan %s: %s", path, strerror(-error));
	if (memchr(text_data(text), '\0', text->bytes))
		return fault_set(fault, 0, 0, "%s: holds NUL bytes: not a plan", path);
	return 0;
}

static int unknown_plan(const char *word, struct fault *fault)
{
	const char *near = plan_builtin_nearest(word);

	if (near)
		return fault_set(fault, 0, 0, "no plan '%s'; did you mean '%s'?", word, near);
	return fault_set(fault, 0, 0,
			 "no plan '%s': neither a built-in ('ssdassay plans' lists them) nor a .plan or .fio "
			 "file",
			 word);
}

static int options_fill(const struct command_line *line, struct plan_options *options, struct fault *fault)
{
	const struct command_values *set = command_values(line, "set");
	const char *scale = command_value(line, "scale");
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	options->scale = 1;
	if (scale && (double_parse(scale, &options->scale) || options->scale <= 0 || options->scale > 1000))
		return fault_set(fault, 0, 0, "--scale %s: not a factor between 0 and 1000", scale);
	options->strict = command_given(line, "strict");
	options->allow_commands = command_given(line, "allow-commands");
	options->set_count = set->count;
	options->set = set->value;
	options->cpu_count = cpus > 0 ? (uint32_t)cpus : 1;
	options->variable = variable_get;
	return 0;
}

static void warnings_print(const struct plan *plan)
{
	char text[1024];

	for (uint32_t i = 0; i < plan->warning_count; i++)
		command_print_line(stderr, "ssdassay: warning: %s",
				   fault_format(&plan->warnings[i], text, sizeof(text)));
}

int plan_source_read(const struct command_line *line, const char *word, struct plan **ret_plan,
		     struct fault *fault)
{
	const struct plan_builtin *builtin = plan_builtin_find(word);
	struct plan_options options = { 0 };
	struct text text = { 0 };
	char name[256], directory[4096];
	bool is_file = strcmp(word, "-") && !builtin;
	int error = options_fill(line, &options, fault);

	if (error)
		return error;
	options.name = options.source = word;
	if (builtin) {
		text_append(&text, builtin->text);
	} else if (is_file && access(word, F_OK) && !strchr(word, '/') && !ends_with(word, ".plan") &&
		   !ends_with(word, ".fio")) {
		return unknown_plan(word, fault);
	} else {
		error = text_of_file(is_file ? word : "/dev/stdin", &text, fault);
		path_split(is_file ? word : "stdin", name, sizeof(name), directory, sizeof(directory));
		options.name = name;
		options.source = is_file ? word : "standard input";
		options.directory = directory;
		options.dialect = ends_with(word, ".fio") ? PLAN_FIO : PLAN_NATIVE;
	}
	if (!error)
		error = plan_parse(text_data(&text), &options, ret_plan, fault);
	text_release(&text);
	if (!error)
		warnings_print(*ret_plan);
	return error;
}

/* -- a plan that is kept in a run file -- */

/* Every ${NAME} of the text that the environment knows: those that the plan used are among them. */
static json_t *variables_json(const char *text)
{
	json_t *variables = json_object();

	for (const char *at = strstr(text, "${"); at; at = strstr(at + 2, "${")) {
		size_t length = strcspn(at + 2, "}\n");
		char name[128];
		const char *value;

		if (at[2 + length] != '}' || length >= sizeof(name))
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)length, at + 2);
		value = getenv(name);
		if (value)
			json_object_set_new(variables, name, json_string(value));
	}
	return variables;
}

char *plan_source_options_json(const struct command_line *line, const struct plan *plan)
{
	const struct command_values *set = command_values(line, "set");
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	json_t *options = json_object(), *sets = json_array();
	char *text;

	for (uint32_t i = 0; i < set->count; i++)
		json_array_append_new(sets, json_string(set->value[i]));
	json_object_set_new(options, "dialect", json_string(plan->dialect == PLAN_FIO ? "fio" : "plan"));
	json_object_set_new(options, "set", sets);
	json_object_set_new(options, "cpus", json_integer(cpus > 0 ? cpus : 1));
	json_object_set_new(options, "variables", variables_json(plan->text));
	text = json_dumps(options, JSON_COMPACT);
	json_decref(options);
	return text;
}

static const char *variable_stored(void *context, const char *name)
{
	return json_string_value(json_object_get(context, name));
}

int plan_stored_read(const struct command_line *line, const struct run_record *run, const char *options_json,
		     struct plan **ret_plan, struct fault *fault)
{
	json_t *stored = options_json ? json_loads(options_json, 0, NULL) : NULL;
	json_t *sets = json_object_get(stored, "set");
	const char *dialect = json_string_value(json_object_get(stored, "dialect"));
	const char *set[COMMAND_VALUES];
	struct plan_options options = {
		.name = run->plan_name,
		.source = run->plan_source,
		.dialect = dialect && !strcmp(dialect, "fio") ? PLAN_FIO : PLAN_NATIVE,
		.scale = run->scale > 0 ? run->scale : 1,
		.strict = run->strict,
		.allow_commands = command_given(line, "allow-commands"),
		.set = set,
		.cpu_count = (uint32_t)json_integer_value(json_object_get(stored, "cpus")),
		.variable = variable_stored,
		.variable_context = json_object_get(stored, "variables"),
	};
	int error;

	for (; options.set_count < json_array_size(sets) && options.set_count < COMMAND_VALUES;
	     options.set_count++)
		set[options.set_count] = json_string_value(json_array_get(sets, options.set_count));
	if (!options.cpu_count)
		options.cpu_count = 1;
	error = plan_parse(run->plan_text, &options, ret_plan, fault);
	json_decref(stored);
	return error;
}
