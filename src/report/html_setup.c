#include "report/html_setup.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/units.h"
#include "report/judged.h"
#include "report/plan_words.h"
#include "store/json_reader.h"

struct setup {
	struct html *html;
	struct plan_words plan;
	json_t *set;			/* what the command line set, "class=client"; owned */
	const char *class_name;		/* of the plan's classes the one that was chosen; NULL: it has none */
};

static bool is_snia(const struct html *html)
{
	return strncmp(word(html->model->run->plan_report), "pts-", 4) == 0;
}

static const char *known(struct page *page, const char *value)
{
	return value && value[0] ? value : say(page, "not told");
}

static void fact(const struct setup *setup, const char *name, const char *value)
{
	struct page *page = setup->html->page;

	page_fact(page, name, known(page, value));
}

/* -- the plan -- */

/* The first class stands unless another one was set. */
static const char *class_chosen(const struct setup *setup)
{
	json_t *item;
	size_t index;

	json_array_foreach(setup->set, index, item)
		if (strncmp(word(json_string_value(item)), "class=", 6) == 0)
			return json_string_value(item) + 6;
	for (uint32_t i = 0; i < setup->plan.count; i++)
		if (strncmp(setup->plan.sections[i].name, "class ", 6) == 0)
			return setup->plan.sections[i].name + 6;
	return NULL;
}

static bool is_other_class(const struct setup *setup, const char *section)
{
	return strncmp(section, "class ", 6) == 0 && strcmp(section + 6, word(setup->class_name)) != 0;
}

/* For all steps: what was set, else the class, else [global]. */
static const char *global_value(const struct setup *setup, const char *key)
{
	const char *class_section =
		word(arena_printf(&setup->html->arena, "class %s", word(setup->class_name)));
	const char *value = plan_section_value(plan_words_section(&setup->plan, class_section), key);
	size_t length = strlen(key), index;
	json_t *item;

	if (!value)
		value = plan_section_value(plan_words_section(&setup->plan, "global"), key);
	json_array_foreach(setup->set, index, item) {
		const char *set = word(json_string_value(item));

		if (strncmp(set, key, length) == 0 && set[length] == '=')
			value = set + length + 1;
	}
	return value;
}

static void value_row(const struct setup *setup, const char *name, const char *values)
{
	struct page *page = setup->html->page;

	page_row_begin(page);
	page_cell(page, name);
	page_raw(page, "<td>");
	page_text(page, values);
	page_raw(page, "</td>");
	page_row_end(page);
}

static bool is_value(const struct plan_pair *pair)
{
	return strcmp(pair->key, "title") && strcmp(pair->key, "report") && strcmp(pair->key, "kind");
}

static void section_row(const struct setup *setup, const struct plan_section *section)
{
	struct text values = { 0 };

	for (uint32_t i = 0; i < section->count; i++) {
		const struct plan_pair *pair = &section->pairs[i];

		if (is_value(pair))
			text_printf(&values, "%s%s%s%s", values.bytes ? " \xc2\xb7 " : "", pair->key,
				    pair->value[0] ? "=" : "", pair->value);
	}
	if (values.bytes)
		value_row(setup, section->name, text_data(&values));
	text_release(&values);
}

static void set_row(const struct setup *setup)
{
	struct text values = { 0 };
	json_t *item;
	size_t index;

	json_array_foreach(setup->set, index, item)
		text_printf(&values, "%s%s", values.bytes ? " \xc2\xb7 " : "", word(json_string_value(item)));
	if (values.bytes)
		value_row(setup, say(setup->html->page, "set when it was run"), text_data(&values));
	text_release(&values);
}

/* The specification leaves some values to the operator, and of others there are readings: each is told. */
static void values_used(const struct setup *setup)
{
	static const char *const names[] = { "section of the plan", "values" };
	struct page *page = setup->html->page;

	if (!setup->plan.count)
		return;
	page_raw(page, "<details><summary>");
	page_text(page, say(page, "Values used: where the specification leaves a choice, these were taken"));
	page_raw(page, "</summary>\n<div class=\"checks\">");
	page_table_begin(page, names, 2, 2);
	for (uint32_t i = 0; i < setup->plan.count; i++)
		if (!is_other_class(setup, setup->plan.sections[i].name))
			section_row(setup, &setup->plan.sections[i]);
	set_row(setup);
	page_table_end(page);
	page_raw(page, "</div></details>\n");
}

