/* fault_disk: a disk in memory whose truth is known: it does what it was told to do wrong, and counts all of
 * it.
 *
 * Thread-safe: one lock inside. Times are CLOCK_MONOTONIC ns. */
#pragma once
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include "fault_plan.h"

#define FAULT_BLOCK_BYTES 4096u		/* grain of the write cache and of a power cut */
#define FAULT_ANSWERS_MAX (1u << 17)	/* reads whose answers are kept; later ones are only counted */
#define FAULT_ANSWER_LINE 21u		/* bytes of a line in the list of answers */

enum fault_op { FAULT_READ, FAULT_WRITE, FAULT_SYNC, FAULT_DISCARD };

struct fault_counters {
	uint64_t reads, writes, syncs, discards, read_bytes, write_bytes;
	uint64_t stalls, errors, shorts, lost_blocks;
};

struct fault_disk {
	pthread_mutex_t lock;
	uint64_t size_bytes;
	char *content;			/* what a read sees */
	char *stable;			/* what survives a power cut (write cache on) */
	bool *unsynced;			/* [block] written since the last sync */
	struct fault_plan plan;
	struct fault_counters counters;
	uint64_t next_free_ns;		/* when the rate limit lets the next I/O through */
	uint64_t written_since_cliff;
	uint64_t random;
	uint64_t *answered_ns;		/* [answers] when reads were answered, since the last reset */
	uint32_t answers;
};

/* What becomes of one I/O. */
struct fault_answer {
	int error;			/* 0 or an errno */
	uint32_t bytes;			/* moved; less than asked when short */
	uint64_t due_ns;		/* when to answer */
};

bool fault_disk_init(struct fault_disk *disk, uint64_t size_bytes);	/* false: no memory */
/* Decides, counts, and carries it out: `data` is copied in by a write (may be NULL for the other ops). The
 * range must lie inside the disk. */
struct fault_answer fault_disk_do(struct fault_disk *disk, enum fault_op op, uint64_t offset, uint32_t bytes,
				  const char *data, uint64_t now_ns);
/* Answers wait for this moment at least. */
uint64_t fault_disk_hang_until(struct fault_disk *disk);
/* One command line (fault_plan.h); false: not understood. */
bool fault_disk_command(struct fault_disk *disk, const char *line, uint64_t now_ns);
/* A read is being answered now. */
void fault_disk_answered(struct fault_disk *disk, uint64_t now_ns);
/* The list of answers as text, a line of 20 digits for each, from this byte on; returns the bytes filled in. */
uint32_t fault_disk_answers(struct fault_disk *disk, uint64_t offset, char *buffer, uint32_t buffer_bytes);
/* "reads 12\nwrites 3\n..." */
void fault_disk_report(struct fault_disk *disk, char *buffer, uint32_t buffer_bytes);
