#include "support.h"

#include <ctype.h>
#include <stdio.h>
#include "report/explore.h"
#include "report/model.h"
#include "report/page.h"
#include "report/report.h"

/* What is inside of script elements is no markup: blanks it. */
static void blank_scripts(struct text *out)
{
	char *at = out->data, *end;

	while (at && (at = strstr(at, "<script")) != NULL) {
		at = strchr(at, '>') + 1;
		end = strstr(at, "</script>");
		assert_non_null(end);
		memset(at, ' ', (size_t)(end - at));
		at = end;
	}
}

static void render(struct fake_file *file, enum fake_kind kind, enum report_language language,
		   struct text *out)
{
	struct report_options options = { .language = language };
	struct fault fault = { 0 };

	fake_open(file, kind, 200);
	assert_int_equal(report_html(&file->store, 1, &options, out, &fault), 0);
	blank_scripts(out);
}

/* Every tag of the page in order: name and attributes as they stand. */
static const char *next_tag(const char *at, const char **ret_end)
{
	at = strchr(at, '<');
	if (!at)
		return NULL;
	*ret_end = strchr(at, '>');
	assert_non_null(*ret_end);
	return at;
}

static void nothing_is_loaded_from_the_network(void **state)
{
	for (int kind = 0; kind < FAKE_KINDS; kind++) {
		struct fake_file file;
		struct text out = { 0 };
		const char *tag, *end;

		render(&file, kind, REPORT_ENGLISH, &out);
		assert_non_null(strstr(text_data(&out), "default-src 'none'"));
		for (tag = text_data(&out); (tag = next_tag(tag, &end)); tag = end) {
			const char *link = memmem(tag, (size_t)(end - tag), "href=\"", 6);

			assert_null(memmem(tag, (size_t)(end - tag), "http:", 5));
			assert_null(memmem(tag, (size_t)(end - tag), "https:", 6));
			assert_null(memmem(tag, (size_t)(end - tag), "src=", 4));
			if (link)
				assert_true(strncmp(link + 6, "data:image/png;base64,", 22) == 0 ||
					    link[6] == '#');
		}
		assert_null(strstr(text_data(&out), "@import"));
		assert_null(strstr(text_data(&out), "url("));
		text_release(&out);
		fake_close(&file);
	}
}

static uint32_t count_of(const char *text, const char *what)
{
	uint32_t count = 0;

	while ((text = strstr(text, what))) {
		count++;
		text += strlen(what);
	}
	return count;
}

static void hostile_strings_make_no_tags(void **state)
{
	struct fake_file file;
	struct text out = { 0 };

	render(&file, FAKE_HOSTILE, REPORT_ENGLISH, &out);
	assert_int_equal(count_of(text_data(&out), "<script"),
			 count_of(text_data(&out), "<script type=\"application/") +
			 (explore_available() ? 1 : 0));
	assert_null(strstr(text_data(&out), "<b>"));
	assert_null(strchr(text_data(&out), '\x1b'));
	assert_non_null(strstr(text_data(&out), "&lt;script&gt;alert(1)&lt;/script&gt;"));
	assert_non_null(strstr(text_data(&out), "caf\xc3\xa9 \xf0\x9f\x94\xa5"));
	text_release(&out);
	fake_close(&file);
}

static bool is_void(const char *name)
{
	return strcmp(name, "meta") == 0 || strcmp(name, "br") == 0 || strcmp(name, "!DOCTYPE") == 0;
}

static void tag_name(const char *tag, char name[32])
{
	size_t skip = tag[1] == '/' ? 2 : 1, length = strcspn(tag + skip, " >/\n");

	snprintf(name, 32, "%.*s", (int)length, tag + skip);
}

static void tags_are_balanced(void **state)
{
	for (int kind = 0; kind < FAKE_KINDS; kind++) {
		struct fake_file file;
		struct text out = { 0 };
		const char *tag, *end;
		char open[64][32], name[32];
		uint32_t depth = 0;

		render(&file, kind, REPORT_ENGLISH, &out);
		for (tag = text_data(&out); (tag = next_tag(tag, &end)); tag = end) {
			tag_name(tag, name);
			if (tag[1] == '/') {
				assert_true(depth > 0);
				assert_string_equal(open[--depth], name);
			} else if (end[-1] != '/' && !is_void(name)) {
				assert_true(depth < 64);
				strcpy(open[depth++], name);
			}
		}
		assert_int_equal(depth, 0);
		text_release(&out);
		fake_close(&file);
	}
}

