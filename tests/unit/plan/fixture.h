/* fixture: short ways to parse a text and to look at one point. Every helper fails the test when it can't. */
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "plan/plan.h"

struct plan *plan_of(enum plan_dialect dialect,
		     const char *text); /* prints the fault and fails when there is one */
struct plan *plan_of_options(const struct plan_options *options, const char *text);
struct plan_options options_of(enum plan_dialect dialect);
int plan_fault(enum plan_dialect dialect, const char *text, struct fault *fault); /* -errno of plan_parse() */
/* The instance of a step's point (groups at their point `group`); freed with free(). */
struct plan_instance *instance_of(const struct plan *plan, const char *step, uint32_t group, uint32_t point);
const struct plan_step *step_of(const struct plan *plan, const char *step);
/* The first load of "[a]\nLINES" in that dialect. */
struct load load_of(enum plan_dialect dialect, const char *lines);
const char *value_of(const struct plan_instance *instance, const char *key);	/* NULL = not there */
char *file_text(const char *folder_variable,
		const char *path); /* below the folder an environment variable names */
#define assert_close(a, b) assert_true((a) > (b) - 1e-9 * (1 + (b)) && (a) < (b) + 1e-9 * (1 + (b)))