/* -- drive and platform -- */

static const char *drive_words(const struct setup *setup, const struct drive_record *drive)
{
	char capacity[UNITS_TEXT];

	return word(arena_printf(
		&setup->html->arena, "%s%s%s", word(drive->model)[0] ? drive->model : word(drive->name),
		drive->capacity_bytes ? ", " : "",
		drive->capacity_bytes ? capacity_format(drive->capacity_bytes, capacity) : ""));
}

static void drive_facts(const struct setup *setup)
{
	const struct report_model *model = setup->html->model;
	struct page *page = setup->html->page;

	for (uint32_t i = 0; i < model->drive_count; i++) {
		const struct drive_record *drive = &model->drives[i];

		fact(setup, say(page, "drive"), drive_words(setup, drive));
		fact(setup, say(page, "serial"), drive->serial);
		fact(setup, say(page, "firmware"), drive->firmware);
		fact(setup, say(page, "interface"), drive->interface_name);
	}
}

static void platform_facts(const struct setup *setup)
{
	const struct run_record *run = setup->html->model->run;
	const json_t *host = setup->html->model->host;
	struct page *page = setup->html->page;
	struct arena *arena = &setup->html->arena;
	double memory = json_real_in(host, "memory_bytes"), cpus = json_real_in(host, "cpus_online");
	const char *cpu = json_string_value(json_object_get(host, "cpu"));
	char size[UNITS_TEXT];

	fact(setup, say(page, "processor"), !cpu || !(cpus > 0) ? cpu :
	     arena_printf(arena, "%s \xc3\x97 %.0f", cpu, cpus));
	fact(setup, say(page, "memory"), memory > 0 ? capacity_format((uint64_t)memory, size) : NULL);
	fact(setup, say(page, "operating system"), json_string_value(json_object_get(host, "os")));
	fact(setup, say(page, "kernel"), json_string_value(json_object_get(host, "kernel")));
	fact(setup, say(page, "program"), arena_printf(arena, "ssdassay %s, %s", word(run->version),
						       report_engines(setup->html->model)));
}

static void dates(const struct setup *setup)
{
	const struct run_record *run = setup->html->model->run;
	struct page *page = setup->html->page;
	bool virtual_time = strcmp(word(run->clock), "virtual") == 0;
	char from[32], to[32], length[PAGE_NUMBER];
	const char *words;

	report_time_text(run->started_wall_ns, from);
	page_latency_text((double)run->duration_ns, length);
	if (!run->duration_ns)
		words = from;
	else if (virtual_time)
		words = arena_printf(&setup->html->arena, say(page, "%s, %s of virtual time"), from, length);
	else
		words = arena_printf(&setup->html->arena, "%s \xe2\x80\x93 %s, %s", from,
				     report_time_text(run->started_wall_ns + run->duration_ns, to), length);
	fact(setup, say(page, "date"), words);
}

/* -- what was done to the drive -- */

static void purge_fact(const struct setup *setup)
{
	const struct report_model *model = setup->html->model;
	struct page *page = setup->html->page;
	const char *last = "";
	struct text words = { 0 };

	for (uint32_t i = 0; i < model->step_count; i++) {
		const struct step_record *record = model->steps[i].record;

		if (strcmp(word(record->kind), "purge") || strcmp(word(record->note), last) == 0)
			continue;
		last = word(record->note);
		text_printf(&words, "%s%s", words.bytes ? ", " : "", say(page, last));
	}
	fact(setup, say(page, "purge"), words.bytes ? text_data(&words) : say(page, "none"));
	text_release(&words);
}

