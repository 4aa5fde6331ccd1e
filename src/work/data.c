#include "work/data.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/random.h"

#define RECENT_MAX 64		/* blocks that a copy is taken from */
#define STAMP_BYTES 4096	/* no storage deduplicates smaller pieces */
#define POOL_BYTES (4u << 20)	/* of one worker: beyond the window of common compressors */

/* Four xoroshiro128+ generators (Blackman & Vigna) side by side, for the compiler to put into vector
 * registers. */
typedef uint64_t lanes __attribute__((vector_size(32), aligned(32)));
typedef uint64_t lanes_unaligned __attribute__((vector_size(32), aligned(1), may_alias));

struct generator {
	lanes a, b;
};

struct stamps {
	uint64_t next, key;		/* next x odd ^ key never repeats */
};

struct pool {				/* the buffers of each slot */
	uint64_t bytes, count;		/* of one; how many a write may take */
	uint64_t first;			/* before it those of reads */
	uint64_t next;
};

struct data {
	struct generator generator;
	struct random random;
	bool fixed, copies, refills;	/* fixed: always the same, the pattern or zeroes */
	uint64_t pattern_bytes;		/* 0 = zeroes */
	uint8_t pattern[LOAD_PATTERN];
	uint64_t block_bytes;		/* of copies */
	uint64_t chunk_bytes, random_bytes;	/* of compression: random part at the chunk's beginning */
	struct stamps stamps;
	int64_t copy_share, copy_debt;	/* of 2^32 */
	uint64_t recent[RECENT_MAX];	/* seeds of the last different blocks */
	uint64_t recent_count;		/* ever */
	bool reads, writes;
	uint32_t numjobs;
	struct pool pool;
};

static void generator_seed(struct generator *generator, uint64_t seed)
{
	struct random random;

	random_init(&random, seed, 0xda7a);
	for (int i = 0; i < 4; i++) {
		generator->a[i] = random_u64(&random);
		generator->b[i] = random_u64(&random) | 1;	/* not all zero */
	}
}

static inline void generator_next(struct generator *generator, lanes *ret_result)
{
	lanes a = generator->a, b = generator->b;

	*ret_result = a + b;
	b ^= a;
	generator->a = ((a << 24) | (a >> 40)) ^ b ^ (b << 16);
	generator->b = (b << 37) | (b >> 27);
}

static void generate(struct generator *state, uint8_t *to, size_t bytes)
{
	struct generator generator = *state;
	size_t whole = bytes / sizeof(lanes) * sizeof(lanes);
	lanes rest;

	for (size_t at = 0; at < whole; at += sizeof(lanes)) {
		generator_next(&generator, &rest);
		*(lanes_unaligned *)(to + at) = rest;
	}
	if (whole < bytes) {
		generator_next(&generator, &rest);
		memcpy(to + whole, &rest, bytes - whole);
	}
	*state = generator;
}

static uint64_t smallest_write(const struct load *load)
{
	const struct load_sizes *sizes = &load->sizes[1];
	uint64_t bytes = sizes->count ? sizes->part[0].bytes_min : 0;

	for (uint32_t i = 1; i < sizes->count; i++)
		if (sizes->part[i].bytes_min < bytes)
			bytes = sizes->part[i].bytes_min;
	return bytes ? bytes : 4096;
}

