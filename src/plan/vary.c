#include "plan/vary.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/units.h"
#include "plan/value.h"

#define KEYS_MAX 16
#define TEXT_MAX (sizeof(((struct plan_value *)0)->text) - 1)

/* A list of rows while it grows: each row is one text, not yet cut at slashes. */
struct rows {
	struct parser *parser;
	const struct value *value;
	uint32_t count, capacity;
	char **texts;
	uint32_t *columns;
};

/* `place` points into the value: where the row comes from. */
static int rows_add(struct rows *rows, struct span span, const char *place)
{
	struct arena *arena = rows->parser->arena;

	if (rows->count >= PLAN_POINTS_MAX)
		return value_fault(rows->value, place, "more than %d values", PLAN_POINTS_MAX);
	if (rows->count == rows->capacity) {
		uint32_t capacity = rows->capacity ? rows->capacity * 2 : 16;
		char **texts = arena_alloc(arena, capacity * sizeof(*texts));
		uint32_t *columns = arena_alloc(arena, capacity * sizeof(*columns));

		if (!texts || !columns)
			return -ENOMEM;
		if (rows->count) {
			memcpy(texts, rows->texts, rows->count * sizeof(*texts));
			memcpy(columns, rows->columns, rows->count * sizeof(*columns));
		}
		rows->texts = texts;
		rows->columns = columns;
		rows->capacity = capacity;
	}
	rows->texts[rows->count] = arena_strndup(arena, span.at, span.bytes);
	rows->columns[rows->count] = rows->value->text_column +
				     (rows->value->exact ? (uint32_t)(place - rows->value->text) : 0);
	return rows->texts[rows->count++] ? 0 : -ENOMEM;
}

/* One generated value, in the unit that was written, else in the largest that is whole. */
static int rows_add_number(struct rows *rows, const char *place, uint64_t number, const char *unit, bool size)
{
	static const char letters[] = "kmgtp";
	char text[64], letter[2] = "";

	for (int i = 0; size && i < 5 && number && number % 1024 == 0; i++) {
		number /= 1024;
		letter[0] = letters[i];
	}
	snprintf(text, sizeof(text), "%llu%s", (unsigned long long)number, size ? letter : unit);
	return rows_add(rows, (struct span){ text, strlen(text) }, place);
}

/* "8k" -> 8 and "k" */
static int number_split(const struct value *value, struct span span, uint64_t *ret_number, char unit[16])
{
	size_t digits = 0;

	while (digits < span.bytes && span.at[digits] >= '0' && span.at[digits] <= '9')
		digits++;
	if (!span_copy((struct span){ span.at + digits, span.bytes - digits }, unit, 16))
		return value_fault(value, span.at, "this is no number");
	return value_u64(value, (struct span){ span.at, digits }, 0, UINT64_MAX, ret_number);
}

/* "a..b*k": a, a*k, a*k*k ... up to b. Both in one unit, or both sizes. */
static int rows_add_range(struct rows *rows, struct span whole, struct span from, struct span to,
			  struct span factor)
{
	const struct value *value = rows->value;
	char unit_from[16], unit_to[16];
	uint64_t first, last, step;
	bool size = false;
	int error = number_split(value, from, &first, unit_from);

	if (!error)
		error = number_split(value, to, &last, unit_to);
	if (!error)
		error = value_u64(value, factor, 2, 1u << 20, &step);
	if (!error && strcmp(unit_from, unit_to)) {
		size = true;
		error = value_size(value, from, &first);
		if (!error)
			error = value_size(value, to, &last);
	}
	if (!error && (!first || last < first))
		error = value_fault(value, whole.at,
				    "a sweep goes upwards from above 0, for instance 1..256*2");
	while (!error && first <= last) {
		error = rows_add_number(rows, whole.at, first, unit_from, size);
		if (__builtin_mul_overflow(first, step, &first))
			break;
	}
	return error;
}

static int rows_add_token(struct rows *rows, struct span token)
{
	const char *star = span_find(token, '*');
	const char *dots = memmem(token.at, token.bytes, "..", 2);

	if (!star || !dots || dots > star)
		return rows_add(rows, token, token.at);
	return rows_add_range(rows, token, (struct span){ token.at, (size_t)(dots - token.at) },
			      (struct span){ dots + 2, (size_t)(star - dots - 2) },
			      (struct span){ star + 1, token.bytes - (size_t)(star + 1 - token.at) });
}

static int keys_split(struct parser *parser, const struct value *value, const char *text,
		      struct vary_line *line, struct plan_vary *vary)
{
	struct span rest = { text, strlen(text) }, key;
	const char **keys = arena_alloc(parser->arena, KEYS_MAX * sizeof(*keys));
	const struct option **options = arena_alloc(parser->arena, KEYS_MAX * sizeof(*options));

