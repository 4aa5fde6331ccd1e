#include "report/chart.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "report/base64.h"

#define ROW_HEIGHT 40u	/* pixels */
#define ROWS_FRAME 66u
#define LABEL_PIXELS 14.0	/* least distance of two labels */
#define TEXT_PIXELS 12.0	/* letters, as in the style sheet */
#define SMALL_PIXELS 11.0
#define EDGE_PIXELS 4.0	/* between a rule and its label */
#define TITLE_SHARE 24.0	/* percent of a phone's plot that the title of the y axis reaches over */

static double place_x(const struct chart *chart, double x)
{
	return scale_place(&chart->x.scale, x);
}

static double place_y(const struct chart *chart, double y)
{
	return scale_place(&chart->y.scale, y);
}

static struct text *out_of(const struct chart *chart)
{
	return chart->page->out;
}

/* -- frame -- */

static void grid_x(struct chart *chart)
{
	struct tick ticks[TICKS_MAX];
	static const uint32_t wanted[] = { 9, 6, 9, 3, 5 };
	uint32_t count = scale_ticks(&chart->x.scale, chart->x.unit, wanted[chart->size], ticks);
	uint32_t labelled = 0;

	for (uint32_t i = 0; i < count; i++) {
		double at = place_x(chart, ticks[i].value) / 10;
		const char *classes = labelled % 2 ? "tx o" : "tx";

		if (ticks[i].minor)
			continue;
		labelled++;
		text_printf(out_of(chart),
			    "<line class=\"tick\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"100%%\" y2=\"100%%\"/>"
			    "<text class=\"%s\" x=\"%.2f%%\" y=\"100%%\" dy=\"17\">",
			    at, at, classes, at);
		page_text(chart->page, ticks[i].label);
		text_append(out_of(chart), "</text>");
	}
}

static void grid_y(struct chart *chart)
{
	struct tick ticks[TICKS_MAX];
	uint32_t count = scale_ticks(&chart->y.scale, chart->y.unit, chart->size == CHART_LOW ? 3 : 6, ticks);

	for (uint32_t i = 0; i < count; i++) {
		double at = place_y(chart, ticks[i].value) / 10;

		text_printf(out_of(chart),
			    "<line class=\"%s\" x1=\"0\" x2=\"100%%\" y1=\"%.2f%%\" y2=\"%.2f%%\"/>",
			    ticks[i].minor ? "grid g2" : "grid", at, at);
		if (ticks[i].minor)
			continue;
		text_printf(out_of(chart), "<text class=\"ty\" x=\"0\" dx=\"-8\" y=\"%.2f%%\" dy=\"4\">", at);
		page_text(chart->page, ticks[i].label);
		text_append(out_of(chart), "</text>");
	}
}

static void axis_titles(struct chart *chart)
{
	text_append(out_of(chart), "<text class=\"ay\" x=\"0\" dx=\"-8\" y=\"0\" dy=\"-12\">");
	page_text(chart->page, chart->y.title);
	text_append(out_of(chart), "</text><text class=\"ax\" x=\"100%\" y=\"100%\"");
	text_printf(out_of(chart), " dy=\"%d\">", chart->x.categories ? 46 : 34);
	page_text(chart->page, chart->x.title);
	text_append(out_of(chart), "</text>\n");
}

static void open_drawing(struct chart *chart, const char *title, const char *description)
{
	static const char *const classes[] = { "wide", "half", "low", "strip", "rows" };
	uint32_t id = chart->page->next_id++;

	text_printf(out_of(chart), "<figure class=\"%s\" id=\"f%u\">", classes[chart->size], id);
	page_element(chart->page, "h4", NULL, title);
	text_printf(out_of(chart), "<svg role=\"img\" aria-labelledby=\"t%u d%u\" class=\"c %s%s\"", id, id,
		    classes[chart->size], chart->x.categories ? " cat" : "");
	if (chart->size == CHART_ROWS)
		text_printf(out_of(chart), " style=\"height:%upx\"", ROWS_FRAME + ROW_HEIGHT * chart->rows);
	text_printf(out_of(chart), "><title id=\"t%u\">", id);
	page_text(chart->page, title);
	text_printf(out_of(chart), "</title><desc id=\"d%u\">", id);
	page_text(chart->page, description);
	text_append(out_of(chart), "</desc>\n");
}

