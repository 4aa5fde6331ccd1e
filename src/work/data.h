/* data: what is written. Incompressible and never repeating unless the load asks otherwise. One per
 * worker; same load, seed and stream: same data.
 *
 * Each slot of a writing worker owns several buffers (data_slot_bytes), about 4 MiB in all; a write takes
 * the next of its slot's buffers and writes a number that never comes again and the offset into each 4 KiB
 * of it (data_next). So no 4 KiB are ever written twice, and what is written resembles what was written
 * before only at a distance no compressor looks back to; yet a write costs a few instructions per 4 KiB
 * instead of the generation of all its data.
 *
 * buffer_compress_percentage: the end of every chunk (compress_chunk_bytes; 0 or more: the smallest write
 * size) is zeroes, its beginning random. dedupe_percentage: that share of the blocks (smallest write size)
 * are exact copies of one of the last 64 different ones, the rest is new; kept exact by its own debt as in
 * mix.h. Both make every write be generated anew where needed, as does refill_buffers. zero_buffers:
 * zeroes, never touched. buffer_pattern: the pattern, never touched; with buffer_compress_percentage it
 * stands where zeroes would. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "base/io.h"
#include "plan/load.h"

struct data;

int data_new(const struct load *load, uint64_t seed, uint64_t stream, struct data **ret_data);
struct data *data_free(struct data *data);

/* Bytes that each of `depth` slots' buffer needs, a multiple of io_bytes_max (the biggest I/O of the load,
 * work_io_bytes_max): just that when the load doesn't write. Also sets what data_next chooses among. */
uint64_t data_slot_bytes(struct data *data, uint32_t depth, uint32_t io_bytes_max);
/* Where in a slot's buffer the data of the next write lies, ready to be written: reads use the beginning
 * of the buffer, which mixed loads never write from. To be called for every write. Fill the whole slot
 * buffer once with data_fill before. */
void *data_next(struct data *data, void *slot_buffer, size_t bytes, uint64_t offset);
/* The same for every write among `count` I/Os, whose buffers are those of their slots until then. */
void data_next_each(struct data *data, struct io *ios, uint32_t count);

/* New data for a buffer, at start; no copies, whatever dedupe_percentage says. */
void data_fill(struct data *data, void *buffer, size_t bytes);
/* Makes a buffer that was filled before ready for the next write: a few bytes per 4 KiB change, so that no
 * two blocks written are the same; or all of it is generated anew where the load asks for that. data_next
 * does it. */
void data_touch(struct data *data, void *buffer, size_t bytes, uint64_t offset);
