#include "sim/profile.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/nearest.h"
#include "base/text.h"
#include "base/units.h"
#include "sim/builtin.h"

#define PROFILE_BYTES_MAX (256 * 1024)
#define PROFILES_MAX 64

static const struct sim_param params_table[] = {
#define SIM_PARAM_ROW(name_, type_, unit_, min_, max_, fallback_, choices_, meaning_) \
	{ #name_, SIM_PARAM_##type_, unit_, min_, max_, fallback_, choices_, meaning_, GROUP, \
	  offsetof(struct sim_params, name_) },
#define GROUP SIM_GROUP_DRIVE
	SIM_PARAMS_DRIVE(SIM_PARAM_ROW)
#undef GROUP
#define GROUP SIM_GROUP_FLASH
	SIM_PARAMS_FLASH(SIM_PARAM_ROW)
#undef GROUP
#define GROUP SIM_GROUP_FRONT
	SIM_PARAMS_FRONT(SIM_PARAM_ROW)
#undef GROUP
#define GROUP SIM_GROUP_FTL
	SIM_PARAMS_FTL(SIM_PARAM_ROW)
#undef GROUP
#define GROUP SIM_GROUP_HEAT
	SIM_PARAMS_HEAT(SIM_PARAM_ROW)
#undef GROUP
#define GROUP SIM_GROUP_FAULT
	SIM_PARAMS_FAULT(SIM_PARAM_ROW)
#undef GROUP
#define GROUP SIM_GROUP_DISK
	SIM_PARAMS_DISK(SIM_PARAM_ROW)
#undef GROUP
#undef SIM_PARAM_ROW
};

#define PARAMS_COUNT (sizeof(params_table) / sizeof(params_table[0]))

const struct sim_param *sim_param_at(size_t index)
{
	return index < PARAMS_COUNT ? &params_table[index] : NULL;
}

const struct sim_profile *sim_profile_at(size_t index)
{
	const struct sim_profile *profile = sim_profiles_builtin;

	while (index-- && profile->name)
		profile++;
	return profile->name ? profile : NULL;
}

const struct sim_param *sim_param_find(const char *name)
{
	for (size_t i = 0; i < PARAMS_COUNT; i++)
		if (!strcmp(params_table[i].name, name))
			return &params_table[i];
	return NULL;
}

const struct sim_profile *sim_profile_find(const char *name)
{
	for (const struct sim_profile *profile = sim_profiles_builtin; profile->name; profile++)
		if (!strcmp(profile->name, name))
			return profile;
	return NULL;
}

static double *param_slot(const struct sim_param *param, struct sim_params *params)
{
	return (double *)((char *)params + param->offset);
}

double sim_param_value(const struct sim_param *param, const struct sim_params *params)
{
	return *(const double *)((const char *)params + param->offset);
}

/* The index-th word of a blank-separated list; returns its length, 0 when there is none. */
static size_t word_at(const char *list, int index, const char **ret_word)
{
	while (index-- > 0 && *list) {
		list += strcspn(list, " ");
		list += strspn(list, " ");
	}
	*ret_word = list;
	return strcspn(list, " ");
}

const char *sim_param_format(const struct sim_param *param, const struct sim_params *params,
			     char buffer[SIM_VALUE_TEXT])
{
	const double value = sim_param_value(param, params);
	const char *word;
	size_t length;

	if (param->type == SIM_PARAM_FLAG) {
		snprintf(buffer, SIM_VALUE_TEXT, "%s", value != 0 ? "on" : "off");
	} else if (param->type == SIM_PARAM_CHOICE) {
		length = word_at(param->choices, (int)value, &word);
		snprintf(buffer, SIM_VALUE_TEXT, "%.*s", (int)length, word);
	} else {
		snprintf(buffer, SIM_VALUE_TEXT, "%.10g", value);
	}
	return buffer;
}

void sim_params_default(struct sim_params *params)
{
	memset(params, 0, sizeof(*params));
	strcpy(params->model, "Simulated drive");
	for (size_t i = 0; i < PARAMS_COUNT; i++)
		*param_slot(&params_table[i], params) = params_table[i].fallback;
}