static void data_init(struct data *data, const struct load *load)
{
	data->pattern_bytes = load->pattern_bytes;
	memcpy(data->pattern, load->pattern, load->pattern_bytes);
	data->fixed = load->zero_buffers || (load->pattern_bytes && load->compress_share == 0);
	data->copies = load->dedupe_share > 0 && !data->fixed;
	data->refills = load->refill_buffers && !data->fixed;
	data->copy_share = (int64_t)(load->dedupe_share * 4294967296.0 + 0.5);
	data->block_bytes = smallest_write(load);
	data->chunk_bytes = data->block_bytes;
	if (load->compress_chunk_bytes && load->compress_chunk_bytes < data->block_bytes)
		data->chunk_bytes = load->compress_chunk_bytes;
	data->random_bytes = (uint64_t)((1 - load->compress_share) * (double)data->chunk_bytes + 0.5);
	if (data->random_bytes < 16)	/* never two alike */
		data->random_bytes = data->chunk_bytes < 16 ? data->chunk_bytes : 16;
	data->reads = load->rw == LOAD_READ || load->rw == LOAD_RANDREAD || load->rw == LOAD_RW ||
		      load->rw == LOAD_RANDRW;
	data->writes = load->rw == LOAD_WRITE || load->rw == LOAD_RANDWRITE || load->rw == LOAD_RW ||
		       load->rw == LOAD_RANDRW;
	data->numjobs = load->numjobs ? load->numjobs : 1;
	data->pool.count = 1;
}

int data_new(const struct load *load, uint64_t seed, uint64_t stream, struct data **ret_data)
{
	struct data *data = aligned_alloc(64, (sizeof(*data) + 63) / 64 * 64);

	if (!data)
		return -ENOMEM;
	memset(data, 0, sizeof(*data));
	random_init(&data->random, seed, stream ^ 0x6461746100000000ull);
	generator_seed(&data->generator, random_u64(&data->random));
	data->stamps.key = random_u64(&data->random);
	data_init(data, load);
	*ret_data = data;
	return 0;
}

struct data *data_free(struct data *data)
{
	free(data);
	return NULL;
}

/* Random bytes of a chunk; the last one of a buffer may be shorter. */
static size_t random_part(const struct data *data, size_t chunk)
{
	return chunk == data->chunk_bytes ? data->random_bytes
					  : data->random_bytes * chunk / data->chunk_bytes;
}

/* What is not random, from `start` on: zeroes, or the pattern, which begins with what `to` is (a buffer, a
 * block of copies). */
static void fill_fixed(const struct data *data, uint8_t *to, size_t start, size_t bytes)
{
	if (!data->pattern_bytes) {
		memset(to + start, 0, bytes);
		return;
	}
	for (size_t at = start, end = start + bytes; at < end; ) {
		size_t inside = at % data->pattern_bytes, run = data->pattern_bytes - inside;

		run = run < end - at ? run : end - at;
		memcpy(to + at, data->pattern + inside, run);
		at += run;
	}
}

/* Random and fixed parts of every chunk. */
static void fill_chunks(struct data *data, struct generator *generator, uint8_t *to, size_t bytes)
{
	for (size_t at = 0; at < bytes; ) {
		size_t chunk = bytes - at < data->chunk_bytes ? bytes - at : data->chunk_bytes;
		size_t filled = random_part(data, chunk);

		generate(generator, to + at, filled);
		fill_fixed(data, to, at + filled, chunk - filled);
		at += chunk;
	}
}

/* A block that is a copy of a recent one, or a new one. */
static void fill_block(struct data *data, uint8_t *to, size_t bytes)
{
	uint64_t draw = random_u64(&data->random), seed, known = data->recent_count;
	bool copy = (int64_t)(draw >> 32) < data->copy_share + (data->copy_debt >> 4) && known > 0;
	struct generator generator;

	data->copy_debt += data->copy_share - ((int64_t)copy << 32);
	known = known < RECENT_MAX ? known : RECENT_MAX;
	if (copy) {
		seed = data->recent[random_below(&data->random, known)];
	} else {
		seed = random_u64(&data->random);
		data->recent[data->recent_count++ % RECENT_MAX] = seed;
	}
	generator_seed(&generator, seed);
	fill_chunks(data, &generator, to, bytes);
}

void data_fill(struct data *data, void *buffer, size_t bytes)
{
	const size_t each = data->pool.bytes ? data->pool.bytes : bytes;

	for (size_t at = 0; at < bytes; at += each) {
		uint8_t *to = (uint8_t *)buffer + at;
		size_t part = bytes - at < each ? bytes - at : each;

		if (data->fixed)
			fill_fixed(data, to, 0, part);
		else
			fill_chunks(data, &data->generator, to, part);
	}
}

