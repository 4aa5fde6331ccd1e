/* truth: what the simulated drive knows about itself and no host could. Counters since the drive was made. */
#pragma once
#include <stdint.h>

struct sim_truth {
	uint64_t host_pages;		/* 4 KiB pages written by the host */
	uint64_t read_pages, trimmed_pages;
	uint64_t moved_pages;		/* by collection and folding */
	uint64_t folded_pages;		/* of them, out of the SLC cache */
	uint64_t background_pages;	/* of them, in idle time */
	uint64_t padded_pages;		/* programmed empty because of flushes */
	double write_amplification;	/* (host + moved + padded) / host; 0 before the first write */
	uint64_t slc_bytes, slc_limit_bytes;
	uint64_t slc_exhausted;		/* times the cache was used up */
	double alpha_nominal;		/* flash / user capacity */
	double alpha_effective;	/* usable flash / mapped, mean over units programmed; 0 before any */
	uint64_t free_superblocks, superblocks;
	uint64_t free_sum, mapped_sum, units;	/* sums behind alpha_effective, to take differences */
	uint64_t superblock_pages, user_pages, mapped_pages;
	uint64_t erases;		/* superblocks */
	double temperature_c, hottest_c;
	uint64_t throttle_count, throttled_ns, first_throttle_ns;
	uint64_t map_misses, map_hits, buffer_hits, retried_reads;
	uint64_t injected_errors, injected_stalled, injected_hang;
	uint64_t power_cuts, lost_pages, lost_flushed_pages, damaged_pages, shorn_pages, rolled_back_pages;
	uint64_t dead;
};

/* Mean effective spare between two readings: (superblocks - mean free - 1) * pages / mean mapped. */
double sim_truth_alpha(const struct sim_truth *before, const struct sim_truth *after);
/* Write amplification between two readings. */
double sim_truth_amplification(const struct sim_truth *before, const struct sim_truth *after);
/* malloc'ed JSON object (caller frees); NULL when out of memory. */
char *sim_truth_json(const struct sim_truth *truth, const char *profile, uint32_t shrink);