/* Nobody misspells a name of ours by much: only what is near is suggested, else all names are. */
static int param_unknown(const char *word, uint32_t line, uint32_t column, struct fault *fault)
{
	const char *names[PARAMS_COUNT + 2], *nearest;

	for (size_t i = 0; i < PARAMS_COUNT; i++)
		names[i] = params_table[i].name;
	names[PARAMS_COUNT] = "model";
	names[PARAMS_COUNT + 1] = "stall";
	nearest = nearest_name(word, names, PARAMS_COUNT + 2);
	if (nearest)
		return fault_set(fault, line, column,
				 "the simulated drive has no parameter \"%.60s\"; the nearest is \"%s\"",
				 word, nearest);
	return fault_set(fault, line, column,
			 "the simulated drive has no parameter \"%.60s\"; 'ssdassay sim PROFILE' lists all", word);
}

static int profile_unknown(const char *what, const char *word, uint32_t line, uint32_t column,
			   struct fault *fault)
{
	const char *names[PROFILES_MAX], *nearest;
	struct text all = { 0 };
	size_t count = 0;

	for (const struct sim_profile *profile = sim_profiles_builtin; profile->name && count < PROFILES_MAX; profile++) {
		names[count++] = profile->name;
		text_printf(&all, "%s%s", all.bytes ? " " : "", profile->name);
	}
	nearest = nearest_name(word, names, count);
	if (nearest)
		fault_set(fault, line, column, "there is no %s \"%.60s\"; the nearest is \"%s\"", what, word,
			  nearest);
	else
		fault_set(fault, line, column, "there is no %s \"%.60s\"; there are: %s", what, word,
			  text_data(&all));
	text_release(&all);
	return -EINVAL;
}

static double unit_ns(const char *unit)
{
	if (!strcmp(unit, "s"))
		return 1e9;
	if (!strcmp(unit, "ms"))
		return 1e6;
	return strcmp(unit, "us") ? 0 : 1e3;
}

static int number_parse(const struct sim_param *param, const char *text, double *ret_value)
{
	const double scale = unit_ns(param->unit);
	uint64_t ns;

	if (!double_parse(text, ret_value))
		return 0;
	if (scale == 0 || duration_parse(text, &ns))
		return -EINVAL;
	*ret_value = (double)ns / scale;
	return 0;
}

static int flag_parse(const char *text, double *ret_value)
{
	if (!strcmp(text, "on") || !strcmp(text, "1") || !strcmp(text, "yes"))
		*ret_value = 1;
	else if (!strcmp(text, "off") || !strcmp(text, "0") || !strcmp(text, "no"))
		*ret_value = 0;
	else
		return -EINVAL;
	return 0;
}

static int choice_parse(const struct sim_param *param, const char *text, double *ret_value)
{
	const char *word;
	size_t length;

	for (int i = 0; (length = word_at(param->choices, i, &word)); i++)
		if (strlen(text) == length && !memcmp(text, word, length)) {
			*ret_value = i;
			return 0;
		}
	return -EINVAL;
}

static int value_parse(const struct sim_param *param, const char *text, double *ret_value)
{
	switch (param->type) {
	case SIM_PARAM_FLAG:
		return flag_parse(text, ret_value);
	case SIM_PARAM_CHOICE:
		return choice_parse(param, text, ret_value);
	default:
		return number_parse(param, text, ret_value);
	}
}

static int value_fault(const struct sim_param *param, const char *text, uint32_t line, uint32_t column,
		       struct fault *fault)
{
	const char *unit = *param->unit ? " in " : "";

	if (param->type == SIM_PARAM_FLAG)
		return fault_set(fault, line, column, "%s=%.60s: must be on or off", param->name, text);
	if (param->type == SIM_PARAM_CHOICE)
		return fault_set(fault, line, column, "%s=%.60s: must be one of: %s", param->name, text,
				 param->choices);
	return fault_set(fault, line, column, "%s=%.60s: must be a number%s%s from %g to %g", param->name,
			 text, unit, param->unit, param->min, param->max);
}

/* AT/DURATION[/EVERY] as durations, in the ranges of the three parameters that it sets. */
static int stall_set(struct sim_params *params, const char *value, uint32_t line, uint32_t column,
		     struct fault *fault)
{
	static const char *const names[] = { "stall_at_s", "stall_s", "stall_every_s" };
	uint64_t ns[3] = { 0 };
	char copy[96];
	int count = 0;
	char *rest = copy, *part;

