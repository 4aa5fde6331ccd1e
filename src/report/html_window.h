/* html_window: the last five rounds, by the rule of the SNIA PTS. */
#pragma once
#include "analyze/snia.h"
#include "report/rounds.h"

/* `what` names the point and the figure that were watched. */
void html_window(struct html *html, const char *what, uint32_t series, const struct round_view *view,
		 const struct snia_verdict *window);
