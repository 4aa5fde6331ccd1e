/* html_latency: how latency is distributed: percentile curves, and slow I/Os in buckets. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analyze/confidence.h"
#include "report/chart.h"
#include "report/html.h"

#define CURVE_POINTS 96u
#define CURVE_SERIES 6u
#define EXPECTED_FEW 3.69

/* -- percentile curves -- */

struct curve {
	const struct report_cell *cell;
	uint32_t count;
	double share[CURVE_POINTS], value[CURVE_POINTS], low[CURVE_POINTS], high[CURVE_POINTS];
	double waiting[CURVE_POINTS];	/* share of all waiting time that lies at or below the value */
	uint64_t n;
};

/* Up to the last percentile that as many independent I/Os would carry, even steps of nines. */
static uint32_t shares_fill(const struct histogram *histogram, double *shares, uint64_t *value_ns)
{
	double nines = log10((double)histogram->moments.n / EXPECTED_FEW) - 1e-9;

	for (uint32_t i = 0; i < CURVE_POINTS && nines > 0; i++) {
		shares[i] = 1 - pow(10, -nines * (i + 0.5) / (CURVE_POINTS - 0.5));
		value_ns[i] = histogram_percentile(histogram, shares[i]);
	}
	return nines > 0 ? CURVE_POINTS : 0;
}

/* From the lowest to the last percentile that may be printed. */
static int curve_fill(struct curve *curve, struct html *html, enum io_op op,
		      const struct histogram *histogram)
{
	double shares[CURVE_POINTS];
	uint64_t values[CURVE_POINTS] = { 0 };
	uint32_t count = shares_fill(histogram, shares, values);
	struct spread spread;
	int error = counted_spread(html->model->store, curve->cell->loads, curve->cell->load_count, op,
				   values, count, &spread);

	curve->n = histogram->moments.n;
	for (uint32_t i = 0; i < count && !error; i++) {
		struct report_percentile percentile = report_percentile_of(
			histogram, shares[i] * 100, spread_effective(&spread, i, curve->n));

		if (percentile.grade == REPORT_REFUSED)
			continue;
		curve->share[curve->count] = shares[i];
		curve->value[curve->count] = fmax((double)percentile.value_ns, 1);
		curve->low[curve->count] =
			percentile.bounded ? fmax((double)percentile.low_ns, 1) : curve->value[curve->count];
		curve->high[curve->count] =
			percentile.bounded ? fmax((double)percentile.high_ns, 1) : curve->value[curve->count];
		curve->waiting[curve->count] = histogram_waiting_share(histogram, percentile.value_ns);
		curve->count++;
	}
	spread_release(&spread);
	return error;
}

static int curves_collect(struct html *html, enum io_op op, struct curve *curves, uint32_t *ret_count)
{
	struct histogram *histogram = malloc(sizeof(*histogram));
	int error = histogram ? 0 : -ENOMEM;
	uint32_t count = 0;

	for (uint32_t i = 0; i < html->family_count && !error; i++)
		for (uint32_t j = 0; j < html->families[i].cell_count && count < CURVE_SERIES && !error;
		     j++) {
			const struct report_cell *cell = &html->families[i].cells[j];

			if (!cell->op[op].latency.n)
				continue;
			counted_histogram(cell->loads, cell->load_count, op, histogram);
			curves[count] = (struct curve){ .cell = cell };
			error = curve_fill(&curves[count], html, op, histogram);
			count += curves[count].count > 1;
		}
	free(histogram);
	*ret_count = count;
	return error;
}

static uint32_t cells_with(struct html *html, enum io_op op)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < html->family_count; i++)
		for (uint32_t j = 0; j < html->families[i].cell_count; j++)
			count += html->families[i].cells[j].op[op].latency.n > 0;
	return count;
}

static const char *cell_name(struct html *html, const struct report_cell *cell)
{
	const char *name = cell->last->point[0] ? arena_printf(&html->arena, "%s %s", cell->family->name,
							       cell->last->point)
						: cell->family->name;

	return name ? name : "";
}

static void curves_range(const struct curve *curves, uint32_t count, struct chart *chart)
{
	double low = INFINITY, high = 0, share = 0;

	for (uint32_t i = 0; i < count; i++) {
		low = fmin(low, curves[i].low[0]);
		high = fmax(high, curves[i].high[curves[i].count - 1]);
		share = fmax(share, curves[i].share[curves[i].count - 1]);
	}
	chart->x.scale = (struct scale){ SCALE_NINES, 0, share };
	chart->y.scale = (struct scale){ SCALE_LOG10, pow(10, floor(log10(low))),
					 pow(10, ceil(log10(high * 1.0001))) };
}