	snprintf(copy, sizeof(copy), "%s", value);
	while ((part = strsep(&rest, "/")) && count < 3)
		if (duration_parse(part, &ns[count++]))
			count = 9;
	if (count < 2 || count > 3 || part || strlen(value) >= sizeof(copy))
		return fault_set(
			fault, line, column,
			"stall=%.60s: must be AT/DURATION or AT/DURATION/EVERY, such as 10s/500ms/60s",
			value);
	if (ns[2] && ns[2] <= ns[1])
		return fault_set(fault, line, column, "stall=%.60s: EVERY must be longer than DURATION",
				 value);
	for (int i = 0; i < 3; i++)
		if ((double)ns[i] / 1e9 > sim_param_find(names[i])->max)
			return fault_set(fault, line, column,
					 "stall=%.60s: longer than the simulated drive can wait (at most "
					 "%g s)", value, sim_param_find(names[i])->max);
	for (int i = 0; i < 3; i++)
		*param_slot(sim_param_find(names[i]), params) = (double)ns[i] / 1e9;
	return 0;
}

static int model_set(struct sim_params *params, const char *value, uint32_t line, uint32_t column,
		     struct fault *fault)
{
	if (!*value || strlen(value) >= sizeof(params->model))
		return fault_set(fault, line, column, "model: must have 1 to %zu bytes",
				 sizeof(params->model) - 1);
	for (const char *at = value; *at; at++)
		if ((unsigned char)*at < 0x20 || *at == 0x7f)
			return fault_set(fault, line, column, "model: must not contain control characters");
	strcpy(params->model, value);
	return 0;
}

int sim_params_set(struct sim_params *params, const char *key, const char *value, uint32_t line,
		   uint32_t column, struct fault *fault)
{
	const struct sim_param *param = sim_param_find(key);
	double number = 0;

	if (!strcmp(key, "stall"))
		return stall_set(params, value, line, column, fault);
	if (!strcmp(key, "model"))
		return model_set(params, value, line, column, fault);
	if (!param)
		return param_unknown(key, line, column, fault);
	if (value_parse(param, value, &number) || !(number >= param->min && number <= param->max))
		return value_fault(param, value, line, column, fault);
	*param_slot(param, params) = number;
	return 0;
}

static int base_set(struct sim_params *params, const char *name, uint32_t line, struct fault *fault)
{
	const struct sim_profile *profile = sim_profile_find(name);

	if (!profile)
		return profile_unknown("built-in drive", name, line, 1, fault);
	return sim_params_parse(params, profile->text, profile->name, fault);
}

static char *trimmed(char *text)
{
	size_t length;

	text += strspn(text, " \t\r");
	length = strlen(text);
	while (length && strchr(" \t\r", text[length - 1]))
		text[--length] = 0;
	return text;
}

/* Cuts a comment off: '#' after a blank. */
static void comment_cut(char *text)
{
	for (char *at = text; (at = strchr(at, '#')); at++)
		if (at > text && strchr(" \t", at[-1])) {
			*at = 0;
			return;
		}
}

static int line_parse(struct sim_params *params, char *text, uint32_t line, bool first, struct fault *fault)
{
	char *equals = strchr(text, '=');
	const char *key, *value;

	if (!equals)
		return fault_set(fault, line, 1, "\"%.60s\": expected key=value", text);
	*equals = 0;
	comment_cut(equals + 1);
	key = trimmed(text);
	value = trimmed(equals + 1);
	if (strcmp(key, "base"))
		return sim_params_set(params, key, value, line, 1, fault);
	if (!first)
		return fault_set(fault, line, 1, "base=%.60s: must be the first key of a profile", value);
	return base_set(params, value, line, fault);
}

static int lines_parse(struct sim_params *params, char *text, struct fault *fault)
{
	bool first = true;
	char *row;

	for (uint32_t line = 1; (row = strsep(&text, "\n")); line++) {
		int status;

		row = trimmed(row);
		if (!*row || *row == '#' || *row == ';')
			continue;
		status = line_parse(params, row, line, first, fault);
		if (status)
			return status;
		first = false;
	}
	return 0;
}

