/* side: a thread that does blocking operations (trim, flush, fsync) for an asynchronous engine, one after
 * the other in the order pushed, each stamped around its own system call. One producer and consumer (the
 * engine's thread); a full queue can't happen, since it holds `depth` entries and every entry in it is an
 * I/O in flight. */
#pragma once
#include "base/clock.h"
#include "base/fault.h"
#include "base/io.h"
#include "base/target.h"

struct side;

int side_new(const struct target *target, const struct clock *clock, uint32_t depth, struct side **ret_side,
	     struct fault *fault);
struct side *side_free(struct side *side);	/* finishes what was pushed first; takes NULL, returns NULL */
void side_push(struct side *side, const struct io *io);
uint32_t side_collect(struct side *side, struct io_done *done, uint32_t max);
uint32_t side_in_flight(const struct side *side);	/* pushed and not collected */
/* Becomes readable when an operation finishes; side_collect resets it, so collect before waiting for it. */
int side_event_fd(const struct side *side);
