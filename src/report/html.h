/* html: the sections of the page. Each writes what it has to say about one run, or nothing. */
#pragma once
#include "report/cells.h"
#include "report/model.h"
#include "report/page.h"
#include "report/series.h"

/* A section of the plan with its points. */
struct html_family {
	const struct report_family *family;
	struct report_cell *cells;
	uint32_t cell_count;
};

struct html {
	struct page *page;
	struct report_model *model;
	struct arena arena;
	uint32_t family_count;		/* those with I/O */
	struct html_family *families;
	struct series *series;		/* by step, model->step_count */
	bool rich;			/* few chapters on the page: heat maps too */
	uint32_t *blobs;		/* by step: the data to explore that are on the page already (explore.h), or 0 */
};

/* 0, -ENOMEM or the store's -errno; borrows the model. */
int html_init(struct html *html, struct page *page, struct report_model *model);
void html_release(struct html *html);

/* Several runs: what they share, side by side, and where each is on the page (#run1, ...). */
int html_overview(struct page *page, struct html *runs, const char *const *names, uint32_t count);

/* number 0: the only run; else its place among several. */
void html_head(struct html *html, const char *name, uint32_t number);
void html_headline(struct html *html);		/* tiles, findings, verdicts */
void html_findings(struct html *html);		/* sentences and scorecard */
void html_results(struct html *html);		/* the table of everything */
int html_time(struct html *html);		/* IOPS, throughput, latency against time */
int html_telemetry(struct html *html);
int html_percentiles(struct html *html);
void html_histograms(struct html *html);
void html_slow(struct html *html);
void html_stalls(struct html *html);
void html_recovery(struct html *html);
void html_file_systems(struct html *html);	/* raw drive and file systems, when a finding compares them */
void html_sweeps(struct html *html);
/* Response time against load of a section whose open-loop rate was swept; false = it wasn't. */
bool html_load_curves(struct html *html, const struct html_family *family);
void html_rounds(struct html *html);
void html_conditions(struct html *html);	/* drives, host, plan */
void html_checks(struct html *html);
void html_events(struct html *html);
void html_truth(struct html *html);

/* The number of a step's data to explore (explore.h): written when first asked for, 0 when there are none. */
uint32_t html_step_blob(struct html *html, uint32_t step);

void html_summary(struct html *html); /* a line per point and direction, repeats and rounds together */

/* Shared by the sections. */
/* Is every value of this key a number? */
bool html_key_numeric(const struct html_family *family, const char *key);
void html_section(struct html *html, const char *title);	/* <h2> with the phrase */
/* "random read 4k, QD 32 x 16" from the values of a point; without the keys that `family` (NULL = none)
 * sweeps; arena string,
 * "" when nothing is left. */
const char *html_condition(struct html *html, const struct report_values *values,
			   const struct report_family *family);
/* Is a step one whose natural figure is bytes (large or sequential I/O) rather than I/Os? */
bool html_in_bytes(const struct report_values *values);
/* A cell of a table for one percentile: value, grey when few, "n/a" with what it needs, in brackets when it
 * is of_step. */
void html_percentile(struct page *page, const struct report_percentile *percentile);
/* A verdict in words: "not steady". */
const char *html_verdict(struct html *html, const char *verdict);
/* One that is of_step, in brackets, with what that means. */
void html_of_step(struct page *page, const char *tag, const struct report_percentile *percentile);
void html_latency(struct page *page, double ns);
/* A name of the program in words: translated, or in English without its underscores. Lives as long as html. */
const char *html_words(struct html *html, const char *name);
const char *html_direction(struct page *page, enum io_op op);
