#include "fixture.h"
#include <math.h>

static const char *variable(void *context, const char *name)
{
	return !strcmp(name, "TEST_SIZE") ? "64k" : !strcmp(name, "TEST_NAME") ? "disk" : NULL;
}

struct plan_options options_of(enum plan_dialect dialect)
{
	return (struct plan_options){
		.dialect = dialect,
		.source = "text",
		.name = "text",
		.scale = 1,
		.allow_commands = true,
		.cpu_count = 4,
		.variable = variable,
	};
}

struct plan *plan_of_options(const struct plan_options *options, const char *text)
{
	struct plan *plan = NULL;
	struct fault fault = { 0 };
	char message[1024];

	if (plan_parse(text, options, &plan, &fault))
		fail_msg("%s\nin:\n%s", fault_format(&fault, message, sizeof(message)), text);
	return plan;
}

struct plan *plan_of(enum plan_dialect dialect, const char *text)
{
	struct plan_options options = options_of(dialect);

	return plan_of_options(&options, text);
}

int plan_fault(enum plan_dialect dialect, const char *text, struct fault *fault)
{
	struct plan_options options = options_of(dialect);
	struct plan *plan = NULL;
	int error = plan_parse(text, &options, &plan, fault);

	if (!error)
		plan_free(plan);
	return error;
}

const struct plan_step *step_of(const struct plan *plan, const char *name)
{
	for (uint32_t i = 0; i < plan->step_count; i++)
		if (!strcmp(plan->steps[i].name, name))
			return &plan->steps[i];
	fail_msg("no step %s", name);
	return NULL;
}

struct plan_instance *instance_of(const struct plan *plan, const char *name, uint32_t group, uint32_t point)
{
	struct plan_place place = { .step = step_of(plan, name)->index, .point = point };
	struct plan_instance *instance = calloc(1, sizeof(*instance));
	struct fault fault = { 0 };

	place.group_point[0] = group;
	if (plan_instantiate(plan, &place, NULL, instance, &fault))
		fail_msg("%s point %u: %s", name, point, fault.text);
	return instance;
}

struct load load_of(enum plan_dialect dialect, const char *lines)
{
	char text[2048];
	struct plan *plan;
	struct plan_instance *instance;
	struct load load;

	snprintf(text, sizeof(text), "[a]\n%s", lines);
	plan = plan_of(dialect, text);
	instance = instance_of(plan, "a", 0, 0);
	load = instance->loads[0];
	free(instance);
	plan_free(plan);
	return load;
}

const char *value_of(const struct plan_instance *instance, const char *key)
{
	for (uint32_t i = 0; i < instance->value_count; i++)
		if (!strcmp(instance->values[i].key, key))
			return instance->values[i].text;
	return NULL;
}

char *file_text(const char *folder_variable, const char *path)
{
	char full[4096];
	FILE *file;
	char *text = calloc(1, 1 << 20);

	snprintf(full, sizeof(full), "%s/%s", getenv(folder_variable), path);
	file = fopen(full, "r");
	if (!file)
		fail_msg("can't open %s", full);
	text[fread(text, 1, (1 << 20) - 1, file)] = '\0';
	fclose(file);
	return text;
}
