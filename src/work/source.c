#include "work/source.h"
#include <stddef.h>

#define ALWAYS static inline __attribute__((always_inline))

/* One I/O before it is written to its entry. */
struct place {
	uint32_t segment;
	uint64_t inner;
	uint32_t bytes;
	uint8_t op;
};

ALWAYS void entry_set(struct io *io, uint64_t offset, uint32_t bytes, uint8_t op)
{
	io->offset = offset;
	io_word_set(io, bytes, op);
}

/* ---- sequential ---- */

ALWAYS void cursor_turn(struct work *work)
{
	work->inner = 0;
	work->segment = work->segment + 1 == work->segments.count ? 0 : work->segment + 1;
	work->full_left = work->positions;
}

ALWAYS uint8_t op_next(struct work *work, bool mixed)
{
	return mixed ? mix_next(&work->mix, random_u64(&work->random)) : work->op;
}

/* Whole I/Os of one size, as many as the segment still holds. */
ALWAYS struct io *sequential_whole(struct work *work, struct io *ios, uint32_t count, bool mixed)
{
	const uint32_t bytes = work->bytes;
	const uint8_t op = work->op;
	uint64_t offset = work->segments.start[work->segment] + work->inner;

	work->full_left -= count;
	work->inner += (uint64_t)count * bytes;
	for (struct io *end = ios + count; ios != end; ios++, offset += bytes)
		entry_set(ios, offset, bytes, mixed ? op_next(work, true) : op);
	return ios;
}

/* One size: whole I/Os without a look at the end, then the short one that is left of the segment. */
ALWAYS uint64_t sequential_fixed(struct work *work, struct io *ios, uint32_t count, bool mixed)
{
	uint64_t sum = 0;

	while (count > 0) {
		uint32_t whole = work->full_left < count ? (uint32_t)work->full_left : count;

		ios = sequential_whole(work, ios, whole, mixed);
		sum += (uint64_t)whole * work->bytes;
		count -= whole;
		if (count > 0 && work->inner < work->segments.bytes) {
			uint32_t rest = (uint32_t)(work->segments.bytes - work->inner);

			entry_set(ios++, work->segments.start[work->segment] + work->inner, rest,
				  op_next(work, mixed));
			work->inner += rest;
			sum += rest;
			count--;
		}
		if (work->inner == work->segments.bytes)
			cursor_turn(work);
	}
	return sum;
}

static uint64_t sequential_one(struct work *work, struct io *ios, uint32_t count)
{
	return sequential_fixed(work, ios, count, false);
}

static uint64_t sequential_mix(struct work *work, struct io *ios, uint32_t count)
{
	return sequential_fixed(work, ios, count, true);
}

static uint64_t sequential_sizes(struct work *work, struct io *ios, uint32_t count)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint8_t op = work->op == IO_TRIM ? IO_TRIM : mix_next(&work->mix, random_u64(&work->random));
		uint32_t bytes = sizes_draw(&work->sizes[op], random_u64(&work->random))->bytes;

		if (bytes > work->segments.bytes - work->inner)
			bytes = (uint32_t)(work->segments.bytes - work->inner);
		entry_set(&ios[i], work->segments.start[work->segment] + work->inner, bytes, op);
		work->inner += bytes;
		sum += bytes;
		if (work->inner == work->segments.bytes)
			cursor_turn(work);
	}
	return sum;
}

/* ---- sequential with holes, or backwards ---- */

/* From the end of an I/O to the beginning of the next; beyond the segment's ends the next one is gone into
 * from its other end. */
static void cursor_skip(struct work *work, uint32_t bytes)
{
	const int64_t length = (int64_t)work->segments.bytes,
		      next = (int64_t)work->inner + bytes + work->skip;
	const uint32_t count = work->segments.count;

	if (next >= 0 && next < length) {
		work->inner = (uint64_t)next;
	} else if (next >= length) {
		cursor_turn(work);
	} else {
		work->segment = (work->segment ? work->segment : count) - 1;
		work->inner = length + work->skip > 0 ? (uint64_t)(length + work->skip) : 0;
	}
}

uint64_t source_holes(struct work *work, struct io *ios, uint32_t count)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t bytes = sizes_draw(&work->sizes[work->op], random_u64(&work->random))->bytes;
		uint64_t left = work->segments.bytes - work->inner;

		bytes = bytes < left ? bytes : (uint32_t)left;
		entry_set(&ios[i], work->segments.start[work->segment] + work->inner, bytes, work->op);
		sum += bytes;
		cursor_skip(work, bytes);
	}
	return sum;
}

/* ---- several I/Os for each random place ---- */

static uint64_t segment_end(const struct work *work, uint64_t offset)
{
	for (uint32_t i = 0; i < work->segments.count; i++)
		if (offset - work->segments.start[i] < work->segments.bytes)
			return work->segments.start[i] + work->segments.bytes;
	return offset;
}

/* False when the place has had all its I/Os, or the segment ends. */
static bool follow_next(struct follow *follow, struct io *io)
{
	*io = follow->last;
	io->offset += follow->identical ? 0 : io->bytes;
	if (!follow->left || io->offset + io->bytes > follow->end)
		return false;
	follow->left--;
	follow->last = *io;
	return true;
}