	if (!keys || !options)
		return -ENOMEM;
	while (span_next(&rest, '/', &key)) {
		const struct option *option;
		struct mark mark = value->entry->mark;

		if (vary->key_count == KEYS_MAX)
			return parser_fault(parser, mark, "more than %d keys move together", KEYS_MAX);
		if (!key.bytes || key.bytes >= sizeof(((struct plan_value *)0)->key))
			return parser_fault(parser, mark, "the name of a swept key has 1 to 31 bytes");
		keys[vary->key_count] = arena_strndup(parser->arena, key.at, key.bytes);
		if (!keys[vary->key_count])
			return -ENOMEM;
		option = option_find(keys[vary->key_count]);
		if (option && (!option->parse || !(option->where & WHERE_PLAN)))
			return parser_fault(parser, mark, "%s can't be swept", option->name);
		options[vary->key_count++] = option;
	}
	vary->keys = keys;
	line->options = options;
	return 0;
}

static int row_split(struct parser *parser, const struct rows *rows, uint32_t index,
		     const struct plan_vary *vary, const char **row)
{
	struct value value = *rows->value;
	struct span rest = { rows->texts[index], strlen(rows->texts[index]) }, piece;
	uint32_t count = 0;

	value.exact = false;
	value.text_column = rows->columns[index];
	if (vary->key_count == 1)
		piece = rest;
	while (count < vary->key_count && (vary->key_count == 1 || span_next(&rest, '/', &piece))) {
		if (piece.bytes > TEXT_MAX)
			return value_fault(&value, NULL, "a swept value has at most %zu bytes", TEXT_MAX);
		row[count] = arena_strndup(parser->arena, piece.at, piece.bytes);
		if (!row[count++])
			return -ENOMEM;
	}
	if (count != vary->key_count || (vary->key_count > 1 && rest.at))
		return value_fault(&value, NULL, "\"%s\" doesn't have %u values with / between them",
				   rows->texts[index], vary->key_count);
	return 0;
}

/* Points that are alike could not be told from each other. */
static int rows_differ(const struct rows *rows, uint32_t last)
{
	struct value value = *rows->value;

	for (uint32_t i = 0; i < last; i++) {
		if (strcmp(rows->texts[i], rows->texts[last]))
			continue;
		value.exact = false;
		value.text_column = rows->columns[last];
		return value_fault(&value, NULL,
				   "%s stands twice in the sweep; repeat=N measures each point N times",
				   rows->texts[last]);
	}
	return 0;
}

static int rows_finish(struct parser *parser, struct rows *rows, struct vary_line *line,
		       struct plan_vary *vary)
{
	const char *const **all = arena_alloc(parser->arena, rows->count * sizeof(*all));
	const char **cells =
		arena_alloc(parser->arena, (size_t)rows->count * vary->key_count * sizeof(*cells));
	int error = 0;

	if (!all || !cells)
		return -ENOMEM;
	for (uint32_t i = 0; i < rows->count && !error; i++) {
		all[i] = cells + (size_t)i * vary->key_count;
		error = row_split(parser, rows, i, vary, cells + (size_t)i * vary->key_count);
		if (!error)
			error = rows_differ(rows, i);
	}
	vary->row_count = rows->count;
	vary->rows = all;
	line->columns = rows->columns;
	return error;
}

int vary_parse(struct parser *parser, struct entry *entry, struct vary_line *line)
{
	struct plan_vary *vary = arena_alloc(parser->arena, sizeof(*vary));
	struct value value = {
		.plan = parser->plan,
		.entry = entry,
		.key = entry->key,
		.text = entry->text ? entry->text : "",
		.has_text = entry->text,
		.exact = entry->exact,
		.text_column = entry->text_column,
		.dialect = parser->plan->dialect,
		.fault = parser->fault,
	};
	struct rows rows = { .parser = parser, .value = &value };
	struct span rest = value_span(&value), token;
	int error;

	if (!vary)
		return -ENOMEM;
	*line = (struct vary_line){ .vary = vary, .entry = entry };
	vary->line = entry->mark.line;
	vary->column = entry->mark.column;
	error = keys_split(parser, &value, entry->key + 5, line, vary);
	while (!error && span_next(&rest, ' ', &token))
		error = rows_add_token(&rows, token);
	if (!error && !rows.count)
		error = value_fault(&value, value.text, "a sweep needs values: 4k 8k 16k or 1..256*2");
	return error ? error : rows_finish(parser, &rows, line, vary);
}

bool vary_has_option(const struct vary_line *line, const struct option *option)
{
	for (uint32_t i = 0; i < line->vary->key_count; i++)
		if (line->options[i] && option_slot_index(line->options[i]) == option_slot_index(option))
			return true;
	return false;
}

uint32_t vary_row(const struct plan_step *step, uint32_t point, uint32_t line)
{
	for (uint32_t i = step->vary_count; i-- > line + 1;)
		point /= step->vary[i].row_count;
	return point % step->vary[line].row_count;
}
