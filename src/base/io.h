/* io: one I/O, from the work source to the engine and back. The one vocabulary of measure, work, engine and
 * run. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum io_op { IO_READ, IO_WRITE, IO_TRIM, IO_FLUSH /* fdatasync */, IO_FSYNC, IO_OPS };

const char *io_op_name(enum io_op op);	/* "read" "write" "trim" "flush" "fsync" */

struct io {
	uint64_t offset;	/* bytes from the start of the target; 0 for flush and fsync */
	uint32_t bytes;		/* 0 for flush and fsync */
	/* 0 .. depth-1: names buffer and in-flight entry; unique among I/Os in flight */
	uint16_t slot;
	uint8_t op;		/* enum io_op */
	uint8_t flags;		/* reserved, 0 */
	uint64_t intent_ns;	/* when it should start (open loop); 0 in closed loops */
	void *buffer;		/* borrowed; NULL for trim, flush, fsync */
};

/* bytes, slot, op and flags as they lie in memory: one load instead of four. */
static inline uint64_t io_word(const struct io *io)
{
	uint64_t word;

	_Static_assert(offsetof(struct io, slot) == offsetof(struct io, bytes) + 4, "the word is one load");
	_Static_assert(offsetof(struct io, op) == offsetof(struct io, bytes) + 6, "the word is one load");
	memcpy(&word, &io->bytes, sizeof(word));
	return word;
}

/* Sets bytes and op, and slot and flags to 0, by one store. */
static inline void io_word_set(struct io *io, uint32_t bytes, uint8_t op)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	const uint64_t word = bytes | (uint64_t)op << 48;

	memcpy(&io->bytes, &word, sizeof(word));
#else
	io->bytes = bytes;
	io->slot = 0;
	io->op = op;
	io->flags = 0;
#endif
}

/* Names the slot of an entry whose slot and flags are 0; returns the word. */
static inline uint64_t io_slot_set(struct io *io, uint16_t slot)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	const uint64_t word = io_word(io) | (uint64_t)slot << 32;

	memcpy(&io->bytes, &word, sizeof(word));
	return word;
#else
	io->slot = slot;
	return io_word(io);
#endif
}

struct io_done {
	uint16_t slot;
	int32_t result;		/* bytes moved (0 for flush/fsync/trim that worked), or -errno */
	uint64_t submit_ns;	/* before the submitting call */
	uint64_t done_ns;	/* when it was reaped */
};
