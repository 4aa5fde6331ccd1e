#include "report/html_scatter.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "report/chart.h"

#define PIXELS_WIDE 1400u
#define PIXELS_HIGH 460u
#define SAMPLE_FIRST 1u		/* colours of samples: one more shade per doubling of hits */
#define SAMPLE_STEPS 6u
#define OUTLIER_FIRST 7u	/* one colour per direction */
#define SLOWEST 20u

struct scatter {
	struct raster raster;
	double x_per_ns;		/* pixels */
	double top_decade, y_per_decade;
	const struct report_step *step;	/* being read */
	double shift_ns;		/* its start in the chart */
	uint64_t samples, outliers, host;
	uint64_t by_op[IO_OPS];
	struct logged_io slowest[SLOWEST];
	double slowest_at_ns[SLOWEST];
	uint32_t slowest_count;
};

static void palette(struct raster *raster)
{
	static const struct raster_color ops[IO_OPS] = {
		{ 0x1f, 0x86, 0xc8, 235 }, { 0xe0, 0x6a, 0x10, 235 }, { 0x12, 0xa0, 0x7c, 235 },
		{ 0xc0, 0x62, 0x96, 235 }, { 0x77, 0x66, 0xcc, 235 },
	};

	for (uint32_t i = 0; i < SAMPLE_STEPS; i++)
		raster->colors[SAMPLE_FIRST + i] =
			(struct raster_color){ 118, 124, 134, (uint8_t)(80 + 28 * i) };
	for (uint32_t i = 0; i < IO_OPS; i++)
		raster->colors[OUTLIER_FIRST + i] = ops[i];
	raster->color_count = OUTLIER_FIRST + IO_OPS;
}

/* As scale_place() would; these are called for every point, so the logarithms of the ends are taken once. */
static double pixel_x(const struct scatter *scatter, const struct logged_io *io)
{
	return (scatter->shift_ns + (double)io->submit_ns) * scatter->x_per_ns;
}

static double pixel_y(const struct scatter *scatter, const struct logged_io *io)
{
	return (scatter->top_decade - log10(fmax((double)io->response_ns, 1))) * scatter->y_per_decade;
}

static int add_sample(void *context, uint64_t step, const struct logged_io *io)
{
	struct scatter *scatter = context;
	double x = pixel_x(scatter, io), y = pixel_y(scatter, io);

	if (!report_step_has_load(scatter->step, io->load))
		return 0;
	scatter->samples++;
	for (uint32_t i = 0; i < 2; i++)
		for (uint32_t j = 0; j < 2; j++)
			raster_hit(&scatter->raster, x + i, y + j, SAMPLE_FIRST, SAMPLE_STEPS);
	return 0;
}

static void keep_slowest(struct scatter *scatter, const struct logged_io *io)
{
	uint32_t at = scatter->slowest_count;

	if (at == SLOWEST && io->response_ns <= scatter->slowest[SLOWEST - 1].response_ns)
		return;
	if (at == SLOWEST)
		at--;
	else
		scatter->slowest_count++;
	for (; at && scatter->slowest[at - 1].response_ns < io->response_ns; at--) {
		scatter->slowest[at] = scatter->slowest[at - 1];
		scatter->slowest_at_ns[at] = scatter->slowest_at_ns[at - 1];
	}
	scatter->slowest[at] = *io;
	scatter->slowest_at_ns[at] = scatter->shift_ns + (double)io->submit_ns;
}

static int add_outlier(void *context, uint64_t step, const struct logged_io *io)
{
	struct scatter *scatter = context;
	static const enum raster_shape shapes[IO_OPS] = { RASTER_SQUARE, RASTER_CROSS, RASTER_BAR,
							  RASTER_SQUARE, RASTER_SQUARE };
	bool host = io->flags & LOGGED_HOST;

	if (io->op >= IO_OPS || !report_step_has_load(scatter->step, io->load))
		return 0;
	scatter->outliers++;
	scatter->host += host;
	scatter->by_op[io->op]++;
	keep_slowest(scatter, io);
	raster_mark(&scatter->raster, pixel_x(scatter, io), pixel_y(scatter, io),
		    host ? RASTER_RING : shapes[io->op], OUTLIER_FIRST + io->op);
	return 0;
}

static int collect(struct html *html, struct scatter *scatter, const struct report_step *steps,
		   uint32_t count, double origin_ns,
		   int (*each)(struct store *, uint64_t, store_logged_fn, void *), store_logged_fn add)
{
	int error = 0;

	for (uint32_t i = 0; i < count && !error; i++) {
		if (!steps[i].load_count)
			continue;
		scatter->step = &steps[i];
		scatter->shift_ns = (double)steps[i].record->started_ns - origin_ns;
		error = each(html->model->store, steps[i].record->id, add, scatter);
	}
	return error;
}

/* Whole decades around everything that these steps measured. */
static void range_of(const struct report_step *steps, uint32_t count, double *ret_low, double *ret_high)
{
	double low = INFINITY, high = 0;

	for (uint32_t i = 0; i < count; i++)
		for (uint32_t j = 0; j < steps[i].load_count; j++)
			for (int op = 0; op < IO_OPS; op++) {
				const struct report_latency *latency = report_natural(&steps[i].loads[j], op);

				if (!latency->n)
					continue;
				low = fmin(low, fmax((double)latency->min_ns, 1));
				high = fmax(high, (double)latency->max_ns);
			}
	*ret_low = pow(10, floor(log10(low)));
	*ret_high = fmax(pow(10, ceil(log10(high))), *ret_low * 10);
}

