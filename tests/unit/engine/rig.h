/* rig: an engine on a target made for one test. */
#pragma once
#include "engine/engine.h"

enum rig_place { RIG_EXT4, RIG_TMPFS, RIG_LOOP, RIG_NULL, RIG_ZERO, RIG_DEVICE, RIG_PLACES };

struct rig {
	struct target target;
	struct clock clock;
	struct engine_config config;
	struct engine *engine;
	struct fault fault;
	char path[128];		/* file made for the test; "" = none */
	char loop[64];		/* loop device attached to it; "" = none */
	char *buffers;		/* depth x stride bytes */
};

/* The device that RIG_DEVICE means: a block device or an NVMe generic device; its first megabytes are
 * overwritten. */
void rig_use_device(const char *path, uint32_t block_bytes);
const char *rig_place_name(enum rig_place place);
/* Why the place can't be had here (no root for loop devices ...); NULL = it can. */
const char *rig_place_missing(enum rig_place place);
/* Makes the target (`bytes` long, all zeroes, may be written) and a default configuration of that depth;
 * asserts on failure. Change rig->config, then rig_attach. */
void rig_open(struct rig *rig, enum rig_place place, uint64_t bytes, uint32_t depth, uint32_t stride);
/* engine_new() with rig->config; its result. */
int rig_attach(struct rig *rig, const char *engine);
void rig_close(struct rig *rig);	/* detaches, removes everything */

struct io rig_io(const struct rig *rig, enum io_op op, uint16_t slot, uint64_t offset, uint32_t bytes);
/* Submits one I/O in slot 0, waits for it (at most 10 s), returns its result. */
int32_t rig_do(struct rig *rig, enum io_op op, uint64_t offset, uint32_t bytes);
/* Waits for exactly `count` completions, 10 s at most; asserts that they came. */
void rig_collect(struct rig *rig, struct io_done *done, uint32_t count);
