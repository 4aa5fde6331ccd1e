/* page: the HTML page while it is written: the text, the language, and helpers that escape everything they
 * are given. */
#pragma once
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/text.h"
#include "report/report.h"

struct page {
	struct text *out;
	enum report_language language;
	uint32_t next_id;		/* for ids that are unique on the page */
	bool explored;			/* an Explore button was written */
	struct arena arena;		/* for strings that must live as long as the page is written */
};

struct phrase {
	const char *english, *simplified, *traditional;
};
/* phrases_findings.c, phrases_checks.c, phrases_events.c: what runs say; phrases_setup.c: what stands in front of SNIA's tests; ended by
 * one without English. */
extern const struct phrase phrases_findings[], phrases_checks[], phrases_events[], phrases_setup[];
/* The table, for tests: NULL behind its end. */
const struct phrase *phrase_at(uint32_t index);

/* The phrase in the page's language; an English phrase is its own key. What isn't in the table (a name out of
 * the run file) is given back as it is. Lives as long as the program. */
const char *say(struct page *page, const char *english);

/* The same, but NULL for what isn't in the table. */
const char *say_known(struct page *page, const char *english);
/* A sentence of the run file by how it was made (base/saying.h), in the page's language; NULL when the file
 * doesn't say (NULL, or not understood), or when a part of it has no translation. Arena. */
const char *page_said(struct page *page, const char *said_json);
/* The same with numbers grouped, and in English where it has to be. Arena. */
const char *page_told(struct page *page, const char *english, const char *said_json);
/* <tag>sentence</tag>, numbers grouped: in the page's language, or as it stands with lang="en". */
void page_sentence(struct page *page, const char *tag, const char *english, const char *said_json);

/* Markup as it is. */
void page_raw(struct page *page, const char *markup);
/* Between two sentences: a space; nothing where full stops are as wide as a sign. */
void page_sentence_gap(struct page *page);
/* Escaped text. */
void page_text(struct page *page, const char *string);
/* The sentence with its numbers of five digits and more grouped as those of tables are; names in quotes
 * stay. Arena. */
const char *page_grouped(struct page *page, const char *sentence);
void page_format(struct page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* <tag class="classes">text</tag>, all escaped; classes NULL = none. */
void page_element(struct page *page, const char *tag, const char *classes, const char *string);
void page_paragraph(struct page *page, const char *classes, const char *string);

/* Tables: the first `text_columns` columns are words, the rest numbers, aligned to the right. Names are
 * translated here. */
void page_table_begin(struct page *page, const char *const *names, uint32_t count, uint32_t text_columns);
void page_row_begin(struct page *page);
void page_cell(struct page *page, const char *string);			/* words */
void page_number(struct page *page, const char *string);		/* a number with its unit */
void page_number_format(struct page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
void page_row_end(struct page *page);
void page_table_end(struct page *page);
/* Two columns: what, value. */
void page_fact(struct page *page, const char *name, const char *value);

/* Numbers as the page writes them: a thin space between thousands, "n/a" for what doesn't exist. All return
 * buffer. */
#define PAGE_NUMBER 48
const char *page_count_text(double value, char buffer[PAGE_NUMBER]);		/* 48 210 */
const char *page_short_text(double value, char buffer[PAGE_NUMBER]);		/* 48.2 k, from 10 000 on */
const char *page_rate_text(double bytes_per_second, char buffer[PAGE_NUMBER]);	/* 3 410 MB/s */
const char *page_latency_text(double ns, char buffer[PAGE_NUMBER]);		/* 83.1 µs */
const char *page_time_text(double ns, char buffer[PAGE_NUMBER]);		/* a moment of a run or step: 0 s, 12 min 30 s */