static void scale_ready(struct scale *scale, double from, double to)
{
	scale->from = from;
	scale->to = to;
	if (!(scale->high > scale->low))
		scale->high = scale->kind == SCALE_LINEAR ? scale->low + 1 : scale->low * 2;
}

/* How wide the style sheet makes a plot: on a screen or A4 paper at least, and on a phone of 390 pixels. */
static struct crowd crowd_of(enum chart_size size)
{
	bool wide = size == CHART_WIDE || size == CHART_LOW;

	return (struct crowd){ .wide_pixels = wide ? 454 : 300, .narrow_pixels = 272, .high_pixels = 184 };
}

void chart_begin(struct chart *chart, struct page *page, enum chart_size size, const char *title,
		 const char *description)
{
	chart->page = page;
	chart->size = size;
	chart->label_count = 0;
	chart->numbers = chart->categories = chart->rules = crowd_of(size);
	scale_ready(&chart->x.scale, 0, CHART_BOX);
	scale_ready(&chart->y.scale, CHART_BOX, 0);
	open_drawing(chart, title, description);
	if (!chart->y.categories)
		grid_y(chart);
	if (!chart->x.categories)
		grid_x(chart);
	axis_titles(chart);
}

/* -- paths -- */

static void box_begin(struct chart *chart)
{
	text_append(out_of(chart), "<svg viewBox=\"0 0 1000 1000\" preserveAspectRatio=\"none\" "
				   "width=\"100%\" height=\"100%\">");
}

static void box_end(struct chart *chart)
{
	text_append(out_of(chart), "</svg>\n");
}

/* A path of whole units, relative after the first point of each piece. */
struct pen {
	struct text *out;
	int x, y;
	bool down;
};

static void pen_to(struct pen *pen, double x, double y)
{
	int next_x = (int)lround(x), next_y = (int)lround(y);

	if (!pen->down)
		text_printf(pen->out, "M%d %dl0 0", next_x, next_y);
	else if (next_x != pen->x || next_y != pen->y)
		text_printf(pen->out, " %d %d", next_x - pen->x, next_y - pen->y);
	pen->x = next_x;
	pen->y = next_y;
	pen->down = true;
}

/* What lies in one column of the plot. */
struct column {
	int at;
	uint32_t count;
	double first, low, high, last;
};

static void column_flush(struct pen *pen, const struct column *column)
{
	if (!column->count)
		return;
	pen_to(pen, column->at, column->first);
	if (column->count > 1) {
		pen_to(pen, column->at, column->low);
		pen_to(pen, column->at, column->high);
		pen_to(pen, column->at, column->last);
	}
}

static void column_add(struct column *column, double y)
{
	if (!column->count++)
		column->first = column->low = column->high = y;
	column->low = fmin(column->low, y);
	column->high = fmax(column->high, y);
	column->last = y;
}

static void draw_line(struct chart *chart, const double *x, const double *y, uint32_t count)
{
	struct pen pen = { .out = out_of(chart) };
	struct column column = { .at = -1 };

	for (uint32_t i = 0; i < count; i++) {
		int at = isnan(y[i]) ? -1 : (int)lround(place_x(chart, x[i]));

		if (at != column.at) {
			column_flush(&pen, &column);
			column = (struct column){ .at = at };
		}
		if (at < 0)
			pen.down = false;
		else
			column_add(&column, place_y(chart, y[i]));
	}
	column_flush(&pen, &column);
}