uint64_t source_follow(struct work *work, struct io *ios, uint32_t count)
{
	struct follow *follow = &work->follow;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (!follow_next(follow, &ios[i])) {
			follow->draw(work, &ios[i], 1);
			follow->last = ios[i];
			follow->end = segment_end(work, ios[i].offset);
			follow->left = follow->each - 1;
		}
		sum += ios[i].bytes;
	}
	return sum;
}

/* ---- random, one size in one piece: the hottest of all ---- */

ALWAYS uint64_t uniform_fixed(struct work *work, struct io *ios, uint32_t count, bool mixed,
			      bool power_of_two)
{
	struct random random = work->random;
	struct mix mix = work->mix;
	const uint64_t start = work->start, positions = work->positions;
	const uint32_t bytes = work->bytes, shift = work->bytes_shift;
	const uint8_t op = work->op;

#pragma GCC unroll 4
	for (struct io *end = ios + count; ios != end; ios++) {
		uint64_t draw = random_u64(&random);
		uint64_t block = multiply_high(draw, positions);

		entry_set(ios, start + (power_of_two ? block << shift : block * bytes), bytes,
			  mixed ? mix_next(&mix, draw) : op);
	}
	work->random = random;
	work->mix = mix;
	return (uint64_t)count * bytes;
}

static uint64_t uniform_one_shift(struct work *work, struct io *ios, uint32_t count)
{
	return uniform_fixed(work, ios, count, false, true);
}

static uint64_t uniform_one(struct work *work, struct io *ios, uint32_t count)
{
	return uniform_fixed(work, ios, count, false, false);
}

static uint64_t uniform_mix_shift(struct work *work, struct io *ios, uint32_t count)
{
	return uniform_fixed(work, ios, count, true, true);
}

static uint64_t uniform_mix(struct work *work, struct io *ios, uint32_t count)
{
	return uniform_fixed(work, ios, count, true, false);
}

/* ---- random by the map, one size in one piece: what fio's job files get by default ---- */

ALWAYS uint64_t mapped_run(struct work *work, struct io *ios, uint32_t count, bool mixed)
{
	const struct shuffle order = work->map.order;
	const uint64_t start = work->start, end = start + work->segments.bytes;
	const uint32_t bytes = work->bytes;
	uint64_t index = work->map.next, cut = 0;

	work->map.next += count;
	for (struct io *last = ios + count; ios != last; ios++) {
		uint64_t offset = start + shuffle_at(&order, index++) * bytes;

		entry_set(ios, offset, bytes, op_next(work, mixed));
		if (__builtin_expect(end - offset < bytes, 0)) {
			cut = bytes - (end - offset);
			ios->bytes = (uint32_t)(end - offset);
		}
	}
	return (uint64_t)count * bytes - cut;	/* the short block comes once per pass */
}

ALWAYS uint64_t mapped_fixed(struct work *work, struct io *ios, uint32_t count, bool mixed)
{
	uint64_t sum = 0;

	while (count > 0) {
		uint64_t left = work->map.count - work->map.next;
		uint32_t run = left < count ? (uint32_t)left : count;

		sum += mapped_run(work, ios, run, mixed);
		ios += run;
		count -= run;
		if (count > 0)
			map_turn(&work->map, &work->random);
	}
	return sum;
}

static uint64_t mapped_one(struct work *work, struct io *ios, uint32_t count)
{
	return mapped_fixed(work, ios, count, false);
}

static uint64_t mapped_mix(struct work *work, struct io *ios, uint32_t count)
{
	return mapped_fixed(work, ios, count, true);
}

/* ---- random, everything else: the cases are picked at compile time ---- */

/* Where a random I/O of the given direction and size begins. */
ALWAYS void place_random(struct work *work, struct random *random, enum source_where where, uint64_t draw,
			 const struct size *size, struct place *place)
{
	const struct sizes *sizes = &work->sizes[place->op];
	uint64_t block, position;

	if (where == SOURCE_UNIFORM || where == SOURCE_SEGMENTS) {
		place->segment = 0;
		if (where == SOURCE_SEGMENTS) {	/* the product's low half is as random as the draw was */
			place->segment = (uint32_t)multiply_high(draw, work->segments.count);
			draw *= work->segments.count;
		}
		place->inner = multiply_high(draw, size->positions) * sizes->unit;
		return;
	}
	block = skew_draw(&work->skew, random);
	if (where == SOURCE_SCATTER)
		block = shuffle_at(&work->skew.places, block);
	place->segment = (uint32_t)divide_by(&work->by_segment, block, &block);
	position = divide_by(&sizes->by_unit, block * work->block_unit, &block);
	position = position < size->positions ? position : size->positions - 1;
	place->inner = position * sizes->unit;
}

/* One size of the map: the last block of a segment may be short. */
ALWAYS void place_map(struct work *work, struct random *random, struct place *place)
{
	uint64_t block = map_next_block(&work->map, random), left;

	place->segment = (uint32_t)divide_by(&work->by_segment, block, &block);
	place->inner = block * work->block_unit;
	left = work->segments.bytes - place->inner;
	place->bytes = left < work->bytes ? (uint32_t)left : work->bytes;
}

