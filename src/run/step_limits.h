/* step_limits: how far a step's loads go, worked out from its options and conditions for the targets. */
#pragma once
#include <stdbool.h>
#include "base/fault.h"
#include "base/target.h"
#include "plan/plan.h"
#include "run/run.h"
#include "run/stage.h"

/* Fills runtime_ns and the loads' budgets of the stage (load[i].load, .target and .at are set). -EINVAL with
 * fault: a range that lies outside the target, a trim where there is none, loads on one target with different
 * direct=. */
int step_limits_resolve(struct stage *stage, const struct plan_step *step, struct fault *fault);

/* Are the load's I/Os whole blocks of that many bytes? 0 or -EINVAL with fault: nothing is rounded silently.
 * `small` = those below one block are the caller's business (a point that is skipped). */
int step_limits_blocks(const struct load *load, uint32_t block_bytes, bool small, struct fault *fault);

/* Bytes that a stop rule of kind STOP_WRITTEN means here. */
uint64_t step_limits_written_bytes(const struct stop_rule *rule, uint64_t target_bytes, uint64_t range_bytes);

/* The first rule of a kind in a list, or NULL. */
const struct stop_rule *stop_rule_find(const struct stop_rule *rules, uint32_t count, enum stop_kind kind);
