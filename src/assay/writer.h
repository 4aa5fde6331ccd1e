/* writer: the thread that does the SQLite work, behind a bounded queue, so that a slow disk never reaches the
 * measurement. Everything given to it is copied first. Commits at least twice a second while there is
 * something to keep.
 *
 * An error of the store (disk full) is kept and returned by every later call: the run then ends. One
 * producer. */
#pragma once
#include "store/store.h"

struct writer;

int writer_new(struct store *store, struct writer **ret_writer);	/* borrows the store until writer_free */
/* Writes what is queued, commits, ends the thread. Returns the first error, or 0. */
int writer_finish(struct writer *writer);
struct writer *writer_free(struct writer *writer);
/* Waits until all that was given so far is committed: for what must be known before something is done. 0 or
 * the store's error. */
int writer_sync(struct writer *writer);

int writer_step(struct writer *writer, const struct step_record *step);
int writer_load(struct writer *writer, const struct load_record *load);
int writer_interval(struct writer *writer, const struct interval_record *interval);
int writer_outliers(struct writer *writer, uint64_t step, const struct logged_io *ios, uint32_t count);
int writer_samples(struct writer *writer, uint64_t step, const struct logged_io *ios, uint32_t count);
int writer_telemetry(struct writer *writer, const struct telemetry_record *rows, uint32_t count);
int writer_event(struct writer *writer, const struct event_record *event);
