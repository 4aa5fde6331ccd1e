#include "report/html_telemetry.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "report/chart.h"
#include "report/explore.h"

#define POINTS_MIN 10u		/* fewer are in a table only */
#define TABLE_ROWS 12u
#define DEGREES "\xc2\xb0" "C"
#define NO_BREAK "\xe2\x80\xaf"
#define US "\xc2\xb5" "s"

void telemetry_steps(struct chart *chart, const struct readings *readings, const struct reading *reading,
		     uint32_t series, const char *label)
{
	uint32_t count = 2 * reading->count;
	double *x = malloc((count + 1) * sizeof(*x)), *y = malloc((count + 1) * sizeof(*y));

	for (uint32_t i = 0; x && y && i < reading->count; i++) {
		x[2 * i] = reading->t_ns[i];
		x[2 * i + 1] = i + 1 < reading->count ? reading->t_ns[i + 1] : readings->length_ns;
		y[2 * i] = y[2 * i + 1] = reading->value[i];
	}
	if (x && y)
		chart_line(chart, series, x, y, count, label);
	free(x);
	free(y);
}

/* How a reading is called, and its unit; what isn't here is called by its name. */
static const struct {
	const char *name, *title, *axis;
	const char *unit;	/* behind a number; NULL = none */
	bool steps, zero;	/* zero: drawn from 0 on */
} known[] = {
	{ "temperature_c", "Temperature of the drive", DEGREES, DEGREES, false, false },
	{ "power_state", "Power state of the drive", "power state", NULL, true, false },
	{ "link_gigatransfers", "PCIe link of the drive", "GT/s", "GT/s", true, false },
	{ "link_lanes", "Lanes of the PCIe link", "lanes", NULL, true, false },
	{ "worker_cpus", "CPUs that the workers used", "CPUs", "CPUs", false, true },
	{ "worker_switches", "Switches away from the workers", "a reading", NULL, false, true },
	{ "worker_wait_us", "Time that workers waited for a processor", US, US, false, true },
	{ "context_switches", "Context switches of the computer", "a reading", NULL, false, true },
	{ "host_pauses", "Pauses of the computer of more than 0.1 ms", "a reading", NULL, false, true },
	{ "host_pause_max_us", "The longest pause of the computer", US, US, false, true },
	{ "memory_pressure", "Share of the time in which a task waited for memory", "share", NULL, false, true },
	{ "io_pressure", "Share of the time in which a task waited for I/O", "share", NULL, false, true },
	{ "frequency_mhz_min", "Frequency of the slowest CPU", "MHz", "MHz", false, false },
	{ "frequency_mhz_max", "Frequency of the fastest CPU", "MHz", "MHz", false, false },
	{ "block_in_flight", "I/Os in the block layer", "I/Os", NULL, false, true },
	{ "block_reads", "Reads counted by the block layer", "a reading", NULL, false, true },
	{ "block_writes", "Writes counted by the block layer", "a reading", NULL, false, true },
};

static uint32_t known_of(const struct reading *reading)
{
	uint32_t i = 0;

	while (i < sizeof(known) / sizeof(*known) && strcmp(known[i].name, reading->name))
		i++;
	return i;
}

static const char *title_of(struct html *html, const struct reading *reading)
{
	uint32_t at = known_of(reading);
	const char *who = say(html->page, reading->target < 0 ? "host" : "drive");

	if (at < sizeof(known) / sizeof(*known))
		return say(html->page, known[at].title);
	return word(arena_printf(&html->arena, "%s \xc2\xb7 %s", who, html_words(html, reading->name)));
}

static const char *axis_of(struct html *html, const struct reading *reading)
{
	uint32_t at = known_of(reading);

	return at < sizeof(known) / sizeof(*known) ? say(html->page, known[at].axis)
						   : html_words(html, reading->name);
}

static const char *with_unit(struct html *html, const struct reading *reading, double value)
{
	uint32_t at = known_of(reading);
	const char *unit = at < sizeof(known) / sizeof(*known) ? known[at].unit : NULL;
	char number[PAGE_NUMBER];

	page_count_text(value, number);
	return word(arena_printf(&html->arena, "%s%s%s", number, unit ? NO_BREAK : "",
				 unit ? say(html->page, unit) : ""));
}

