#include "plan/lexer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/units.h"
#include "plan/name.h"
#include "plan/parser.h"

#define INCLUDE_DEPTH_MAX 16

struct lexer {
	struct parser *parser;
	struct text *out;		/* everything read, includes in their place */
	const char *source;
	const char *directory;		/* where this text's includes lie; NULL = refused */
	uint32_t line;
	uint32_t depth;
};

static int lexer_text(struct lexer *lexer, const char *text);

static struct mark lexer_mark(const struct lexer *lexer, const char *line, const char *at)
{
	return (struct mark){ lexer->source, lexer->line, (uint32_t)(at - line) + 1 };
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static const char *skip_blank(const char *at, const char *end)
{
	while (at < end && is_blank(*at))
		at++;
	return at;
}

static const char *trim_blank(const char *start, const char *end)
{
	while (end > start && is_blank(end[-1]))
		end--;
	return end;
}

/* Where the comment of a line starts, or its end. fio cuts at any ; or #, we want white space before it. */
static int comment_find(struct lexer *lexer, const char *line, const char *start, const char *end,
			const char **ret_end)
{
	const struct plan *plan = lexer->parser->plan;

	for (const char *at = start; at < end; at++) {
		bool spaced = at == start || is_blank(at[-1]);

		if (*at != ';' && *at != '#')
			continue;
		if (plan->dialect == PLAN_NATIVE && !spaced)
			continue;
		if (!spaced && parser_complain(lexer->parser, lexer_mark(lexer, line, at),
					       "fio reads what follows %c as a comment, and so it is read "
					       "here; "
					       "put a space before a comment",
					       *at))
			return -EINVAL;
		end = at;
	}
	*ret_end = trim_blank(start, end);
	return 0;
}

static bool name_starts(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool name_goes_on(char c)
{
	return name_starts(c) || (c >= '0' && c <= '9');
}

/* One ${NAME} at `at` (behind the brace); appends its value, returns where the text goes on. */
static int variable_append(struct lexer *lexer, struct mark mark, const char *at, const char *end,
			   struct text *out, const char **ret_next)
{
	const struct plan_options *options = lexer->parser->options;
	const char *close = memchr(at, '}', (size_t)(end - at));
	char name[128];
	const char *value = NULL;

	if (!close || close == at || (size_t)(close - at) >= sizeof(name))
		return parser_fault(lexer->parser, mark, "${ needs a variable's name and a closing }");
	memcpy(name, at, (size_t)(close - at));
	name[close - at] = '\0';
	if (options->variable)
		value = options->variable(options->variable_context, name);
	if (!value)
		return parser_fault(lexer->parser, mark, "the environment variable %s is not set", name);
	if (strpbrk(value, "\n\r"))
		return parser_fault(lexer->parser, mark, "the environment variable %s has several lines",
				    name);
	text_append(out, value);
	*ret_next = close + 1;
	return 0;
}

struct sum {
	const char *at;
	bool bad;
};

static uint64_t sum_level(struct sum *sum, int level);

static uint64_t sum_factor(struct sum *sum)
{
	char *end;
	uint64_t value;

	if (*sum->at == '(') {
		sum->at++;
		value = sum_level(sum, 0);
		sum->bad |= *sum->at != ')';
		sum->at += *sum->at == ')';
		return value;
	}
	if (*sum->at < '0' || *sum->at > '9') {
		sum->bad = true;
		return 0;
	}
	value = strtoull(sum->at, &end, 10);
	sum->at = end;
	return value;
}

static uint64_t sum_apply(struct sum *sum, char operator, uint64_t left, uint64_t right)
{
	uint64_t value = 0;

	switch (operator) {
	case '+':
		sum->bad |= __builtin_add_overflow(left, right, &value);
		break;
	case '-':
		sum->bad |= __builtin_sub_overflow(left, right, &value);
		break;
	case '*':
		sum->bad |= __builtin_mul_overflow(left, right, &value);
		break;
	default:
		sum->bad |= right == 0;
		value = right ? left / right : 0;
	}
	return value;
}

/* level 0: + and -, level 1: * and /. */
static uint64_t sum_level(struct sum *sum, int level)
{
	const char *operators = level ? "*/" : "+-";
	uint64_t value = level ? sum_factor(sum) : sum_level(sum, 1);

	while (!sum->bad && *sum->at && strchr(operators, *sum->at)) {
		char operator = *sum->at++;

		value = sum_apply(sum, operator, value, level ? sum_factor(sum) : sum_level(sum, 1));
	}
	return value;
}

/* "2*8" -> "16" when the whole value is a sum of whole numbers; else unchanged. Nesting is bounded by length.
 */
static void sum_replace(struct text *value)
{
	struct sum sum = { .at = text_data(value) };
	char number[32];
	uint64_t result;

	if (value->bytes > 64 || strspn(sum.at, "0123456789+-*/()") != value->bytes ||
	    !strpbrk(sum.at, "+-*/("))
		return;
	result = sum_level(&sum, 0);
	if (sum.bad || *sum.at)
		return;
	snprintf(number, sizeof(number), "%llu", (unsigned long long)result);
	text_clear(value);
	text_append(value, number);
}

/* Keywords that fio replaces; the two that ask the machine about more than its CPUs are refused. */
static int keyword_append(struct lexer *lexer, struct mark mark, const char *at, const char *end,
			  struct text *out, const char **ret_next, bool *ret_number)
{
	static const char *const refused[] = { "$mb_memory", "$pagesize" };
	size_t left = (size_t)(end - at);

	if (left >= 6 && !memcmp(at, "$ncpus", 6) && (left == 6 || !name_goes_on(at[6]))) {
		text_printf(out, "%u", lexer->parser->options->cpu_count);
		*ret_next = at + 6;
		*ret_number = true;
		return 0;
	}
	for (size_t i = 0; i < 2; i++)
		if (left >= strlen(refused[i]) && !memcmp(at, refused[i], strlen(refused[i])))
			return parser_fault(lexer->parser, mark, "%s is not supported; write the number",
					    refused[i]);
	text_append_char(out, *at);
	*ret_next = at + 1;
	return 0;
}

/* Replaces variables and keywords of one value. `ret_exact`: nothing was replaced. */
static int value_expand(struct lexer *lexer, const char *line, const char *start, const char *end,
			struct text *out, bool *ret_exact)
{
	bool number = false, exact = true;

	for (const char *at = start; at < end;) {
		struct mark mark = lexer_mark(lexer, line, at);
		int error = 0;

		if (*at != '$') {
			text_append_char(out, *at++);
			continue;
		}
		if (at + 1 < end && at[1] == '{') {
			exact = false;
			error = variable_append(lexer, mark, at + 2, end, out, &at);
		} else {
			error = keyword_append(lexer, mark, at, end, out, &at, &number);
		}
		if (error)
			return error;
	}
	if (number)
		sum_replace(out);
	*ret_exact = exact && !number;
	return out->error;
}

static struct entry *entry_add(struct lexer *lexer, struct mark mark, const char *key, size_t key_bytes)
{
	struct section *section = lexer->parser->sections_last;
	struct entry *entry = arena_alloc(lexer->parser->arena, sizeof(*entry));

	if (!entry)
		return NULL;
	entry->key = arena_strndup(lexer->parser->arena, key, key_bytes);
	if (!entry->key)
		return NULL;
	entry->mark = mark;
	if (section->entries_last)
		section->entries_last->next = entry;
	else
		section->entries = entry;
	section->entries_last = entry;
	return entry;
}

static int entry_value(struct lexer *lexer, struct entry *entry, const char *line, const char *start,
		       const char *end)
{
	struct text value = { 0 };
	int error = value_expand(lexer, line, start, end, &value, &entry->exact);

	entry->text_column = (uint32_t)(start - line) + 1;
	if (!error) {
		entry->text = arena_strdup(lexer->parser->arena, text_data(&value));
		error = entry->text ? 0 : -ENOMEM;
	}
	text_release(&value);
	return error;
}

static int lexer_entry(struct lexer *lexer, const char *line, const char *start, const char *end)
{
	const char *equals = memchr(start, '=', (size_t)(end - start));
	const char *key_end = trim_blank(start, equals ? equals : end);
	struct mark mark = lexer_mark(lexer, line, start);
	struct entry *entry;

	if (key_end == start)
		return parser_fault(lexer->parser, mark, "a key is missing before =");
	if (!lexer->parser->sections_last)
		return parser_fault(lexer->parser, mark,
				    "\"%.*s\" stands before the first [section]; "
				    "write [global] above it if it is meant for all",
				    (int)(key_end - start), start);
	entry = entry_add(lexer, mark, start, (size_t)(key_end - start));
	if (!entry)
		return -ENOMEM;
	if (!equals) {
		entry->text_column = mark.column;
		return 0;
	}
	return entry_value(lexer, entry, line, skip_blank(equals + 1, end), end);
}

static int lexer_section(struct lexer *lexer, const char *line, const char *start, const char *end)
{
	struct parser *parser = lexer->parser;
	const char *close = memchr(start, ']', (size_t)(end - start));
	const char *name = skip_blank(start + 1, close ? close : end);
	struct mark mark = lexer_mark(lexer, line, start);
	struct section *section;

	if (!close)
		return parser_fault(parser, mark, "the section's name is not closed: ] is missing");
	if (trim_blank(name, close) == name)
		return parser_fault(parser, mark, "the section has no name");
	if (skip_blank(close + 1, end) != end)
		return parser_fault(parser, lexer_mark(lexer, line, skip_blank(close + 1, end)),
				    "nothing but a comment may follow a section's name");
	if (++parser->section_count > PARSER_SECTIONS_MAX)
		return parser_fault(parser, mark, "more than %d sections", PARSER_SECTIONS_MAX);
	section = arena_alloc(parser->arena, sizeof(*section));
	if (!section)
		return -ENOMEM;
	section->name = arena_strndup(parser->arena, name, (size_t)(trim_blank(name, close) - name));
	section->mark = mark;
	if (parser->sections_last)
		parser->sections_last->next = section;
	else
		parser->sections = section;
	parser->sections_last = section;
	return section->name ? 0 : -ENOMEM;
}

/* A regular file only: an include must never wait for a pipe or read a device. */
static int include_read(const char *path, struct text *text)
{
	struct stat status;

	if (stat(path, &status))
		return -errno;
	if (!S_ISREG(status.st_mode))
		return -EINVAL;
	return text_read_file(text, path, PARSER_TEXT_MAX);
}

static int include_enter(struct lexer *lexer, struct mark mark, const char *path)
{
	struct lexer inner = {
		.parser = lexer->parser, .out = lexer->out, .source = path, .depth = lexer->depth + 1
	};
	const char *slash = strrchr(path, '/');
	struct text text = { 0 };
	int error = include_read(path, &text);

	if (error) {
		text_release(&text);
		return parser_fault(lexer->parser, mark, "can't include %s: %s", path,
				    error == -EFBIG ? "longer than 1 MiB" :
				    error == -EINVAL ? "not a regular file" : strerror(-error));
	}
	inner.directory = arena_strndup(lexer->parser->arena, path, (size_t)(slash - path));
	error = inner.directory ? 0 : -ENOMEM;
	if (!error && strlen(text_data(&text)) != text.bytes)
		error = parser_fault(lexer->parser, mark, "%s has a NUL byte: it is no text", path);
	if (!error)
		error = lexer_text(&inner, text_data(&text));
	text_release(&text);
	return error;
}

static int lexer_include(struct lexer *lexer, const char *line, const char *name, const char *end)
{
	struct parser *parser = lexer->parser;
	struct mark mark = lexer_mark(lexer, line, name);
	const char *path;

	if (name == end)
		return parser_fault(parser, mark, "include needs a file name");
	if (!lexer->directory)
		return parser_fault(parser, mark,
				    "include is not possible here: the plan is not read from a file");
	if (lexer->depth >= INCLUDE_DEPTH_MAX)
		return parser_fault(parser, mark, "includes nest deeper than %d: does a file include itself?",
				    INCLUDE_DEPTH_MAX);
	if (*name == '/')
		path = arena_strndup(parser->arena, name, (size_t)(end - name));
	else
		path = arena_printf(parser->arena, "%s/%.*s", *lexer->directory ? lexer->directory : "/",
				    (int)(end - name), name);
	return path ? include_enter(lexer, mark, path) : -ENOMEM;
}

/* Is this line "include FILE" or "include=FILE"? Then the file's name starts at the returned place. */
static const char *include_find(const char *start, const char *end)
{
	if (end - start < 7 || memcmp(start, "include", 7))
		return NULL;
	if (start + 7 < end && !is_blank(start[7]) && start[7] != '=')
		return NULL;
	start = skip_blank(start + 7, end);
	if (start < end && *start == '=')
		start = skip_blank(start + 1, end);
	return start;
}

static int lexer_bytes_check(struct lexer *lexer, const char *line, const char *end)
{
	const char *bad = name_utf8_check(line, (size_t)(end - line));

	if (bad)
		return parser_fault(lexer->parser, lexer_mark(lexer, line, bad),
				    "the text is not UTF-8 here");
	for (const char *at = line; at < end; at++)
		if (((unsigned char)*at < 32 && !is_blank(*at)) || *at == 127)
			return parser_fault(lexer->parser, lexer_mark(lexer, line, at),
					    "a control character (byte %u) stands here", (unsigned char)*at);
	return 0;
}

static int lexer_line(struct lexer *lexer, const char *line, const char *end)
{
	const char *start = skip_blank(line, end), *name;
	int error = lexer_bytes_check(lexer, line, end);

	if (error || start == end || *start == ';' || *start == '#')
		return error;
	error = comment_find(lexer, line, start, end, &end);
	if (error)
		return error;
	if (*start == '[')
		return lexer_section(lexer, line, start, end);
	name = include_find(start, end);
	if (name)
		return lexer_include(lexer, line, name, end);
	return lexer_entry(lexer, line, start, end);
}

static int lexer_text(struct lexer *lexer, const char *text)
{
	int error;

	if (!strncmp(text, "\xef\xbb\xbf", 3))
		text += 3;
	while (*text) {
		const char *end = strchrnul(text, '\n');

		lexer->line++;
		error = lexer_line(lexer, text, end);
		if (error)
			return error;
		if (!include_find(skip_blank(text, end), end)) {
			text_append_bytes(lexer->out, text, (size_t)(end - text));
			text_append_char(lexer->out, '\n');
		}
		if (lexer->out->bytes > PARSER_TEXT_MAX)
			return parser_fault(lexer->parser, lexer_mark(lexer, text, text),
					    "the plan with its includes is longer than 1 MiB");
		text = *end ? end + 1 : end;
	}
	return lexer->out->error;
}

int lexer_read(struct parser *parser, const char *text, struct text *ret_text)
{
	struct lexer lexer = {
		.parser = parser, .out = ret_text,
		.source = parser->options->source ? parser->options->source : "",
		.directory = parser->options->directory,
	};

	return lexer_text(&lexer, text);
}
