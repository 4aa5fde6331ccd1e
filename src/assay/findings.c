/* Findings: conclusions with the numbers that led to them, one plain sentence each. */
#include "assay/conclude.h"
#include "assay/finding.h"

/* What a plan is for comes first, what may be said of any run last. */
int conclude_findings(const struct evidence *evidence)
{
	static find_fn *const all[] = {
		find_purge, find_pick, find_search, find_spare, find_cache, find_recovery, find_cross, find_rests,
		find_random_fill, find_steady, find_snia, find_consistency, find_peak, find_errors, find_stalls,
		find_layers, find_thermal, find_drive_log, find_wear, find_bottleneck, find_file_system,
		find_together,
	};
	int error = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]) && !error; i++)
		error = all[i](evidence);
	return error;
}
