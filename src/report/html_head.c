/* html_head: which run this is, what must be known before any number is read, and the numbers people come
 * for. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/units.h"
#include "report/html.h"
#include "report/searched.h"

#define TILES_MAX 12u

static void chip(struct page *page, const char *classes, const char *words)
{
	char all[32];

	snprintf(all, sizeof(all), "chip %s", classes);
	page_element(page, "span", all, words);
}

static const char *status_class(enum run_status status)
{
	return status == RUN_COMPLETE ? "good" : status == RUN_RUNNING ? "warn" : "bad";
}

static void meta(struct html *html)
{
	struct page *page = html->page;
	const struct run_record *run = html->model->run;
	char started[32], number[PAGE_NUMBER], capacity[UNITS_TEXT];

	page_raw(page, "<p class=\"meta\">");
	chip(page, status_class(run->status), say(page, run_status_name(run->status)));
	page_element(page, "span", NULL, report_time_text(run->started_wall_ns, started));
	if (run->duration_ns)		/* a run that was killed has none */
		page_element(page, "span", NULL, page_latency_text((double)run->duration_ns, number));
	page_raw(page, "<span>ssdassay ");
	page_text(page, word(run->version));
	page_raw(page, "</span>");
	page_element(page, "span", NULL, report_engines(html->model));
	for (uint32_t i = 0; i < html->model->drive_count; i++) {
		const struct drive_record *drive = &html->model->drives[i];

		page_raw(page, "<span>");
		page_format(page, "%s %s", word(drive->name), drive->capacity_bytes ?
			    capacity_format(drive->capacity_bytes, capacity) : "");
		page_raw(page, "</span>");
	}
	page_raw(page, "</p>\n");
}

static bool simulated(const struct report_model *model)
{
	for (uint32_t i = 0; i < model->drive_count; i++)
		if (strcmp(word(model->drives[i].kind), "sim") == 0)
			return true;
	return false;
}

static bool check_failed(const struct report_model *model, const char *name)
{
	for (uint32_t i = 0; i < model->check_count; i++)
		if (!strcmp(word(model->checks[i].name), name) && model->checks[i].result == CHECK_FAILED)
			return true;
	return false;
}

static bool noise_was_heard(const struct report_model *model)
{
	for (uint32_t i = 0; i < model->event_count; i++)
		if (!strcmp(word(model->events[i].kind), "host_noise"))
			return true;
	return false;
}

/* It changes how the page is to be read, so it stands at its top. */
static void noise_banner(struct html *html)
{
	if (check_failed(html->model, "tails_not_the_hosts"))
		page_paragraph(html->page, "banner bad",
			       say(html->page, "This computer was too noisy for claims about the slowest I/Os: its own "
					       "pauses are as long as they are."));
	else if (check_failed(html->model, "host_not_noisy") && noise_was_heard(html->model))
		page_paragraph(html->page, "banner bad",
			       say(html->page, "This computer was noisy already before the first step: the slowest I/Os of a "
					       "fast drive may be its own."));
}

static void failed_checks_banner(struct html *html)
{
	uint32_t failed = 0;

	for (uint32_t i = 0; i < html->model->check_count; i++)
		failed += html->model->checks[i].result == CHECK_FAILED;
	if (!failed)
		return;
	page_raw(html->page, "<p class=\"banner bad\">");
	page_format(html->page,
		    say(html->page, "Self-checks failed: %u. See the section Self-checks before using the "
				    "numbers."),
		    failed);
	page_raw(html->page, "</p>\n");
}

#define INTERRUPTED_IN "interrupted in step '%s'"

/* What an interrupted run says when nothing else happened, in the page's language; NULL = something else. */
static const char *interrupted_words(struct html *html)
{
	for (uint32_t i = 0; i < html->model->step_count; i++) {
		const char *name = word(html->model->steps[i].record->name);
		const char *english = word(arena_printf(&html->arena, INTERRUPTED_IN, name));

		if (strcmp(html->model->run->status_text, english) == 0)
			return word(arena_printf(&html->arena, say(html->page, INTERRUPTED_IN), name));
	}
	return NULL;
}

