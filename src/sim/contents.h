/* contents: the data itself, kept by physical page when a drive is made with contents=on.
 *
 * Without it a simulated drive moves no bytes: reads leave the buffer alone. Memory: 4 KiB per page ever
 * written and still valid; data of invalidated pages stays until the page is written again, as on real flash,
 * so that a power cut can bring old versions back. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct sim_contents {
	uint8_t **pages; /* by physical page; NULL = never written; owned. NULL: contents are not kept */
	uint64_t count;
	bool failed;		/* out of memory: a page was dropped */
};

int sim_contents_init(struct sim_contents *contents, uint64_t physical_pages);	/* 0 or -ENOMEM */
void sim_contents_release(struct sim_contents *contents);
/* `bytes` at `start` of the page; the rest comes from `before` (SIM_NOWHERE: zeroes). data NULL: zeroes. */
void sim_contents_write(struct sim_contents *contents, uint32_t physical, uint32_t before, uint32_t start,
			const void *data, uint32_t bytes);
/* Zeroes when physical is SIM_NOWHERE or never written. */
void sim_contents_read(const struct sim_contents *contents, uint32_t physical, uint32_t start, void *data,
		       uint32_t bytes);
void sim_contents_copy(struct sim_contents *contents, uint32_t from, uint32_t to);