static void key(struct html *html, const struct scatter *scatter)
{
	struct page *page = html->page;

	chart_key_begin(page);
	for (int op = 0; op < IO_OPS; op++) {
		char label[64];

		if (!scatter->by_op[op])
			continue;
		snprintf(label, sizeof(label), say(page, "slow %s"), html_direction(page, op));
		chart_key(page, (uint32_t)op, label, true);
	}
	page_raw(page, "<li>");
	page_text(page, say(page, "grey: samples"));
	page_raw(page, "</li>");
	if (scatter->host) {
		page_raw(page, "<li>");
		page_text(page, say(page, "hollow: during a hiccup of the host"));
		page_raw(page, "</li>");
	}
	chart_key_end(page);
}

static void finding(struct html *html, const struct scatter *scatter)
{
	struct page *page = html->page;
	char count[PAGE_NUMBER], slowest[PAGE_NUMBER], when[PAGE_NUMBER], samples[PAGE_NUMBER];

	page_raw(page, "<figcaption>");
	if (scatter->slowest_count)
		page_format(page,
			    say(page, "%s slow I/Os were kept in full; the slowest, a %s, took %s, at %s; %s "
				      "samples."),
			    page_count_text((double)scatter->outliers, count),
			    html_direction(page, scatter->slowest[0].op),
			    page_latency_text((double)scatter->slowest[0].response_ns, slowest),
			    page_time_text(scatter->slowest_at_ns[0], when),
			    page_count_text((double)scatter->samples, samples));
	else
		page_format(page, say(page, "No I/O was slow enough to be kept in full; %s samples."),
			    page_count_text((double)scatter->samples, samples));
	page_raw(page, "</figcaption>\n");
}

static void table(struct html *html, const struct scatter *scatter)
{
	static const char *const names[] = { "direction", "at",	       "latency", "offset",
					     "bytes",	  "in flight", "result" };
	struct page *page = html->page;
	char number[PAGE_NUMBER];

	chart_table_begin(page);
	page_table_begin(page, names, sizeof(names) / sizeof(*names), 1);
	for (uint32_t i = 0; i < scatter->slowest_count; i++) {
		const struct logged_io *io = &scatter->slowest[i];

		page_row_begin(page);
		page_cell(page, html_direction(page, io->op));
		page_number(page, page_time_text(scatter->slowest_at_ns[i], number));
		page_number(page, page_latency_text((double)io->response_ns, number));
		page_number(page, page_count_text((double)io->offset, number));
		page_number(page, page_count_text(io->bytes, number));
		page_number_format(page, "%u", io->in_flight);
		page_number_format(page, "%d", io->result);
		page_row_end(page);
	}
	if (!scatter->slowest_count) {
		page_row_begin(page);
		page_cell(page, say(page, "none was kept"));
		page_row_end(page);
	}
	page_table_end(page);
	page_paragraph(page, "note", say(page, "The slowest; all that were kept are in outliers.csv."));
	chart_table_end(page);
}

static void draw(struct html *html, struct scatter *scatter, double low, double high, double length_ns,
		 const char *title)
{
	struct chart chart = {
		.x = { .scale = { SCALE_LINEAR, 0, fmax(length_ns, 1) },
		       .unit = UNIT_TIME,
		       .title = say(html->page, "time") },
		.y = { .scale = { SCALE_LOG10, low, high },
		       .unit = UNIT_LATENCY,
		       .title = say(html->page, "latency (log)") },
	};

	chart_begin(&chart, html->page, CHART_WIDE, title,
		    say(html->page, "A point per sampled I/O, and per I/O that was slow; logarithmic."));
	chart_raster(&chart, &scatter->raster);
	chart_draw_end(&chart);
	key(html, scatter);
	finding(html, scatter);
	table(html, scatter);
	chart_close(html->page);
}

int html_scatter(struct html *html, const struct report_step *steps, uint32_t count, double origin_ns,
		 double length_ns, const char *title)
{
	struct scatter *scatter = calloc(1, sizeof(*scatter));
	double low, high;
	int error;

	if (!scatter)
		return -ENOMEM;
	range_of(steps, count, &low, &high);
	scatter->x_per_ns = PIXELS_WIDE / fmax(length_ns, 1);
	scatter->top_decade = log10(high);
	scatter->y_per_decade = PIXELS_HIGH / log10(high / low);
	error = raster_init(&scatter->raster, PIXELS_WIDE, PIXELS_HIGH);
	if (!error) {
		palette(&scatter->raster);
		error = collect(html, scatter, steps, count, origin_ns, store_each_sample, add_sample);
	}
	if (!error)
		error = collect(html, scatter, steps, count, origin_ns, store_each_outlier, add_outlier);
	if (!error && scatter->samples + scatter->outliers)
		draw(html, scatter, low, high, length_ns, title);
	raster_release(&scatter->raster);
	free(scatter);
	return error;
}
