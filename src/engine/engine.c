#include "engine/engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engine/blocking.h"
#include "engine/engine_backends.h"
#include "engine/polling.h"

#ifndef ENGINE_HAS_SIM
const struct engine_ops engine_sim_ops = {
	.name = "sim",
	.unavailable = "built without the simulated drive",
	.target_kinds = 1u << TARGET_SIM,
};
#endif

/* In the order in which the best one is looked for; the last ones by name only. */
static const struct engine_ops *const engine_table[] = {
	&engine_uring_ops, &engine_uring_cmd_ops, &engine_aio_ops, &engine_psync_ops, &engine_sim_ops,
	&engine_sync_ops, &engine_null_ops,
};
static const uint32_t engine_count = sizeof(engine_table) / sizeof(engine_table[0]);
static const uint32_t engine_choice_count = 5;

const struct engine_ops *engine_at(uint32_t index)
{
	return index < engine_count ? engine_table[index] : NULL;
}

const struct engine_ops *engine_find(const char *name)
{
	for (uint32_t i = 0; i < engine_count; i++)
		if (!strcmp(engine_table[i]->name, name))
			return engine_table[i];
	return NULL;
}

static int engine_unknown(const char *name, struct fault *fault)
{
	struct text names = { 0 };

	for (uint32_t i = 0; i < engine_count; i++)
		text_printf(&names, "%s%s", i ? ", " : "", engine_table[i]->name);
	fault_system(fault, -ENOENT, "there is no engine \"%s\"; the engines are %s", name,
		     text_data(&names));
	text_release(&names);
	return -ENOENT;
}

static int engine_check(const struct engine_ops *ops, const struct engine_config *config, struct fault *fault)
{
	const struct target *target = config->target;

	if (ops->unavailable)
		return fault_system(fault, -EOPNOTSUPP, "engine %s: %s", ops->name, ops->unavailable);
	if (!(ops->target_kinds & 1u << target->kind))
		return fault_system(fault, -EOPNOTSUPP, "engine %s can't drive %s, which is %s", ops->name,
				    target->name, target_kind_words(target->kind));
	if (!config->depth || config->depth > ops->capabilities.depth_max)
		return fault_set(fault, 0, 0, "engine %s takes 1 to %u I/Os in flight, not %u", ops->name,
				 ops->capabilities.depth_max, config->depth);
	if (config->write_flags & BLOCKING_RWF_ATOMIC && !blocking_can_write_atomically(target))
		return fault_system(fault, -EOPNOTSUPP,
				    "%s takes no atomic writes (the kernel's statx says so)", target->name);
	if (config->no_op && ops != &engine_uring_ops)
		return fault_set(fault, 0, 0, "engine %s has no no-op; io_uring has", ops->name);
	return 0;
}

/* What the engine doesn't have at all: refused if the plan named it, otherwise taken out of the copy and
 * noted. */
static int engine_check_options(struct engine *engine, struct engine_config *config, struct fault *fault)
{
	const struct engine_ops *ops = engine->ops;
	const char *missing = NULL;

	if (config->sqpoll && !ops->can_sqpoll)
		missing = "no submission thread (sqpoll)";
	if (config->iopoll && !ops->can_iopoll)
		missing = "no polling (iopoll)";
	if (config->ioprio && !ops->can_ioprio)
		missing = "no I/O priorities of its own";
	if (!missing)
		return 0;
	if (config->require_options)
		return fault_system(fault, -EOPNOTSUPP, "engine %s has %s", ops->name, missing);
	snprintf(engine->note, ENGINE_NOTE_BYTES, "engine %s has %s", ops->name, missing);
	config->sqpoll = config->sqpoll && ops->can_sqpoll;
	config->iopoll = config->iopoll && ops->can_iopoll;
	config->ioprio = ops->can_ioprio ? config->ioprio : 0;
	return 0;
}

/* Polling that the engine has and the target lacks: the same. */
static int engine_check_polling(struct engine *engine, struct engine_config *config, struct fault *fault)
{
	struct fault cause = { 0 };
	int err;

	if (!config->iopoll || config->no_op)
		return 0;
	err = polling_check(config->target, &cause);
	if (err < 0 && config->require_options)
		return fault_system(fault, err, "%s", cause.text);
	if (err < 0) {
		snprintf(engine->note, ENGINE_NOTE_BYTES, "%.*s", ENGINE_NOTE_BYTES - 1, cause.text);
		config->iopoll = config->hybrid_poll = false;
	}
	return 0;
}

static int engine_transfer_own_parts(struct engine *engine, const struct io *io, uint64_t submit_ns,
				     struct io_done *done)
{
	return engine_transfer_parts(engine, io, done);
}

