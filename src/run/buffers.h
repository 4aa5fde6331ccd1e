/* buffers: the memory of one worker's I/Os, one mapping. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/fault.h"

struct buffers {
	char *at;		/* NULL = none */
	uint64_t bytes;		/* of the mapping: whole huge pages */
};

/* Room for at least `bytes`, zeroed, page-aligned. `huge_required`: in huge pages, reserved ones
 * (vm.nr_hugepages) or ones that the kernel puts together at once (Linux 6.1); refused with the reason where
 * neither can be had. Otherwise huge pages are only asked for, when there is enough to fill one. 0, -ENOMEM
 * ..., with fault. bytes = 0: nothing is mapped. */
int buffers_map(struct buffers *buffers, uint64_t bytes, bool huge_required, struct fault *fault);
void buffers_unmap(struct buffers *buffers);	/* a zeroed one is fine, too */
