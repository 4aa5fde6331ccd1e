/* drop: the stop rule until=drop:SHARE: the speed fell by that share from its best.
 *
 * Speeds are means over a few intervals, so that neither a lucky one sets the best nor one bad one ends the
 * step: best = highest mean of DROP_WINDOW consecutive intervals, now = the mean of the last DROP_WINDOW.
 * Plain data; zeroed = empty. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define DROP_WINDOW 4

struct drop {
	double amount[DROP_WINDOW], duration_ns[DROP_WINDOW];	/* the last intervals, as a ring */
	uint32_t count;						/* intervals fed */
	double best_per_ns, now_per_ns;
};

/* One interval: `amount` (bytes or I/Os) in duration_ns. True when the speed is `share` (0..1) or more
 * below the best. */
bool drop_feed(struct drop *drop, double amount, double duration_ns, double share);