/* Why it is not complete: in known words, or in those of the system behind what it came to. */
static void end_banner(struct html *html)
{
	const struct run_record *run = html->model->run;
	struct page *page = html->page;
	const char *known = say_known(page, run->status_text);

	known = known ? known : interrupted_words(html);
	page_raw(page, "<p class=\"banner bad\">");
	if (known || page->language == REPORT_ENGLISH) {
		page_text(page, known ? known : run->status_text);
	} else {
		page_text(page, run->status == RUN_FAILED    ? say(page, "The run failed: ")
				: run->status == RUN_REFUSED ? say(page, "The run was refused: ")
							     : say(page, "The run was interrupted: "));
		page_raw(page, "<span lang=\"en\">");
		page_text(page, run->status_text);
		page_raw(page, "</span>");
	}
	page_raw(page, "</p>\n");
}

/* What is missing on the page of a run that was cut short: the rest of the plan, and where nothing was drawn from it, that. */
static void missing_banner(struct html *html)
{
	const struct report_model *model = html->model;
	struct page *page = html->page;
	uint32_t ended = 0;

	if (model->run->status == RUN_COMPLETE || model->run->status == RUN_REFUSED)
		return;
	for (uint32_t i = 0; i < model->step_count; i++)
		ended += model->steps[i].record->status == RUN_COMPLETE;
	page_raw(page, "<p class=\"banner bad\">");
	if (!model->measured) {
		page_text(page, say(page, "Nothing was measured: no I/O came to its end."));
		page_sentence_gap(page);
	}
	page_format(page, say(page, "Of %u measurements that were begun %u came to their end; the rest of the plan is missing."),
		    model->step_count, ended);
	if (!model->check_count && !model->finding_count) {
		page_sentence_gap(page);
		page_text(page, say(page, model->run->status == RUN_RUNNING
				? "Nothing is concluded yet: findings and self-checks are drawn when the run ends."
				: "Nothing was concluded: there are no findings and no self-checks, which is no sign that "
				  "all is well. 'ssdassay run --resume' goes on with the run, and draws them."));
	}
	page_raw(page, "</p>\n");
}

static void banners(struct html *html)
{
	struct page *page = html->page;
	const struct run_record *run = html->model->run;

	if (run->status != RUN_COMPLETE && run->status_text)
		end_banner(html);
	missing_banner(html);
	if (run->scale != 1) {
		page_raw(page, "<p class=\"banner\">");
		page_format(page,
			    say(page, "Scaled by %.6g, not scored: durations and sizes are not those of the "
				      "procedure."),
			    run->scale);
		page_raw(page, "</p>\n");
	}
	if (report_bursts(html->model))
		page_paragraph(page, "banner",
			       say(page, "Burst figures: seconds of load on a small range. They say nothing "
					 "about the steady state."));
	if (run->allow_unwritten)
		page_paragraph(page, "banner bad",
			       say(page, "Reads of never-written ranges were allowed: a drive answers those "
					 "without touching flash."));
	if (simulated(html->model))
		page_paragraph(page, "banner",
			       say(page, "A simulated drive: host rules do not apply, and its truth is in "
					 "the appendix."));
	noise_banner(html);
	failed_checks_banner(html);
}

/* What a file lies on: the drive's model or the file system, "" when the run doesn't know. */
static const char *below_file(struct html *html, const struct drive_record *drive)
{
	json_t *facts =
		drive->before_json ? json_loads(drive->before_json, JSON_REJECT_DUPLICATES, NULL) : NULL;
	const char *system =
		json_string_value(json_object_get(json_object_get(facts, "file"), "file_system"));
	const char *model = json_string_value(json_object_get(json_object_get(facts, "drive"), "model"));
	const char *kept = arena_strdup(&html->arena, word(model)[0] ? model : word(system));

	json_decref(facts);
	return word(kept);
}

/* "File on WD SN850", "File on tmpfs": a temporary path is no headline; html_head writes it below. */
static const char *file_words(struct html *html, const struct drive_record *drive)
{
	const char *on = drive->model && drive->model[0] ? drive->model : below_file(html, drive);

	return on[0] ? arena_printf(&html->arena, say(html->page, "File on %s"), on)
		     : say(html->page, "File");
}