static void curves_finding(struct html *html, const struct curve *curves, uint32_t count, uint32_t all)
{
	struct page *page = html->page;
	const struct curve *worst = &curves[0];
	char value[PAGE_NUMBER], n[PAGE_NUMBER];

	for (uint32_t i = 1; i < count; i++)
		if (curves[i].value[curves[i].count - 1] > worst->value[worst->count - 1])
			worst = &curves[i];
	page_raw(page, "<figcaption>");
	page_format(page,
		    say(page, "The slowest tail is that of %s: %.6g %% of its %s I/Os took at most %s."),
		    cell_name(html, worst->cell), worst->share[worst->count - 1] * 100,
		    page_count_text((double)worst->n, n),
		    page_latency_text(worst->value[worst->count - 1], value));
	if (all > count) {
		page_sentence_gap(page);
		page_format(page, say(page, "The first %u of %u points are drawn."), count, all);
	}
	page_raw(page, "</figcaption>\n");
}

/* Half, or 99 %, of all waiting time is spent in I/Os of at most that; NaN: beyond the last percentile
 * that may be printed. */
static double waited(const struct curve *curve, double share)
{
	for (uint32_t i = 0; i < curve->count; i++)
		if (curve->waiting[i] >= share)
			return curve->value[i];
	return NAN;
}

static void curves_table(struct html *html, enum io_op op, const struct curve *curves, uint32_t count)
{
	static const double shown[] = { 50, 90, 99, 99.9, 99.99, 99.999 };
	static const char *const names[] = {
		"point", "n",      "min",     "p50", "p90",         "p99",
		"p99.9", "p99.99", "p99.999", "max", "waiting p50", "waiting p99"
	};
	struct page *page = html->page;
	char number[PAGE_NUMBER];

	chart_table_begin(page);
	page_table_begin(page, names, sizeof(names) / sizeof(*names), 1);
	for (uint32_t i = 0; i < count; i++) {
		const struct report_latency *latency = &curves[i].cell->op[op].latency;

		page_row_begin(page);
		page_cell(page, cell_name(html, curves[i].cell));
		page_number(page, page_count_text((double)latency->n, number));
		html_latency(page, (double)latency->min_ns);
		for (uint32_t j = 0; j < sizeof(shown) / sizeof(*shown); j++)
			html_percentile(page, report_latency_at(latency, shown[j]));
		html_latency(page, (double)latency->max_ns);
		html_latency(page, waited(&curves[i], 0.5));
		html_latency(page, waited(&curves[i], 0.99));
		page_row_end(page);
	}
	page_table_end(page);
	chart_table_end(page);
}

/* The same of waiting time instead of I/Os: faint dots, left of its line's end. */
static void weighted_lines(struct chart *chart, const struct curve *curves, uint32_t count)
{
	double share[CURVE_POINTS], value[CURVE_POINTS];

	for (uint32_t i = 0; i < count; i++) {
		uint32_t kept = 0;

		for (uint32_t j = 0; j < curves[i].count; j++)
			if (curves[i].waiting[j] < curves[i].share[curves[i].count - 1]) {
				share[kept] = curves[i].waiting[j];
				value[kept++] = curves[i].value[j];
			}
		chart_faint(chart, i, share, value, kept);
	}
}

static void curves_draw(struct html *html, enum io_op op, const struct curve *curves, uint32_t count)
{
	struct chart chart = { .x = { .unit = UNIT_SHARE,
				      .title = say(html->page, "share of I/Os that were faster") },
			       .y = { .unit = UNIT_LATENCY, .title = say(html->page, "latency (log)") } };
	char title[128];

	snprintf(title, sizeof(title), "%s \xc2\xb7 %s", say(html->page, "Latency percentiles"),
		 html_direction(html->page, op));
	curves_range(curves, count, &chart);
	chart_begin(&chart, html->page, CHART_WIDE, title,
		    say(html->page,
			"Each line ends at the last percentile its sample count can carry; bands "
			"are 95 % intervals; dotted: the share of waiting time instead of I/Os."));
	for (uint32_t i = 0; i < count; i++)
		chart_band(&chart, i, curves[i].share, curves[i].low, curves[i].high, curves[i].count);
	for (uint32_t i = 0; i < count; i++)
		chart_line(&chart, i, curves[i].share, curves[i].value, curves[i].count,
			   cell_name(html, curves[i].cell));
	weighted_lines(&chart, curves, count);
	chart_draw_end(&chart);
	curves_finding(html, curves, count, cells_with(html, op));
	curves_table(html, op, curves, count);
	chart_close(html->page);
}

/* -- the same, as the share that was slower: tails as straight lines -- */

