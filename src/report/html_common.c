#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "report/html.h"

static int families(struct html *html)
{
	struct report_model *model = html->model;
	int error = 0;

	html->families = arena_alloc(&html->arena, model->family_count * sizeof(*html->families) + 1);
	if (!html->families)
		return -ENOMEM;
	for (uint32_t i = 0; i < model->family_count && !error; i++) {
		struct html_family *family = &html->families[html->family_count];

		family->family = &model->families[i];
		error = report_cells(family->family, model->store, &html->arena, &family->cells,
				     &family->cell_count);
		html->family_count += !error && family->cell_count;
	}
	return error;
}

int html_init(struct html *html, struct page *page, struct report_model *model)
{
	int error;

	*html = (struct html){ .page = page, .model = model };
	error = families(html);
	html->series = arena_alloc(&html->arena, model->step_count * sizeof(*html->series) + 1);
	html->blobs = arena_alloc(&html->arena, model->step_count * sizeof(*html->blobs) + 1);
	if (!html->series || !html->blobs)
		error = -ENOMEM;
	for (uint32_t i = 0; i < model->step_count && !error; i++)
		error = series_init(&html->series[i], model->store, &model->steps[i]);
	if (error)
		html_release(html);
	return error;
}

void html_release(struct html *html)
{
	for (uint32_t i = 0; html->series && i < html->model->step_count; i++)
		series_release(&html->series[i]);
	arena_release(&html->arena);
}

void html_section(struct html *html, const char *title)
{
	page_element(html->page, "h2", "s", say(html->page, title));
	page_raw(html->page, "\n");
}

const char *html_words(struct html *html, const char *name)
{
	const char *said = say(html->page, name);
	char *words = said == name ? arena_strdup(&html->arena, name) : NULL;

	for (char *c = words; c && *c; c++)
		*c = *c == '_' ? ' ' : *c;
	return words ? words : said;
}

const char *html_direction(struct page *page, enum io_op op)
{
	return say(page, io_op_name(op));
}

/* The value of a key, unless the family sweeps it. */
static const struct report_value *fixed(const struct report_values *values,
					const struct report_family *family, const char *key)
{
	for (uint32_t i = 0; family && i < family->key_count; i++)
		if (strcmp(family->keys[i], key) == 0)
			return NULL;
	return report_values_find(values, key);
}

/* A mix of one kind is that kind. */
static const char *pure(const struct report_value *rw, const struct report_value *mix)
{
	bool random = strcmp(rw->text, "randrw") == 0,
	     mixed = random || !strcmp(rw->text, "rw") || !strcmp(rw->text, "readwrite");

	if (!mixed || !mix || !mix->numeric || (mix->number > 0 && mix->number < 100))
		return NULL;
	if (mix->number > 0)
		return random ? "randread" : "read";
	return random ? "randwrite" : "write";
}

static const char *pattern(struct html *html, const char *rw)
{
	static const struct {
		const char *rw, *words;
	} patterns[] = {
		{ "read", "sequential read" }, { "write", "sequential write" },
		{ "rw", "sequential mix" },    { "readwrite", "sequential mix" },
		{ "randread", "random read" }, { "randwrite", "random write" },
		{ "randrw", "random mix" },    { "trim", "sequential trim" },
		{ "randtrim", "random trim" },
	};

	for (uint32_t i = 0; rw && i < sizeof(patterns) / sizeof(*patterns); i++)
		if (strcmp(rw, patterns[i].rw) == 0)
			return say(html->page, patterns[i].words);
	return rw ? rw : "";
}

static void depth_words(struct text *text, const struct report_value *depth, const struct report_value *jobs)
{
	if (depth)
		text_printf(text, "%sQD\xc2\xa0%s", text->bytes ? ", " : "", depth->text);
	if (jobs && !(jobs->numeric && jobs->number == 1))
		text_printf(text, "%s\xc3\x97\xc2\xa0%s", text->bytes ? "\xc2\xa0" : "", jobs->text);
}

#define SIZES_TOLD 3u

/* "4k/70:8k/30": a list of sizes with their shares. */
static uint32_t sizes_in(const char *list)
{
	uint32_t count = 1;

	for (; *list; list++)
		count += *list == ':';
	return count;
}