static const char *drive_words(struct html *html)
{
	const struct drive_record *drive = html->model->drive_count ? &html->model->drives[0] : NULL;

	if (!drive)
		return "";
	if (strcmp(word(drive->kind), "file") == 0)
		return word(file_words(html, drive));
	return drive->model && drive->model[0] ? drive->model : word(drive->name);
}

void html_head(struct html *html, const char *name, uint32_t number)
{
	struct page *page = html->page;
	const struct run_record *run = html->model->run;
	const char *title = run->plan_title && run->plan_title[0] ? run->plan_title : word(run->plan_name);

	if (number)
		text_printf(page->out, "<header class=\"run\" id=\"run%u\">", number);
	else
		page_raw(page, "<header>");
	page_element(page, "p", "kicker", name ? name : word(run->plan_name));
	page_raw(page, "<h1>");
	page_text(page, drive_words(html));
	page_raw(page, drive_words(html)[0] ? " \xe2\x80\x94 " : "");
	page_text(page, say(page, title));
	page_raw(page, "</h1>");
	meta(html);
	banners(html);
	page_raw(page, "</header>\n");
}

/* -- tiles -- */

static double figure_of(const struct report_cell *cell, enum io_op op, bool bytes)
{
	return bytes ? cell->op[op].rate : cell->op[op].iops;
}

static const struct report_cell *best_cell(const struct html_family *family, enum io_op op, bool bytes)
{
	const struct report_cell *best = &family->cells[0];

	for (uint32_t i = 1; i < family->cell_count; i++)
		if (figure_of(&family->cells[i], op, bytes) > figure_of(best, op, bytes))
			best = &family->cells[i];
	return best;
}

/* The last probe of the rate that was found, which is its confirmation; NULL: none was found, or its probe is
 * not in the file. */
static const struct report_cell *found_cell(const struct html_family *family, double rate)
{
	const struct report_cell *found = NULL;

	for (uint32_t i = 0; i < family->cell_count; i++) {
		const struct report_value *offered = report_cell_value(&family->cells[i], "arrival_rate");

		if (offered && offered->numeric && fabs(offered->number - rate) <= 1e-9 * rate)
			found = &family->cells[i];
	}
	return found;
}

static void tile_number(struct page *page, const struct cell_op *op, bool bytes)
{
	char number[PAGE_NUMBER];

	page_raw(page, "<p class=\"big\">");
	page_text(page, page_count_text(bytes ? op->rate / 1e6 : op->iops, number));
	page_element(page, "small", NULL, bytes ? "MB/s" : "IOPS");
	page_raw(page, "</p>");
}

static void tile_fact(struct page *page, const char *name, const char *value)
{
	page_raw(page, "<div><dt>");
	page_text(page, name);
	page_raw(page, "</dt><dd>");
	page_text(page, value);
	page_raw(page, "</dd></div>");
}

static void tile_percentile(struct page *page, const struct report_percentile *percentile)
{
	char number[PAGE_NUMBER];

	if (!percentile->of_step) {
		tile_fact(page, "p99.9", percentile->grade == REPORT_REFUSED ? "n/a" :
			  page_latency_text((double)percentile->value_ns, number));
		return;
	}
	page_raw(page, "<div><dt>p99.9</dt>");
	html_of_step(page, "dd", percentile);
	page_raw(page, "</div>");
}

static void tile_latency(struct page *page, const struct cell_op *op)
{
	char number[PAGE_NUMBER];

	if (!op->latency.n)
		return;
	page_raw(page, "<dl>");
	tile_fact(page, say(page, "mean"), page_latency_text(op->latency.mean_ns, number));
	tile_percentile(page, report_latency_at(&op->latency, 99.9));
	tile_fact(page, say(page, "max"), page_latency_text((double)op->latency.max_ns, number));
	page_raw(page, "</dl>");
}

static void tile_count(struct page *page, const struct html_family *family, const struct report_cell *cell,
		       const struct searched *searched)
{
	char number[PAGE_NUMBER];

	page_raw(page, "<span>");
	if (searched)
		page_format(page, say(page, "highest found with %s: %s offered"), searched->limit,
			    page_count_text(searched->rate, number));
	else if (family->cell_count > 1 && family->family->key_count &&
	    html_key_numeric(family, family->family->keys[0]))
		page_format(page, say(page, "highest of %u points: %s"), family->cell_count,
			    cell->last->point);
	else if (cell->count > 1)
		page_format(page, cell->family->rounds > 1 ? say(page, "mean of the last %u rounds") :
			    say(page, "median of %u repeats"), cell->count);
	page_raw(page, "</span>");
}