static void slower_finding(struct html *html, const struct curve *curves, uint32_t count)
{
	struct page *page = html->page;
	const struct curve *worst = &curves[0];
	char one_in[PAGE_NUMBER], value[PAGE_NUMBER];

	for (uint32_t i = 1; i < count; i++)
		if (curves[i].value[curves[i].count - 1] > worst->value[worst->count - 1])
			worst = &curves[i];
	page_raw(page, "<figcaption>");
	page_format(page, say(page, "%s: one I/O in %s took longer than %s."), cell_name(html, worst->cell),
		    page_count_text(floor(1 / (1 - worst->share[worst->count - 1])), one_in),
		    page_latency_text(worst->value[worst->count - 1], value));
	page_raw(page, "</figcaption>\n");
}

static void slower_draw(struct html *html, enum io_op op, const struct curve *curves, uint32_t count)
{
	struct chart chart = { .x = { .unit = UNIT_LATENCY, .title = say(html->page, "latency (log)") },
			       .y = { .unit = UNIT_SHARE,
				      .title = say(html->page, "share of I/Os that were slower (log)") } };
	struct scale latency;
	double y[CURVE_POINTS];
	char title[128];

	curves_range(curves, count, &chart);
	latency = chart.y.scale;
	chart.y.scale = (struct scale){ SCALE_LOG10, pow(10, floor(log10(1 - chart.x.scale.high))), 1 };
	chart.x.scale = latency;
	snprintf(title, sizeof(title), "%s \xc2\xb7 %s", say(html->page, "Share of slower I/Os"),
		 html_direction(html->page, op));
	chart_begin(&chart, html->page, CHART_WIDE, title,
		    say(html->page, "Which share of the I/Os took longer than the latency on the axis."));
	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t j = 0; j < curves[i].count; j++)
			y[j] = 1 - curves[i].share[j];
		chart_line(&chart, i, curves[i].value, y, curves[i].count, cell_name(html, curves[i].cell));
	}
	chart_draw_end(&chart);
	slower_finding(html, curves, count);
	curves_table(html, op, curves, count);
	chart_close(html->page);
}

int html_percentiles(struct html *html)
{
	struct curve *curves = malloc(CURVE_SERIES * sizeof(*curves));
	bool any = false;
	int error = curves ? 0 : -ENOMEM;

	for (int op = 0; op < IO_OPS && !error; op++) {
		uint32_t count;

		error = curves_collect(html, op, curves, &count);
		if (error || !count)
			continue;
		if (!any)
			html_section(html, "Latency");
		any = true;
		curves_draw(html, op, curves, count);
		slower_draw(html, op, curves, count);
	}
	free(curves);
	return error;
}

/* -- slow I/Os: counters with exact bounds -- */

#define BARS 6

#define TO "\xe2\x80\x93"

static const char *const bar_names[BARS] = {	/* ms */
	"10" TO "30", "30" TO "50", "50" TO "100", "100" TO "200", "200" TO "500", "\xe2\x89\xa5 500",
};

static void bars_of(const uint64_t *slow, uint64_t bars[BARS])
{
	static const int from[BARS] = { 0, 2, 3, 4, 5, 6 }, to[BARS] = { 2, 3, 4, 5, 6, -1 };

	for (int i = 0; i < BARS; i++) {
		uint64_t slower = to[i] < 0 ? 0 : slow[to[i]];

		bars[i] += slow[from[i]] > slower ? slow[from[i]] - slower : 0;
	}
}

struct slow_sum {
	bool used;
	uint64_t bars[BARS], n;
	double hours;
};

static void slow_collect(struct html *html, struct slow_sum sums[IO_OPS])
{
	for (uint32_t i = 0; i < html->model->step_count; i++)
		for (uint32_t j = 0; j < html->model->steps[i].load_count; j++)
			for (int op = 0; op < IO_OPS; op++) {
				const struct report_load *load = &html->model->steps[i].loads[j];

				if (!report_natural(load, (enum io_op)op)->n && !load->op[op].errors)
					continue; /* nothing of it was timed */
				sums[op].used = true;
				sums[op].n += load->op[op].ios + load->op[op].errors;
				sums[op].hours += (double)load->duration_ns / 3600e9;
				bars_of(load->op[op].slow, sums[op].bars);
			}
}

/* NaN: too short a time to tell. */
static double per_hour(const struct slow_sum *sum, int bar)
{
	return sum->hours >= CONFIDENCE_HOURS_MIN ? (double)sum->bars[bar] / sum->hours : NAN;
}

/* Was every direction watched for long enough to say how many there are an hour? Else the bars are counts. */
static bool slow_rates(const struct slow_sum *sums)
{
	bool rates = true;

	for (int op = 0; op < IO_OPS; op++)
		rates = rates && (!sums[op].used || sums[op].hours >= CONFIDENCE_HOURS_MIN);
	return rates;
}

