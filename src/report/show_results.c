/* The table of `show`: a line for each point and direction, with what its marks mean below it. */
#include "report/show.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/units.h"
#include "report/utf8.h"

enum column {
	COLUMN_STEP,
	COLUMN_POINT,
	COLUMN_DIRECTION,
	COLUMN_IOPS,
	COLUMN_RANGE,
	COLUMN_RATE,
	COLUMN_MEAN,
	COLUMN_P50,
	COLUMN_P99,
	COLUMN_P999,
	COLUMN_MAX,
	COLUMN_NOTE
};

static const char *latency_text(uint64_t ns, char buffer[UNITS_TEXT])
{
	return duration_format(ns, buffer);
}

static void set_percentile(struct show *show, struct text_table *table, uint32_t column,
			   const struct report_percentile *percentile)
{
	char number[UNITS_TEXT], marked[UNITS_TEXT + 2];

	if (percentile->of_step) {
		show->any_of_step = true;
		snprintf(marked, sizeof(marked), "(%s)", latency_text(percentile->value_ns, number));
		text_table_set(table, column, TEXT_FAINT, marked);
		return;
	}
	if (percentile->grade == REPORT_REFUSED) {
		show->any_refused = true;
		text_table_set(table, column, TEXT_FAINT, "n/a");
		return;
	}
	show->any_few |= percentile->grade == REPORT_FEW;
	snprintf(marked, sizeof(marked), "%s%s", latency_text(percentile->value_ns, number),
		 percentile->grade == REPORT_FEW ? "*" : "");
	text_table_set(table, column, percentile->grade == REPORT_FEW ? TEXT_FAINT : TEXT_PLAIN, marked);
}

static void set_latency(struct show *show, struct text_table *table, const struct report_latency *latency)
{
	char number[UNITS_TEXT];

	if (!latency->n) {
		for (uint32_t column = COLUMN_MEAN; column <= COLUMN_MAX; column++)
			text_table_set(table, column, TEXT_FAINT, "n/a");
		return;
	}
	text_table_set(table, COLUMN_MEAN, TEXT_PLAIN,
		       latency_text((uint64_t)(latency->mean_ns + 0.5), number));
	set_percentile(show, table, COLUMN_P50, report_latency_at(latency, 50));
	set_percentile(show, table, COLUMN_P99, report_latency_at(latency, 99));
	set_percentile(show, table, COLUMN_P999, report_latency_at(latency, 99.9));
	text_table_set(table, COLUMN_MAX, TEXT_PLAIN, latency_text(latency->max_ns, number));
}

/* Three digits at least, so that small figures don't read as 0.0. */
static void set_number(struct text_table *table, uint32_t column, double number)
{
	char text[48];

	if (!isfinite(number)) {
		text_table_set(table, column, TEXT_FAINT, "n/a");
		return;
	}
	snprintf(text, sizeof(text), "%.*f",
		 number == 0 || number >= 100 ? 0
		 : number >= 10		      ? 1
		 : number >= 1		      ? 2
					      : 4,
		 number);
	text_table_set(table, column, TEXT_PLAIN, text);
}

