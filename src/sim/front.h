/* front: controller and host link: what every command passes before and after the flash.
 *
 * Commands pass the controller one after another. Data to the drive follows in the same order; data to the
 * host leaves whenever it is ready, so that side of the link is a credit resource. PCIe carries both ways at once,
 * SATA one way at a time: there both sides take from the same credit. Throttling slows both sides. */
#pragma once
#include <stdbool.h>
#include "base/random.h"
#include "sim/credit.h"
#include "sim/jitter.h"
#include "sim/params.h"

struct sim_front {
	struct sim_credit out;		/* link to the host; one_way: all of the link */
	bool one_way;
	uint64_t controller_free_ns, in_free_ns;
	uint32_t out_page_ns, in_page_ns;		/* 4 KiB over the link */
	uint32_t out_page_full_ns, in_page_full_ns, page_throttled_ns;
	uint32_t read_command_ns, write_command_ns, write_page_ns;
	double write_slope;
	uint64_t read_fixed_ns, write_fixed_ns;
	uint64_t trim_command_ns;
	double trim_page_ns;
	uint64_t flush_ns;
	uint64_t hiccup_pages, hiccup_ns, hiccup_count;	/* count: pages since the last one */
	struct sim_jitter jitter;
	struct random random;
};

int sim_front_init(struct sim_front *front, const struct sim_params *params,
		   uint64_t seed);	/* 0 or -ENOMEM */
void sim_front_release(struct sim_front *front);
void sim_front_throttle(struct sim_front *front, bool on);

/* Controller time of a command: when it has been understood. */
uint64_t sim_front_read(struct sim_front *front, uint64_t now_ns);
uint64_t sim_front_trim(struct sim_front *front, uint32_t pages, uint64_t now_ns);
uint64_t sim_front_flush(struct sim_front *front, uint64_t now_ns);
/* Controller and data of a write: when its data is in the drive. `filled`: share of the drive that is mapped.
 */
uint64_t sim_front_write(struct sim_front *front, uint32_t pages, double filled, uint64_t now_ns);
/* `pages` pages leave for the host, ready at ready_ns: when the host has them. */
uint64_t sim_front_send(struct sim_front *front, uint32_t pages, uint64_t ready_ns);
/* The latency that occupies nothing, with its jitter. */
uint64_t sim_front_fixed(struct sim_front *front, bool write);