static bool is_lone(const double *y, uint32_t count, uint32_t at)
{
	return !isnan(y[at]) && (!at || isnan(y[at - 1])) && (at + 1 == count || isnan(y[at + 1]));
}

/* A point between two gaps is a line without length, which nobody sees: a dot. */
static void draw_lone(struct chart *chart, uint32_t series, const double *x, const double *y, uint32_t count)
{
	bool any = false;

	for (uint32_t i = 0; i < count; i++) {
		if (!is_lone(y, count, i))
			continue;
		if (!any)
			text_printf(out_of(chart), "<path class=\"p s%u\" d=\"", series % CHART_SERIES_MAX);
		any = true;
		text_printf(out_of(chart), "M%ld %ldh0", lround(place_x(chart, x[i])),
			    lround(place_y(chart, y[i])));
	}
	if (any)
		text_append(out_of(chart), "\"/>");
}

static double last_place(const struct chart *chart, const double *y, uint32_t count)
{
	while (count && isnan(y[count - 1]))
		count--;
	return count ? place_y(chart, y[count - 1]) : NAN;
}

static void add_label(struct chart *chart, uint32_t series, double place, const char *string, bool dot)
{
	struct chart_name *label;

	if (isnan(place) || chart->label_count == CHART_SERIES_MAX)
		return;
	label = &chart->labels[chart->label_count++];
	label->place = place;
	label->series = series % CHART_SERIES_MAX;
	label->dot = dot;
	snprintf(label->text, sizeof(label->text), "%s", string);
}

void chart_line(struct chart *chart, uint32_t series, const double *x, const double *y, uint32_t count,
		const char *label)
{
	if (!count)
		return;
	box_begin(chart);
	text_printf(out_of(chart), "<path class=\"l s%u%s\" d=\"", series % CHART_SERIES_MAX,
		    count > 300 || chart->solid ? " dense" : "");
	draw_line(chart, x, y, count);
	text_append(out_of(chart), "\"/>");
	draw_lone(chart, series, x, y, count);
	box_end(chart);
	if (label)
		add_label(chart, series, last_place(chart, y, count), label, false);
}

void chart_faint(struct chart *chart, uint32_t series, const double *x, const double *y, uint32_t count)
{
	if (!count)
		return;
	box_begin(chart);
	text_printf(out_of(chart), "<path class=\"l f s%u\" d=\"", series % CHART_SERIES_MAX);
	draw_line(chart, x, y, count);
	text_append(out_of(chart), "\"/>");
	box_end(chart);
}

void chart_ghost(struct chart *chart, const double *x, const double *y, uint32_t count)
{
	if (!count)
		return;
	box_begin(chart);
	text_append(out_of(chart), "<path class=\"l gh\" d=\"");
	draw_line(chart, x, y, count);
	text_append(out_of(chart), "\"/>");
	box_end(chart);
}

/* Dots are strokes without length: round, and of the same size however the plot is stretched. */
void chart_dots(struct chart *chart, uint32_t series, const double *x, const double *y, uint32_t count)
{
	int last_x = 0, last_y = 0;

	box_begin(chart);
	text_printf(out_of(chart), "<path class=\"d s%u\" d=\"", series % CHART_SERIES_MAX);
	for (uint32_t i = 0; i < count; i++) {
		int at_x = (int)lround(place_x(chart, x[i]));
		int at_y = isnan(y[i]) ? last_y : (int)lround(place_y(chart, y[i]));

		if (isnan(y[i]) || (i && at_x == last_x && at_y == last_y))
			continue;
		text_printf(out_of(chart), i ? "m%d %dh0" : "M%d %dh0", at_x - last_x, at_y - last_y);
		last_x = at_x;
		last_y = at_y;
	}
	text_append(out_of(chart), "\"/>");
	box_end(chart);
}

