/* data: what is written. Incompressible and never repeating unless the load asks otherwise. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "plan/load.h"

struct data;

int data_new(const struct load *load, uint64_t seed, uint64_t stream, struct data **ret_data);
struct data *data_free(struct data *data);
/* Fills a buffer: at start for every slot, and before each write when the load says refill_buffers (or, cheaply, a
 * few bytes per block so that no two blocks written are the same: data_touch). */
void data_fill(struct data *data, void *buffer, size_t bytes);
void data_touch(struct data *data, void *buffer, size_t bytes, uint64_t offset);
