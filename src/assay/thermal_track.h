/* thermal_track: speed and temperature of one target in a step, second by second, and the spells in which it
 * was cut back at a temperature. */
#pragma once
#include "assay/evidence.h"

struct track {
	uint32_t count;		    /* whole seconds */
	double *rate, *temperature; /* bytes per second; C at the end of the second, NaN before the first */
};
/* 0, -ENOMEM or the store's -errno. Release in any case. */
int track_new(const struct evidence *evidence, const struct step_record *step, uint32_t target,
	      struct track *track);
void track_release(struct track *track);
/* The highest mean of five seconds. */
double track_fastest(const struct track *track);

/* Is the speed cut in this second, to 0.9 or less, for longer than a moment? What it was before and after. */
bool track_cut(const struct track *track, uint32_t second, double *ret_fast, double *ret_slow);

struct spell {
	uint32_t from, to;  /* seconds: the one it begins in, the first one behind it */
	double at_s, seconds; /* begin and length, by shares of the first second and the last */
	double at_c; /* at its begin */
	double fast, slow;
	bool open; /* lasts to the end of the step */
};

/* One after the other: the next spell from *at on that begins at `limit_c` or warmer; it ends where the speed
 * rises again after it cooled, or 8 K below limit_c. False: none. *at is moved behind it. */
bool track_spell(const struct track *track, double limit_c, uint32_t *at, struct spell *ret_spell);
