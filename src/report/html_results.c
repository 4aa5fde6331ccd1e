/* html_results: the table of every measurement, and of the steps that measured nothing. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "report/chart.h"
#include "report/html.h"

#define OPEN_ROWS 60u		/* more rows are folded */

static void place_cell(struct html *html, const struct report_step *step, const struct report_load *load)
{
	struct page *page = html->page;

	page_raw(page, "<td>");
	page_text(page, word(step->record->name));
	if (load && step->load_count > 1)
		page_format(page, "/%s", word(load->record->name));
	if (step->family->repeats > 1)
		page_format(page, " #%u", step->record->repeat + 1);
	if (step->family->rounds > 1) {
		page_raw(page, " ");
		page_format(page, say(page, "round %u"), step->record->round + 1);
	}
	page_raw(page, "</td><td>");
	page_text(page, step->point[0] ? step->point : html_condition(html, &step->values, NULL));
	page_raw(page, "</td>");
}

static const double shown[] = { 50, 99, 99.9, 99.99 };	/* percentiles of the table */
#define SHOWN (sizeof(shown) / sizeof(*shown))

static void note_cell(struct html *html, const struct report_step *step, const struct report_op *op)
{
	struct page *page = html->page;
	char number[PAGE_NUMBER];

	page_raw(page, "<td>");
	if (op && op->errors) {
		page_raw(page, "<span class=\"chip bad\">");
		page_format(page, say(page, "%s errors"), page_count_text((double)op->errors, number));
		page_raw(page, "</span>");
	}
	if (step->record->status != RUN_COMPLETE)
		page_element(page, "span", "chip bad", say(page, run_status_name(step->record->status)));
	if (step->verdict)
		page_text(page, html_verdict(html, step->verdict));
	page_raw(page, "</td>");
}

static void state_cell(struct page *page, const struct report_step *step)
{
	page_cell(page, step->state.known ? say(page, state_words(&step->state)) : "");
}

static void op_row(struct html *html, const struct report_step *step, const struct report_load *load,
		   enum io_op kind)
{
	const struct report_op *op = &load->op[kind];
	const struct report_latency *latency = report_natural(load, kind);
	struct page *page = html->page;
	char number[PAGE_NUMBER];

	page_row_begin(page);
	place_cell(html, step, load);
	page_cell(page, html_direction(page, kind));
	page_number(page, page_count_text(op->iops, number));
	page_number(page, page_count_text(op->bytes_per_second / 1e6, number));
	html_latency(page, latency->mean_ns);
	for (uint32_t i = 0; i < SHOWN; i++)
		html_percentile(page, report_latency_at(latency, shown[i]));
	html_latency(page, latency->n ? (double)latency->max_ns : NAN);
	page_number(page, isnan(load->depth_reached) ? "n/a" : page_count_text(load->depth_reached, number));
	state_cell(page, step);
	note_cell(html, step, op);
	page_row_end(page);
}

static void quiet_row(struct html *html, const struct report_step *step)
{
	struct page *page = html->page;
	char number[PAGE_NUMBER];

	page_row_begin(page);
	place_cell(html, step, NULL);
	page_cell(page, step->load_count ? say(page, "no I/O") : html_words(html, word(step->record->kind)));
	page_raw(page, "<td class=\"na\" colspan=\"9\">");
	page_format(page, "%s %s", say(page, "time"),
		    page_latency_text((double)step->record->duration_ns, number));
	if (step->record->note)
		page_format(page, say(page, ", %s"), say(page, step->record->note));
	page_raw(page, "</td>");
	state_cell(page, step);
	note_cell(html, step, NULL);
	page_row_end(page);
}

static uint32_t step_rows(struct html *html, const struct report_step *step)
{
	uint32_t rows = 0;

	for (uint32_t i = 0; i < step->load_count; i++)
		for (int op = 0; op < IO_OPS; op++)
			if (step->loads[i].op[op].used) {
				op_row(html, step, &step->loads[i], op);
				rows++;
			}
	if (!rows)
		quiet_row(html, step);
	return rows ? rows : 1;
}

static void table(struct html *html)
{
	static const char *const names[] = { "step", "point",	   "direction", "IOPS",	 "MB/s",
					     "mean", "p50",	   "p99",	"p99.9", "p99.99",
					     "max",  "QD reached", "state before", "result" };

	page_table_begin(html->page, names, sizeof(names) / sizeof(*names), 3);
	for (uint32_t i = 0; i < html->model->step_count; i++)
		step_rows(html, &html->model->steps[i]);
	page_table_end(html->page);
}

static bool any_of_step(const struct report_latency *latency)
{
	for (uint32_t i = 0; i < SHOWN && latency->n; i++)
		if (report_latency_at(latency, shown[i])->of_step)
			return true;
	return false;
}

