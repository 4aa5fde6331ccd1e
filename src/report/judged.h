/* judged: verdicts on the steady state of groups, as their events have them. */
#pragma once
#include "analyze/snia.h"
#include "report/rounds.h"

/* Does the event tell a verdict? */
bool judged_is(const struct event_record *event);
/* A verdict on what is tracked that a later one takes the place of; `steady` is the event's. */
bool judged_is_replaced(const struct report_model *model, uint32_t event, const json_t *steady,
			const char *tracked);
/* A group that is itself repeated over a key has a verdict for each value: which one, by the point of the
 * step; else
 * "". */
const char *judged_place(const struct report_model *model, uint32_t event, const char *tracked);
/* "matrix[bs=4k] iops" follows I/Os per second. */
enum round_figure judged_figure(const char *tracked);
/* What a verdict is about, "matrix[bs=4k] iops", or of a step's own "iops"; NULL: it doesn't say. */
const char *judged_tracked(const json_t *steady);
/* Did the step itself go on until SNIA's rule was met, or a limit was reached? Its record may also repeat
 * the verdict of its group. */
bool judged_asked(const struct report_step *step);
/* The window that was judged, from "snia" of a verdict; false: there is none, or it is damaged. */
bool judged_window(const json_t *snia, struct snia_verdict *ret_window);
