/* engine_backends: the backends that the table in engine.c lists. Each is one file; only engine.c names
 * them. */
#pragma once
#include "engine/engine.h"

extern const struct engine_ops engine_uring_ops;	/* engine_uring.c */
extern const struct engine_ops engine_uring_cmd_ops;	/* engine_uring_cmd.c */
extern const struct engine_ops engine_aio_ops;		/* engine_aio.c */
extern const struct engine_ops engine_psync_ops;	/* engine_psync.c */
extern const struct engine_ops engine_sync_ops;		/* engine_psync.c */
extern const struct engine_ops engine_null_ops;		/* engine_null.c */
/* engine_sim.c; engine.c has a refusing entry without it */
extern const struct engine_ops engine_sim_ops;
