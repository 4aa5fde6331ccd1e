#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "plan/check.h"
#include "plan/expand.h"
#include "plan/parser.h"
#include "plan/private.h"
#include "plan/sets.h"
#include "plan/step.h"

static int read_text(struct parser *parser, const char *text)
{
	struct text whole = { 0 };
	int error = 0;

	if (strnlen(text, PARSER_TEXT_MAX + 1) > PARSER_TEXT_MAX)
		error = parser_fault(parser, (struct mark){ parser->options->source, 0, 0 },
				     "the plan is longer than 1 MiB");
	if (!error)
		error = lexer_read(parser, text, &whole);
	if (!error) {
		parser->plan->text = arena_strdup(parser->arena, text_data(&whole));
		error = parser->plan->text ? 0 : -ENOMEM;
	}
	text_release(&whole);
	return error;
}

static int parse_all(struct parser *parser, const char *text)
{
	int error = read_text(parser, text);

	if (!error)
		error = sets_apply(parser);
	if (!error)
		error = step_build_all(parser);
	if (!error)
		error = expand_all(parser);
	if (!error)
		error = check_references(parser);
	if (!error)
		error = check_effects(parser);
	return error ? error : parser_keep_warnings(parser);
}

static int plan_new(const struct plan_options *options, struct plan **ret_plan)
{
	struct plan *plan = calloc(1, sizeof(*plan));

	if (!plan)
		return -ENOMEM;
	plan->dialect = options->dialect;
	plan->scale = options->scale > 0 ? options->scale : 1;
	plan->seed = 1;
	plan->name = arena_strdup(&plan->arena, options->name ? options->name : "");
	plan->source = arena_strdup(&plan->arena, options->source ? options->source : "");
	plan->private = arena_alloc(&plan->arena, sizeof(*plan->private));
	if (!plan->name || !plan->source || !plan->private) {
		plan_free(plan);
		return -ENOMEM;
	}
	plan->private->cpu_count = options->cpu_count;
	*ret_plan = plan;
	return 0;
}

int plan_parse(const char *text, const struct plan_options *options, struct plan **ret_plan,
	       struct fault *fault)
{
	struct plan_options own = *options;
	struct parser parser = { .options = &own, .fault = fault };
	int error = plan_new(options, &parser.plan);

	if (error)
		return error;
	parser.arena = &parser.plan->arena;
	own.source = parser.plan->source;	/* marks keep it, and they live as long as the plan */
	error = parse_all(&parser, text);
	if (error) {
		plan_free(parser.plan);
		return error;
	}
	*ret_plan = parser.plan;
	return 0;
}

struct plan *plan_free(struct plan *plan)
{
	if (plan)
		arena_release(&plan->arena);
	free(plan);
	return NULL;
}
