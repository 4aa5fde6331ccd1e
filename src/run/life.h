/* life: whether a drive still moves anything, by what the block layer has completed for it, whoever asked. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct life {
	uint64_t done;			/* a count that grows when something moves */
	uint64_t moved_ns;		/* when that was last seen to change; 0 = not looked yet */
	uint64_t looked_ns;
};

/* Reads, writes, discards and flushes that are done. false: they are not counted, or `dev` is no block
 * device. */
bool life_done(dev_t dev, uint64_t *ret_done);
/* For how long `done` has been what it is now, in ns. Wants to be called every second or so: what happened
 * while nobody looked (the user had stopped us with Ctrl-Z) is not known, and so the count begins again. */
uint64_t life_still_ns(struct life *life, uint64_t done, uint64_t now_ns);
