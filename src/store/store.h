/* store: the run file. One SQLite database per run; schema in docs/formats/run-file.md.
 *
 * Writer: one thread. Everything between two store_commit() calls is one transaction; the caller commits at
 * least once a second, so a crash loses at most the last second. Reader: opens a finished or running file as
 * hostile input: read-only, trusted_schema off, limits on sizes; nothing in it can make the reader write,
 * allocate without bound, or crash. All functions return 0 or -errno (-EBADMSG: not a run file or damaged,
 * -ENOTSUP: newer schema, -ENOSPC: disk full, -EEXIST). */
#pragma once
#include "base/fault.h"
#include "store/records.h"

#define STORE_SCHEMA 3
#define STORE_APPLICATION_ID 0x53534441	/* "SSDA" */

struct store;

/* Which of the three times of an I/O. Closed loops have the service time only. */
enum latency_kind {
	LATENCY_SERVICE,	/* submit -> completion */
	LATENCY_RESPONSE,	/* intended start -> completion */
	LATENCY_LATENESS,	/* intended start -> submit */
	LATENCY_KINDS
};
const char *latency_kind_name(enum latency_kind kind);	/* "service" "response" "lateness" */

/* A writer holds a lock: a second one gets -EBUSY. The new file appears at once with all its tables, or not
 * at all. Closing a writer turns the file into one without write-ahead log, readable from anywhere. */
int store_create(const char *path, struct store **ret_store, struct fault *fault);	/* never overwrites */
/* The same, and it says from the first moment whose run it is: whenever the program is killed, the file can
 * be read and resumed. */
int store_create_run(const char *path, const struct run_record *run, struct store **ret_store,
		     struct fault *fault);
/* What store_create_run made and wrote is the kernel's to flush, so that nothing waits for the disk before
 * the first I/O; this call flushes it, and from here on each commit is flushed. Not inside a transaction:
 * after store_commit. 0 (also when it was so before), -errno. */
int store_flush(struct store *store);
/* Of a writer: does the file still have the name that it was opened by? 0; -ENOENT: it is gone altogether;
 * -ESTALE: it has another name now. */
int store_in_place(const struct store *store);
int store_open(const char *path, struct store **ret_store, struct fault *fault);	/* read-only */
int store_open_resume(const char *path, struct store **ret_store, struct fault *fault);	/* to go on writing */
struct store *store_close(struct store *store);		/* commits nothing; NULL ok */

/* -- writing: numbers above INT64_MAX (but for the seed) are refused with -ERANGE, strings of 32 MiB with
 * -EFBIG. After -ENOSPC the file is valid; everything since the last commit may be lost -- */
int store_put_run(struct store *store, const struct run_record *run);			/* insert or update */
int store_put_drive(struct store *store, const struct drive_record *drive);		/* by target */
int store_put_step(struct store *store, const struct step_record *step);		/* by id */
int store_put_load(struct store *store, const struct load_record *load);		/* by step, load */
/* An interval without anything in it is kept as one row with ios 0 under the op that this load used last (at
 * first: read). */
int store_put_interval(struct store *store, const struct interval_record *interval);
int store_put_outliers(struct store *store, uint64_t step, const struct logged_io *ios, uint32_t count);
int store_put_samples(struct store *store, uint64_t step, const struct logged_io *ios, uint32_t count);
int store_put_telemetry(struct store *store, const struct telemetry_record *rows, uint32_t count);
int store_put_event(struct store *store, const struct event_record *event);
int store_clear_findings(struct store *store);	/* findings and checks, before they are computed again */
int store_put_finding(struct store *store, const struct finding_record *finding);
int store_put_check(struct store *store, const struct check_record *check);
int store_delete_step(struct store *store, uint64_t step);	/* resume: an unfinished one is done again */
int store_commit(struct store *store);
/* After -ENOSPC: what is not committed is dropped, and a little space that was kept aside is given back, so
 * that the end of the run can be put and committed. Once. 0, or -ENOSPC: nothing was kept aside. */