static double slow_height(const struct slow_sum *sums, int op, int bar)
{
	return slow_rates(sums) ? per_hour(&sums[op], bar) : (double)sums[op].bars[bar];
}

static double slow_top(const struct slow_sum *sums)
{
	double top = 10;

	for (int op = 0; op < IO_OPS; op++)
		for (int i = 0; i < BARS; i++)
			top = fmax(top, slow_height(sums, op, i));
	return pow(10, ceil(log10(top * 1.2)));
}

static void slow_bars(struct chart *chart, const struct slow_sum *sums, uint32_t used)
{
	char number[PAGE_NUMBER];

	for (int i = 0; i < BARS; i++) {
		uint32_t slot = 0;

		chart_category(chart, i + 0.5, bar_names[i]);
		for (int op = 0; op < IO_OPS; op++) {
			double width = 0.8 / used, from = i + 0.1 + width * slot;

			if (!sums[op].used)
				continue;
			chart_bar(chart, (uint32_t)op, from, from + width * 0.9, slow_height(sums, op, i),
				  page_short_text(slow_height(sums, op, i), number));
			slot++;
		}
	}
}

static void slow_table(struct html *html, const struct slow_sum *sums)
{
	static const char *const names[] = { "direction", "latency", "I/Os", "per million", "per hour" };
	struct page *page = html->page;
	char number[PAGE_NUMBER];

	chart_table_begin(page);
	page_table_begin(page, names, sizeof(names) / sizeof(*names), 2);
	for (int op = 0; op < IO_OPS; op++)
		for (int i = 0; i < BARS && sums[op].used; i++) {
			page_row_begin(page);
			page_cell(page, html_direction(page, op));
			page_cell(page, word(arena_printf(&html->arena, "%s ms", bar_names[i])));
			page_number(page, page_count_text((double)sums[op].bars[i], number));
			page_number(page, page_count_text(1e6 * (double)sums[op].bars[i] /
								  fmax((double)sums[op].n, 1),
							  number));
			page_number(page, page_count_text(per_hour(&sums[op], i), number));
			page_row_end(page);
		}
	page_table_end(page);
	chart_table_end(page);
}

static void slow_finding(struct html *html, const struct slow_sum *sums)
{
	struct page *page = html->page;
	uint64_t all = 0, hitches = 0, freezes = 0, n = 0;
	char first[PAGE_NUMBER], second[PAGE_NUMBER], third[PAGE_NUMBER], fourth[PAGE_NUMBER];

	for (int op = 0; op < IO_OPS; op++) {
		n += sums[op].n;
		for (int i = 0; i < BARS; i++) {
			all += sums[op].bars[i];
			hitches += i >= 3 ? sums[op].bars[i] : 0;
			freezes += i == 5 ? sums[op].bars[i] : 0;
		}
	}
	page_raw(page, "<figcaption>");
	page_format(page,
		    say(page, "Of %s I/Os %s took 10 ms or more, %s of them 100 ms or more, and %s 500 ms or "
			      "more."),
		    page_count_text((double)n, first), page_count_text((double)all, second),
		    page_count_text((double)hitches, third), page_count_text((double)freezes, fourth));
	page_raw(page, "</figcaption>\n");
}

void html_slow(struct html *html)
{
	struct slow_sum sums[IO_OPS] = { 0 };
	struct chart chart = {
		.x = { .scale = { SCALE_LINEAR, 0, BARS },
		       .title = word(arena_printf(&html->arena, "%s, ms", say(html->page, "latency"))),
		       .categories = true },
		.y = { .unit = UNIT_COUNT },
	};
	uint32_t used = 0;

	slow_collect(html, sums);
	chart.y.title = slow_rates(sums) ? say(html->page, "I/Os per hour (log)") : say(html->page, "I/Os (log)");
	for (int op = 0; op < IO_OPS; op++)
		used += sums[op].used;
	if (!used)
		return;
	chart.y.scale = (struct scale){ SCALE_LOG10, 0.1, slow_top(sums) };
	chart_begin(&chart, html->page, CHART_WIDE, say(html->page, "Slow I/Os"),
		    slow_rates(sums) ? say(html->page, "A bar per range of latency and direction; the number "
						       "above it is how many an hour.")
				     : say(html->page, "A bar per range of latency and direction; the number "
						       "above it is how many there were, in too short a time to "
						       "tell how many an hour."));
	slow_bars(&chart, sums, used);
	chart_draw_end(&chart);
	chart_key_begin(html->page);
	for (int op = 0; op < IO_OPS; op++)
		if (sums[op].used)
			chart_key(html->page, (uint32_t)op, html_direction(html->page, op), true);
	chart_key_end(html->page);
	slow_finding(html, sums);
	slow_table(html, sums);
	chart_close(html->page);
}
