/* html_verdicts: which steps and groups were steady: a table, and what else looked at the same figures. */
#pragma once
#include "report/html.h"

bool html_has_verdicts(const struct html *html);
void html_verdicts(struct html *html);	/* nothing where there are none */
