/* show: what the parts of `ssdassay show` share: the run, the terminal, and how a line is written. Private to
 * report. */
#pragma once
#include "base/text.h"
#include "report/counted.h"
#include "report/model.h"
#include "report/report.h"
#include "report/text_table.h"

#define SHOW_REPEATS_MAX 1024u	/* more are left out of a line's figures */

struct show {
	const struct report_model *model;
	struct report_layout layout;
	struct text *out;
	/* seen in the table, explained below it */
	bool any_open, any_few, any_refused, any_of_step, any_repeats;
	bool any_windowed, any_untold, any_rest;
	struct histogram *scratch;
	struct counted_load parts[SHOW_REPEATS_MAX];	/* of the line being told */
};

void show_line(struct show *show, enum text_style style, const char *string);
/* Words of `string` in lines of the terminal's width, behind a mark; later lines are indented. */
void show_marked(struct show *show, enum text_style style, const char *mark, const char *string);
void show_paragraph(struct show *show, const char *mark, const char *string);	/* the same, plain */
void show_remark(struct show *show, const char *string);	/* without a mark, faint */

/* The parts, from top to bottom. */
void show_heading(struct show *show);	/* the run, its drives, the engine */
int show_results(struct show *show);	/* the table with its legend; 0, -ENOMEM or the store's -errno */
void show_states(struct show *show);	/* of the drives, when steps began */
int show_findings(struct show *show);	/* and what was left out; 0 or -ENOMEM */
void show_checks(struct show *show);
