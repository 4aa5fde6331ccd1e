/* report_html: the page as a whole. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "report/html.h"
#include "report/report.h"
#include "report/style.h"

static const char *language_tag(enum report_language language)
{
	static const char *const tags[] = { "en", "zh-Hans", "zh-Hant" };

	return tags[language];
}

static void page_head(struct page *page, struct report_model *const *models, uint32_t count)
{
	text_printf(page->out, "<!DOCTYPE html>\n<html lang=\"%s\"><head><meta charset=\"utf-8\">\n"
		    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
		    "<meta name=\"color-scheme\" content=\"light dark\">\n"
		    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
		    "img-src data:\">\n<title>", language_tag(page->language));
	page_format(page, "ssdassay \xc2\xb7 %s", count == 1 ? word(models[0]->run->plan_name) : say(page, "several runs"));
	page_raw(page, "</title>\n<style>\n");
	page_raw(page, page_style);
	page_raw(page, "</style></head>\n<body>\n");
}

static int write_run(struct page *page, struct report_model *model, const char *name, bool several)
{
	struct html html;
	int error = html_init(&html, page, model);

	if (error)
		return error;
	html_head(&html, name, several);
	page_raw(page, "<main>\n");
	html_headline(&html);
	html_rounds(&html);
	html_sweeps(&html);
	error = html_time(&html);
	if (!error)
		error = html_percentiles(&html);
	html_slow(&html);
	html_results(&html);
	html_checks(&html);
	html_events(&html);
	html_conditions(&html);
	html_truth(&html);
	page_raw(page, "</main>\n");
	html_release(&html);
	return error;
}

static void page_foot(struct page *page)
{
	page_raw(page, "<footer>");
	page_text(page, say(page, "Made by ssdassay from the run file. Every figure of a chart is in its table or in the CSV "
			    "export; the page loads nothing from the network."));
	page_raw(page, "</footer>\n</body></html>\n");
}

static const char *run_name(const struct report_options *options, uint32_t index)
{
	return options && options->names ? options->names[index] : NULL;
}

static int write_page(struct page *page, struct report_model *const *models, uint32_t count,
		      const struct report_options *options)
{
	int error = 0;

	page_head(page, models, count);
	for (uint32_t i = 0; i < count && !error; i++)
		error = write_run(page, models[i], run_name(options, i), count > 1);
	page_foot(page);
	return error ? error : page->out->error;
}

static void models_free(struct report_model **models, uint32_t count)
{
	for (uint32_t i = 0; models && i < count; i++)
		report_model_free(models[i]);
	free(models);
}

int report_html(struct store *const *runs, uint32_t count, const struct report_options *options, struct text *out,
		struct fault *fault)
{
	struct report_model **models = calloc(count ? count : 1, sizeof(*models));
	struct page page = { .out = out, .language = options ? options->language : REPORT_ENGLISH };
	int error = models ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < count && !error; i++)
		error = report_model_new(runs[i], &models[i], fault);
	if (!error) {
		error = write_page(&page, models, count, options);
		if (error)
			fault_system(fault, error, "the page cannot be written: %s", strerror(-error));
	}
	arena_release(&page.arena);
	models_free(models, count);
	return error;
}