ALWAYS void place_map_mixed(struct work *work, struct random *random, struct place *place)
{
	struct map_io io;

	map_next_mixed(&work->map, random, &io);
	*place = (struct place){ .segment = io.segment, .inner = io.inner, .bytes = io.bytes, .op = io.op };
}

/* Goes on where the last I/O ended; what doesn't fit there starts the next segment. */
ALWAYS void place_onward(const struct work *work, struct place *place)
{
	place->segment = work->segment;
	place->inner = work->inner;
	if (place->bytes > work->segments.bytes - place->inner) {
		place->inner = 0;
		place->segment = place->segment + 1 == work->segments.count ? 0 : place->segment + 1;
	}
}

ALWAYS void place_next(struct work *work, struct random *random, struct place *place, enum source_where where,
		       bool mixed, bool table, bool partial)
{
	const bool draws = mixed || where == SOURCE_UNIFORM || where == SOURCE_SEGMENTS;
	uint64_t draw = draws ? random_u64(random) : 0;
	const struct size *size;

	place->op = mixed ? mix_next(&work->mix, draw) : work->op;
	size = table ? sizes_draw(&work->sizes[place->op], random_u64(random)) : work->sizes[place->op].size;
	place->bytes = size->bytes;
	if (partial && random_u64(random) >= work->random_threshold[place->op])
		place_onward(work, place);
	else if (where == SOURCE_MAP_SEGMENTS)
		place_map(work, random, place);
	else if (where == SOURCE_MAP_MIXED)
		place_map_mixed(work, random, place);
	else
		place_random(work, random, where, draw, size, place);
	if (partial) {
		work->segment = place->segment;
		work->inner = place->inner + place->bytes;
	}
}

ALWAYS uint64_t random_fill(struct work *work, struct io *ios, uint32_t count, enum source_where where,
			    bool mixed, bool table, bool partial)
{
	struct random random = work->random;
	struct place place;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < count; i++) {
		place_next(work, &random, &place, where, mixed, table, partial);
		entry_set(&ios[i], work->segments.start[place.segment] + place.inner, place.bytes, place.op);
		sum += place.bytes;
	}
	work->random = random;
	return sum;
}

#define RANDOM_SOURCE(name, where, mixed, table, partial)					\
	static uint64_t name(struct work *work, struct io *ios, uint32_t count)			\
	{											\
		return random_fill(work, ios, count, where, mixed, table, partial);		\
	}

/* One direction or a mix of them, times: one size, sizes from tables, these with percentage_random. */
#define RANDOM_SOURCES(name, where)								\
	RANDOM_SOURCE(name##_one, where, false, false, false)					\
	RANDOM_SOURCE(name##_one_sizes, where, false, true, false)				\
	RANDOM_SOURCE(name##_one_partial, where, false, true, true)				\
	RANDOM_SOURCE(name##_mix, where, true, false, false)					\
	RANDOM_SOURCE(name##_mix_sizes, where, true, true, false)				\
	RANDOM_SOURCE(name##_mix_partial, where, true, true, true)				\
	static source_next *const name[2][3] = {						\
		{ name##_one, name##_one_sizes, name##_one_partial },				\
		{ name##_mix, name##_mix_sizes, name##_mix_partial },				\
	};

RANDOM_SOURCES(anywhere, SOURCE_UNIFORM)
RANDOM_SOURCES(segmented, SOURCE_SEGMENTS)
RANDOM_SOURCES(skewed, SOURCE_SKEW)
RANDOM_SOURCES(scattered, SOURCE_SCATTER)
RANDOM_SOURCES(mapped_segments, SOURCE_MAP_SEGMENTS)
RANDOM_SOURCES(mapped_sizes, SOURCE_MAP_MIXED)

static source_next *choose_sequential(bool mixed, bool table)
{
	if (table)
		return sequential_sizes;
	return mixed ? sequential_mix : sequential_one;
}

source_next *source_choose(enum source_where where, bool mixed, bool table, bool partial, bool power_of_two)
{
	uint32_t kind = partial ? 2 : table ? 1 : 0;

	switch (where) {
	case SOURCE_SEQUENTIAL:
		return choose_sequential(mixed, table);
	case SOURCE_UNIFORM:
		if (kind > 0)
			return anywhere[mixed][kind];
		if (mixed)
			return power_of_two ? uniform_mix_shift : uniform_mix;
		return power_of_two ? uniform_one_shift : uniform_one;
	case SOURCE_SEGMENTS:
		return segmented[mixed][kind];
	case SOURCE_SKEW:
		return skewed[mixed][kind];
	case SOURCE_SCATTER:
		return scattered[mixed][kind];
	case SOURCE_MAP:
		if (kind > 0)
			return mapped_segments[mixed][kind];
		return mixed ? mapped_mix : mapped_one;
	case SOURCE_MAP_SEGMENTS:
		return mapped_segments[mixed][kind];
	case SOURCE_MAP_MIXED:
		return mapped_sizes[mixed][kind];
	}
	return NULL;
}
