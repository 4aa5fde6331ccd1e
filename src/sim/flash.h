/* flash: when dies and channels are free, and how long their operations take.
 *
 * Every die has two timelines: programs (with erases and the reads of garbage collection) and reads by the
 * host, per die or per plane. A read that goes before a program makes it end later; reads of several planes
 * at the same time do so once. Channels are credit resources (credit.h). All calls give the moment the
 * operation ends. */
#pragma once
#include "base/random.h"
#include "sim/credit.h"
#include "sim/geometry.h"
#include "sim/jitter.h"

struct sim_flash {
	const struct sim_geometry *geometry;	/* borrowed */
	struct random random;
	struct sim_jitter jitter;
	uint64_t *program_free_ns;		/* per die, owned */
	uint64_t *read_free_ns;			/* per die or die and plane, owned */
	uint64_t *held_until_ns;	/* per die: reads keep its program waiting until then; owned */
	struct sim_credit *channels;		/* owned */
	uint32_t read_units;			/* independently readable planes of a die */
	uint32_t page_ns;			/* one page over a channel */
	uint64_t read_ns, program_ns[SIM_MODES], erase_ns, suspend_ns;
	enum sim_priority priority;
	uint64_t retry_below;			/* a random 64-bit number below this means retries */
	uint32_t retries;
	double gc_extra;			/* gc_cost - 1 */
	uint32_t erases;			/* superblocks erased, modulo shrink */
	/* since the thermal model last looked: */
	uint64_t bytes_read, bytes_programmed;
	uint64_t retried;			/* reads that needed retries */
};

int sim_flash_init(struct sim_flash *flash, const struct sim_geometry *geometry,
		   const struct sim_params *params, uint64_t seed); /* 0 or -ENOMEM; release in either case */
void sim_flash_release(struct sim_flash *flash);
void sim_flash_restart(struct sim_flash *flash, uint64_t now_ns);	/* all idle: after a power cut */

/* `pages` consecutive pages of one flash page, wanted at start_ns; the end includes the channel. */
uint64_t sim_flash_read(struct sim_flash *flash, struct sim_place place, uint32_t pages, uint64_t start_ns);
/* One map page somewhere: a random die. */
uint64_t sim_flash_read_map(struct sim_flash *flash, uint64_t start_ns);
/* One unit of `mode`, its data crossing the channel first. */
uint64_t sim_flash_program(struct sim_flash *flash, uint32_t die, enum sim_mode mode, uint64_t start_ns);
/* The same for collected data: read row by row before (see sim_flash_collect_row), costs gc_cost; `folding`
 * does not. */
void sim_flash_program_collected(struct sim_flash *flash, uint32_t die, bool folding, uint64_t start_ns);
void sim_flash_collect_row(struct sim_flash *flash, uint32_t die, uint64_t start_ns);
/* A superblock is erased, right before it is written again. All dies pay once per `shrink` calls, so that a
 * shrunk drive has the same share and length. */
void sim_flash_erase(struct sim_flash *flash, uint64_t start_ns);
/* Pages per ns that tidying moves when the host is idle, as ns per page. */
double sim_flash_background_ns(const struct sim_flash *flash);