static void cache_fact(const struct setup *setup)
{
	const struct report_model *model = setup->html->model;
	struct page *page = setup->html->page;
	const char *words = NULL;
	json_t *before = model->drive_count && model->drives[0].before_json ?
		json_loads(model->drives[0].before_json, JSON_REJECT_DUPLICATES, NULL) : NULL;
	const char *found =
		json_string_value(json_object_get(json_object_get(before, "queue"), "write_cache"));

	for (uint32_t i = 0; i < model->event_count && !words; i++) {
		const struct event_record *event = &model->events[i];
		json_t *data = event->data_json && strcmp(word(event->kind), "write_cache") == 0 ?
			json_loads(event->data_json, JSON_REJECT_DUPLICATES, NULL) : NULL;
		bool on = json_is_true(json_object_get(data, "on")),
		     was = json_is_true(json_object_get(data, "before_run"));

		if (json_is_object(data))
			words = say(page, on ? was ? "on, as before the run" : "on, off before the run"
					     : was ? "off, on before the run" : "off, as before the run");
		else if (strcmp(word(event->kind), "write_cache") == 0)
			words = page_told(page, word(event->text), event->said_json);
		json_decref(data);
	}
	if (!words && found)
		words = arena_printf(&setup->html->arena, say(page, "as found: %s"), found);
	fact(setup, say(page, "write cache"), words);
	json_decref(before);
}

static void data_fact(const struct setup *setup)
{
	static const char *const keys[] = { "zero_buffers", "buffer_pattern", "buffer_compress_percentage",
					    "dedupe_percentage", "refill_buffers" };
	struct page *page = setup->html->page;
	const char *words = say(page, "random");

	for (uint32_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		const char *value = global_value(setup, keys[i]);

		if (value)
			words = word(arena_printf(&setup->html->arena, "%s=%s", keys[i], value));
	}
	fact(setup, say(page, "data pattern"), words);
}

static void range_fact(const struct setup *setup)
{
	struct page *page = setup->html->page;
	const char *range = global_value(setup, "range"), *slash = range ? strchr(range, '/') : NULL;
	struct arena *arena = &setup->html->arena;

	if (slash)
		range = arena_printf(arena, say(page, "%.*s of the capacity, in %s segments"),
				     (int)(slash - range), range, slash + 1);
	else
		range = range ? arena_printf(arena, say(page, "%s of the capacity"), range)
			      : say(page, "all of the capacity");
	fact(setup, say(page, "active range"), range);
}

/* "random write 4k, QD 32 x 32: 96.0 GB, 6.00 times the range". */
static const char *load_words(const struct setup *setup, const struct report_step *step)
{
	struct html *html = setup->html;
	double bytes = 0, range = step->load_count ? (double)step->loads[0].record->range_bytes : 0;
	char amount[UNITS_TEXT];

	for (uint32_t i = 0; i < step->load_count; i++)
		bytes += (double)step->loads[i].op[IO_WRITE].bytes;
	capacity_format((uint64_t)bytes, amount);
	return word(arena_printf(&html->arena, say(html->page, "%s: %s, %.3g times the range"),
				 html_condition(html, &step->values, NULL), amount,
				 range > 0 ? bytes / range : NAN));
}

static void fill_fact(const struct setup *setup)
{
	const struct report_model *model = setup->html->model;
	struct page *page = setup->html->page;
	struct text words = { 0 };

	for (uint32_t i = 0; i < model->step_count; i++)
		if (strcmp(word(model->steps[i].record->kind), "fill") == 0 && model->steps[i].load_count)
			text_printf(&words, "%s%s", words.bytes ? "; " : "",
				    load_words(setup, &model->steps[i]));
	fact(setup, say(page, "preconditioning 1 (independent of the load)"),
	     words.bytes ? text_data(&words) : say(page, "none"));
	text_release(&words);
}

/* A step of its own that went on until the rule was met or a limit reached, before others; else NULL. */
static const struct report_step *settling_step(const struct report_model *model)
{
	for (uint32_t i = 0; i + 1 < model->step_count; i++)
		if (judged_asked(&model->steps[i]))
			return &model->steps[i];
	return NULL;
}

static bool any_rounds(const struct html *html)
{
	for (uint32_t i = 0; i < html->family_count; i++)
		if (html->families[i].family->rounds > 1)
			return true;
	return false;
}

static void settle_fact(const struct setup *setup)
{
	struct html *html = setup->html;
	const char *report = word(html->model->run->plan_report);
	bool bare = strcmp(report, "pts-wsat") == 0 || strcmp(report, "pts-xsr") == 0;
	const struct report_step *step = bare ? NULL : settling_step(html->model);

	fact(setup, say(html->page, "preconditioning 2 (by the load)"),
	     step ? load_words(setup, step)
		  : say(html->page, !bare && any_rounds(html) ? "the rounds of the test" : "none"));
}

