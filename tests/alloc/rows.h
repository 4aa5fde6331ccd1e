/* rows: what is made under a failing allocator: one row a constructor, or a whole reader or writer. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct alloc_row {
	const char *name;
	/* Constructors (`*_new`, `*_init` of the headers) that it calls: complete.sh looks that each has a
	 * row. */
	const char *covers;
	void *(*set_up)(void);			/* what it needs; nothing fails there. NULL: nothing */
	/* Makes it and frees it again: 0, or -errno with everything given back. */
	int (*make)(void *context);
	void (*tear_down)(void *context);	/* NULL: nothing */
	bool goes_on;				/* may succeed without what it could not get: says so elsewhere */
	bool once;				/* makes files or keeps state: tear_down and set_up around each try */
};

struct alloc_rows {
	const struct alloc_row *row;
	size_t count;
};

extern const struct alloc_rows alloc_rows_base, alloc_rows_measure, alloc_rows_plan, alloc_rows_sim, alloc_rows_work,
	alloc_rows_drive, alloc_rows_engine, alloc_rows_guard, alloc_rows_store, alloc_rows_run, alloc_rows_report,
	alloc_rows_assay;
