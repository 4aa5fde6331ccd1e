/* expand: every point of the plan is built once, to find what is wrong before anything runs. */
#pragma once
#include "plan/parser.h"

/* Checks all points with stand-ins; fills the totals, plan->writes ... and each step's until, max, duty,
 * interval. 0, -EINVAL with fault, -ENOMEM. */
int expand_all(struct parser *parser);