static void tile_chips(struct html *html, const struct html_family *family, const struct report_cell *cell,
		       const struct cell_op *op, const struct searched *searched)
{
	struct page *page = html->page;
	const char *verdict = cell->last->verdict;

	page_raw(page, "<p class=\"sub\">");
	if (report_bursts(html->model))
		chip(page, "warn", say(page, "burst"));
	if (cell->last->state.known)
		chip(page, "", say(page, state_words(&cell->last->state)));
	if (verdict)
		chip(page, strncmp(verdict, "steady", 6) == 0 ? "good" : "warn", html_verdict(html, verdict));
	if (op->errors)
		chip(page, "bad", say(page, "errors"));
	if (html->model->run->scale != 1)
		chip(page, "warn", say(page, "scaled"));
	tile_count(page, family, cell, searched);
	page_raw(page, "</p>");
}

/* The natural figure of a load, unless an imported one tells the other alone. */
static bool tile_in_bytes(const struct html_family *family, enum io_op op)
{
	const struct report_cell *cell = &family->cells[0];

	if (isnan(cell->op[op].rate) != isnan(cell->op[op].iops))
		return isnan(cell->op[op].iops);
	return html_in_bytes(&cell->last->values) && op <= IO_TRIM;
}

/* A search that found no rate has no figure. */
static void tile_none(struct page *page, const struct searched *searched)
{
	page_raw(page, "<p class=\"big\">n/a<small>IOPS</small></p><p class=\"sub\"><span>");
	page_format(page, say(page, "no rate found with %s"), searched->limit);
	page_raw(page, "</span></p>");
}

static void tile(struct html *html, const struct html_family *family, enum io_op op)
{
	struct page *page = html->page;
	bool bytes = tile_in_bytes(family, op);
	const struct report_cell *cell = best_cell(family, op, bytes);
	struct searched found;
	bool searched = searched_of(html->model, family->family, &html->arena, &found);

	if (searched)
		cell = found_cell(family, found.rate);
	page_raw(page, "<div class=\"tile\"><h3>");
	page_format(page, "%s \xc2\xb7 %s", family->family->name, html_direction(page, op));
	page_raw(page, "</h3>");
	page_element(page, "p", "cond",
		     html_condition(html, cell ? &cell->last->values : &family->cells[0].last->values, NULL));
	if (cell) {
		tile_number(page, &cell->op[op], bytes);
		tile_latency(page, &cell->op[op]);
		tile_chips(html, family, cell, &cell->op[op], searched ? &found : NULL);
	} else {
		tile_none(page, &found);
	}
	page_raw(page, "</div>\n");
}

static bool family_uses(const struct html_family *family, enum io_op op)
{
	for (uint32_t i = 0; i < family->cell_count; i++)
		if (family->cells[i].op[op].used)
			return true;
	return false;
}

/* A fill prepares the others; alone it is a result. */
static bool only_prepares(const struct html *html, const struct html_family *family)
{
	bool others = false;

	for (uint32_t i = 0; i < html->family_count; i++)
		others |= strcmp(word(html->families[i].cells[0].last->record->kind), "fill") != 0;
	return others && strcmp(word(family->cells[0].last->record->kind), "fill") == 0;
}

static void tiles(struct html *html)
{
	uint32_t count = 0;

	page_raw(html->page, "<div class=\"tiles\">\n");
	for (uint32_t i = 0; i < html->family_count; i++)
		for (int op = 0; op <= IO_TRIM && count < TILES_MAX; op++)
			if (family_uses(&html->families[i], op) && !only_prepares(html, &html->families[i])) {
				tile(html, &html->families[i], op);
				count++;
			}
	page_raw(html->page, "</div>\n");
}

void html_headline(struct html *html)
{
	html_section(html, "Results at a glance");
	if (html->family_count)
		tiles(html);
	else
		page_paragraph(html->page, "note", say(html->page, "This run has no measured I/O."));
	html_findings(html);
	html_summary(html);
}