static bool is_steps(const struct reading *reading)
{
	uint32_t at = known_of(reading);

	return at < sizeof(known) / sizeof(*known) && known[at].steps;
}

/* A small count near zero has no values below. */
static bool is_from_zero(const struct reading *reading)
{
	uint32_t at = known_of(reading);

	return at < sizeof(known) / sizeof(*known) && known[at].zero;
}

/* -- limits that the drive tells of itself -- */

static double health_limit(const struct html *html, int32_t target, const char *key)
{
	double limit = NAN;

	for (uint32_t i = 0; i < html->model->drive_count; i++) {
		const struct drive_record *drive = &html->model->drives[i];
		json_t *facts = drive->target == (uint32_t)target && drive->before_json ?
			json_loads(drive->before_json, JSON_REJECT_DUPLICATES, NULL) : NULL;
		const json_t *value = json_object_get(json_object_get(facts, "health"), key);

		if (json_is_number(value))
			limit = json_number_value(value);
		json_decref(facts);
	}
	return limit;
}

struct limits {
	double warning, critical;	/* NaN = none */
};

static struct limits limits_of(const struct html *html, const struct reading *reading)
{
	struct limits limits = { NAN, NAN };

	if (strcmp(reading->name, "temperature_c") == 0) {
		limits.warning = health_limit(html, reading->target, "warning_c");
		limits.critical = health_limit(html, reading->target, "critical_c");
	}
	return limits;
}

/* -- one reading -- */

static void value_table(struct html *html, const struct readings *readings, const struct reading *reading)
{
	const char *names[] = { "from", "mean", "min", "max" };
	struct page *page = html->page;
	uint32_t at = 0;
	char number[PAGE_NUMBER];

	chart_table_begin(page);
	page_table_begin(page, names, 4, 0);
	for (uint32_t row = 0; row < TABLE_ROWS; row++) {
		double to = readings->length_ns * (row + 1) / TABLE_ROWS, sum = 0, low = INFINITY,
		       high = -INFINITY;
		uint32_t count = 0;

		for (; at < reading->count && (reading->t_ns[at] < to || row + 1 == TABLE_ROWS);
		     at++, count++) {
			sum += reading->value[at];
			low = fmin(low, reading->value[at]);
			high = fmax(high, reading->value[at]);
		}
		page_row_begin(page);
		page_number(page, page_time_text(readings->length_ns * row / TABLE_ROWS, number));
		page_number(page, page_count_text(count ? sum / count : NAN, number));
		page_number(page, page_count_text(count ? low : NAN, number));
		page_number(page, page_count_text(count ? high : NAN, number));
		page_row_end(page);
	}
	page_table_end(page);
	chart_table_end(page);
}

static void value_finding(struct html *html, const struct reading *reading, const struct limits *limits)
{
	struct page *page = html->page;

	page_raw(page, "<figcaption>");
	if (reading->low < reading->high)
		page_format(page, say(page, "From %s to %s over the intervals; %s in the last one."),
			    with_unit(html, reading, reading->low), with_unit(html, reading, reading->high),
			    with_unit(html, reading, reading->value[reading->count - 1]));
	else
		page_format(page, say(page, "%s all the time."), with_unit(html, reading, reading->high));
	if (isfinite(limits->warning)) {
		page_sentence_gap(page);
		page_format(page, say(page, "The drive warns from %.4g on."), limits->warning);
	}
	page_raw(page, "</figcaption>\n");
}

static void value_explore(struct html *html, const struct reading *reading)
{
	const struct explore_column column = { "value", title_of(html, reading), reading->target < 0 ? 3 : 4,
					       reading->value };
	uint32_t blob = explore_blob(html->page, reading->t_ns, reading->count, &column, 1);

	explore_button(html->page, "value", &blob, NULL, 1);
}

