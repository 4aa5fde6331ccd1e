/* html_facts: under which conditions: drives, host, plan; what checked itself; what happened besides; the
 * simulated truth. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/units.h"
#include "report/html.h"

#define FACT_DEPTH 6u

/* -- JSON as facts: nested names joined by points -- */

/* The unit at the end of a number's name, which is then told behind the number. */
static const char *unit_behind(const char *name, const json_t *value)
{
	static const char *const units[] = { "_bytes", "_ns", "_c" };
	size_t length = strlen(name);

	for (uint32_t i = 0; json_is_number(value) && i < sizeof(units) / sizeof(*units); i++)
		if (length > strlen(units[i]) && strcmp(name + length - strlen(units[i]), units[i]) == 0)
			return name + length - strlen(units[i]);
	return NULL;
}

static const char *number_text(const json_t *value, const char *unit, char buffer[PAGE_NUMBER])
{
	double number = json_number_value(value);
	char size[UNITS_TEXT];

	if (unit && strcmp(unit, "_ns") == 0 && number >= 0)
		return page_latency_text(number, buffer);
	if (unit && strcmp(unit, "_bytes") == 0 && number >= 0 && number < 0x1p63)
		snprintf(buffer, PAGE_NUMBER, "%s", capacity_format((uint64_t)number, size));
	else if (json_is_integer(value))
		page_count_text(number, buffer);
	else
		snprintf(buffer, PAGE_NUMBER, "%.4g", number);
	if (unit && strcmp(unit, "_c") == 0)
		strcat(buffer, "\xe2\x80\xaf\xc2\xb0" "C");
	return buffer;
}

static const char *scalar_text(const json_t *value, const char *unit, char buffer[PAGE_NUMBER])
{
	if (json_is_string(value))
		return json_string_value(value);
	if (json_is_boolean(value))
		return json_is_true(value) ? "yes" : "no";
	return number_text(value, unit, buffer);
}

/* A name as words, without the unit that its number has. */
static void fact(struct html *html, const char *name, const json_t *value)
{
	const char *unit = unit_behind(name, value);
	const char *bare = arena_strndup(&html->arena, name, unit ? (size_t)(unit - name) : strlen(name));
	char number[PAGE_NUMBER];

	if (!json_is_null(value) && bare)
		page_fact(html->page, html_words(html, bare), scalar_text(value, unit, number));
}

static void facts(struct html *html, const char *name, const json_t *value, uint32_t depth)
{
	char path[256];
	const char *key;
	json_t *child;
	size_t index;

	if (json_is_object(value) && depth < FACT_DEPTH) {
		json_object_foreach((json_t *)value, key, child) {
			snprintf(path, sizeof(path), "%s%s%s", name, name[0] ? "." : "", key);
			facts(html, path, child, depth + 1);
		}
	} else if (json_is_array(value) && depth < FACT_DEPTH) {
		json_array_foreach(value, index, child) {
			snprintf(path, sizeof(path), "%s.%zu", name, index + 1);
			facts(html, path, child, depth + 1);
		}
	} else if (depth < FACT_DEPTH) {
		fact(html, name, value);
	}
}

static void fact_list(struct html *html, const json_t *value)
{
	page_raw(html->page, "<dl class=\"facts\">\n");
	facts(html, "", value, 0);
	page_raw(html->page, "</dl>\n");
}

static void document_facts(struct html *html, const char *document, const char *title)
{
	json_t *value = document ? json_loads(document, JSON_REJECT_DUPLICATES, NULL) : NULL;

	if (!document)
		return;
	if (title)
		page_element(html->page, "h4", NULL, say(html->page, title));
	if (value)
		fact_list(html, value);
	else
		page_element(html->page, "pre", NULL, document);
	json_decref(value);
}

/* -- drives -- */

static void fact_if(struct html *html, const char *name, const char *value)
{
	if (value && value[0])
		page_fact(html->page, say(html->page, name), value);
}