/* -- load and rounds -- */

static void widen(const struct report_values *values, const char *key, double range[2])
{
	const struct report_value *value = report_values_find(values, key);
	double number = value && value->numeric ? value->number : 1;

	range[0] = fmin(range[0], number);
	range[1] = fmax(range[1], number);
}

static const char *range_words(const struct setup *setup, const double range[2])
{
	return word(range[0] < range[1]
			    ? arena_printf(&setup->html->arena, "%.0f\xe2\x80\x93%.0f", range[0], range[1])
			    : arena_printf(&setup->html->arena, "%.0f", range[0]));
}

/* Fills have their own. */
static void depth_fact(const struct setup *setup)
{
	const struct report_model *model = setup->html->model;
	double workers[2] = { INFINITY, 0 }, depth[2] = { INFINITY, 0 };
	const char *words = NULL;

	for (uint32_t i = 0; i < model->step_count; i++) {
		if (strcmp(word(model->steps[i].record->kind), "load"))
			continue;
		widen(&model->steps[i].values, "numjobs", workers);
		widen(&model->steps[i].values, "iodepth", depth);
	}
	if (workers[1] > 0)
		words = arena_printf(&setup->html->arena, "%s / %s", range_words(setup, workers),
				     range_words(setup, depth));
	fact(setup, say(setup->html->page, "threads / queue depth of each"), words);
}

static void rounds_add(const struct setup *setup, struct text *words, const json_t *steady)
{
	const json_t *snia = json_object_get(steady, "snia");
	struct page *page = setup->html->page;
	struct snia_verdict window;

	text_printf(words, "%s%s: ", words->bytes ? "; " : "", word(judged_tracked(steady)));
	if (!judged_window(snia, &window))
		text_append(words, say(page, "too few rounds"));
	else
		text_printf(words, say(page, "%u to %u, %s"), window.last_round - SNIA_WINDOW + 1,
			    window.last_round, say(page, window.met ? "met" : "NOT REACHED"));
}

static void rounds_fact(const struct setup *setup)
{
	const struct report_model *model = setup->html->model;
	struct page *page = setup->html->page;
	struct text words = { 0 };

	for (uint32_t i = 0; i < model->step_count; i++)
		if (judged_asked(&model->steps[i]))
			rounds_add(setup, &words, model->steps[i].steady);
	for (uint32_t i = 0; i < model->event_count; i++) {
		json_t *steady = judged_is(&model->events[i]) ?
			json_loads(model->events[i].data_json, JSON_REJECT_DUPLICATES, NULL) : NULL;
		const char *tracked = judged_tracked(steady);

		if (tracked && !judged_is_replaced(model, i, steady, tracked))
			rounds_add(setup, &words, steady);
		json_decref(steady);
	}
	fact(setup, say(page, "steady-state rounds"),
	     words.bytes ? text_data(&words) : say(page, "none asked for"));
	text_release(&words);
}

int html_setup(struct html *html)
{
	struct setup setup = { .html = html };
	json_t *options;
	int error;

	if (!is_snia(html))
		return 0;
	error = plan_words_read(&setup.plan, &html->arena, html->model->run->plan_text);
	if (error)
		return error;
	options = json_loads(word(html->model->run->options_json), 0, NULL);
	setup.set = json_incref(json_object_get(json_object_get(options, "plan"), "set"));
	json_decref(options);
	setup.class_name = class_chosen(&setup);
	html_section(html, "Test conditions");
	page_raw(html->page, "<dl class=\"facts\">\n");
	drive_facts(&setup);
	platform_facts(&setup);
	dates(&setup);
	if (setup.class_name)
		fact(&setup, say(html->page, "class"), setup.class_name);
	purge_fact(&setup);
	cache_fact(&setup);
	data_fact(&setup);
	range_fact(&setup);
	fill_fact(&setup);
	settle_fact(&setup);
	depth_fact(&setup);
	rounds_fact(&setup);
	page_raw(html->page, "</dl>\n");
	values_used(&setup);
	json_decref(setup.set);
	return 0;
}
