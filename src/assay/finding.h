/* finding: a conclusion with its interval, the numbers that led to it and one plain sentence: how the files
 * find_*.c write theirs. */
#pragma once
#include "assay/evidence.h"
#include "base/saying.h"

/* `kind`, `value`, `unit`, `low`, `high` (NaN = none) are filled in by the caller, `step` may be NULL (the
 * run). Takes `data` (an object, or NULL). The sentence is a saying: formats are what translations are found
 * by, what is said in words must be of a format too (%p), a value is a name or a number. Returns 0, -ENOMEM
 * or the store's -errno. */
int finding_put(const struct evidence *evidence, const struct step_record *step,
		struct finding_record *finding, json_t *data, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* Each looks at the whole run and writes what it finds. 0 or -errno. */
typedef int find_fn(const struct evidence *evidence);
find_fn find_purge;	  /* not_purged */
find_fn find_cache;	  /* slc_cache, write_stages, sustained_write */
find_fn find_recovery;	  /* slc_recovery */
find_fn find_cross;	  /* bandwidth_recovery */
find_fn find_rests;	  /* idle_recovery */
find_fn find_random_fill; /* random_fill */
find_fn find_steady;	  /* steady_state */
find_fn find_snia;	  /* snia_steady_state */
find_fn find_consistency; /* consistency, floor_iops, dropouts */
find_fn find_errors;	  /* io_errors, short_ios */
find_fn find_stalls;	  /* longest_stall, stalls, host_stall, slow_ios */
find_fn find_layers;	  /* latency_layers */
find_fn find_spare;	  /* over_provisioning */
find_fn find_thermal;	  /* thermal_throttling, temperature */
find_fn find_drive_log;	  /* error_log */
find_fn find_wear;	  /* wear */
find_fn find_bottleneck;  /* bottleneck */
find_fn find_search;	  /* search */
find_fn find_pick;	  /* picked_point */
find_fn find_peak;	  /* peak_size, peak_depth */
find_fn find_file_system; /* file_system */
find_fn find_together;	  /* side_by_side */
find_fn find_scorecard;	  /* scorecard: after the checks, which may forbid it */

/* "1234", "12.3", "0.0456": no exponents in sentences. Returns `text`. */
#define NUMBER_TEXT 32
const char *number_text(double value, char text[NUMBER_TEXT]);
/* A number for `data`: null when it is not finite. */
void data_real(json_t *object, const char *key, double value);
void data_text(json_t *object, const char *key, const char *text);
