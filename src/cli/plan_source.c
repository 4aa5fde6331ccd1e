#include "cli/plan_source.h"

#include <errno.h>
#include <fcntl.h>
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
static void path_split(const char *path, char *name, size_t name_bytes, char *directory, size_t directory_bytes)
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
	const char *names[128];
	const char *near;
	uint32_t count = 0;

	for (; count < 128 && plan_builtin_at(count); count++)
		names[count] = plan_builtin_at(count)->name;
	near = plan_nearest(word, names, count);
	if (near)
		return fault_set(fault, 0, 0, "no plan '%s'; did you mean '%s'?", word, near);
	return fault_set(fault, 0, 0, "no plan '%s': neither a built-in ('ssdassay plans' lists them) nor a .plan or .fio file",
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
		command_print_line(stderr, "ssdassay: warning: %s", fault_format(&plan->warnings[i], text, sizeof(text)));
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
