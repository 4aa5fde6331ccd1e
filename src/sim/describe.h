/* describe: the profiles as text for people. */
#pragma once
#include "base/text.h"
#include "sim/params.h"

/* The built-in profiles, a line each, under a heading. */
void sim_profiles_list(struct text *out);
/* All parameters that matter to this kind of drive, by group, with units and meaning. The text is a profile:
 * saved as a file it can be changed and used. `title`: what it is, a line. */
void sim_params_describe(const struct sim_params *params, const char *title, struct text *out);
