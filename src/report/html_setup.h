/* html_setup: under which conditions a test of SNIA's was made, as the specification wants it in front of every
 * report: drive, platform, purge, cache, data, range, preconditioning, threads and depth, rounds, dates; and every
 * value of the plan that was used. */
#pragma once
#include "report/html.h"

/* Nothing for other procedures. 0 or -ENOMEM. */
int html_setup(struct html *html);
