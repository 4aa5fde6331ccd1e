#include "engine/ring_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
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

int ring_options_forgo(struct engine *engine, const struct engine_config *config, int error,
		       const struct fault *cause, struct fault *fault)
{
	if (config->require_options)
		return fault_system(fault, error, "%s", cause->text);
	snprintf(engine->note, ENGINE_NOTE_BYTES, "%.*s", ENGINE_NOTE_BYTES - 1, cause->text);
	return 0;
}

static int register_per_slot(struct ring *ring, const struct engine_config *config)
{
	struct iovec *buffers = calloc(config->depth, sizeof(*buffers));
	int err;

	if (!buffers)
		return -ENOMEM;
	for (uint32_t slot = 0; slot < config->depth; slot++)
		buffers[slot] = (struct iovec){ (char *)config->buffers + slot * config->buffer_stride,
						config->buffer_stride };
	err = ring_register_buffers(ring, buffers, config->depth);
	free(buffers);
	return err;
}

static int register_buffers(struct ring *ring, struct engine *engine, const struct engine_config *config,
			    bool per_slot, struct fault *fault)
{
	const uint64_t bytes = config->depth * config->buffer_stride;
	const struct iovec all = { config->buffers, bytes };
	struct fault cause = { 0 };
	int err;

	if (!config->fixed_buffers || !config->buffers)
		return 0;
	if (per_slot ? config->depth > RING_BUFFERS_MAX : bytes > RING_BUFFER_BYTES_MAX)
		err = fault_set(&cause, 0, 0,
				"I/O buffers of %llu bytes in %u slots are more than can be registered (%s)",
				(unsigned long long)bytes, config->depth,
				per_slot ? "16384 slots" : "1 GiB per worker");
	else
		err = per_slot ? register_per_slot(ring, config) : ring_register_buffers(ring, &all, 1);
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

static int note_flags(const struct ring *ring, struct engine *engine, const struct engine_config *config,
		      struct fault *fault)
{
	struct fault cause = { 0 };
	int err;

	engine->options.deferred = ring->setup_flags & IORING_SETUP_DEFER_TASKRUN;
	engine->options.iopoll = ring->setup_flags & IORING_SETUP_IOPOLL;
	engine->options.sqpoll = ring->setup_flags & IORING_SETUP_SQPOLL;
	engine->options.hybrid_poll = ring->setup_flags & RING_SETUP_HYBRID_IOPOLL;
	if (!config->iopoll || !config->hybrid_poll || engine->options.hybrid_poll)
		return 0;
	err = fault_system(&cause, -EOPNOTSUPP, "hybrid polling needs Linux 6.13 or later");
	return ring_options_forgo(engine, config, err, &cause, fault);
}

int ring_options_register(struct ring *ring, struct engine *engine, const struct engine_config *config,
			  bool buffer_per_slot, struct fault *fault)
{
	int err = note_flags(ring, engine, config, fault);

	if (!err)
		err = register_file(ring, engine, config, fault);
	if (!err)
		err = register_buffers(ring, engine, config, buffer_per_slot, fault);
	return err;
}

int ring_options_try(const struct ring_config *ring_config, const void *entry, const struct iovec *buffer,
		     int *ret_result)
{
	struct ring_config one = *ring_config;
	struct ring ring;
	int err;

	one.entries = 1;
	err = ring_init(&ring, &one);
	if (err < 0)
		return err;
	err = buffer ? ring_register_buffers(&ring, buffer, 1) : 0;
	if (!err)
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
