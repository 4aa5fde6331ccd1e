/* report_html: the page as a whole. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "report/explore.h"
#include "report/html.h"
#include "report/html_setup.h"
#include "report/report.h"
#include "report/style.h"

#define RICH_VIEWS 3u	/* chapters on a page that still has heat maps: they double its time and size */

/* A chapter of the page: one run, or one drive of a run with several. */
struct view {
	struct report_model *model;	/* owned */
	uint32_t run;
};

struct views {
	struct view *views;
	uint32_t count;
};

static const char *language_tag(enum report_language language)
{
	static const char *const tags[] = { "en", "zh-Hans", "zh-Hant" };

	return tags[language];
}

static void page_head(struct page *page, const struct views *views)
{
	text_printf(page->out,
		    "<!DOCTYPE html>\n<html lang=\"%s\"><head><meta charset=\"utf-8\">\n"
		    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
		    "<meta name=\"color-scheme\" content=\"light dark\">\n"
		    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; %s"
		    "img-src data:\">\n<title>",
		    language_tag(page->language), explore_available() ? "script-src 'unsafe-inline'; " : "");
	page_format(page, "ssdassay \xc2\xb7 %s",
		    views->count == 1 ? word(views->views[0].model->run->plan_name)
				      : say(page, "several runs"));
	page_raw(page, "</title>\n<style>\n");
	page_raw(page, page_style);
	page_raw(page, "</style></head>\n<body>\n");
}

static int write_run(struct html *html, const char *name, uint32_t number)
{
	int error;

	html_head(html, name, number);
	page_raw(html->page, "<main>\n");
	error = html_setup(html);
	html_headline(html);
	html_rounds(html);
	html_file_systems(html);
	html_sweeps(html);
	html_recovery(html);
	if (!error)
		error = html_time(html);
	if (!error)
		error = html_percentiles(html);
	html_histograms(html);
	html_slow(html);
	html_stalls(html);
	if (!error)
		error = html_telemetry(html);
	html_results(html);
	html_checks(html);
	html_events(html);
	html_conditions(html);
	html_truth(html);
	page_raw(html->page, "</main>\n");
	return error;
}

static void page_foot(struct page *page)
{
	page_raw(page, "<footer>");
	page_text(page, say(page, "Made by ssdassay from the run file. Every figure of a chart is in its "
				  "table or in the CSV "
				  "export; the page loads nothing from the network."));
	explore_end(page);
	page_raw(page, "</footer>\n</body></html>\n");
}

/* "runs/monday.assay" is called "monday". */
static const char *file_name(struct page *page, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t length = strlen(name);

	if (length > 6 && strcmp(name + length - 6, ".assay") == 0)
		length -= 6;
	return arena_strndup(&page->arena, name, length);
}

/* What to call a run: its file's name, else its plan; and which drive, when it has several or no name of its
 * own. */
static const char *view_name(struct page *page, const struct view *view, const struct report_options *options)
{
	const struct report_model *model = view->model;
	const struct drive_record *drive = model->drive_count ? &model->drives[0] : NULL;
	const char *drive_name = drive ? word(drive->name) : "";
	const char *name = options && options->names ? file_name(page, options->names[view->run]) : NULL;

	if (name && model->target == REPORT_ALL_TARGETS)
		return name;
	name = arena_printf(&page->arena, "%s %s", name ? name : word(model->run->plan_name), drive_name);
	return name ? name : "";
}

/* What failed while the page of this run was made: reading its file (NULL: nothing was read). */
static int page_fault(const struct view *view, int error, struct fault *fault)
{
	if (view && error == -EBADMSG)
		return store_fault(view->model->store, error, fault);
	return fault_system(fault, error, "the page cannot be made: %s", strerror(-error));
}

static int write_runs(struct page *page, struct html *htmls, const struct views *views,
		      const struct report_options *options, struct fault *fault)
{
	const char **names = arena_alloc(&page->arena, views->count * sizeof(*names) + 1);
	int error = names ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < views->count && !error; i++)
		names[i] = view_name(page, &views->views[i], options);
	if (!error && views->count > 1)
		error = html_overview(page, htmls, names, views->count);
	if (error)
		return page_fault(NULL, error, fault);
	for (uint32_t i = 0; i < views->count && !error; i++) {
		error = write_run(&htmls[i], names[i], views->count > 1 ? i + 1 : 0);
		if (error)
			return page_fault(&views->views[i], error, fault);
	}
	return 0;
}

static int write_page(struct page *page, const struct views *views, const struct report_options *options,
		      struct fault *fault)
{
	struct html *htmls = calloc(views->count + 1, sizeof(*htmls));
	uint32_t ready = 0;
	int error = htmls ? 0 : page_fault(NULL, -ENOMEM, fault);

	while (ready < views->count && !error) {
		error = html_init(&htmls[ready], page, views->views[ready].model);
		htmls[ready].rich = views->count <= RICH_VIEWS;
		if (error)
			page_fault(&views->views[ready], error, fault);
		ready += !error;
	}
	page_head(page, views);
	if (!error)
		error = write_runs(page, htmls, views, options, fault);
	page_foot(page);
	for (uint32_t i = 0; i < ready; i++)
		html_release(&htmls[i]);
	free(htmls);
	if (!error && page->out->error)
		error = page_fault(NULL, page->out->error, fault);
	return error;
}

/* -- which chapters -- */

static int view_add(struct views *views, struct store *store, uint32_t run, int32_t target,
		    struct fault *fault)
{
	struct view *more = reallocarray(views->views, views->count + 1, sizeof(*more));
	int error;

	if (!more)
		return fault_system(fault, -ENOMEM, "not enough memory for the page");
	views->views = more;
	error = report_model_new(store, target, &more[views->count].model, fault);
	if (error)
		return error;
	more[views->count++].run = run;
	return 0;
}

static int views_of_run(struct views *views, struct store *store, uint32_t run, struct fault *fault)
{
	const struct drive_record *drives;
	uint32_t count;
	int error = store_drives(store, &drives, &count);

	if (error)
		return store_fault(store, error, fault);
	if (count < 2)
		return view_add(views, store, run, REPORT_ALL_TARGETS, fault);
	for (uint32_t i = 0; i < count && !error; i++)
		error = view_add(views, store, run, (int32_t)drives[i].target, fault);
	return error;
}

static void views_release(struct views *views)
{
	for (uint32_t i = 0; i < views->count; i++)
		report_model_free(views->views[i].model);
	free(views->views);
}

int report_html(struct store *const *runs, uint32_t count, const struct report_options *options,
		struct text *out, struct fault *fault)
{
	struct page page = { .out = out, .language = options ? options->language : REPORT_ENGLISH };
	struct views views = { 0 };
	int error = 0;

	for (uint32_t i = 0; i < count && !error; i++)
		error = views_of_run(&views, runs[i], i, fault);
	if (!error)
		error = write_page(&page, &views, options, fault);
	arena_release(&page.arena);
	views_release(&views);
	return error;
}