int sim_params_parse(struct sim_params *params, const char *text, const char *source, struct fault *fault)
{
	char *copy = strdup(text);
	int status;

	if (!copy)
		return fault_system(fault, -ENOMEM, "out of memory");
	status = lines_parse(params, copy, fault);
	if (status && fault && !*fault->source)
		snprintf(fault->source, sizeof(fault->source), "%s", source);
	free(copy);
	return status;
}

static int file_parse(struct sim_params *params, const char *path, struct fault *fault)
{
	struct text text = { 0 };
	int status = text_read_file(&text, path, PROFILE_BYTES_MAX);

	if (status == -EFBIG)
		status = fault_set(fault, 0, 0, "the profile \"%.200s\" is longer than %d KiB", path,
				   PROFILE_BYTES_MAX / 1024);
	else if (status)
		status = fault_system(fault, status, "cannot read the profile \"%.200s\": %s", path,
				      strerror(-status));
	else if (strlen(text_data(&text)) != text.bytes)
		status = fault_set(fault, 0, 0, "the profile \"%.200s\" is not a text file", path);
	else
		status = sim_params_parse(params, text_data(&text), path, fault);
	text_release(&text);
	return status;
}

static int profile_parse(struct sim_params *params, const char *name, struct fault *fault)
{
	const struct sim_profile *profile = sim_profile_find(name);

	snprintf(params->profile, sizeof(params->profile), "%s", name);
	if (profile)
		return sim_params_parse(params, profile->text, profile->name, fault);
	if (strpbrk(name, "/."))
		return file_parse(params, name, fault);
	return profile_unknown("simulated drive", name, 0, 0, fault);
}

/* Values that are each in range but do not go together. */
static int params_check(const struct sim_params *params, struct fault *fault)
{
	static const char *const whole[] = {
		"shrink", "queue_depth", "channels", "dies", "planes", "page_kb", "bits", "program_train",
		"superblocks", "retries", "gc_choices", "gc_batch", "disks", "stripe_kb", "cached_writes",
	};

	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++) {
		const double value = sim_param_value(sim_param_find(whole[i]), params);

		if (value != floor(value))
			return fault_set(fault, 0, 0, "%s=%g: must be a whole number", whole[i], value);
	}
	if (params->block != 512 && params->block != 4096)
		return fault_set(fault, 0, 0, "block=%g: must be 512 or 4096", params->block);
	if (fmod(params->page_kb, 4) != 0)
		return fault_set(fault, 0, 0, "page_kb=%g: must be a multiple of 4", params->page_kb);
	if (params->throttle_clear_c > params->throttle_c)
		return fault_set(fault, 0, 0, "throttle_clear_c=%g: must not be above throttle_c=%g",
				 params->throttle_clear_c, params->throttle_c);
	if (params->slc_gb > 0 && params->bits == 1)
		return fault_set(fault, 0, 0, "slc_gb=%g: a drive with bits=1 has no SLC cache",
				 params->slc_gb);
	if (params->gc_floor >= params->gc_reserve)
		return fault_set(fault, 0, 0, "gc_floor=%g: must be below gc_reserve=%g", params->gc_floor,
				 params->gc_reserve);
	return 0;
}

static int overrides_parse(struct sim_params *params, char *rest, uint32_t column, struct fault *fault)
{
	char *part;

	while ((part = strsep(&rest, ","))) {
		char *equals = strchr(part, '=');
		const uint32_t length = (uint32_t)strlen(part);
		int status;

		if (!equals)
			return fault_set(fault, 0, column, "\"%.60s\": expected key=value", part);
		*equals = 0;
		status = sim_params_set(params, part, equals + 1, 0, column, fault);
		if (status)
			return status;
		column += length + 1;
	}
	return 0;
}

int sim_params_load(const char *spec, struct sim_params *ret_params, struct fault *fault)
{
	struct sim_params params;
	char *copy = strdup(spec), *rest = copy, *name;
	int status;

	if (!copy)
		return fault_system(fault, -ENOMEM, "out of memory");
	if (fault)
		fault->source[0] = 0;
	sim_params_default(&params);
	name = strsep(&rest, ",");
	status = profile_parse(&params, name, fault);
	if (!status && rest)
		status = overrides_parse(&params, rest, (uint32_t)(rest - copy) + 1, fault);
	if (!status)
		status = params_check(&params, fault);
	if (!status)
		*ret_params = params;
	free(copy);
	return status;
}