void chart_marks(struct chart *chart, uint32_t series, const double *x, const double *y, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (!isnan(y[i]))
			text_printf(out_of(chart),
				    "<circle class=\"m s%u\" cx=\"%.2f%%\" cy=\"%.2f%%\" r=\"3.2\"/>",
				    series % CHART_SERIES_MAX, place_x(chart, x[i]) / 10,
				    place_y(chart, y[i]) / 10);
}

void chart_band(struct chart *chart, uint32_t series, const double *x, const double *low, const double *high,
		uint32_t count)
{
	struct pen pen = { .out = out_of(chart) };

	if (!count)
		return;
	box_begin(chart);
	text_printf(out_of(chart), "<path class=\"b s%u\" d=\"", series % CHART_SERIES_MAX);
	for (uint32_t i = 0; i < count; i++)
		pen_to(&pen, place_x(chart, x[i]), place_y(chart, high[i]));
	for (uint32_t i = count; i--;)
		pen_to(&pen, place_x(chart, x[i]), place_y(chart, low[i]));
	text_append(out_of(chart), "z\"/>");
	box_end(chart);
}

void chart_whisker(struct chart *chart, uint32_t series, double x, double low, double high)
{
	text_printf(out_of(chart),
		    "<line class=\"w s%u\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"%.2f%%\" y2=\"%.2f%%\"/>",
		    series % CHART_SERIES_MAX, place_x(chart, x) / 10, place_x(chart, x) / 10,
		    place_y(chart, low) / 10, place_y(chart, high) / 10);
}

/* -- rules, shades, bars, pictures -- */

static const char *rule_class(enum chart_rule rule)
{
	static const char *const classes[] = { "r", "r dash", "r dot" };

	return classes[rule];
}

static void rule_line(struct chart *chart, enum chart_rule rule, double x0, double y0, double x1, double y1)
{
	text_printf(out_of(chart),
		    "<line class=\"%s\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"%.2f%%\" y2=\"%.2f%%\"/>",
		    rule_class(rule), x0 / 10, x1 / 10, y0 / 10, y1 / 10);
}

/* At the upper edge, behind the place or, close to the right edge, before it. */
static void edge_label(struct chart *chart, const char *classes, double at, bool left, const char *label)
{
	double pixels = crowd_width(label, SMALL_PIXELS);
	double half = (pixels / 2 + EDGE_PIXELS) / chart->rules.wide_pixels * CHART_BOX;
	enum crowd_fit fit = crowd_add(&chart->rules, left ? at - half : at + half, 0, pixels);

	if (fit == CROWD_FULL)
		return;
	text_printf(out_of(chart), "<text class=\"%s%s%s\" x=\"%.2f%%\" dx=\"%g\" y=\"0\" dy=\"12\">", classes,
		    left ? " e" : "", fit == CROWD_FITS ? "" : " o", at / 10, left ? -EDGE_PIXELS : EDGE_PIXELS);
	page_text(chart->page, label);
	text_append(out_of(chart), "</text>");
}

void chart_rule_x(struct chart *chart, double x, enum chart_rule rule, const char *label)
{
	double at = place_x(chart, x);

	rule_line(chart, rule, at, 0, at, CHART_BOX);
	if (label)
		edge_label(chart, "rl rx", at, chart->size == CHART_HALF && at > 0.8 * CHART_BOX, label);
}

void chart_rule_y(struct chart *chart, double y, enum chart_rule rule, const char *label)
{
	double at = place_y(chart, y);

	rule_line(chart, rule, 0, at, CHART_BOX, at);
	if (!label)
		return;
	text_printf(out_of(chart), "<text class=\"rl\" x=\"0\" dx=\"4\" y=\"%.2f%%\" dy=\"-4\">", at / 10);
	page_text(chart->page, label);
	text_append(out_of(chart), "</text>");
}

void chart_segment(struct chart *chart, double x0, double y0, double x1, double y1, enum chart_rule rule)
{
	rule_line(chart, rule, place_x(chart, x0), place_y(chart, y0), place_x(chart, x1),
		  place_y(chart, y1));
}

