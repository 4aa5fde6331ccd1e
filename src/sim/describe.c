#include "sim/describe.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "sim/profile.h"

#define COMMENT_COLUMN 26

static const char *const group_titles[SIM_GROUPS] = {
	"Drive",
	"Flash",
	"Controller, host link and buffer",
	"Mapping, garbage collection and SLC cache",
	"Heat",
	"Injected faults and power cuts",
	"Hard disk",
};

static bool group_matters(enum sim_group group, const struct sim_params *params)
{
	if (params->kind == SIM_KIND_SSD)
		return group != SIM_GROUP_DISK;
	return group != SIM_GROUP_FLASH && group != SIM_GROUP_FRONT && group != SIM_GROUP_FTL;
}

void sim_profiles_list(struct text *out)
{
	const struct sim_profile *profile;
	struct sim_params params;

	text_printf(out, "%-15s %9s %7s  %s\n", "PROFILE", "GB", "SHRINK", "WHAT IT IS");
	for (size_t i = 0; (profile = sim_profile_at(i)); i++)
		if (!sim_params_load(profile->name, &params, NULL))
			text_printf(out, "%-15s %9.4g %7.4g  %s\n", profile->name, params.capacity_gb,
				    params.shrink, profile->title);
	text_append(
		out,
		"\nSHRINK n: simulated as a drive of 1/n of the capacity and cache, but of full speed, which "
		"fills n times\nsooner; shrink=1 is the real size. 'ssdassay sim PROFILE' prints all "
		"parameters; each can be set:\n"
		"ssdassay run steady sim:tlc-consumer,shrink=64,slc_gb=10\n");
}

static void param_describe(const struct sim_param *param, const struct sim_params *params, struct text *out)
{
	char value[SIM_VALUE_TEXT], setting[SIM_VALUE_TEXT + 32];

	snprintf(setting, sizeof(setting), "%s=%s", param->name, sim_param_format(param, params, value));
	text_printf(out, "%-*s # %s%s%s%s", COMMENT_COLUMN, setting, *param->unit ? "[" : "", param->unit,
		    *param->unit ? "] " : "", param->meaning);
	if (*param->choices)
		text_printf(out, " (%s)", param->choices);
	text_append(out, "\n");
}

static void group_describe(enum sim_group group, const struct sim_params *params, struct text *out)
{
	const struct sim_param *param;

	text_printf(out, "\n# %s\n", group_titles[group]);
	for (size_t i = 0; (param = sim_param_at(i)); i++)
		if (param->group == group)
			param_describe(param, params, out);
}

void sim_params_describe(const struct sim_params *params, const char *title, struct text *out)
{
	text_printf(out, "# %s: %s\n", params->profile, title);
	if (params->shrink > 1)
		text_printf(
			out,
			"# Simulated at 1:%g: a drive of %.4g GB and full speed (shrink=1: the real size).\n",
			params->shrink, params->capacity_gb / params->shrink);
	text_append(out, "# Set any of these after the name: sim:PROFILE,KEY=VALUE,... - or save this text, "
			 "change it, and use its\n# path as PROFILE: sim:./my.profile\n");
	text_printf(out, "model=%s\n", params->model);
	for (int group = 0; group < SIM_GROUPS; group++)
		if (group_matters((enum sim_group)group, params))
			group_describe((enum sim_group)group, params, out);
}
