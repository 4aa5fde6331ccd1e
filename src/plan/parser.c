#include "plan/parser.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void fault_place(struct fault *fault, struct mark mark)
{
	fault->line = mark.line;
	fault->column = mark.line ? mark.column : 0;
	snprintf(fault->source, sizeof(fault->source), "%s", mark.source ? mark.source : "");
}

int parser_fault(struct parser *parser, struct mark mark, const char *format, ...)
{
	va_list args;

	if (!parser->fault)
		return -EINVAL;
	fault_place(parser->fault, mark);
	va_start(args, format);
	vsnprintf(parser->fault->text, sizeof(parser->fault->text), format, args);
	va_end(args);
	return -EINVAL;
}

static int complaint(struct parser *parser, bool fatal, struct mark mark, const char *format, va_list args)
{
	struct warning *warning = arena_alloc(parser->arena, sizeof(*warning));

	if (!warning)
		return -ENOMEM;
	fault_place(&warning->fault, mark);
	vsnprintf(warning->fault.text, sizeof(warning->fault.text), format, args);
	if (fatal) {
		if (parser->fault)
			*parser->fault = warning->fault;
		return -EINVAL;
	}
	if (parser->warnings_last)
		parser->warnings_last->next = warning;
	else
		parser->warnings = warning;
	parser->warnings_last = warning;
	parser->plan->warning_count++;
	return 0;
}

int parser_complain(struct parser *parser, struct mark mark, const char *format, ...)
{
	bool fatal = parser->plan->dialect == PLAN_NATIVE || parser->options->strict;
	va_list args;
	int error;

	va_start(args, format);
	error = complaint(parser, fatal, mark, format, args);
	va_end(args);
	return error;
}

int parser_warn(struct parser *parser, struct mark mark, const char *format, ...)
{
	va_list args;
	int error;

	va_start(args, format);
	error = complaint(parser, parser->options->strict, mark, format, args);
	va_end(args);
	return error;
}

int parser_keep_warnings(struct parser *parser)
{
	struct plan *plan = parser->plan;
	uint32_t count = 0;

	plan->warnings = arena_alloc(parser->arena, plan->warning_count * sizeof(*plan->warnings) + 1);
	if (!plan->warnings)
		return -ENOMEM;
	for (const struct warning *warning = parser->warnings; warning; warning = warning->next)
		plan->warnings[count++] = warning->fault;
	return 0;
}