static void fill_blocks(struct data *data, uint8_t *to, size_t bytes)
{
	for (size_t at = 0; at < bytes; at += data->block_bytes)
		fill_block(data, to + at, bytes - at < data->block_bytes ? bytes - at : data->block_bytes);
}

/* Two numbers per piece: one that never comes again, and the place it is written to. */
static inline void stamp(struct stamps *stamps, uint8_t *buffer, size_t bytes, uint64_t offset)
{
	size_t at = 0;

	if (__builtin_expect(bytes < 2 * sizeof(uint64_t), 0))
		return;
	do {
		uint64_t value[2] = { stamps->next++ * 0x9e3779b97f4a7c15ull ^ stamps->key, offset + at };

		memcpy(buffer + at, value, sizeof(value));
		at += STAMP_BYTES;
	} while (__builtin_expect(at + 2 * sizeof(uint64_t) <= bytes, 0));
}

/* Whether the buffers keep what they were filled with, but for the stamps. */
static inline bool stamps_suffice(const struct data *data)
{
	return !(data->fixed | data->copies | data->refills);
}

static __attribute__((noinline)) void generate_anew(struct data *data, void *buffer, size_t bytes)
{
	if (data->copies)
		fill_blocks(data, buffer, bytes);
	else if (data->refills)
		data_fill(data, buffer, bytes);
}

void data_touch(struct data *data, void *buffer, size_t bytes, uint64_t offset)
{
	if (stamps_suffice(data))
		stamp(&data->stamps, buffer, bytes, offset);
	else
		generate_anew(data, buffer, bytes);
}

/* Several buffers only where they are neither generated anew nor all the same; a power of two of them. */
uint64_t data_slot_bytes(struct data *data, uint32_t depth, uint32_t io_bytes_max)
{
	uint64_t pool = data->numjobs <= 8 ? POOL_BYTES : (uint64_t)POOL_BYTES * 8 / data->numjobs;
	uint64_t count = 1;

	data->pool.bytes = io_bytes_max;
	if (data->writes && stamps_suffice(data))
		while (count * depth * io_bytes_max < pool)
			count *= 2;
	data->pool.count = count;
	data->pool.first = data->reads && data->writes;
	return (count + data->pool.first) * io_bytes_max;
}

/* The multiplier spreads successive numbers evenly over the buffers of any slot, whatever slots are used
 * in turn. */
static inline void *pool_next(struct pool *pool, void *slot_buffer)
{
	const uint64_t spread = (uint64_t)(uint32_t)(pool->next++ * 0x9e3779b1u);
	const uint64_t index = pool->first + ((spread * pool->count) >> 32);

	return (uint8_t *)slot_buffer + index * pool->bytes;
}

void *data_next(struct data *data, void *slot_buffer, size_t bytes, uint64_t offset)
{
	void *buffer = pool_next(&data->pool, slot_buffer);

	data_touch(data, buffer, bytes, offset);
	return buffer;
}

/* Numbers are kept in registers over the batch: what is written to a buffer could be any of them, as far
 * as the compiler knows. */
void data_next_each(struct data *data, struct io *ios, uint32_t count)
{
	const bool stamped = stamps_suffice(data);
	struct stamps stamps = data->stamps;
	struct pool pool = data->pool;

	for (struct io *io = ios, *const end = ios + count; io != end; io++) {
		if (__builtin_expect(io->op != IO_WRITE, 0))
			continue;
		io->buffer = pool_next(&pool, io->buffer);
		if (__builtin_expect(stamped, 1))
			stamp(&stamps, io->buffer, io->bytes, io->offset);
		else
			generate_anew(data, io->buffer, io->bytes);
	}
	data->stamps = stamps;
	data->pool = pool;
}