static void value_chart(struct html *html, const struct readings *readings, const struct reading *reading)
{
	struct limits limits = limits_of(html, reading);
	double high = isfinite(limits.warning) ? fmax(reading->high, limits.warning) : reading->high;
	double margin = fmax(0.05 * (high - reading->low), 0.5);
	bool from_zero = reading->low >= 0 &&
			 (reading->high > 200 || is_steps(reading) || is_from_zero(reading));
	struct chart chart = {
		.solid = true,
		.x = { .scale = { SCALE_LINEAR, 0, readings->length_ns },
		       .unit = UNIT_TIME,
		       .title = say(html->page, "time") },
		.y = { .scale = { SCALE_LINEAR, from_zero ? 0 : reading->low - margin, high + margin },
		       .unit = UNIT_COUNT,
		       .title = axis_of(html, reading) },
	};
	uint32_t series = reading->target < 0 ? 3 : 4;

	chart_begin(&chart, html->page, CHART_LOW, title_of(html, reading),
		    say(html->page, "A reading about once a second."));
	if (isfinite(limits.warning))
		chart_rule_y(&chart, limits.warning, CHART_DASHED, say(html->page, "warning"));
	if (limits.critical < high + margin)
		chart_rule_y(&chart, limits.critical, CHART_DASHED, say(html->page, "critical"));
	if (is_steps(reading))
		telemetry_steps(&chart, readings, reading, series, NULL);
	else
		chart_line(&chart, series, reading->t_ns, reading->value, reading->count, NULL);
	chart_draw_end(&chart);
	value_finding(html, reading, &limits);
	value_explore(html, reading);
	value_table(html, readings, reading);
	chart_close(html->page);
}

/* -- which -- */

/* Told elsewhere: the host's CPUs, and counters that only grow. */
static bool has_own_chart(const struct reading *reading)
{
	static const char *const others[] = { "cpu_", "core_" };
	static const char *const counters[] = { "host_write_bytes", "nand_write_bytes",
						"write_amplification" };

	for (uint32_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (reading->target < 0 && strncmp(reading->name, others[i], strlen(others[i])) == 0)
			return false;
	for (uint32_t i = 0; i < sizeof(counters) / sizeof(*counters); i++)
		if (strcmp(reading->name, counters[i]) == 0)
			return false;
	return reading->count >= POINTS_MIN || (is_steps(reading) && reading->high > reading->low);
}

static bool is_state(const struct reading *reading)
{
	return reading->count < POINTS_MIN && reading->high > reading->low && !is_steps(reading) &&
	       strncmp(reading->name, "core_", 5) && strncmp(reading->name, "cpu_", 4);
}

/* What changed a few times only. */
static void states(struct html *html, const struct readings *readings)
{
	static const char *const names[] = { "what", "at", "value" };
	struct page *page = html->page;
	bool any = false;
	char number[PAGE_NUMBER];

	for (uint32_t i = 0; i < readings->count; i++)
		any |= is_state(&readings->reading[i]);
	if (!any)
		return;
	chart_table_begin(page);
	page_table_begin(page, names, 3, 1);
	for (uint32_t i = 0; i < readings->count; i++) {
		const struct reading *reading = &readings->reading[i];

		for (uint32_t j = 0; j < reading->count && is_state(reading); j++) {
			page_row_begin(page);
			page_cell(page, title_of(html, reading));
			page_number(page, page_time_text(reading->t_ns[j], number));
			page_number(page, page_count_text(reading->value[j], number));
			page_row_end(page);
		}
	}
	page_table_end(page);
	chart_table_end(page);
}

static bool anything(const struct html *html, const struct readings *readings)
{
	for (uint32_t i = 0; i < readings->count; i++)
		if (readings->reading[i].count >= POINTS_MIN)
			return true;
	return false;
}

int html_telemetry(struct html *html)
{
	struct readings *readings = calloc(1, sizeof(*readings));
	int error = readings ? readings_read(readings, html->model) : -ENOMEM;

	if (!error && anything(html, readings)) {
		html_section(html, "Temperature, power and host");
		for (int drive = 1; drive >= 0; drive--)
			for (uint32_t i = 0; i < readings->count; i++)
				if ((readings->reading[i].target >= 0) == drive &&
				    has_own_chart(&readings->reading[i]))
					value_chart(html, readings, &readings->reading[i]);
		html_amplification(html, readings);
		html_host(html, readings);
		states(html, readings);
		page_paragraph(html->page, "note", say(html->page, "Every reading is in telemetry.csv."));
	}
	if (readings)
		readings_release(readings);
	free(readings);
	return error;
}