/* The table is the source of truth: of every figure, whatever it shows. */
static void every_chart_has_a_table(void **state)
{
	for (int kind = 0; kind < FAKE_KINDS; kind++) {
		struct fake_file file;
		struct text out = { 0 };
		const char *figure, *end;

		render(&file, kind, REPORT_ENGLISH, &out);
		for (figure = strstr(text_data(&out), "<figure"); figure; figure = strstr(end, "<figure")) {
			end = strstr(figure, "</figure>");
			assert_non_null(end);
			assert_non_null(memmem(figure, (size_t)(end - figure), "<table", 6));
		}
		text_release(&out);
		fake_close(&file);
	}
}

static void every_chart_has_title_description_and_finding(void **state)
{
	for (int kind = 0; kind < FAKE_KINDS; kind++) {
		struct fake_file file;
		struct text out = { 0 };
		uint32_t charts;

		render(&file, kind, REPORT_ENGLISH, &out);
		charts = count_of(text_data(&out), "<svg role=\"img\"");
		assert_int_equal(count_of(text_data(&out), "<figure"), charts);
		assert_int_equal(count_of(text_data(&out), "<title id="), charts);
		assert_int_equal(count_of(text_data(&out), "<desc id="), charts);
		assert_int_equal(count_of(text_data(&out), "<figcaption>"), charts);
		assert_int_equal(count_of(text_data(&out), "class=\"ax\""), charts);
		assert_int_equal(count_of(text_data(&out), "class=\"ay\""), charts);
		text_release(&out);
		fake_close(&file);
	}
}

static void every_column_has_a_name(void **state)
{
	for (int kind = 0; kind < FAKE_KINDS; kind++) {
		struct fake_file file;
		struct text out = { 0 };

		render(&file, kind, REPORT_ENGLISH, &out);
		assert_null(strstr(text_data(&out), "<th></th>"));
		assert_null(strstr(text_data(&out), "\"col\"></th>"));
		assert_null(strstr(text_data(&out), "class=\"n\"></th>"));
		text_release(&out);
		fake_close(&file);
	}
}

/* Outside of tags: 1e+04 and 1e-05 are for programs. The seed's and the hostile run's own numbers are theirs. */
static void no_number_has_an_exponent(void **state)
{
	for (int kind = 0; kind < FAKE_HOSTILE; kind++) {
		struct fake_file file;
		struct text out = { 0 };
		bool inside = false;

		render(&file, kind, REPORT_ENGLISH, &out);
		for (const char *at = text_data(&out); *at; at++) {
			inside = *at == '<' || (inside && *at != '>');
			if (!inside && isdigit((unsigned char)at[0]) && at[1] == 'e' &&
			    (at[2] == '+' || at[2] == '-'))
				fail_msg("%s: '%.20s'", fake_kind_name[kind], at);
		}
		text_release(&out);
		fake_close(&file);
	}
}

/* Not inside of words or pictures. */
static bool holds_word(const char *text, const char *what)
{
	for (const char *at = text; (at = strstr(at, what)); at++)
		if (!isalnum((unsigned char)at[-1]) && !isalnum((unsigned char)at[strlen(what)]))
			return true;
	return false;
}

static void numbers_are_finite_everywhere(void **state)
{
	for (int kind = 0; kind < FAKE_KINDS; kind++) {
		struct fake_file file;
		struct text out = { 0 };

		render(&file, kind, REPORT_ENGLISH, &out);
		assert_false(holds_word(text_data(&out), "nan"));
		assert_false(holds_word(text_data(&out), "inf"));
		assert_null(strstr(text_data(&out), "-2147483648"));
		text_release(&out);
		fake_close(&file);
	}
}

