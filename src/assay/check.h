/* check: self-checks ("too good to be true"): each passed, failed or not applicable, with the numbers in its
 * sentence. In every run all of them: what cannot be known is not applicable and says why. */
#pragma once
#include "assay/evidence.h"
#include "base/saying.h"

/* Sentences are sayings, as those of findings are (assay/finding.h). Text and message of the record are
 * filled in here. 0, -ENOMEM or the store's -errno. */
int check_record_put(struct store *store, struct check_record *check, const struct saying *saying);
int check_put(const struct evidence *evidence, const char *name, enum check_result result, const char *format,
	      ...) __attribute__((format(printf, 4, 5)));

/* Each writes its row. 0 or -errno. */
typedef int check_fn(const struct evidence *evidence);
/* check_count.c: do the counts agree with each other and with the block layer? */
check_fn check_block_layer; /* bytes_match_block_layer */
check_fn check_littles_law; /* littles_law */
check_fn check_queue_depth; /* queue_depth_reached */
check_fn check_errors;	    /* no_io_errors */
/* check_host.c: the CPU share of the load's busiest worker, 0..1; 0 when none ran long enough to be
 * judged. */
double check_busiest_worker(const struct load_record *load);
/* check_open_loop.c: was the schedule kept? */
check_fn check_open_loop; /* open_loop_kept */
/* check_place.c: did the I/Os go where they were meant to, and find something there? */
check_fn check_plausible; /* latency_plausible */
check_fn check_unwritten; /* reads_find_data */
check_fn check_offsets;	  /* offsets_cover_range, workers_apart */
/* check_host.c: the machine around the drive */
check_fn check_cpu;	 /* cpu_not_the_limit */
check_fn check_quiet;	 /* host_not_noisy */
/* check_tails.c: were the slowest I/Os the computer's? */
check_fn check_tails;	 /* tails_not_the_hosts */
check_fn check_clock;	 /* clock_without_steps */
check_fn check_run_file; /* run_file_elsewhere */
check_fn check_scale;	 /* full_length: only of scaled runs */
/* check_together.c: of targets tested side by side */
check_fn check_apart;	 /* targets_apart */
/* Were they? */
bool evidence_together(const struct evidence *evidence);
/* check_drive.c: its write cache, link, settings and heat */
check_fn check_link;	 /* link_at_full_speed */
check_fn check_settings; /* drive_settings_kept, scheduler_none, power_state */
check_fn check_heat;	 /* not_throttled */
check_fn check_cache;	 /* write_cache_as_asked: only of plans that switch it */
