#include "assay/conclude.h"

int conclude(struct store *store, const struct plan *plan, bool *ret_criteria_met)
{
	int error = store_clear_findings(store);

	if (!error)
		error = conclude_findings(store);
	if (!error)
		error = conclude_checks(store);
	if (!error)
		error = conclude_criteria(store, plan, ret_criteria_met);
	return error;
}