static bool of_step(const struct report_model *model)
{
	for (uint32_t i = 0; i < model->step_count; i++)
		for (uint32_t j = 0; j < model->steps[i].load_count; j++)
			for (int op = 0; op < IO_OPS; op++)
				if (any_of_step(report_natural(&model->steps[i].loads[j], op)))
					return true;
	return false;
}

static void notes(struct html *html)
{
	struct page *page = html->page;
	bool open = false, closed = false, windowed = false;

	for (uint32_t i = 0; i < html->model->step_count; i++) {
		windowed |= html->model->steps[i].part.verified;
		for (uint32_t j = 0; j < html->model->steps[i].load_count; j++)
			*(html->model->steps[i].loads[j].record->open_loop ? &open : &closed) = true;
	}
	page_paragraph(page, "note",
		       say(page,
			   "Percentiles are nearest rank, printed only where at least 3.69 independent I/Os "
			   "lie beyond "
			   "(slow ones come together and count for fewer); * fewer than 10; n/a: too few. "
			   "Point at a value for its 95 % interval."));
	if (of_step(html->model))
		page_paragraph(page, "note",
			       say(page, "In brackets: true of the I/Os of the step, not a property of the drive. "
					 "The slow ones came together, or the drive changed meanwhile, so that "
					 "they count for too few."));
	if (windowed)
		page_paragraph(page, "note",
			       say(page, "Steps that were verified to be steady are told by their window: "
					 "rates and latencies are "
					 "those of its I/Os."));
	if (closed)
		page_paragraph(page, "note",
			       say(page, "Closed loops: latency is service time, and stalls are "
					 "under-counted, "
					 "because the next I/O waits for the last."));
	if (open)
		page_paragraph(page, "note",
			       say(page, "Open loops: latency is response time, counted from the intended "
					 "start."));
}

/* -- the summary -- */

#define SUMMARY_ROWS 60u
#define SUMMARY_OPEN 24u	/* more are folded */

static void summary_row(struct html *html, const struct html_family *family, const struct report_cell *cell,
			enum io_op kind)
{
	const struct cell_op *op = &cell->op[kind];
	struct page *page = html->page;
	char number[PAGE_NUMBER], low[PAGE_NUMBER], high[PAGE_NUMBER];

	page_row_begin(page);
	page_cell(page, family->family->name);
	page_cell(page, html_condition(html, &cell->last->values, NULL));
	page_cell(page, html_direction(page, kind));
	page_number(page, page_count_text(op->iops, number));
	if (cell->count > 1)
		page_number_format(page, "%s\xe2\x80\x93%s", page_count_text(op->iops_low, low),
				   page_count_text(op->iops_high, high));
	else
		page_number(page, "");
	page_number(page, page_count_text(op->rate / 1e6, number));
	html_latency(page, op->latency.mean_ns);
	html_percentile(page, report_latency_at(&op->latency, 99));
	html_percentile(page, report_latency_at(&op->latency, 99.9));
	html_latency(page, op->latency.n ? (double)op->latency.max_ns : NAN);
	page_row_end(page);
}

static uint32_t summary_rows(const struct html *html, bool *ret_merged)
{
	uint32_t rows = 0;

	for (uint32_t i = 0; i < html->family_count; i++)
		for (uint32_t j = 0; j < html->families[i].cell_count; j++)
			for (int op = 0; op < IO_OPS; op++) {
				rows += html->families[i].cells[j].op[op].used;
				*ret_merged |= html->families[i].cells[j].count > 1;
			}
	return rows;
}

void html_summary(struct html *html)
{
	static const char *const names[] = { "step", "load", "direction", "IOPS",  "range",
					     "MB/s", "mean", "p99",	  "p99.9", "max" };
	bool merged = false;
	uint32_t rows = summary_rows(html, &merged);

	if (!merged || rows > SUMMARY_ROWS)
		return;
	if (rows > SUMMARY_OPEN)
		chart_table_begin(html->page);
	page_table_begin(html->page, names, sizeof(names) / sizeof(*names), 3);
	for (uint32_t i = 0; i < html->family_count; i++)
		for (uint32_t j = 0; j < html->families[i].cell_count; j++)
			for (int op = 0; op < IO_OPS; op++)
				if (html->families[i].cells[j].op[op].used)
					summary_row(html, &html->families[i], &html->families[i].cells[j],
						    op);
	page_table_end(html->page);
	page_paragraph(html->page, "note",
		       say(html->page, "Medians of repeats, or means of the last five rounds, with their range; "
				       "latencies of all of them together."));
	if (rows > SUMMARY_OPEN)
		chart_table_end(html->page);
}

void html_results(struct html *html)
{
	bool folded = html->model->step_count > OPEN_ROWS;

	html_section(html, "All results");
	if (folded) {
		page_raw(html->page, "<details><summary>");
		page_format(html->page, say(html->page, "%u steps"), html->model->step_count);
		page_raw(html->page, "</summary>\n");
	}
	table(html);
	if (folded)
		page_raw(html->page, "</details>\n");
	notes(html);
}
