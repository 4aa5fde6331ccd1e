#include "report/text_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "report/utf8.h"

#define ELASTIC_MIN 8u
#define GAP 2u

static void append_clean(struct text *out, const char *string)
{
	while (*string) {
		uint32_t length = utf8_length(string);
		unsigned char c = (unsigned char)*string;

		if (!length || c < 0x20 || c == 0x7f ||
		    (length == 2 && c == 0xc2 && (unsigned char)string[1] < 0xa0))
			text_append(out, UTF8_REPLACEMENT);
		else
			text_append_bytes(out, string, length);
		string += length ? length : 1;
	}
}

static const char *style_code(enum text_style style)
{
	static const char *const codes[] = { "", "2", "1", "32", "1;31", "33" };

	return codes[style];
}

void text_styled(struct text *out, bool color, enum text_style style, const char *string)
{
	bool styled = color && style != TEXT_PLAIN;

	if (styled)
		text_printf(out, "\033[%sm", style_code(style));
	append_clean(out, string);
	if (styled)
		text_append(out, "\033[0m");
}

void text_table_release(struct text_table *table)
{
	arena_release(&table->arena);
	free(table->cells);
	*table = (struct text_table){ 0 };
}

void text_table_row(struct text_table *table)
{
	if (table->row_count == table->row_capacity) {
		uint32_t capacity = table->row_capacity ? table->row_capacity * 2 : 32;
		struct text_cell *cells =
			reallocarray(table->cells, (size_t)capacity * TEXT_TABLE_COLUMNS, sizeof(*cells));

		if (!cells) {
			table->error = -ENOMEM;
			return;
		}
		table->cells = cells;
		table->row_capacity = capacity;
	}
	memset(table->cells + (size_t)table->row_count * TEXT_TABLE_COLUMNS, 0,
	       TEXT_TABLE_COLUMNS * sizeof(*table->cells));
	table->row_count++;
}

static void set_in(struct text_table *table, uint32_t row, uint32_t column, enum text_style style,
		   const char *string)
{
	struct text clean = { 0 };
	struct text_cell *cell;

	if (table->error || !table->row_count)
		return;
	append_clean(&clean, string);
	cell = &table->cells[(size_t)row * TEXT_TABLE_COLUMNS + column];
	cell->string = arena_strdup(&table->arena, text_data(&clean));
	cell->style = style;
	if (clean.error || !cell->string)
		table->error = -ENOMEM;
	text_release(&clean);
	if (column >= table->column_count)
		table->column_count = column + 1;
}

void text_table_set(struct text_table *table, uint32_t column, enum text_style style, const char *string)
{
	set_in(table, table->row_count - 1, column, style, string);
}

void text_table_name(struct text_table *table, uint32_t column, enum text_style style, const char *string)
{
	set_in(table, 0, column, style, string);
}

static const char *cell_string(const struct text_table *table, uint32_t row, uint32_t column)
{
	const char *string = table->cells[(size_t)row * TEXT_TABLE_COLUMNS + column].string;

	return string ? string : "";
}

bool text_table_holds(const struct text_table *table, uint32_t column)
{
	for (uint32_t row = 0; row < table->row_count; row++)
		if (cell_string(table, row, column)[0])
			return true;
	return false;
}

static void measure(const struct text_table *table, uint32_t *widths)
{
	for (uint32_t column = 0; column < table->column_count; column++) {
		widths[column] = 0;
		for (uint32_t row = 0; row < table->row_count; row++) {
			uint32_t columns = utf8_columns(cell_string(table, row, column));

			if (columns > widths[column])
				widths[column] = columns;
		}
	}
}

/* An empty column takes no room. */
static uint32_t sum_of(const struct text_table *table, const uint32_t *widths)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < table->column_count; i++)
		sum += widths[i] + (i && widths[i] ? GAP : 0);
	return sum;
}

static void leave_out(const struct text_table *table, enum text_table_optional which, uint32_t *widths,
		      uint32_t width)
{
	for (uint32_t i = 0; i < table->column_count && sum_of(table, widths) > width; i++)
		if (table->optional[i] == which)
			widths[i] = 0;
}

/* Takes from the widest elastic column until the table fits, or none has more to give. */
static void shorten(const struct text_table *table, uint32_t *widths, uint32_t width)
{
	while (sum_of(table, widths) > width) {
		uint32_t widest = table->column_count;

		for (uint32_t i = 0; i < table->column_count; i++) {
			if (table->elastic[i] && widths[i] > ELASTIC_MIN &&
			    (widest == table->column_count || widths[i] > widths[widest]))
				widest = i;
		}
		if (widest == table->column_count)
			return;
		widths[widest]--;
	}
}

static void squeeze(const struct text_table *table, uint32_t *widths, uint32_t width)
{
	uint32_t whole[TEXT_TABLE_COLUMNS];

	leave_out(table, TEXT_TABLE_FIRST_OUT, widths, width);
	memcpy(whole, widths, sizeof(whole));
	shorten(table, widths, width);
	if (sum_of(table, widths) <= width)
		return;
	memcpy(widths, whole, sizeof(whole));
	leave_out(table, TEXT_TABLE_LAST_OUT, widths, width);
	shorten(table, widths, width);
}

/* The string, or its beginning, an ellipsis and its end: names of steps and values of points differ at
 * either. */
static void fit(const char *string, uint32_t columns, struct text *out)
{
	uint32_t all = utf8_columns(string), head = columns / 2, tail = columns - head - 1, used = 0;

	if (all <= columns) {
		text_append(out, string);
		return;
	}
	while (*string) {
		uint32_t length = utf8_length(string);
		char one[8] = "";

		memcpy(one, string, length);
		if (used + utf8_columns(one) > head)
			break;
		used += utf8_columns(one);
		text_append(out, one);
		string += length;
	}
	text_append(out, "\xe2\x80\xa6");
	while (*string && utf8_columns(string) > tail)
		string += utf8_length(string);
	text_append(out, string);
}

static void spaces(struct text *out, uint32_t count)
{
	while (count--)
		text_append_char(out, ' ');
}

static void write_cell(const struct text_table *table, uint32_t row, uint32_t column, uint32_t width,
		       bool last, struct text *out)
{
	const struct text_cell *cell = &table->cells[(size_t)row * TEXT_TABLE_COLUMNS + column];
	struct text string = { 0 };
	uint32_t pad;

	if (!width)
		return;
	fit(cell_string(table, row, column), width, &string);
	pad = width - utf8_columns(text_data(&string));
	if (table->right[column])
		spaces(out, pad);
	text_styled(out, table->color, cell->style, text_data(&string));
	if (!table->right[column] && !last)
		spaces(out, pad);
	text_release(&string);
}

static uint32_t row_end(const struct text_table *table, uint32_t row)
{
	uint32_t end = table->column_count;

	while (end && !cell_string(table, row, end - 1)[0])
		end--;
	return end;
}

void text_table_write(const struct text_table *table, uint32_t width, struct text *out)
{
	uint32_t widths[TEXT_TABLE_COLUMNS] = { 0 };

	measure(table, widths);
	if (width)
		squeeze(table, widths, width);
	for (uint32_t row = 0; row < table->row_count; row++) {
		uint32_t end = row_end(table, row);

		for (uint32_t column = 0; column < end; column++) {
			if (column && widths[column])
				spaces(out, GAP);
			write_cell(table, row, column, widths[column], column + 1 == end, out);
		}
		text_append_char(out, '\n');
	}
	if (table->error && !out->error)
		out->error = table->error;
}
