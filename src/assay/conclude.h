/* conclude: what a stored run means: findings, self-checks and the plan's criteria, drawn from the run file
 * alone (so that a run that was sealed after a crash can be concluded too). */
#pragma once
#include <stdbool.h>
#include "assay/evidence.h"
#include "plan/plan.h"
#include "store/store.h"

/* Replaces the findings and checks in the store. `plan` may be NULL (no criteria). 0 or -errno. */
int conclude(struct store *store, const struct plan *plan, bool *ret_criteria_met);

/* The parts; each writes its rows. */
int conclude_checks(const struct evidence *evidence);
int conclude_findings(const struct evidence *evidence);
int conclude_criteria(const struct evidence *evidence, const struct plan *plan, bool *ret_met);
