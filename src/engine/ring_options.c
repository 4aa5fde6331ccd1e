#include "engine/ring_options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "engine/cause.h"

#define TRY_NS 1000000000ull

struct ring_config ring_options_config(const struct engine_config *config)
{
	return (struct ring_config){
		.entries = config->depth,
		.iopoll = config->iopoll, .hybrid_poll = config->hybrid_poll,
		.sqpoll = config->sqpoll, .sqpoll_cpu = config->sqpoll_cpu,
		.flags_avoided = config->ring_flags_avoided,
	};
}

int ring_options_forgo(struct engine *engine, const struct engine_config *config, int error, const struct fault *cause,
		       struct fault *fault)
{
	if (config->require_options)
		return fault_system(fault, error, "%s", cause->text);
	snprintf(engine->note, ENGINE_NOTE_BYTES, "%.*s", ENGINE_NOTE_BYTES - 1, cause->text);
	return 0;
}

static int register_buffers(struct ring *ring, struct engine *engine, const struct engine_config *config,
			    struct fault *fault)
{
	const uint64_t bytes = config->depth * config->buffer_stride;
	struct fault cause = { 0 };
	int err;

	if (!config->fixed_buffers || !config->buffers)
		return 0;
	if (bytes > RING_BUFFER_BYTES_MAX)
		err = fault_set(&cause, 0, 0, "registered buffers are at most 1 GiB per worker, this load needs %llu bytes",
				(unsigned long long)bytes);
	else
		err = ring_register_buffer(ring, config->buffers, bytes);
	if (err < 0 && !cause.text[0])
		cause_ring_buffers(&cause, err, bytes);
	if (err < 0)
		return ring_options_forgo(engine, config, err, &cause, fault);
	engine->options.fixed_buffers = true;
	return 0;
}

static int register_file(struct ring *ring, struct engine *engine, const struct engine_config *config,
			 struct fault *fault)
{
	struct fault cause = { 0 };
	int err;

	if (!config->fixed_files)
		return 0;
	err = ring_register_file(ring, config->target->fd);
	if (err < 0)
		return ring_options_forgo(engine, config, cause_ring_file(&cause, err), &cause, fault);
	engine->options.fixed_files = true;
	return 0;
}

int ring_options_register(struct ring *ring, struct engine *engine, const struct engine_config *config,
			  struct fault *fault)
{
	int err = register_file(ring, engine, config, fault);

	return err ? err : register_buffers(ring, engine, config, fault);
}

int ring_options_try(const struct ring_config *ring_config, const void *entry, int *ret_result)
{
	struct ring_config one = *ring_config;
	struct ring ring;
	int err;

	one.entries = 1;
	err = ring_init(&ring, &one);
	if (err < 0)
		return err;
	err = ring_enable(&ring);
	if (!err) {
		memcpy(ring_sqe(&ring, 0), entry, (size_t)1 << ring.sqe_shift);
		ring_publish(&ring, 1);
		err = ring_wait(&ring, 1, TRY_NS);
	}
	if (!err)
		*ret_result = ring_cqe(&ring, ring.cq_head)->res;
	ring_release(&ring);
	return err;
}
