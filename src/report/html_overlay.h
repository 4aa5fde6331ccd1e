/* html_overlay: the points of one section against time, each from its own beginning, in one chart. */
#pragma once
#include "report/html.h"

/* For procedures that compare a section's points over time (host idle recovery, write saturation of several
 * depths). */
void html_overlays(struct html *html);
