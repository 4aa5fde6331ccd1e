/* Where the words of a drawing come to lie, on a screen, on paper and on a phone: the style sheet's measures,
 * and letters as wide as those of a wide typeface. */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include "report/crowd.h"
#include "report/report.h"
#include "report/style.h"

struct media {
	const char *name;
	double wide, half;	/* pixels of the drawing */
	bool narrow;
};

static const struct media medias[] = {
	{ "screen", 1032, 498, false }, { "paper", 688, 688, false }, { "phone", 362, 362, true },
};

struct frame {
	const char *size;
	const char *rule;		/* of the style sheet, which this has to follow */
	double top, right, bottom, left, height;
};

static const struct frame frames[] = {
	{ "c wide", "svg.c{display:block;width:100%;height:300px;overflow:visible;padding:26px 168px 40px 66px}", 26, 168, 40,
	  66, 300 },
	{ "c half", "svg.c.half{height:270px;padding-right:128px}", 26, 128, 40, 66, 270 },
	{ "c low", "svg.c.low{height:150px}", 26, 168, 40, 66, 150 },
	{ "c strip", "svg.c.strip{padding:26px 20px 40px 70px}", 26, 20, 40, 70, 300 },
};
static const struct frame phone = {
	"", "svg.c,svg.c.half,svg.c.strip,.beside .c.wide{padding:26px 26px 40px 64px;height:260px}", 26, 26, 40, 64, 260
};

struct box {
	char words[96], kind[32];
	double left, right, top, bottom;
};

static double attribute(const char *tag, const char *name, double otherwise)
{
	const char *end = strchr(tag, '>'), *at = strstr(tag, name);

	return at && at < end ? strtod(at + strlen(name), NULL) : otherwise;
}

static bool has_class(const struct box *box, const char *name)
{
	char list[40], wanted[16];

	snprintf(list, sizeof(list), " %s ", box->kind);
	snprintf(wanted, sizeof(wanted), " %s ", name);
	return strstr(list, wanted) != NULL;
}

/* False: not shown there. */
static bool box_read(const char *tag, const struct frame *frame, const struct media *media, double width,
		     struct box *box)
{
	double plot_width = width - frame->left - frame->right, plot_height = frame->height - frame->top - frame->bottom;
	double x = attribute(tag, " x=\"", 0) / 100 * plot_width + attribute(tag, " dx=\"", 0), pixels, letter;
	double y = attribute(tag, " y=\"", 0) / 100 * plot_height + attribute(tag, " dy=\"", 0);
	const char *words = strchr(tag, '>') + 1;

	snprintf(box->kind, sizeof(box->kind), "%.*s", (int)strcspn(tag + 13, "\""), tag + 13);
	snprintf(box->words, sizeof(box->words), "%.*s", (int)strcspn(words, "<"), words);
	if (media->narrow && (has_class(box, "el") || has_class(box, "o") || has_class(box, "rx") || has_class(box, "top")))
		return false;
	letter = media->narrow || has_class(box, "rl") || has_class(box, "v") ? 11 : 12;
	pixels = crowd_width(box->words, letter);
	if (has_class(box, "ay"))
		x += media->narrow ? -44 : -46;
	if (media->narrow && has_class(box, "dn"))
		y += 12;
	box->left = has_class(box, "tx") ? x - pixels / 2 : has_class(box, "ty") || has_class(box, "ax") ||
		    has_class(box, "e") ?
		    x - pixels : x;
	box->right = box->left + pixels;
	box->top = y - 8;
	box->bottom = y + 2;
	return true;
}

static bool overlap(const struct box *a, const struct box *b)
{
	return a->left < b->right - 2 && b->left < a->right - 2 && a->top < b->bottom - 1 &&
	       b->top < a->bottom - 1;
}

/* Names of steps over a chart stand where the steps begin, and may lie on what is drawn. */
static bool is_loose(const struct box *box)
{
	return has_class(box, "rl") && !has_class(box, "tx");
}

static uint32_t check_drawing(const char *svg, const char *end, const struct frame *frame,
			      const struct media *media)
{
	double width = strstr(frame->size, "half") ? media->half : strstr(frame->size, "strip") &&
		       !media->narrow ? 236 :
		       media->wide;
	static struct box boxes[512];
	uint32_t count = 0;

	for (const char *tag = svg; (tag = strstr(tag, "<text class=")) && tag < end && count < 512; tag++)
		count += box_read(tag, frame, media, width, &boxes[count]);
	for (uint32_t i = 0; i < count; i++) {
		const struct box *box = &boxes[i];

		if (!box->words[0])
			fail_msg("%s: an empty text of class '%s'", media->name, box->kind);
		if (!is_loose(box) && (box->left < -frame->left - 1 || box->right > width - frame->left + 1))
			fail_msg("%s, %s: '%s' (%s) ends outside", media->name, frame->size, box->words,
				 box->kind);
		for (uint32_t j = 0; j < i; j++)
			if (!is_loose(box) && !is_loose(&boxes[j]) && overlap(box, &boxes[j]))
				fail_msg("%s, %s: '%s' (%s) covers '%s' (%s)", media->name, frame->size,
					 box->words, box->kind, boxes[j].words, boxes[j].kind);
	}
	return count;
}

static uint32_t check_page(const char *html, const struct media *media)
{
	uint32_t texts = 0;

	for (const char *svg = html; (svg = strstr(svg, "<svg role=\"img\"")); svg++) {
		const char *end = strstr(svg, "</figure>"), *classes = strstr(svg, "class=\"") + 7;

		for (uint32_t i = 0; i < sizeof(frames) / sizeof(*frames); i++) {
			struct frame frame = media->narrow ? phone : frames[i];

			if (strncmp(classes, frames[i].size, strlen(frames[i].size)))
				continue;
			frame.size = frames[i].size;
			if (strstr(frame.size, "low"))
				frame.height = frames[i].height;
			if (strncmp(classes + strlen(frame.size), " cat", 4) == 0)
				frame.bottom = 52;
			texts += check_drawing(svg, end, &frame, media);
		}
	}
	return texts;
}

static void the_measures_are_those_of_the_style_sheet(void **state)
{
	for (uint32_t i = 0; i < sizeof(frames) / sizeof(*frames); i++)
		assert_non_null(strstr(page_style, frames[i].rule));
	assert_non_null(strstr(page_style, phone.rule));
}

static void words_lie_inside_the_drawing_and_cover_no_others(void **state)
{
	uint32_t texts = 0;

	for (int kind = 0; kind < FAKE_KINDS; kind++) {
		struct report_options options = { 0 };
		struct fake_file file;
		struct text out = { 0 };

		if (kind == FAKE_HOSTILE)	/* names as long as they like are cut by hand */
			continue;
		fake_open(&file, kind, 200);
		assert_int_equal(report_html(&file.store, 1, &options, &out, NULL), 0);
		for (uint32_t i = 0; i < sizeof(medias) / sizeof(*medias); i++)
			texts += check_page(text_data(&out), &medias[i]);
		text_release(&out);
		fake_close(&file);
	}
	assert_true(texts > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_measures_are_those_of_the_style_sheet),
		cmocka_unit_test(words_lie_inside_the_drawing_and_cover_no_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
