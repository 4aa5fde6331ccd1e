/* buffer: the write buffer, and the memory of what was written last.
 *
 * Host pages (and padding) get consecutive sequence numbers. Page k is admitted when page k - depth has left
 * the buffer: when the program operation of its unit ended. That is the drive's back-pressure. The ring holds
 * more entries than the buffer's depth when a power cut needs a longer memory (map journal). */
#pragma once
#include <stdint.h>
#include "sim/geometry.h"

struct sim_buffer_entry {
	uint64_t release_ns;	/* end of the program operation; UINT64_MAX while the unit is open */
	uint64_t acked_ns;	/* when the host was told */
	uint32_t logical;	/* SIM_NOWHERE: padding */
	uint32_t physical;
	uint32_t before;	/* physical page of the version before; SIM_NOWHERE: none */
};

struct sim_buffer {
	struct sim_buffer_entry *entries;	/* owned */
	uint32_t size;				/* of the ring */
	uint32_t depth;				/* pages that fit into the buffer */
	uint32_t at;				/* ring index of the next page */
	uint32_t leaving;			/* ring index of the page `depth` before */
	uint64_t sequence;			/* pages so far */
};

/* `memory`: entries kept at least. 0 or -ENOMEM. */
int sim_buffer_init(struct sim_buffer *buffer, uint32_t depth, uint32_t memory);
void sim_buffer_release(struct sim_buffer *buffer);
void sim_buffer_clear(struct sim_buffer *buffer);

/* Earliest moment at which the next page has room. */
static inline uint64_t sim_buffer_admission(const struct sim_buffer *buffer)
{
	return buffer->entries[buffer->leaving].release_ns;
}

static inline void sim_buffer_push(struct sim_buffer *buffer, uint32_t logical, uint32_t physical,
				   uint32_t before, uint64_t acked_ns)
{
	buffer->entries[buffer->at] =
		(struct sim_buffer_entry){ UINT64_MAX, acked_ns, logical, physical, before };
	buffer->at = buffer->at + 1 == buffer->size ? 0 : buffer->at + 1;
	buffer->leaving = buffer->leaving + 1 == buffer->size ? 0 : buffer->leaving + 1;
	buffer->sequence++;
}

/* The last `pages` pages leave the buffer at release_ns. */
static inline void sim_buffer_programmed(struct sim_buffer *buffer, uint32_t pages, uint64_t release_ns)
{
	uint32_t at = buffer->at;

	while (pages--) {
		at = at ? at - 1 : buffer->size - 1;
		buffer->entries[at].release_ns = release_ns;
	}
}

/* The entry `back` pages before the next one; 1 = the last page. back <= size. */
static inline struct sim_buffer_entry *sim_buffer_back(struct sim_buffer *buffer, uint32_t back)
{
	return &buffer->entries[buffer->at >= back ? buffer->at - back : buffer->at + buffer->size - back];
}
