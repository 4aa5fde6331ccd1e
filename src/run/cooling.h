/* cooling: is a drive back at the temperature that it had when the run began? Private to room run. */
#pragma once
#include "run/conductor.h"

enum cooling_state {
	COOLING_UNTOLD,	/* no drive under test tells its temperature */
	COOLING_WARM,
	COOLING_COOL,
};

struct cooling {
	enum cooling_state state;
	double now_c, start_c;	/* of the drive that is furthest from it; NaN when untold */
};

/* Of the target in turn, or of all when the plan names its own: at the last look. */
struct cooling cooling_look(const struct conductor *conductor);
/* How long an idle step lasts at most, as things stand: with until=cool as max= says, but as runtime= does where nothing
 * tells a temperature. */
uint64_t cooling_limit_ns(const struct plan_instance *instance, enum cooling_state state);
bool cooling_asked(const struct plan_instance *instance);
/* How the wait ended: an event. 0 or -errno. */
int cooling_tell(struct conductor *conductor, const struct step_record *record);
