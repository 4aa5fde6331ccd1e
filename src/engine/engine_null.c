/* The engine that does nothing: every I/O succeeds at once. It shows what the program itself costs. */
#include "engine/engine_backends.h"

#include <errno.h>
#include <stdlib.h>

struct null_engine {
	struct engine engine;
	struct io_done *queue;	/* ring of `depth` entries; result already filled in */
	uint32_t head, tail;	/* count up for ever; index = value & mask */
	uint32_t mask;
};

static int null_attach(struct engine *engine, const struct engine_config *config, struct fault *fault)
{
	struct null_engine *null = (struct null_engine *)engine;
	uint32_t entries = 1;

	while (entries < engine->depth)
		entries *= 2;
	null->mask = entries - 1;
	null->queue = calloc(entries, sizeof(*null->queue));
	if (!null->queue)
		return fault_system(fault, -ENOMEM, "no memory for %u I/Os in flight", engine->depth);
	engine->capabilities.trim = true;
	return 0;
}

static int null_submit(struct engine *engine, const struct io *ios, uint32_t count)
{
	struct null_engine *null = (struct null_engine *)engine;
	const uint64_t now_ns = clock_now_ns(engine->clock);

	engine->submitted_ns = now_ns;
	for (uint32_t i = 0; i < count; i++) {
		struct io_done *done = &null->queue[null->tail++ & null->mask];

		done->slot = ios[i].slot;
		done->result = ios[i].op <= IO_WRITE ? (int32_t)ios[i].bytes : 0;
		done->submit_ns = now_ns;
	}
	return (int)count;
}

static int null_reap(struct engine *engine, struct io_done *done, uint32_t max, uint32_t wait_min,
		     uint64_t timeout_ns)
{
	struct null_engine *null = (struct null_engine *)engine;
	const uint64_t now_ns = clock_now_ns(engine->clock);
	uint32_t count = null->tail - null->head;

	if (count > max)
		count = max;
	for (uint32_t i = 0; i < count; i++) {
		done[i] = null->queue[null->head++ & null->mask];
		done[i].done_ns = now_ns;
	}
	return (int)count;
}

static void null_detach(struct engine *engine)
{
	free(((struct null_engine *)engine)->queue);
}

const struct engine_ops engine_null_ops = {
	.name = "null",
	.target_kinds = 1u << TARGET_FILE | 1u << TARGET_BLOCK | 1u << TARGET_CHAR |
			1u << TARGET_NVME_GENERIC | 1u << TARGET_SIM,
	.capabilities = { .trim = true, .flush = true, .depth_max = UINT16_MAX + 1 },
	.state_bytes = sizeof(struct null_engine),
	.attach = null_attach,
	.submit = null_submit,
	.reap = null_reap,
	.detach = null_detach,
};
