/* profile: named parameter sets and the text that changes them.
 *
 * A spec is PROFILE[,key=value...]. PROFILE is a built-in's name or the path of a text file (anything with a
 * '/' or '.' in it). A profile's text has one key=value per line; empty lines and lines starting with '#' or
 * ';' are skipped, and so is the rest of a line after a blank and '#'; `base=NAME` as its first key starts
 * from a built-in. `model=TEXT` names the drive and `stall=AT/DURATION/EVERY` sets three parameters at once,
 * as durations ("10s/500ms/60s"). Numbers are in the parameter's unit; times also accept "55us", "20ms". Pure
 * functions, except that a path is read. */
#pragma once
#include <stddef.h>
#include "base/fault.h"
#include "sim/params.h"

struct sim_param {
	const char *name;
	enum sim_param_type type;
	const char *unit;	/* "" = none */
	double min, max;	/* inclusive */
	double fallback;	/* when a profile does not say */
	const char *choices;	/* names separated by blanks; "" unless SIM_PARAM_CHOICE */
	const char *meaning;
	enum sim_group group;
	size_t offset;		/* of the double in struct sim_params */
};

struct sim_profile {
	const char *name;
	const char *title;	/* one line */
	const char *text;	/* key=value lines */
};

/* Iterators: index from 0; NULL after the last. */
const struct sim_param *sim_param_at(size_t index);
const struct sim_profile *sim_profile_at(size_t index);
const struct sim_param *sim_param_find(const char *name);	/* NULL when there is none */
const struct sim_profile *sim_profile_find(const char *name);

#define SIM_VALUE_TEXT 64
double sim_param_value(const struct sim_param *param, const struct sim_params *params);
/* The value as a spec would write it ("greedy", "on", "55"); returns buffer. */
const char *sim_param_format(const struct sim_param *param, const struct sim_params *params,
			     char buffer[SIM_VALUE_TEXT]);

/* 0; -EINVAL with fault (unknown profile or key with the nearest name, not a number, out of range, values
 * that contradict each other); another -errno with fault when a profile file cannot be read. */
int sim_params_load(const char *spec, struct sim_params *ret_params, struct fault *fault);
/* One key=value into `params`; line and column are for the fault. */
int sim_params_set(struct sim_params *params, const char *key, const char *value, uint32_t line,
		   uint32_t column, struct fault *fault);
/* A whole profile text; `source` names it in the fault. */
int sim_params_parse(struct sim_params *params, const char *text, const char *source, struct fault *fault);
void sim_params_default(struct sim_params *params);
