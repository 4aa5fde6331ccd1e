/* html_findings: what the run concluded, in sentences; many of one kind are folded up behind the first. And
 * the five numbers of the scorecard. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include "base/units.h"
#include "report/digest.h"
#include "report/html.h"
#include "store/json_reader.h"

static void finding_item(struct html *html, const struct finding_record *finding)
{
	page_sentence(html->page, "li", finding->text, finding->said_json);
	page_raw(html->page, "\n");
}

/* The rest of a kind, behind its first ones. */
static void folded(struct html *html, const struct digest *digest, const struct digest_group *group)
{
	struct page *page = html->page;

	page_raw(page, "<li class=\"more\"><details><summary>");
	page_format(page, say(page, "%u more of this kind"), group->count - group->shown);
	page_raw(page, "</summary><ul>\n");
	for (uint32_t i = group->shown; i < group->count; i++)
		finding_item(html, &html->model->findings[digest->order[group->first + i]]);
	page_raw(page, "</ul></details></li>\n");
}

static void stall_sentences(struct html *html)
{
	for (uint32_t i = 0; i < html->model->drive_count; i++) {
		const struct drive_record *drive = &html->model->drives[i];
		char number[PAGE_NUMBER];

		if (drive->longest_stall_ns < REPORT_STALL_TOLD_NS || report_finds(html->model, "longest_"
												"stall"))
			continue;
		page_raw(html->page, "<li>");
		page_format(html->page,
			    say(html->page, "The longest time in which %s had I/Os in flight and completed "
					    "none "
					    "was %s."),
			    word(drive->name), page_latency_text((double)drive->longest_stall_ns, number));
		page_raw(html->page, "</li>\n");
	}
}

static void sentences(struct html *html)
{
	struct digest digest;

	page_raw(html->page, "<ul class=\"findings\">\n");
	if (digest_make(html->model, &digest))
		html->page->out->error = -ENOMEM;
	for (uint32_t g = 0; g < digest.group_count; g++) {
		const struct digest_group *group = &digest.group[g];

		for (uint32_t i = 0; i < group->shown; i++)
			finding_item(html, &html->model->findings[digest.order[group->first + i]]);
		if (group->count > group->shown)
			folded(html, &digest, group);
	}
	digest_release(&digest);
	stall_sentences(html);
	page_raw(html->page, "</ul>\n");
}

/* -- the scorecard: five absolute numbers, always together -- */

static const char *number_words(const char *unit, double value, char text[PAGE_NUMBER])
{
	if (strcmp(unit, "ns") == 0)
		return page_latency_text(value, text);
	if (strcmp(unit, "bytes_per_second") == 0)
		return page_rate_text(value, text);
	page_count_text(value, text);
	return isfinite(value) ? strcat(text, "\xe2\x80\xaf" "IOPS") : text;
}

static void interval_cell(struct page *page, const char *unit, double low, double high)
{
	char from[PAGE_NUMBER], to[PAGE_NUMBER];

	if (isfinite(low) && isfinite(high))
		page_number_format(page, "%s \xe2\x80\x93 %s", number_words(unit, low, from),
				   number_words(unit, high, to));
	else
		page_number(page, "n/a");
}

static void card_row(struct page *page, const char *name, const json_t *number)
{
	const char *unit = word(json_string_value(json_object_get(number, "unit")));
	char text[PAGE_NUMBER];

	page_row_begin(page);
	page_cell(page, name);
	page_cell(page, word(json_string_value(json_object_get(number, "step"))));
	page_number(page, json_is_object(number) ? number_words(unit, json_real_in(number, "value"), text) :
					     say(page, "not measured"));
	interval_cell(page, unit, json_real_in(number, "low"), json_real_in(number, "high"));
	page_row_end(page);
}

static void stalls_row(struct page *page, const json_t *stalls)
{
	char longest[PAGE_NUMBER], often[PAGE_NUMBER], low[PAGE_NUMBER], high[PAGE_NUMBER];

	page_row_begin(page);
	page_cell(page, say(page, "longest stall; stalls of 100 ms and more, an hour"));
	page_cell(page, say(page, "whole run"));
	page_number_format(page, "%s; %s", page_latency_text(json_real_in(stalls, "longest_ns"), longest),
			   page_count_text(json_real_in(stalls, "per_hour"), often));
	page_number_format(page, "%s \xe2\x80\x93 %s", page_count_text(json_real_in(stalls, "low"), low),
			   page_count_text(json_real_in(stalls, "high"), high));
	page_row_end(page);
}

/* The last row once more, where the host may have had a part in it. */
static void without_host_row(struct page *page, const json_t *tail)
{
	double ios = json_real_in(tail, "host_ios");
	char number[PAGE_NUMBER];

	if (!(ios > 0))
		return;
	page_row_begin(page);
	page_raw(page, "<td>");
	page_format(page, say(page, "without %s slow I/Os that this computer may have delayed"),
		    page_count_text(ios, number));
	page_raw(page, "</td>");
	page_cell(page, "");
	page_number(page, page_latency_text(json_real_in(tail, "without_host"), number));
	page_number(page, "");
	page_row_end(page);
}

static void scorecard(struct html *html, const json_t *data)
{
	static const char *const names[] = { "number", "step", "value", "95 % interval" };
	struct page *page = html->page;
	bool scored = json_is_true(json_object_get(data, "scored"));

	page_element(page, "h3", NULL, say(page, scored ? "Scorecard" : "Scorecard (not scored)"));
	page_table_begin(page, names, 4, 2);
	card_row(page, say(page, "floor of steady random 4 KiB writes"), json_object_get(data, "floor_iops"));
	card_row(page, say(page, "rate of a 70/30 mix with p99.9 within 1 ms"),
		 json_object_get(data, "iops_at_p99_9_1ms"));
	stalls_row(page, json_object_get(data, "stalls"));
	card_row(page, say(page, "sustained sequential write"), json_object_get(data, "sustained_write"));
	card_row(page, say(page, "p99.99 of single random reads"), json_object_get(data, "read_p99_99"));
	without_host_row(page, json_object_get(data, "read_p99_99"));
	page_table_end(page);
}

static void scorecards(struct html *html)
{
	for (uint32_t i = 0; i < html->model->finding_count; i++) {
		const struct finding_record *finding = &html->model->findings[i];
		json_t *data;

		if (strcmp(word(finding->kind), "scorecard") || !finding->data_json)
			continue;
		data = json_loads(finding->data_json, JSON_REJECT_DUPLICATES, NULL);
		if (json_is_object(data))
			scorecard(html, data);
		json_decref(data);
	}
}

void html_findings(struct html *html)
{
	sentences(html);
	scorecards(html);
}