void chart_shade(struct chart *chart, double x0, double x1, const char *label)
{
	double from = place_x(chart, x0), to = place_x(chart, x1);

	text_printf(out_of(chart),
		    "<rect class=\"sh\" x=\"%.2f%%\" width=\"%.2f%%\" y=\"0\" height=\"100%%\"/>", from / 10,
		    (to - from) / 10);
	if (label && from > 0.7 * CHART_BOX)
		edge_label(chart, "rl", to, true, label);
	else if (label)
		edge_label(chart, "rl", from, false, label);
}

void chart_bar(struct chart *chart, uint32_t series, double x0, double x1, double y, const char *number)
{
	double from = place_x(chart, x0), to = place_x(chart, x1), top = place_y(chart, y);

	text_printf(out_of(chart),
		    "<rect class=\"bar s%u\" x=\"%.2f%%\" width=\"%.2f%%\" y=\"%.2f%%\" height=\"%.2f%%\"/>",
		    series % CHART_SERIES_MAX, from / 10, (to - from) / 10, top / 10, (CHART_BOX - top) / 10);
	if (number)
		chart_number(chart, (x0 + x1) / 2, y, number);
}

void chart_bar_level(struct chart *chart, uint32_t series, double x, double y0, double y1)
{
	double right = place_x(chart, x), low = place_y(chart, y0), high = place_y(chart, y1);

	text_printf(out_of(chart),
		    "<rect class=\"bar s%u\" x=\"0\" width=\"%.2f%%\" y=\"%.2f%%\" height=\"%.2f%%\"/>",
		    series % CHART_SERIES_MAX, right / 10, high / 10, (low - high) / 10);
}

static void row_words(struct chart *chart, const char *classes, const char *x, double y, const char *words)
{
	text_printf(out_of(chart), "<text class=\"%s\" x=\"%s\" y=\"%.2f%%\" dy=\"-9\">", classes, x, y / 10);
	page_text(chart->page, words);
	text_append(out_of(chart), "</text>");
}

void chart_row(struct chart *chart, uint32_t row, uint32_t series, const char *name, const char *words,
	       double value, double low, double high)
{
	double at = CHART_BOX * (row + 0.72) / chart->rows, to = place_x(chart, value);

	row_words(chart, "rn", "0", at, name);
	row_words(chart, "rv", "100%", at, words);
	rule_line(chart, CHART_PLAIN, 0, at, to, at);
	if (high > low)
		text_printf(out_of(chart),
			    "<line class=\"w s%u wide\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"%.2f%%\" "
			    "y2=\"%.2f%%\"/>",
			    series % CHART_SERIES_MAX, place_x(chart, low) / 10, place_x(chart, high) / 10,
			    at / 10, at / 10);
	text_printf(out_of(chart), "<circle class=\"m s%u\" cx=\"%.2f%%\" cy=\"%.2f%%\" r=\"4\"/>\n",
		    series % CHART_SERIES_MAX, to / 10, at / 10);
}

void chart_bracket(struct chart *chart, uint32_t first, uint32_t last)
{
	double top = 100 * (first + 0.35) / chart->rows, bottom = 100 * (last + 0.85) / chart->rows;

	text_printf(out_of(chart),
		    "<svg x=\"100%%\" width=\"10\" y=\"%.2f%%\" height=\"%.2f%%\"><path class=\"br\" "
		    "d=\"M3 0H6\"/><line class=\"br\" x1=\"6\" x2=\"6\" y1=\"0\" y2=\"100%%\"/>"
		    "<line class=\"br\" x1=\"3\" x2=\"6\" y1=\"100%%\" y2=\"100%%\"/></svg>",
		    top, bottom - top);
}

