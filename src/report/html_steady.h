/* html_steady: what the steady-state judgement adds to a step's chart against time: the work gate, the window
 * that was judged, the rounds of SNIA's rule, how often the drive was written over, and the window's end from
 * near. */
#pragma once
#include "report/html_stretch.h"

/* Into an open chart of one step; what was not judged adds nothing. */
void steady_marks(struct chart *chart, const struct stretch *stretch);
/* A chart of the last 400 s of what was judged, or of a long random write; else nothing. */
void steady_zoom(const struct stretch *stretch);
