/* rig: rings in plain memory, workers that do what a test tells them, and the truth about it. */
#pragma once
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include "base/random.h"
#include "measure/collect.h"

#define RIG_MS 1000000ull
#define RIG_SECOND 1000000000ull
#define RIG_START (5 * RIG_SECOND)

struct recorder_ring *rig_ring(const struct recorder_config *config);	/* free() it */
struct recorder_config rig_config(uint16_t worker, bool open_loop);	/* 1-s intervals from RIG_START, depth 64 */

/* One I/O, alone in its batch. Times are since RIG_START. */
void rig_submit(struct recorder_ring *ring, uint64_t submit_ns, uint32_t count);
void rig_done(struct recorder_ring *ring, enum io_op op, uint64_t submit_ns, uint64_t done_ns, int32_t result);
/* Submit and complete. */
void rig_io(struct recorder_ring *ring, enum io_op op, uint64_t submit_ns, uint64_t done_ns);

/* The truth: recorded plainly. */
void rig_expect(struct op_tally *truth, uint64_t service_ns, int32_t result);
void rig_same_histogram(const struct histogram *a, const struct histogram *b);
void rig_same_counts(const struct tally *a, const struct tally *b);
struct tally *rig_tally_new(void);