void chart_tick_top(struct chart *chart, double x, const char *label)
{
	double at = place_x(chart, x) / 10;

	text_printf(out_of(chart),
		    "<svg y=\"-6\" height=\"6\"><line class=\"r\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"0\" "
		    "y2=\"6\"/></svg>"
		    "<text class=\"tx rl%s\" x=\"%.2f%%\" y=\"0\" dy=\"-10\">",
		    at, at, at < TITLE_SHARE ? " o" : "", at);
	page_text(chart->page, label);
	text_append(out_of(chart), "</text>");
}

void chart_top_title(struct chart *chart, const char *title)
{
	text_append(out_of(chart), "<text class=\"rl top\" x=\"100%\" y=\"0\" dx=\"24\" dy=\"-10\">");
	page_text(chart->page, title);
	text_append(out_of(chart), "</text>\n");
}

void chart_number(struct chart *chart, double x, double y, const char *number)
{
	double at = place_x(chart, x), top = place_y(chart, y);
	enum crowd_fit fit = crowd_add(&chart->numbers, at, top, crowd_width(number, SMALL_PIXELS));

	if (fit == CROWD_FULL)
		return;
	/* labels of lines stand behind the right edge */
	text_printf(out_of(chart), "<text class=\"tx v%s%s\" x=\"%.2f%%\" y=\"%.2f%%\" dy=\"-4\">",
		    fit == CROWD_FITS ? "" : " o", at > 0.98 * CHART_BOX ? " e" : "", at / 10, top / 10);
	page_text(chart->page, number);
	text_append(out_of(chart), "</text>");
}

void chart_error(struct chart *chart, double x, double low, double high)
{
	text_printf(out_of(chart),
		    "<line class=\"w we\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"%.2f%%\" y2=\"%.2f%%\"/>",
		    place_x(chart, x) / 10, place_x(chart, x) / 10, place_y(chart, low) / 10,
		    place_y(chart, high) / 10);
}

void chart_label(struct chart *chart, uint32_t series, double y, const char *label)
{
	if (label)
		add_label(chart, series, place_y(chart, y), label, true);
}

void chart_raster(struct chart *chart, const struct raster *raster)
{
	struct text png = { 0 };
	int error = raster_png(raster, &png);

	if (error && !out_of(chart)->error)
		out_of(chart)->error = error;
	text_append(out_of(chart), "<image width=\"100%\" height=\"100%\" preserveAspectRatio=\"none\" "
		    "href=\"data:image/png;base64,");
	base64_append(out_of(chart), text_data(&png), png.bytes);
	text_append(out_of(chart), "\"/>\n");
	text_release(&png);
}

/* On a second line where the one before leaves no room. */
void chart_category(struct chart *chart, double x, const char *label)
{
	double at = place_x(chart, x), width = crowd_width(label, TEXT_PIXELS);
	enum crowd_fit fit = crowd_add(&chart->categories, at, 0, width);

	if (fit == CROWD_FULL)
		crowd_add(&chart->categories, at, CHART_BOX, width);
	text_printf(out_of(chart), "<text class=\"tx%s\" x=\"%.2f%%\" y=\"100%%\" dy=\"%d\">",
		    fit == CROWD_FITS_WIDE ? " dn" : "", at / 10, fit == CROWD_FULL ? 29 : 17);
	page_text(chart->page, label);
	text_append(out_of(chart), "</text>");
}

/* -- end labels and legend -- */

static int place_order(const void *a, const void *b)
{
	const struct chart_name *first = a, *second = b;

	return (first->place > second->place) - (first->place < second->place);
}

static int series_order(const void *a, const void *b)
{
	const struct chart_name *first = a, *second = b;

	return (first->series > second->series) - (first->series < second->series);
}

/* Least distance of two labels, in units of the plot, where it is lowest: low ones have one height
 * everywhere, others are lowest on paper. */
static double label_gap(enum chart_size size)
{
	return CHART_BOX * LABEL_PIXELS / (size == CHART_LOW ? 84 : 184);
}

