/* measure: collectors and mergers of stalls, over rings in plain memory. */
#include <stdlib.h>
#include <string.h>
#include "measure/collect.h"
#include "measure/stall.h"
#include "rows.h"

#define RINGS 3

struct rings {
	struct recorder_ring *ring[RINGS];
};

static struct recorder_ring *ring_make(uint16_t worker)
{
	const struct recorder_config config = { .interval_ns = 1000000000, .samples_per_second = 1000, .depth = 64,
						.worker = worker, .open_loop = true };
	const uint64_t bytes = recorder_ring_bytes(&config);
	void *memory = aligned_alloc(64, bytes);

	if (!memory)
		abort();
	memset(memory, 0, bytes);
	return recorder_ring_init(memory, &config);
}

static void *rings_make(void)
{
	struct rings *rings = calloc(1, sizeof(*rings));

	for (uint16_t i = 0; i < RINGS; i++)
		rings->ring[i] = ring_make(i);
	return rings;
}

static void rings_free(void *context)
{
	struct rings *rings = context;

	for (int i = 0; i < RINGS; i++)
		free(rings->ring[i]);
	free(rings);
}

static int make_collector(void *context)
{
	struct rings *rings = context;
	const struct collector_config config = { .rings = rings->ring, .ring_count = RINGS, .samples_per_second = 10 };
	struct collector *collector = NULL;
	const int error = collector_new(&config, &collector);

	collector_free(collector);
	return error;
}

static int make_merger(void *context)
{
	struct rings *rings = context;
	struct stall_merger *merger = NULL;
	const int error = stall_merger_new(rings->ring, RINGS, 0, &merger);

	stall_merger_free(merger);
	return error;
}

static const struct alloc_row rows[] = {
	{ .name = "measure: collector", .covers = "collector_new", .set_up = rings_make, .make = make_collector,
	  .tear_down = rings_free },
	{ .name = "measure: merger of stalls", .covers = "stall_merger_new", .set_up = rings_make, .make = make_merger,
	  .tear_down = rings_free },
};
const struct alloc_rows alloc_rows_measure = { rows, sizeof(rows) / sizeof(*rows) };
