/* io: one I/O, from the work source to the engine and back. The one vocabulary of measure, work, engine and run. */
#pragma once
#include <stdint.h>

enum io_op { IO_READ, IO_WRITE, IO_TRIM, IO_FLUSH /* fdatasync */, IO_FSYNC, IO_OPS };

const char *io_op_name(enum io_op op);	/* "read" "write" "trim" "flush" "fsync" */

struct io {
	uint64_t offset;	/* bytes from the start of the target; 0 for flush and fsync */
	uint32_t bytes;		/* 0 for flush and fsync */
	uint16_t slot;		/* 0 .. depth-1: names buffer and in-flight entry; unique among I/Os in flight */
	uint8_t op;		/* enum io_op */
	uint8_t flags;		/* reserved, 0 */
	uint64_t intent_ns;	/* when it should start (open loop); 0 in closed loops */
	void *buffer;		/* borrowed; NULL for trim, flush, fsync */
};

struct io_done {
	uint16_t slot;
	int32_t result;		/* bytes moved (0 for flush/fsync/trim that worked), or -errno */
	uint64_t submit_ns;	/* before the submitting call */
	uint64_t done_ns;	/* when it was reaped */
};
