/* html_compare: several runs against each other: figures sorted, with intervals and verdicts, and how far
 * percentiles differ. */
#pragma once
#include "report/html.h"

/* 0, -ENOMEM or the store's -errno. names: one per run. */
int html_compare(struct page *page, struct html *runs, const char *const *names, uint32_t count);