static void add_word(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add_word(struct text *text, const char *format, ...)
{
	va_list args;

	if (text->bytes)
		text_append_char(text, ' ');
	va_start(args, format);
	text_vprintf(text, format, args);
	va_end(args);
}

/* What one line of the table is about: one kind of I/O of one load, all repeats of a point (of one round)
 * together. */
struct figures {
	uint32_t count;				/* repeats with a figure */
	double iops[SHOW_REPEATS_MAX], rate[SHOW_REPEATS_MAX];	/* rising */
	uint64_t errors;
	enum run_status status;			/* of the first that isn't complete */
	const char *verdict;			/* NULL = none; "verdicts differ" */
	bool response;				/* of an open loop */
	bool windowed;				/* of a verified window */
	uint32_t part_count;
	struct report_latency latency;		/* of all of them */
};

static bool repeats_of(const struct report_step *a, const struct report_step *b)
{
	return a->record->point == b->record->point && a->record->round == b->record->round;
}

static const struct report_load *same_load(const struct report_step *step, const struct report_load *load)
{
	for (uint32_t i = 0; i < step->load_count; i++)
		if (step->loads[i].record->load == load->record->load &&
		    step->loads[i].record->target == load->record->target)
			return &step->loads[i];	/* of another drive it is no repeat */
	return NULL;
}

static int number_order(const void *a, const void *b)
{
	double first = *(const double *)a, second = *(const double *)b;

	return (first > second) - (first < second);
}

static double median(const double *rising, uint32_t count)
{
	return count ? (rising[(count - 1) / 2] + rising[count / 2]) / 2 : NAN;
}

static void figures_add(struct figures *figures, const struct report_step *step,
			const struct report_load *load, enum io_op kind)
{
	const struct report_op *op = &load->op[kind];

	if ((isfinite(op->iops) || isfinite(op->bytes_per_second)) && figures->count < SHOW_REPEATS_MAX) {
		figures->iops[figures->count] = op->iops;
		figures->rate[figures->count++] = op->bytes_per_second;
	}
	figures->errors += op->errors;
	figures->response |= load->record->open_loop;
	figures->windowed |= step->part.verified;
	if (figures->status == RUN_COMPLETE)
		figures->status = step->record->status;
	if (step->verdict && figures->verdict && strcmp(step->verdict, figures->verdict) != 0)
		figures->verdict = "verdicts differ";
	else if (step->verdict)
		figures->verdict = step->verdict;
}

static int figures_fill(struct show *show, struct figures *figures, const struct report_step *step,
			const struct report_load *load, enum io_op kind)
{
	const struct report_family *family = step->family;

	*figures = (struct figures){ .status = RUN_COMPLETE };
	for (uint32_t i = 0; i < family->step_count; i++) {
		const struct report_load *part =
			repeats_of(family->steps[i], step) ? same_load(family->steps[i], load) : NULL;

		if (!part || !part->op[kind].used)
			continue;
		figures_add(figures, family->steps[i], part, kind);
		if (figures->part_count < SHOW_REPEATS_MAX)
			show->parts[figures->part_count++] = (struct counted_load){ family->steps[i], part };
	}
	qsort(figures->iops, figures->count, sizeof(double), number_order);
	qsort(figures->rate, figures->count, sizeof(double), number_order);
	return counted_merge(show->model->store, show->parts, figures->part_count, (int)kind, show->scratch,
			     &figures->latency);
}

static void set_range(struct text_table *table, const struct figures *figures)
{
	char range[96];

	if (figures->count < 2)
		return;
	snprintf(range, sizeof(range), "(x%u, %.*f-%.*f)", figures->count, figures->iops[0] < 100,
		 figures->iops[0], figures->iops[figures->count - 1] < 100,
		 figures->iops[figures->count - 1]);
	text_table_set(table, COLUMN_RANGE, TEXT_FAINT, range);
}

/* A step without I/O has a line of its own for each repeat. */
static void set_name(struct show *show, struct text_table *table, const struct report_step *step,
		     const struct report_load *load)
{
	const struct step_record *record = step->record;
	struct text point = { 0 };

	text_append(&point, word(record->name));
	if (load && step->load_count > 1 && strcmp(word(record->name), word(load->record->name)) != 0)
		text_printf(&point, "/%s", word(load->record->name));
	text_table_set(table, COLUMN_STEP, TEXT_BOLD, text_data(&point));
	text_clear(&point);
	if (step->point[0])
		add_word(&point, "%s", step->point);
	if (step->family->rounds > 1)
		add_word(&point, "round %u", record->round + 1);
	if (!load && step->family->repeats > 1)
		add_word(&point, "#%u", record->repeat + 1);
	if (load && load->drive && show->model->drive_count > 1)
		add_word(&point, "on %s", word(load->drive->name));
	text_table_set(table, COLUMN_POINT, TEXT_PLAIN, text_data(&point));
	text_release(&point);
}

static void set_note(struct text_table *table, const struct figures *figures)
{
	struct text note = { 0 };

	if (figures->errors)
		text_printf(&note, "%llu errors", (unsigned long long)figures->errors);
	if (figures->status != RUN_COMPLETE)
		text_printf(&note, "%s%s", note.bytes ? ", " : "", run_status_name(figures->status));
	if (figures->verdict)
		text_printf(&note, "%s%s", note.bytes ? ", " : "", figures->verdict);
	text_table_set(table, COLUMN_NOTE, figures->errors ? TEXT_BAD : TEXT_FAINT, text_data(&note));
	text_release(&note);
}

static int op_row(struct show *show, struct text_table *table, const struct report_step *step,
		  const struct report_load *load, enum io_op kind)
{
	struct figures figures;
	int error = figures_fill(show, &figures, step, load, kind);

	if (error)
		return error;
	text_table_row(table);
	set_name(show, table, step, load);
	text_table_set(table, COLUMN_DIRECTION, TEXT_PLAIN, io_op_name(kind));
	set_number(table, COLUMN_IOPS, median(figures.iops, figures.count));
	set_range(table, &figures);
	set_number(table, COLUMN_RATE, median(figures.rate, figures.count) / 1e6);
	set_latency(show, table, &figures.latency);
	set_note(table, &figures);
	show->any_open |= figures.response;
	show->any_repeats |= figures.count > 1;
	show->any_windowed |= figures.windowed;
	show->any_rest |= load->rest_ns > 0;
	show->any_untold |= load->op[kind].uncounted || load->op[kind].unsized;
	return 0;
}

/* A step without I/O: what it was and how long it took. */
static void quiet_row(struct show *show, struct text_table *table, const struct report_step *step)
{
	char duration[UNITS_TEXT];
	struct text note = { 0 };

	text_table_row(table);
	set_name(show, table, step, NULL);
	text_table_set(table, COLUMN_DIRECTION, TEXT_FAINT,
		       step->load_count ? "no I/O" : word(step->record->kind));
	text_printf(&note, "took %s", step->record->duration_ns ? duration_format(step->record->duration_ns, duration) : "no time");
	if (step->record->status != RUN_COMPLETE)
		text_printf(&note, ", %s", run_status_name(step->record->status));
	if (step->record->note)
		text_printf(&note, ", %s", step->record->note);
	text_table_set(table, COLUMN_NOTE, TEXT_FAINT, text_data(&note));
	text_release(&note);
}

static bool measured(const struct report_step *step)
{
	for (uint32_t i = 0; i < step->load_count; i++)
		for (int op = 0; op < IO_OPS; op++)
			if (step->loads[i].op[op].used)
				return true;
	return false;
}

/* The repeat that tells of a load and kind of I/O: the first that has it. */
static bool first_with(const struct report_step *step, const struct report_load *load, enum io_op kind)
{
	const struct report_family *family = step->family;

	for (uint32_t i = 0; i < family->step_count && family->steps[i] != step; i++) {
		const struct report_load *part =
			repeats_of(family->steps[i], step) ? same_load(family->steps[i], load) : NULL;

		if (part && part->op[kind].used)
			return false;
	}
	return true;
}

static int step_rows(struct show *show, struct text_table *table, const struct report_step *step)
{
	int error = 0;

	if (!measured(step))
		quiet_row(show, table, step);
	for (uint32_t i = 0; i < step->load_count; i++)
		for (int op = 0; op < IO_OPS && !error; op++)
			if (step->loads[i].op[op].used && first_with(step, &step->loads[i], op))
				error = op_row(show, table, step, &step->loads[i], op);
	return error;
}

static bool repeated(const struct report_model *model)
{
	for (uint32_t i = 0; i < model->family_count; i++)
		if (model->families[i].repeats > 1)
			return true;
	return false;
}

static int table(struct show *show)
{
	static const char *const names[] = { "step", "point", "direction", "IOPS", "range", "MB/s",
					     "mean", "p50",   "p99",	   "p99.9", "max" };
	struct text_table rows = { .color = show->layout.color };
	int error = 0;

	for (uint32_t i = COLUMN_IOPS; i <= COLUMN_MAX; i++)
		rows.right[i] = true;
	rows.elastic[COLUMN_STEP] = rows.elastic[COLUMN_POINT] = rows.elastic[COLUMN_NOTE] = true;
	rows.optional[COLUMN_RANGE] = TEXT_TABLE_FIRST_OUT;
	rows.optional[COLUMN_P50] = TEXT_TABLE_LAST_OUT;
	text_table_row(&rows);
	for (uint32_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (i != COLUMN_RANGE || repeated(show->model))
			text_table_set(&rows, i, TEXT_FAINT, names[i]);
	for (uint32_t i = 0; i < show->model->step_count && !error; i++)
		error = step_rows(show, &rows, &show->model->steps[i]);
	if (text_table_holds(&rows, COLUMN_NOTE))
		text_table_name(&rows, COLUMN_NOTE, TEXT_FAINT, "note");
	text_table_write(&rows, show->layout.width, show->out);
	text_table_release(&rows);
	return error;
}

static void legend(struct show *show)
{
	if (show->any_few)
		show_remark(show, "* fewer than 10 independent I/Os lie beyond this percentile");
	if (show->any_of_step)
		show_remark(show, "(in brackets) true of the I/Os of this step, not a property of the drive: the slow ones came "
			     "together, or the drive changed meanwhile, so that they count for too few");
	if (show->any_refused)
		show_remark(show, "n/a: too few I/Os to say, or too few independent ones; show --json says how many more "
			     "it takes");
	if (show->any_untold)
		show_remark(show, "n/a: what was imported doesn't tell it");
	if (show->any_windowed)
		show_remark(show, "steady: rates and latencies are those of the verified window; the transient is in show "
			     "--json");
	if (show->any_repeats)
		show_remark(show, "(xN, low-high): the median and range of N repeats, latencies of all; each one is in "
			     "show --json");
	if (show->any_rest)
		show_remark(show, "rates leave out start delays and the rests of duty cycles: rest_ns in show --json");
	if (show->any_open)
		show_remark(show, "open loops: latency is response time, counted from the intended start");
}

int show_results(struct show *show)
{
	int error = table(show);

	legend(show);
	return error;
}
