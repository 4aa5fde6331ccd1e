/* html_convergence: the points of a group against its rounds, and how many of them have come to rest. */
#pragma once
#include "report/rounds.h"

void html_convergence(struct html *html, const struct html_family *family, const struct round_view *view);