const char *html_condition(struct html *html, const struct report_values *values,
			   const struct report_family *family)
{
	const struct report_value *bs = fixed(values, family, "bs"), *rw = fixed(values, family, "rw");
	const struct report_value *mix = fixed(values, family, "rwmixread");
	struct text text = { 0 };
	const char *words, *one;

	one = rw ? pure(rw, mix) : NULL;
	text_append(&text, pattern(html, one ? one : rw ? rw->text : NULL));
	if (!one && mix && mix->numeric && rw &&
	    (strcmp(rw->text, "randrw") == 0 || strcmp(rw->text, "rw") == 0))
		text_printf(&text, " %.4g/%.4g", mix->number, 100 - mix->number);
	if (bs && sizes_in(bs->text) > SIZES_TOLD)
		text_printf(&text, "%s%u%s", text.bytes ? ", " : "", sizes_in(bs->text),
			    say(html->page, " sizes"));
	else if (bs)
		text_printf(&text, "%s%s", text.bytes ? " " : "", bs->text);
	depth_words(&text, fixed(values, family, "iodepth"), fixed(values, family, "numjobs"));
	words = arena_strdup(&html->arena, text_data(&text));
	text_release(&text);
	return words ? words : "";
}

bool html_in_bytes(const struct report_values *values)
{
	const struct report_value *bs = report_values_find(values, "bs");
	const struct report_value *rw = report_values_find(values, "rw");
	bool random = rw && strncmp(rw->text, "rand", 4) == 0;

	return !random || (bs && bs->numeric && bs->number > 65536);
}

bool html_key_numeric(const struct html_family *family, const char *key)
{
	for (uint32_t i = 0; i < family->cell_count; i++) {
		const struct report_value *value = report_cell_value(&family->cells[i], key);

		if (!value || !value->numeric)
			return false;
	}
	return true;
}

const char *html_verdict(struct html *html, const char *verdict)
{
	const char *said = say(html->page, verdict);
	char *words = said == verdict ? arena_strdup(&html->arena, verdict) : NULL;

	for (char *c = words; c && *c; c++)
		*c = *c == '_' ? ' ' : *c;
	return words ? words : said;
}

void html_latency(struct page *page, double ns)
{
	char number[PAGE_NUMBER];

	page_element(page, "td", isfinite(ns) ? "n" : "n na", page_latency_text(ns, number));
}

void html_of_step(struct page *page, const char *tag, const struct report_percentile *percentile)
{
	char worth[PAGE_NUMBER], number[PAGE_NUMBER];

	text_printf(page->out, "<%s class=\"n few\" title=\"", tag);
	page_format(page,
		    say(page, "true of the I/Os of this step, which are worth %s independent ones; not a property of "
			      "the drive"),
		    page_count_text(floor(percentile->effective), worth));
	page_raw(page, "\">(");
	page_text(page, page_latency_text((double)percentile->value_ns, number));
	text_printf(page->out, ")</%s>", tag);
}

void html_percentile(struct page *page, const struct report_percentile *percentile)
{
	char number[PAGE_NUMBER], low[PAGE_NUMBER], high[PAGE_NUMBER];

	if (percentile->of_step) {
		html_of_step(page, "td", percentile);
		return;
	}
	if (percentile->grade == REPORT_REFUSED) {
		page_raw(page, "<td class=\"n na\" title=\"");
		page_format(page, say(page, "needs %s more I/Os"),
			    page_count_text((double)percentile->needs, number));
		page_raw(page, "\">n/a</td>");
		return;
	}
	page_raw(page, percentile->grade == REPORT_FEW ? "<td class=\"n few\"" : "<td class=\"n\"");
	if (percentile->bounded) {
		page_raw(page, " title=\"");
		page_format(page, say(page, "95 %% interval: %s to %s"),
			    page_latency_text((double)percentile->low_ns, low),
			    page_latency_text((double)percentile->high_ns, high));
		page_raw(page, "\"");
	}
	page_raw(page, ">");
	page_text(page, page_latency_text((double)percentile->value_ns, number));
	page_raw(page, percentile->grade == REPORT_FEW ? "*</td>" : "</td>");
}
