/* @KEY (the current value of a sweep) and @NAME.key (of a picked point) inside a value. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "plan/private.h"
#include "plan/step.h"

#define NESTING_MAX 4		/* a swept value may refer to another one */
#define NAME_MAX_BYTES 64

struct replacing {
	struct build *build;
	const struct candidate *candidate;	/* whose value it is: for messages */
	const struct plan_step *step;
	char *out;
	size_t used;
	uint32_t nesting;
};

static int reference_fault(struct replacing *replacing, const char *format, const char *name)
{
	struct mark mark = candidate_mark(replacing->candidate);
	char text[256];

	snprintf(text, sizeof(text), format, name);
	return build_fault(replacing->build, mark, "%s: %s", replacing->candidate->option->name, text);
}

static int out_add(struct replacing *replacing, const char *text, size_t bytes)
{
	if (replacing->used + bytes >= REFERENCE_TEXT)
		return reference_fault(replacing, "the value is too long once %s is put in", "every @name");
	memcpy(replacing->out + replacing->used, text, bytes);
	replacing->used += bytes;
	return 0;
}

/* The step's own sweeps or those of one group around it: the row text for `name`, NULL = not swept there. */
static const char *swept_at(struct build *build, const struct plan_step *step, uint32_t point,
			    const char *name)
{
	const struct option *option = option_find(name);

	for (uint32_t line = 0; line < step->vary_count; line++) {
		struct vary_line *vary = &build->plan->private->steps[step->index].varies[line];

		for (uint32_t key = 0; key < vary->vary->key_count; key++) {
			if (strcmp(vary->vary->keys[key], name) && !(option && vary->options[key] == option))
				continue;
			if (build->parser)
				vary->referred = true;
			return vary->vary->rows[vary_row(step, point, line)][key];
		}
	}
	return NULL;
}

static const char *swept_find(struct build *build, const struct plan_step *step, const char *name)
{
	const struct plan *plan = build->plan;
	const struct plan_step *leader = step->joined_to >= 0 ? &plan->steps[step->joined_to] : step;
	const char *text = swept_at(build, leader, build->place->point, name);

	for (step = leader; !text && step->group >= 0;) {
		uint32_t level = step->depth - 1;

		step = &plan->steps[step->group];
		text = swept_at(build, step, build->place->group_point[level], name);
	}
	return text;
}

static const struct plan_pick *pick_find(const struct plan *plan, const char *name, uint32_t *ret_step)
{
	for (uint32_t i = 0; i < plan->step_count; i++)
		for (uint32_t p = 0; p < plan->steps[i].pick_count; p++)
			if (!strcmp(plan->steps[i].pick[p].name, name)) {
				*ret_step = i;
				return &plan->steps[i].pick[p];
			}
	return NULL;
}

/* Before anything is measured: the value that the picked step's first point has. */
static const char *pick_stand_in(struct build *build, const struct plan_pick *pick,
				 const struct option *option)
{
	const struct plan *plan = build->plan;
	const struct plan_step *step = &plan->steps[step_find(plan, pick->step)];
	const struct plan_step *around = step;
	const char *text = NULL;
	const struct entry *entry;

	for (; !text; around = &plan->steps[around->group]) {
		const struct step_private *private = &plan->private->steps[around->index];

		for (uint32_t line = 0; line < around->vary_count; line++)
			for (uint32_t key = 0; key < around->vary[line].key_count; key++)
				if (private->varies[line].options[key] == option)
					text = around->vary[line].rows[0][key];
		if (around->group < 0)
			break;
	}
	entry = text ? NULL : step_entry(&plan->private->steps[step->index], option);
	return entry ? entry->text : text;
}

static int pick_add(struct replacing *replacing, const char *name, const char *key)
{
	struct build *build = replacing->build;
	const struct option *option = option_find(key);
	uint32_t owner = 0;
	const struct plan_pick *pick = pick_find(build->plan, name, &owner);
	char value[128];
	const char *text;

	if (!pick)
		return reference_fault(replacing, "no pick is called %s (pick.NAME=...)", name);
	if (owner > replacing->step->index)
		return reference_fault(replacing, "the pick %s is made further down only", name);
	if (!option)
		return reference_fault(replacing, "%s is no option", key);
	text = pick_stand_in(build, pick, option);
	if (!text || strchr(text, '@'))
		return reference_fault(replacing, "the picked point has no %s of its own", key);
	if (build->lookup) {
		if (build->lookup->pick(build->lookup->context, name, key, value, sizeof(value)))
			return reference_fault(replacing, "the pick %s has found no point", name);
		text = value;
	}
	return out_add(replacing, text, strlen(text));
}

static int replace_into(struct replacing *replacing, const char *text);

static int swept_add(struct replacing *replacing, const char *text)
{
	int error;

	if (replacing->nesting == NESTING_MAX)
		return reference_fault(replacing, "%s refer to each other", "the swept values");
	replacing->nesting++;
	error = replace_into(replacing, text);
	replacing->nesting--;
	return error;
}

static size_t name_length(const char *at)
{
	size_t length = 0;

	while (isalnum((unsigned char)at[length]) || at[length] == '_' || at[length] == '-')
		length++;
	return length;
}

/* The reference behind one @. A name may hold '-', so that the longest one that exists is meant. */
static int reference_add(struct replacing *replacing, const char **at)
{
	size_t length = name_length(*at), key_bytes;
	char name[NAME_MAX_BYTES], key[NAME_MAX_BYTES];
	const char *text, *key_at;

	if (!length || length >= sizeof(name))
		return reference_fault(replacing, "%s needs the name of a swept key or of a pick", "@");
	key_at = *at + length + 1;
	key_bytes = (*at)[length] == '.' ? name_length(key_at) : 0;
	memcpy(name, *at, length);
	name[length] = '\0';
	if (key_bytes && key_bytes < sizeof(key)) {
		memcpy(key, key_at, key_bytes);
		key[key_bytes] = '\0';
		*at = key_at + key_bytes;
		return pick_add(replacing, name, key);
	}
	for (size_t shorter = length; shorter; shorter--) {
		name[shorter] = '\0';
		text = swept_find(replacing->build, replacing->step, name);
		if (!text)
			continue;
		*at += shorter;
		return swept_add(replacing, text);
	}
	memcpy(name, *at, length);
	name[length] = '\0';
	return reference_fault(replacing, "@%s is neither swept here nor in a group around it", name);
}

/* "60%@STEP" is a share of a step's rate, which arrival= reads itself. */
static bool is_share(const struct replacing *replacing, const char *at, const char *start)
{
	return at > start && at[-1] == '%' && !strcmp(replacing->candidate->option->name, "arrival");
}

static int replace_into(struct replacing *replacing, const char *text)
{
	const char *start = text;
	int error = 0;

	while (*text && !error) {
		if (*text == '@' && !is_share(replacing, text, start)) {
			text++;
			error = reference_add(replacing, &text);
		} else {
			error = out_add(replacing, text++, 1);
		}
	}
	return error;
}

int reference_replace(struct build *build, const struct candidate *candidate, const struct plan_step *step,
		      const char *text, char buffer[REFERENCE_TEXT], const char **ret_text)
{
	struct replacing replacing = { build, candidate, step, buffer, 0, 0 };
	int error;

	*ret_text = text;
	if (!strchr(text, '@') || build->plan->dialect == PLAN_FIO)
		return 0;
	error = replace_into(&replacing, text);
	buffer[replacing.used] = '\0';
	if (!error && strcmp(buffer, text))	/* "60%@STEP" stays, and with it the columns in the text */
		*ret_text = buffer;
	return error;
}
