/* text_table: a table of a terminal: columns as wide as their widest cell, counted in columns, not bytes. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/text.h"

#define TEXT_TABLE_COLUMNS 16

enum text_style { TEXT_PLAIN, TEXT_FAINT, TEXT_BOLD, TEXT_GOOD, TEXT_BAD, TEXT_WARN };

struct text_cell {
	const char *string;
	enum text_style style;
};

struct text_table {
	struct arena arena;
	uint32_t column_count;
	bool right[TEXT_TABLE_COLUMNS];		/* aligned to the right */
	bool elastic[TEXT_TABLE_COLUMNS];	/* may be shortened when the terminal is too narrow */
	/* Left out then, half a number is none: before anything is shortened, or when that is not enough. */
	enum text_table_optional {
		TEXT_TABLE_KEPT,
		TEXT_TABLE_FIRST_OUT,
		TEXT_TABLE_LAST_OUT
	} optional[TEXT_TABLE_COLUMNS];
	uint32_t row_count, row_capacity;
	struct text_cell *cells;		/* row by row */
	bool color;
	int error;				/* 0 or -ENOMEM, sticky */
};

void text_table_release(struct text_table *table);
/* Starts a row; cells not set are empty. */
void text_table_row(struct text_table *table);
/* Copies; control characters are replaced, so that a name cannot drive the terminal. */
void text_table_set(struct text_table *table, uint32_t column, enum text_style style, const char *string);
/* The same in the first row, which names the columns. */
void text_table_name(struct text_table *table, uint32_t column, enum text_style style, const char *string);
/* Whether any cell of the column has something in it. */
bool text_table_holds(const struct text_table *table, uint32_t column);
/* width 0: as wide as it needs. */
void text_table_write(const struct text_table *table, uint32_t width, struct text *out);

/* One string in a style; control characters replaced. */
void text_styled(struct text *out, bool color, enum text_style style, const char *string);
