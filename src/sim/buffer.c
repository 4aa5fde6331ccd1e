#include "sim/buffer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int sim_buffer_init(struct sim_buffer *buffer, uint32_t depth, uint32_t memory)
{
	memset(buffer, 0, sizeof(*buffer));
	buffer->depth = depth;
	buffer->size = memory > depth ? memory : depth;
	buffer->entries = malloc(buffer->size * sizeof(*buffer->entries));
	if (!buffer->entries)
		return -ENOMEM;
	sim_buffer_clear(buffer);
	return 0;
}

void sim_buffer_release(struct sim_buffer *buffer)
{
	free(buffer->entries);
	memset(buffer, 0, sizeof(*buffer));
}

void sim_buffer_clear(struct sim_buffer *buffer)
{
	for (uint32_t i = 0; i < buffer->size; i++)
		buffer->entries[i] = (struct sim_buffer_entry){ 0, 0, SIM_NOWHERE, SIM_NOWHERE, SIM_NOWHERE };
	buffer->at = 0;
	buffer->leaving = buffer->size - buffer->depth;
	buffer->sequence = 0;
}
