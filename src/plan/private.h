/* private: what plan_parse() keeps beside the public tree so that plan_instantiate() can type each point. */
#pragma once
#include "plan/lexer.h"
#include "plan/option.h"
#include "plan/plan.h"

/* One key=value that concerns a step. Level 0 is [global] and [class], then the groups from the outside
 * in, then the step's own section (its depth + 1): the highest level wins, within one level the last. */
struct setting {
	struct entry *entry;
	uint32_t level;
};

struct vary_line {
	const struct plan_vary *vary;
	struct entry *entry;
	const struct option *const *options;	/* by key; NULL = a name for @ only */
	const uint32_t *columns;		/* by row: where it stands */
	bool referred;				/* some @KEY used one of its names */
};

struct step_private {
	struct section *section;
	struct mark mark;
	uint32_t setting_count;
	struct setting *settings;		/* by level, then by place */
	struct vary_line *varies;		/* as many as the step's vary_count */
	uint32_t joined_count;
	const uint32_t *joined;			/* steps that run together with this one */
	const char *load_name;
	/* the criteria stand in the step's section, not in [global] */
	bool expects_own;
	uint32_t ops;				/* bits of enum io_op that its loads do at some point */
};

/* A track or pick, for checks once the points are known. */
struct point_reference {
	const char *step;
	uint32_t step_index;
	const char *point;
	struct mark mark;
	uint32_t matches;			/* points that fit */
	uint32_t matches_first;			/* those at the first points of the groups around */
};

struct plan_private {
	struct step_private *steps;
	uint32_t reference_count;
	struct point_reference *references;
	uint32_t cpu_count;
	/* scaled down, sizes hold at least so much; 0 = not scaled down */
	uint64_t scaled_least;
};

/* For one option at one point: who set it. */
struct candidate {
	struct entry *entry;			/* NULL = nobody */
	const struct option *option;
	const char *text;			/* before @ is replaced; NULL = a key without value */
	uint32_t level;
	uint32_t text_column;
	bool exact, swept;
};

struct parser;
struct build {
	const struct plan *plan;
	const struct plan_place *place;
	const struct plan_lookup *lookup;
	struct fault *fault;
	struct parser *parser;			/* not NULL while the plan is checked: marks and warnings */
	struct candidate candidates[OPTION_MAX];	/* of the step being built, by slot */
};

/* instance.c. `parser` is NULL outside plan_parse. */
int instance_build(const struct plan *plan, const struct plan_place *place, const struct plan_lookup *lookup,
		   struct parser *parser, struct plan_instance *instance, struct fault *fault);
/* Who set the option `name` in the step being built (its slot's winner under that very name), or NULL. */
const struct candidate *build_candidate(const struct build *build, const char *name);
struct mark candidate_mark(const struct candidate *candidate);
int build_fault(struct build *build, struct mark mark, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* load_finish.c: what follows from the options together; contradictions. */
uint32_t load_largest_block(const struct load *load);	/* of the directions that it has */
void load_init(struct load *load, const struct plan *plan, const struct plan_step *step);
int load_finish(struct build *build, const struct plan_step *step, struct plan_instance *instance,
		struct load *load);

/* reference.c: @KEY, @NAME.key in a value. `ret_text` is `buffer` or `text` itself. */
#define REFERENCE_TEXT 4096
int reference_replace(struct build *build, const struct candidate *candidate, const struct plan_step *step,
		      const char *text, char buffer[REFERENCE_TEXT], const char **ret_text);

/* vary.c */
/* The row of one of the step's sweeps at a point. */
uint32_t vary_row(const struct plan_step *step, uint32_t point, uint32_t line);