int store_last_words(struct store *store);

/* A reading of `store` failed with `error`: fills the fault (NULL ok) with the file's name and what that
 * means. Returns `error`. */
int store_fault(const struct store *store, int error, struct fault *fault);

/* -- reading: small tables as arrays owned by the store until store_close -- */
/* A run that is stored as running and that nobody writes any more is told to a reader as interrupted, with
 * what is known of its end as status_text; so are its steps. A writer (store_open_resume) gets what is
 * stored. */
int store_run(struct store *store, const struct run_record **ret_run);
int store_drives(struct store *store, const struct drive_record **ret_drives, uint32_t *ret_count);
int store_steps(struct store *store, const struct step_record **ret_steps, uint32_t *ret_count);
/* By step, load; totals decoded; a load without a stored total (crash) gets it summed from its intervals. */
int store_loads(struct store *store, const struct load_record **ret_loads, uint32_t *ret_count);
/* Has any I/O come to an end, or failed, in this run? 0 or -errno. */
int store_measured(struct store *store, bool *ret_measured);
int store_findings(struct store *store, const struct finding_record **ret_findings, uint32_t *ret_count);
int store_checks(struct store *store, const struct check_record **ret_checks, uint32_t *ret_count);
int store_events(struct store *store, const struct event_record **ret_events, uint32_t *ret_count);

/* -- reading: long tables row by row; a callback that returns non-zero stops and is returned. It may read the
 * small tables, but not start a second reading row by row. What it gets is borrowed until it returns -- */
typedef int (*store_interval_fn)(void *context, const struct interval_row *row,
				 const struct histogram *service);
/* load -1 = all; with_histogram false passes NULL (faster). In order of step, load, index, op. */
int store_each_interval(struct store *store, uint64_t step, int32_t load, bool with_histogram,
			store_interval_fn fn, void *context);
/* The same with the moments and percentiles (and histogram) of another time than the service time. */
int store_each_interval_of(struct store *store, uint64_t step, int32_t load, enum latency_kind kind,
			   bool with_histogram, store_interval_fn fn, void *context);
typedef int (*store_logged_fn)(void *context, uint64_t step, const struct logged_io *io);
/* Step 0 = all. */
int store_each_outlier(struct store *store, uint64_t step, store_logged_fn fn, void *context);
/* Those of all steps that failed or moved less than was asked (LOGGED_SHORT): the others, which may be
 * millions, are skipped by the database. */
int store_each_failed(struct store *store, store_logged_fn fn, void *context);
int store_each_sample(struct store *store, uint64_t step, store_logged_fn fn, void *context);
typedef int (*store_telemetry_fn)(void *context, const struct telemetry_record *row);
int store_each_telemetry(struct store *store, store_telemetry_fn fn, void *context);

/* -- reading: the series of one step, ready for charts and analysis -- */
#define STORE_ALL (-1)

/* One element per interval index, in order, without gaps in what was stored, except where nothing was to be
 * sent (start delays, rests of duty cycles); loads and ops merged exactly (by
 * their histograms, counts added, in_flight added over loads). Latencies are NaN where nothing was timed. */
struct store_series {
	uint32_t count;
	bool *ramp;			/* before the measured part */
	double *start_s;		/* since the start of the step */
	double *duration_s;		/* of it, in which I/O was to be sent */
	double *ios, *bytes, *errors;	/* in the interval: divide by duration_s for rates */
	double *in_flight;		/* mean number in flight, over all ops */
	double *slow;			/* I/Os of 10 ms and more */
	double *min_ns, *mean_ns, *max_ns, *p50_ns, *p99_ns, *p999_ns;
};

/* load: a load or STORE_ALL; op: an enum io_op or STORE_ALL. Fast (columns only) where an interval has one
 * row to give; histograms are read only where several are merged. 0 or -errno; an unknown step gives count
 * 0. */
int store_step_series(struct store *store, uint64_t step, int32_t load, int32_t op, enum latency_kind kind,
		      struct store_series *ret_series);
void store_series_release(struct store_series *series);
