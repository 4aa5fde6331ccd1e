/* cause: why the kernel refused an engine, as one sentence with the limit or setting to change. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/fault.h"

/* Each returns `error` unchanged and fills the fault (NULL is ignored). */
int cause_ring_setup(struct fault *fault, int error, uint32_t entries);
int cause_ring_buffers(struct fault *fault, int error, uint64_t bytes);
int cause_ring_file(struct fault *fault, int error);
int cause_aio_setup(struct fault *fault, int error, uint32_t events);
