#include "assay/conclude.h"
#include "assay/finding.h"

int conclude(struct store *store, const struct plan *plan, bool *ret_criteria_met)
{
	struct evidence evidence;
	int error = store_clear_findings(store);

	if (error)
		return error;
	error = evidence_open(store, &evidence);
	if (!error)
		error = conclude_findings(&evidence);
	if (!error)
		error = conclude_checks(&evidence);
	if (!error)
		error = find_scorecard(&evidence);
	if (!error)
		error = conclude_criteria(&evidence, plan, ret_criteria_met);
	evidence_release(&evidence);
	return error;
}