/* One model: what the table of the page says is what the document says. */
static void results_agree_with_the_model(void **state)
{
	static const enum fake_kind kinds[] = { FAKE_QUICK, FAKE_SWEEP, FAKE_ROUNDS, FAKE_OPEN };

	for (int kind = 0; kind < 4; kind++) {
		struct fake_file file;
		struct text out = { 0 };
		struct report_model *model;

		render(&file, kinds[kind], REPORT_ENGLISH, &out);
		assert_int_equal(report_model_new(file.store, REPORT_ALL_TARGETS, &model, NULL), 0);
		for (uint32_t i = 0; i < model->step_count; i++)
			for (int op = 0; op < IO_OPS; op++) {
				const struct report_op *told = &model->steps[i].loads[0].op[op];
				char number[PAGE_NUMBER], cells[400], rate[PAGE_NUMBER], mean[PAGE_NUMBER];

				if (!told->used)
					continue;
				snprintf(cells, sizeof(cells),
					 "<td class=\"n\">%s</td><td class=\"n\">%s</td><td "
					 "class=\"n\">%s</td>",
					 page_count_text(told->iops, number),
					 page_count_text(told->bytes_per_second / 1e6, rate),
					 page_latency_text(
						 report_natural(&model->steps[i].loads[0], op)->mean_ns,
						 mean));
				assert_non_null(strstr(text_data(&out), cells));
			}
		report_model_free(model);
		text_release(&out);
		fake_close(&file);
	}
}

static void states_and_conditions_are_told(void **state)
{
	struct fake_file file;
	struct text out = { 0 };

	render(&file, FAKE_QUICK, REPORT_ENGLISH, &out);
	assert_non_null(strstr(text_data(&out), "say nothing about the steady state"));
	assert_non_null(strstr(text_data(&out), "random read 4k, QD\xc2\xa0" "32\xc2\xa0\xc3\x97\xc2\xa0" "16"));
	text_release(&out);
	fake_close(&file);
	render(&file, FAKE_HOUR, REPORT_ENGLISH, &out);
	assert_non_null(strstr(text_data(&out), "purged, then partly written"));
	assert_non_null(strstr(text_data(&out), "time limited"));
	assert_non_null(strstr(text_data(&out), "Known truth of the simulated drive"));
	text_release(&out);
	fake_close(&file);
	render(&file, FAKE_EMPTY, REPORT_ENGLISH, &out);
	assert_non_null(strstr(text_data(&out), "interrupted by the user"));
	text_release(&out);
	fake_close(&file);
}

/* Stalls come from events, their ends from the list; what isn't a pair of numbers is left out. */
static void stalls_are_drawn(void **state)
{
	struct fake_file file;
	struct text out = { 0 };

	render(&file, FAKE_HOUR, REPORT_ENGLISH, &out);
	assert_non_null(strstr(text_data(&out), "Stalls against time"));
	assert_non_null(strstr(text_data(&out), "3 times of 10 ms or more without a completion; the longest drawn took "
						"1.18\xe2\x80\xafs, in write. 2 of them are drawn."));
	text_release(&out);
	fake_close(&file);
	render(&file, FAKE_QUICK, REPORT_ENGLISH, &out);
	assert_null(strstr(text_data(&out), "Stalls against time"));
	text_release(&out);
	fake_close(&file);
}

/* Loads that ran at the same time on two drives are never added up. */
static void drives_of_one_run_are_told_apart(void **state)
{
	struct fake_file file;
	struct text out = { 0 };

	render(&file, FAKE_PAIR, REPORT_ENGLISH, &out);
	assert_non_null(strstr(text_data(&out), "2 runs side by side"));
	assert_non_null(strstr(text_data(&out), "id=\"run2\""));
	assert_non_null(strstr(text_data(&out), "<p class=\"big\">3000<small>IOPS"));
	assert_non_null(strstr(text_data(&out), "<p class=\"big\">1500<small>IOPS"));
	assert_null(strstr(text_data(&out), "4500"));
	text_release(&out);
	fake_close(&file);
}

/* Two runs that share no point have nothing to be put side by side, and the page says so. */
static void unlike_runs_are_not_compared(void **state)
{
	struct fake_file files[2];
	struct text out = { 0 };

	fake_open(&files[0], FAKE_SWEEP, 0);
	fake_open(&files[1], FAKE_OPEN, 0);
	assert_int_equal(report_html((struct store *[]){ files[0].store, files[1].store }, 2, NULL, &out, NULL), 0);
	assert_non_null(strstr(text_data(&out), "<h1>2 runs</h1>"));
	assert_null(strstr(text_data(&out), "Side by side"));
	assert_null(strstr(text_data(&out), "runs side by side"));
	assert_non_null(strstr(text_data(&out), "so there is nothing to put side by side"));
	assert_non_null(strstr(text_data(&out), "id=\"run2\""));
	text_release(&out);
	fake_close(&files[0]);
	fake_close(&files[1]);
}