static void drive_facts(struct html *html, const struct drive_record *drive)
{
	struct page *page = html->page;
	char text[UNITS_TEXT], number[PAGE_NUMBER];

	page_element(page, "h3", NULL, drive->model && drive->model[0] ? drive->model : word(drive->name));
	page_raw(page, "<dl class=\"facts\">\n");
	fact_if(html, "target", drive->name);
	fact_if(html, "kind", drive->kind);
	fact_if(html, "ID", drive->id);
	fact_if(html, "serial", drive->serial);
	fact_if(html, "firmware", drive->firmware);
	fact_if(html, "interface", drive->interface_name);
	if (drive->capacity_bytes)
		page_fact(page, say(page, "capacity"), capacity_format(drive->capacity_bytes, text));
	if (drive->block_bytes > 1)	/* a file has none */
		page_fact(page, say(page, "block size"), size_format(drive->block_bytes, text));
	page_fact(page, say(page, "longest stall"), drive->longest_stall_ns ?
		  page_latency_text((double)drive->longest_stall_ns, number) : "n/a");
	page_raw(page, "</dl>\n");
	if (!drive->before_json && !drive->after_json)
		return;
	page_raw(page, "<details><summary>");
	page_text(page, say(page, "State of the drive before and after"));
	page_raw(page, "</summary>\n");
	document_facts(html, drive->before_json, "before");
	document_facts(html, drive->after_json, "after");
	page_raw(page, "</details>\n");
}

static void host_facts(struct html *html)
{
	const struct run_record *run = html->model->run;

	if (!run->host_json)
		return;
	page_element(html->page, "h3", NULL, say(html->page, "Host"));
	if (html->model->host)
		fact_list(html, html->model->host);
	else
		page_element(html->page, "pre", NULL, run->host_json);
}

static void command_text(const char *document, struct text *text)
{
	json_t *list = document ? json_loads(document, JSON_REJECT_DUPLICATES, NULL) : NULL;
	json_t *argument;
	size_t index;

	json_array_foreach(list, index, argument)
		text_printf(text, "%s%s", index ? " " : "", word(json_string_value(argument)));
	if (!list)
		text_append(text, word(document));
	json_decref(list);
}

static void run_facts(struct html *html)
{
	struct page *page = html->page;
	const struct run_record *run = html->model->run;
	struct text command = { 0 };
	char number[PAGE_NUMBER];

	command_text(run->command_line, &command);
	page_element(page, "h3", NULL, say(page, "Run"));
	page_raw(page, "<dl class=\"facts\">\n");
	fact_if(html, "command", text_data(&command));
	fact_if(html, "version", run->version);
	fact_if(html, "engine", report_engines(html->model));
	fact_if(html, "clock", run->clock);
	page_raw(page, "<div><dt>");
	page_text(page, say(page, "seed"));
	text_printf(page->out, "</dt><dd>%llu</dd></div>\n", (unsigned long long)run->seed);
	if (run->ceiling_iops > 0)
		page_fact(page, say(page, "ceiling of the program (IOPS)"),
			  page_count_text(run->ceiling_iops, number));
	fact_if(html, "run ID", run->id);
	page_raw(page, "</dl>\n");
	text_release(&command);
}

static void engine_notes(struct html *html)
{
	const char *last = "";

	for (uint32_t i = 0; i < html->model->step_count; i++)
		for (uint32_t j = 0; j < html->model->steps[i].load_count; j++) {
			const struct load_record *load = html->model->steps[i].loads[j].record;

			if (!load->engine_note || strcmp(load->engine_note, last) == 0)
				continue;
			last = load->engine_note;
			page_raw(html->page, html->page->language == REPORT_ENGLISH
						     ? "<p class=\"note\">"
						     : "<p class=\"note\" lang=\"en\">");
			page_format(html->page, "%s: %s", word(load->engine), load->engine_note);
			page_raw(html->page, "</p>\n");
		}
}

