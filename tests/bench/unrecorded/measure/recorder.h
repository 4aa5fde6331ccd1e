/* recorder, switched off: the worker's side does nothing. Stands before src in the include path when worker.c is compiled once more,
 * for a program that does all that ssdassay does and records nothing: what is between the two is the cost of recording. */
#pragma once
#define recorder_submitted recorder_submitted_on
#define recorder_batch_begin recorder_batch_begin_on
#define recorder_batch_end recorder_batch_end_on
#define recorder_complete recorder_complete_on
#define recorder_single_begin recorder_single_begin_on
#define recorder_single_end recorder_single_end_on
#define inflight_fill inflight_fill_on
#include "../../../../src/measure/recorder.h"
#undef recorder_submitted
#undef recorder_batch_begin
#undef recorder_batch_end
#undef recorder_complete
#undef recorder_single_begin
#undef recorder_single_end
#undef inflight_fill

static inline void recorder_submitted(struct recorder_ring *ring, uint64_t now_ns, uint32_t count) {}
static inline void recorder_batch_begin(struct recorder_ring *ring) {}
static inline void recorder_batch_end(struct recorder_ring *ring, uint32_t completed) {}
static inline void recorder_complete(struct recorder_ring *ring, const struct io_done *done, uint32_t count) {}
static inline void recorder_single_begin(struct recorder_ring *ring, uint64_t now_ns) {}
static inline bool recorder_single_end(struct recorder_ring *ring, const struct io_done *done) { return done->result > 0; }
static inline void inflight_fill(struct inflight *entry, const struct io *io, uint64_t word, uint64_t submit_ns) {}
