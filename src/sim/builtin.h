/* builtin: the profiles that come with the program, as the texts of profile.h. */
#pragma once
#include "sim/profile.h"

extern const struct sim_profile sim_profiles_builtin[];	/* ends with a NULL name */