static void engine_fill(struct engine *engine, const struct engine_ops *ops,
			const struct engine_config *config)
{
	const struct target *target = config->target;

	engine->ops = ops;
	engine->target = target;
	engine->clock = config->clock;
	engine->transfer = ops->transfer ? ops->transfer : engine_transfer_own_parts;
	engine->depth = config->depth;
	engine->capabilities = ops->capabilities;
	engine->size_bytes = target->size_bytes;
	engine->bits_forbidden = 1ull << 63;
	if (!(target->block_bytes & (target->block_bytes - 1)))	/* no power of two: not checked */
		engine->bits_forbidden |= target->block_bytes ? target->block_bytes - 1 : 0;
}

static uint32_t engine_ops_allowed(const struct engine *engine)
{
	uint32_t allowed = 1u << IO_READ;

	if (engine->target->may_write)
		allowed |= 1u << IO_WRITE;
	if (engine->target->may_write && engine->capabilities.trim)
		allowed |= 1u << IO_TRIM;
	if (engine->capabilities.flush)
		allowed |= 1u << IO_FLUSH | 1u << IO_FSYNC;
	return allowed;
}

/* For each OR of ops whether all that it may be made of are allowed. */
static uint32_t engine_op_bits(uint32_t ops_allowed)
{
	uint32_t bits_allowed = 0;

	for (uint32_t bits = 0; bits < 8; bits++) {
		bool all = true;

		for (uint32_t op = 0; op < 8; op++)
			if (!(op & ~bits) && !(ops_allowed >> op & 1))
				all = false;
		bits_allowed |= (uint32_t)all << bits;
	}
	return bits_allowed;
}

bool engine_accepts_each(const struct engine *engine, const struct io *ios, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (!engine_accepts_one(engine, &ios[i]))
			return false;
	return true;
}

static int engine_create(const struct engine_ops *ops, const struct engine_config *asked,
			 struct engine **ret_engine, struct fault *fault)
{
	struct engine_config config = *asked;
	struct engine *engine;
	uint64_t bytes;
	int err = engine_check(ops, &config, fault);

	if (err < 0)
		return err;
	bytes = (ops->state_bytes + 63) & ~63ull;
	engine = aligned_alloc(64, bytes);
	if (!engine)
		return fault_system(fault, -ENOMEM, "no memory for engine %s", ops->name);
	memset(engine, 0, bytes);
	engine_fill(engine, ops, &config);
	err = engine_check_options(engine, &config, fault);
	if (!err)
		err = engine_check_polling(engine, &config, fault);
	if (!err)
		err = ops->attach(engine, &config, fault);
	if (err < 0) {
		free(engine);
		return err;
	}
	engine->ops_allowed = engine_ops_allowed(engine);
	engine->op_bits_allowed = engine_op_bits(engine->ops_allowed);
	*ret_engine = engine;
	return 0;
}

/* The first of the table that works here; why the preferred one doesn't goes into its note. */
static int engine_best(const struct engine_config *config, struct engine **ret_engine, struct fault *fault)
{
	struct fault cause = { 0 }, first = { 0 };
	int first_err = 0;

	for (uint32_t i = 0; i < engine_choice_count; i++) {
		int err;

		if (!(engine_table[i]->target_kinds & 1u << config->target->kind))
			continue;
		err = engine_create(engine_table[i], config, ret_engine, &cause);
		if (!err) {
			if (first_err && !(*ret_engine)->note[0])
				snprintf((*ret_engine)->note, ENGINE_NOTE_BYTES, "%.*s",
					 ENGINE_NOTE_BYTES - 1, first.text);
			return 0;
		}
		if (!first_err) {
			first_err = err;
			first = cause;
		}
	}
	if (!first_err)
		return fault_system(fault, -EOPNOTSUPP, "no engine can drive %s", config->target->name);
	return fault_system(fault, first_err, "%s", first.text);
}

int engine_new(const char *name, const struct engine_config *config, struct engine **ret_engine,
	       struct fault *fault)
{
	const struct engine_ops *ops;

	if (!name)
		return engine_best(config, ret_engine, fault);
	ops = engine_find(name);
	if (!ops)
		return engine_unknown(name, fault);
	return engine_create(ops, config, ret_engine, fault);
}

struct engine *engine_free(struct engine *engine)
{
	if (engine) {
		engine->ops->detach(engine);
		free(engine);
	}
	return NULL;
}

int engine_transfer_parts(struct engine *engine, const struct io *io, struct io_done *done)
{
	const int taken = engine->ops->submit(engine, io, 1);
	int count;

	if (taken != 1)
		return taken;
	engine->in_flight = 1;
	count = engine->ops->reap(engine, done, 1, 1, ENGINE_WAIT_FOREVER);
	engine->in_flight = count != 1;
	return count;
}
