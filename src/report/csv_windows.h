/* csv_windows: windows.csv: what SNIA's rule judged, a row per window, nothing rounded. */
#pragma once
#include "report/csv.h"
#include "report/model.h"

/* Header and rows, of what the page draws: the last window of each figure that groups track, and those of
 * steps that waited for the rule. */
void csv_windows(struct csv *csv, const struct report_model *model);
