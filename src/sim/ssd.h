/* ssd: a flash drive: controller, link, map cache and thermal model around the FTL.
 *
 * The completion time of a command is known when it is submitted: every resource is a timeline of
 * reservations. */
#pragma once
#include "base/io.h"
#include "sim/front.h"
#include "sim/ftl.h"
#include "sim/mapcache.h"
#include "sim/thermal.h"

struct sim_ssd {
	struct sim_ftl ftl;
	struct sim_front front;
	struct sim_thermal thermal;
	struct sim_mapcache mapcache;
	bool write_cache;
	bool plp, flush_lies;
	uint64_t admission_ns;		/* of the last page admitted to the buffer */
	uint64_t last_end_ns;		/* latest completion so far */
	uint64_t idle_ns;		/* after so long without work the drive tidies up */
	uint64_t flushed_sequence;	/* pages covered by the last flush acknowledged */
	uint64_t flushed_ns;		/* when that flush was acknowledged */
	uint64_t *damaged;		/* bit by logical page; NULL: none; owned */
	uint64_t read_pages, trimmed_pages, buffer_hits;
};

/* 0, -EINVAL with fault, -ENOMEM; release in either case. The struct must not move afterwards. */
int sim_ssd_init(struct sim_ssd *ssd, const struct sim_params *params, uint64_t seed, struct fault *fault);
void sim_ssd_release(struct sim_ssd *ssd);
/* See sim_drive_submit. */
int32_t sim_ssd_submit(struct sim_ssd *ssd, const struct io *io, uint64_t now_ns, uint64_t *ret_done_ns);