/* Pushes labels apart, downwards, then up again from the lower edge. */
static void spread(struct chart *chart)
{
	struct chart_name *labels = chart->labels;
	uint32_t count = chart->label_count;
	double limit = CHART_BOX, gap = label_gap(chart->size);

	qsort(labels, count, sizeof(*labels), place_order);
	for (uint32_t i = 1; i < count; i++)
		labels[i].place = fmax(labels[i].place, labels[i - 1].place + gap);
	for (uint32_t i = count; i--;) {
		labels[i].place = fmin(labels[i].place, limit);
		limit = labels[i].place - gap;
	}
}

static bool inside_character(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* At most about `columns` characters of a label, the beginning and the end: points differ at either. The
 * legend and the table have it whole. */
static void short_label(struct page *page, const char *label, uint32_t columns)
{
	char head[sizeof(((struct chart_name *)0)->text)];
	size_t length = strlen(label), cut = columns / 2, tail = length - (columns - columns / 2 - 1);

	if (length <= columns) {
		page_text(page, label);
		return;
	}
	while (cut && inside_character(label[cut]))
		cut--;
	while (inside_character(label[tail]))
		tail++;
	memcpy(head, label, cut);
	head[cut] = '\0';
	page_text(page, head);
	page_raw(page, "\xe2\x80\xa6");
	page_text(page, label + tail);
}

void chart_key_begin(struct page *page)
{
	page_raw(page, "<ul class=\"key\">");
}

static void key_entry(struct page *page, uint32_t series, const char *label, bool dot, bool solid)
{
	page_raw(page, "<li><svg class=\"sw\" width=\"26\" height=\"10\" aria-hidden=\"true\">");
	if (dot)
		text_printf(page->out, "<circle class=\"m s%u\" cx=\"13\" cy=\"5\" r=\"3.5\"/>",
			    series % CHART_SERIES_MAX);
	else
		text_printf(page->out, "<path class=\"l s%u%s\" d=\"M1 5h24\"/>", series % CHART_SERIES_MAX,
			    solid ? " dense" : "");
	page_raw(page, "</svg>");
	page_text(page, label);
	page_raw(page, "</li>");
}

void chart_key(struct page *page, uint32_t series, const char *label, bool dot)
{
	key_entry(page, series, label, dot, false);
}

void chart_key_end(struct page *page)
{
	page_raw(page, "</ul>\n");
}

static void legend(struct chart *chart)
{
	qsort(chart->labels, chart->label_count, sizeof(*chart->labels), series_order);
	page_raw(chart->page, "<ul class=\"key narrow\">");
	for (uint32_t i = 0; i < chart->label_count; i++)
		key_entry(chart->page, chart->labels[i].series, chart->labels[i].text, chart->labels[i].dot,
			  chart->solid);
	chart_key_end(chart->page);
}

void chart_draw_end(struct chart *chart)
{
	spread(chart);
	for (uint32_t i = 0; i < chart->label_count; i++) {
		text_printf(out_of(chart),
			    "<text class=\"el s%u\" x=\"100%%\" dx=\"8\" y=\"%.2f%%\" dy=\"4\">",
			    chart->labels[i].series, chart->labels[i].place / 10);
		short_label(chart->page, chart->labels[i].text, chart->size == CHART_HALF ? 15 : 20);
		text_append(out_of(chart), "</text>");
	}
	text_append(out_of(chart), "</svg>\n");
	if (chart->label_count)
		legend(chart);
}

void chart_finding(struct page *page, const char *finding)
{
	page_element(page, "figcaption", NULL, finding);
	page_raw(page, "\n");
}

void chart_table_begin(struct page *page)
{
	page_raw(page, "<details><summary>");
	page_text(page, say(page, "Table"));
	page_raw(page, "</summary>\n");
}

void chart_table_end(struct page *page)
{
	page_raw(page, "</details>\n");
}

void chart_close(struct page *page)
{
	page_raw(page, "</figure>\n");
}
