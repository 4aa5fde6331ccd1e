/* get: a small table as an array of records. Only for src/store. */
#pragma once
#include "store/connection.h"
#include "store/row.h"

struct table_shape {
	enum statement statement;	/* selects all columns in order */
	size_t record_bytes;
	uint32_t rows_max;		/* more are refused as damage */
	void (*read)(struct row *row, void *record);	/* into a zeroed record; errors stay in the row */
};

/* The array is owned by the store. 0 or -errno. */
int store_table(struct store *store, const struct table_shape *shape, void **ret_records,
		uint32_t *ret_count);

/* Names of telemetry, by id. */
struct name_record {
	uint64_t id;
	const char *name;
};
int store_names(struct store *store, const struct name_record **ret_names, uint32_t *ret_count);
