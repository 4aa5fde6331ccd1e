/* ring_options: what the two engines on io_uring share when they attach: the ring's configuration,
 * registering the target and the buffers, and going on without (or refusing) what the kernel doesn't
 * grant. */
#pragma once
#include "engine/engine.h"
#include "engine/ring.h"

struct ring_config ring_options_config(const struct engine_config *config);
/* Registers the file and the buffers (as one, or one per slot) that config asks for; notes in
 * engine->options what the ring has. 0, or -errno with the cause. */
int ring_options_register(struct ring *ring, struct engine *engine, const struct engine_config *config,
			  bool buffer_per_slot, struct fault *fault);
/* An option that was asked for and can't be had: `error` and the cause if the plan named it, otherwise 0
 * and a note. */
int ring_options_forgo(struct engine *engine, const struct engine_config *config, int error,
		       const struct fault *cause, struct fault *fault);
/* One submission (64 bytes, 128 on a large ring) through a ring of its own, with `buffer` registered
 * unless it is NULL: 0 and its raw result, or -errno of the ring. The caller's thread is not bound to
 * anything afterwards. */
int ring_options_try(const struct ring_config *ring_config, const void *entry, const struct iovec *buffer,
		     int *ret_result);