/* Two other methods stand beside a verdict, and say that they don't decide. */
static void cross_checks_stand_beside_the_verdict(void **state)
{
	struct fake_file file;
	struct text out = { 0 };

	render(&file, FAKE_HOUR, REPORT_ENGLISH, &out);
	assert_non_null(strstr(text_data(&out), "<summary>Cross-checks</summary>"));
	assert_non_null(strstr(text_data(&out), "<td class=\"n\">none found</td><td class=\"n\">-0.31 %</td>"
						"<td class=\"n\">-1.1 % \xe2\x80\x93 +0.4 %</td><td class=\"n\">0.41</td>"));
	text_release(&out);
	fake_close(&file);
	render(&file, FAKE_ROUNDS, REPORT_ENGLISH, &out);
	assert_null(strstr(text_data(&out), "Cross-checks"));
	text_release(&out);
	fake_close(&file);
}

static void numbers_are_grouped_with_thin_spaces(void **state)
{
	char number[PAGE_NUMBER];

	assert_string_equal(page_count_text(1234567, number), "1\xe2\x80\xaf" "234\xe2\x80\xaf" "567");
	assert_string_equal(page_count_text(48210.4, number), "48\xe2\x80\xaf" "210");
	assert_string_equal(page_count_text(3410, number), "3410");
	assert_string_equal(page_count_text(99.95, number), "100.0");
	assert_string_equal(page_count_text(1.5, number), "1.50");
	assert_string_equal(page_count_text(0.0 / 0.0, number), "n/a");
	assert_string_equal(page_latency_text(83100, number), "83.1\xe2\x80\xaf\xc2\xb5s");
	assert_string_equal(page_latency_text(0.0 / 0.0, number), "n/a");
	assert_string_equal(page_rate_text(3410e6, number), "3410\xe2\x80\xafMB/s");
}

/* Ten drives with 5000 seconds each. How long the page takes is measured by tests/bench/report_page.sh. */
static void ten_long_runs_fit_into_three_megabytes(void **state)
{
	struct fake_file file;
	struct store *runs[10];
	struct text out = { 0 };

	fake_open(&file, FAKE_HOUR, 5000);
	for (int i = 0; i < 10; i++)
		runs[i] = file.store;
	assert_int_equal(report_html(runs, 10, NULL, &out, NULL), 0);
	print_message("# %zu bytes\n", out.bytes);
	assert_in_range(out.bytes, 100000, 3000000);
	assert_non_null(strstr(text_data(&out), "<path class=\"l gh\""));	/* eight have colours, the others are grey */
	assert_non_null(strstr(text_data(&out), "In grey: "));
	text_release(&out);
	fake_close(&file);
}

/* What is laid out later keeps its counters to itself: one that is reset on it starts again at each heading. */
static void sections_are_counted_inside_of_what_is_laid_out_later(void **state)
{
	struct fake_file file;
	struct text out = { 0 };

	render(&file, 0, REPORT_ENGLISH, &out);
	assert_non_null(strstr(text_data(&out), "~main{content-visibility:auto"));
	assert_non_null(strstr(text_data(&out), "main>:first-child{counter-reset:s}"));
	assert_null(strstr(text_data(&out), "main{counter-reset"));
	text_release(&out);
	fake_close(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_loaded_from_the_network),
		cmocka_unit_test(hostile_strings_make_no_tags),
		cmocka_unit_test(tags_are_balanced),
		cmocka_unit_test(every_chart_has_title_description_and_finding),
		cmocka_unit_test(every_chart_has_a_table),
		cmocka_unit_test(every_column_has_a_name),
		cmocka_unit_test(no_number_has_an_exponent),
		cmocka_unit_test(sections_are_counted_inside_of_what_is_laid_out_later),
		cmocka_unit_test(numbers_are_finite_everywhere),
		cmocka_unit_test(results_agree_with_the_model),
		cmocka_unit_test(states_and_conditions_are_told),
		cmocka_unit_test(stalls_are_drawn),
		cmocka_unit_test(drives_of_one_run_are_told_apart),
		cmocka_unit_test(unlike_runs_are_not_compared),
		cmocka_unit_test(cross_checks_stand_beside_the_verdict),
		cmocka_unit_test(numbers_are_grouped_with_thin_spaces),
		cmocka_unit_test(ten_long_runs_fit_into_three_megabytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
