/* parser: what plan_parse() works with until the plan is ready; not kept. One thread. */
#pragma once
#include <stdarg.h>
#include "plan/lexer.h"
#include "plan/plan.h"

#define PARSER_SECTIONS_MAX 2048
#define PARSER_TEXT_MAX (1u << 20)	/* bytes of a plan with its includes */

struct warning {
	struct warning *next;
	struct fault fault;
};

struct parser {
	struct plan *plan;
	struct arena *arena;			/* the plan's */
	const struct plan_options *options;
	struct fault *fault;
	struct section *sections, *sections_last;
	uint32_t section_count;
	struct section *sets;			/* --set KEY=VALUE for all steps; NULL = none */
	const char *class_name;			/* --set class=NAME; NULL = the first */
	struct warning *warnings, *warnings_last;
};

/* The fault at `mark`; returns -EINVAL. */
int parser_fault(struct parser *parser, struct mark mark, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* What a .plan file forbids and fio ignores: a fault in .plan files and with --strict (-EINVAL), else a
 * warning (0). */
int parser_complain(struct parser *parser, struct mark mark, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* A warning in any case (0, or -ENOMEM); --strict makes it a fault (-EINVAL). */
int parser_warn(struct parser *parser, struct mark mark, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Moves the warnings into the plan; 0 or -ENOMEM. */
int parser_keep_warnings(struct parser *parser);

static inline struct mark entry_value_mark(const struct entry *entry)
{
	return (struct mark){ entry->mark.source, entry->mark.line, entry->text_column };
}