static void plan_text(struct html *html)
{
	struct page *page = html->page;
	const struct run_record *run = html->model->run;

	if (!run->plan_text)
		return;
	page_raw(page, "<details><summary>");
	page_format(page, say(page, "Plan %s as it was run"), word(run->plan_name));
	page_raw(page, "</summary>\n");
	page_element(page, "pre", NULL, run->plan_text);
	page_raw(page, "</details>\n");
}

void html_conditions(struct html *html)
{
	html_section(html, "Conditions");
	for (uint32_t i = 0; i < html->model->drive_count; i++)
		drive_facts(html, &html->model->drives[i]);
	host_facts(html);
	run_facts(html);
	engine_notes(html);
	plan_text(html);
}

/* -- checks, events, truth -- */

static void result_chip(struct html *html, enum check_result result)
{
	struct page *page = html->page;
	static const char *const marks[] = { "\xe2\x9c\x93", "\xe2\x9c\x97", "\xe2\x80\x93" };
	static const char *const classes[] = { "chip good", "chip bad", "chip" };

	page_raw(page, "<td><span class=\"");
	page_raw(page, classes[result]);
	page_raw(page, "\">");
	page_format(page, "%s %s", marks[result], html_words(html, check_result_name(result)));
	page_raw(page, "</span></td>");
}

void html_checks(struct html *html)
{
	static const char *const names[] = { "check", "result", "what was seen" };
	struct page *page = html->page;

	if (!html->model->check_count)
		return;
	html_section(html, "Self-checks");
	page_raw(page, "<div class=\"checks\">");
	page_table_begin(page, names, 3, 3);
	for (uint32_t i = 0; i < html->model->check_count; i++) {
		const struct check_record *check = &html->model->checks[i];

		page_row_begin(page);
		page_cell(page, word(check->name));
		result_chip(html, check->result);
		page_sentence(page, "td", word(check->text), check->said_json);
		page_row_end(page);
	}
	page_table_end(page);
	page_raw(page, "</div>\n");
}

#define EVENTS_SHOWN 100u

/* Charts say "together" of the sum of a mixed load. */
static const char *event_kind(struct html *html, const char *kind)
{
	return strcmp(kind, "together") == 0 ? say(html->page, "side by side") : html_words(html, kind);
}

void html_events(struct html *html)
{
	static const char *const names[] = { "at", "kind", "what" };
	struct page *page = html->page;
	char number[PAGE_NUMBER];

	if (!html->model->event_count)
		return;
	html_section(html, "Events");
	page_raw(page, "<div class=\"checks\">");
	page_table_begin(page, names, 3, 3);
	for (uint32_t i = 0; i < html->model->event_count && i < EVENTS_SHOWN; i++) {
		const struct event_record *event = &html->model->events[i];

		page_row_begin(page);
		page_cell(page, page_time_text((double)event->t_ns, number));
		page_cell(page, event_kind(html, word(event->kind)));
		page_sentence(page, "td", word(event->text), event->said_json);
		page_row_end(page);
	}
	page_table_end(page);
	page_raw(page, "</div>\n");
	if (html->model->event_count > EVENTS_SHOWN) {
		page_raw(page, "<p class=\"note\">");
		page_format(page, say(page, "The first %u of %u; show --json has all."), EVENTS_SHOWN,
			    html->model->event_count);
		page_raw(page, "</p>\n");
	}
}

void html_truth(struct html *html)
{
	bool any = false;

	for (uint32_t i = 0; i < html->model->drive_count; i++) {
		const struct drive_record *drive = &html->model->drives[i];

		if (!drive->truth_json)
			continue;
		if (!any)
			html_section(html, "Known truth of the simulated drive");
		any = true;
		page_element(html->page, "h3", NULL, word(drive->name));
		document_facts(html, drive->truth_json, NULL);
	}
}
