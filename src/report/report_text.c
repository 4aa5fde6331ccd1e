/* report_text: what `show` prints. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/units.h"
#include "report/counted.h"
#include "report/model.h"
#include "report/report.h"
#include "report/text_table.h"
#include "report/utf8.h"

#define REPEATS_MAX 1024u	/* more are left out of a line's figures */

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

struct show {
	const struct report_model *model;
	struct report_layout layout;
	struct text *out;
	bool any_open, any_few, any_refused, any_of_step, any_repeats;
	bool any_windowed, any_untold, any_rest;
	struct histogram *scratch;
	struct counted_load parts[REPEATS_MAX];		/* of the line being told */
};

static void line(struct show *show, enum text_style style, const char *string)
{
	text_styled(show->out, show->layout.color, style, string);
	text_append_char(show->out, '\n');
}

/* Words of `string` in lines of the terminal's width, behind a mark; later lines are indented. */
static void marked_paragraph(struct show *show, enum text_style style, const char *mark, const char *string)
{
	uint32_t width = show->layout.width, column = (uint32_t)strlen(mark);
	size_t indent = strlen(mark);

	text_styled(show->out, show->layout.color, style, mark);
	while (*string) {
		size_t word = strcspn(string, " ");
		char piece[512];

		if (word >= sizeof(piece))
			word = sizeof(piece) - 1;
		if (width > 20 && column > indent && column + word + 1 > width) {
			text_printf(show->out, "\n%*s", (int)indent, "");
			column = (uint32_t)indent;
		} else if (column > indent) {
			text_append_char(show->out, ' ');
			column++;
		}
		memcpy(piece, string, word);
		piece[word] = '\0';
		text_styled(show->out, false, TEXT_PLAIN, piece);
		column += (uint32_t)word;
		string += word;
		string += strspn(string, " ");
	}
	text_append_char(show->out, '\n');
}

static void paragraph(struct show *show, const char *mark, const char *string)
{
	marked_paragraph(show, TEXT_PLAIN, mark, string);
}

/* The same without a mark, faint. */
static void remark(struct show *show, const char *string)
{
	struct text folded = { 0 };
	struct show inner = *show;
	char *at;

	inner.out = &folded;
	paragraph(&inner, "", string);
	for (at = folded.data; at && *at;) {
		char *end = at + strcspn(at, "\n");

		*end = '\0';
		line(show, TEXT_FAINT, at);
		at = end + 1;
	}
	if (folded.error)
		show->out->error = folded.error;
	text_release(&folded);
}

/* -- heading -- */

static enum text_style status_style(enum run_status status)
{
	return status == RUN_COMPLETE ? TEXT_GOOD : status == RUN_RUNNING ? TEXT_WARN : TEXT_BAD;
}

static void heading(struct show *show)
{
	const struct run_record *run = show->model->run;
	char duration[UNITS_TEXT], started[32];
	struct text head = { 0 };

	text_printf(&head, "%s  ", run->plan_name ? run->plan_name : "run");
	text_styled(show->out, show->layout.color, TEXT_BOLD, text_data(&head));
	text_styled(show->out, show->layout.color, status_style(run->status), run_status_name(run->status));
	text_clear(&head);
	text_printf(&head, "  %s  %s  ssdassay %s", report_time_text(run->started_wall_ns, started),
		    run->duration_ns ? duration_format(run->duration_ns, duration) : "length unknown",
		    run->version ? run->version : "?");
	line(show, TEXT_PLAIN, text_data(&head));
	text_release(&head);
	if (run->status != RUN_COMPLETE && run->status_text)
		paragraph(show, "  ", run->status_text);
	if (run->status != RUN_COMPLETE && !show->model->measured)
		marked_paragraph(show, TEXT_WARN, "  nothing was measured: ", run->status == RUN_RUNNING
				 ? "no I/O has come to its end yet"
				 : "no I/O came to its end; ssdassay run --resume RUN begins anew");
	if (run->scale != 1) {
		char scaled[96];

		snprintf(scaled, sizeof(scaled), "  scaled by %.6g, not scored", run->scale);
		line(show, TEXT_WARN, scaled);
	}
	if (report_bursts(show->model))
		line(show, TEXT_WARN,
		     "  burst figures: seconds of load on a small range; they say nothing about the steady state");
	if (run->allow_unwritten)
		line(show, TEXT_WARN,
		     "  reads of never-written ranges were allowed: not a measurement of the drive");
}

/* What has no room in the line any more goes to the next. */
static void field(struct show *show, struct text *text, const char *name, const char *value)
{
	uint32_t columns = utf8_columns(text_data(text)) + utf8_columns(name) + utf8_columns(value) + 2;

	if (show->layout.width && columns > show->layout.width) {
		line(show, TEXT_PLAIN, text_data(text));
		text_clear(text);
		text_append(text, "  ");
	}
	text_printf(text, "  %s%s", name, value);
}

static void drive_line(struct show *show, const struct drive_record *drive)
{
	char capacity[UNITS_TEXT];
	struct text text = { 0 };

	text_printf(&text, "  %s", drive->name ? drive->name : "?");
	if (drive->model && drive->model[0])
		field(show, &text, "", drive->model);
	if (drive->serial && drive->serial[0])
		field(show, &text, "serial ", drive->serial);
	if (drive->firmware && drive->firmware[0])
		field(show, &text, "firmware ", drive->firmware);
	if (drive->capacity_bytes)
		field(show, &text, "", capacity_format(drive->capacity_bytes, capacity));
	line(show, TEXT_PLAIN, text_data(&text));
	text_release(&text);
}

static void engine_lines(struct show *show)
{
	const struct report_model *model = show->model;
	const char *last = "";

	for (uint32_t i = 0; i < model->step_count; i++) {
		for (uint32_t j = 0; j < model->steps[i].load_count; j++) {
			const struct load_record *load = model->steps[i].loads[j].record;
			struct text text = { 0 };

			if (!load->engine || strcmp(load->engine, last) == 0)
				continue;
			last = load->engine;
			text_printf(&text, "engine %s", load->engine);
			if (load->engine_note && load->engine_note[0])
				text_printf(&text, " (%s)", load->engine_note);
			paragraph(show, "  ", text_data(&text));
			text_release(&text);
		}
	}
}

/* -- the table -- */

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
	double iops[REPEATS_MAX], rate[REPEATS_MAX];	/* rising */
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

	if ((isfinite(op->iops) || isfinite(op->bytes_per_second)) && figures->count < REPEATS_MAX) {
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
		if (figures->part_count < REPEATS_MAX)
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
		remark(show, "* fewer than 10 independent I/Os lie beyond this percentile");
	if (show->any_of_step)
		remark(show, "(in brackets) true of the I/Os of this step, not a property of the drive: the slow ones came "
			     "together, or the drive changed meanwhile, so that they count for too few");
	if (show->any_refused)
		remark(show, "n/a: too few I/Os to say, or too few independent ones; show --json says how many more "
			     "it takes");
	if (show->any_untold)
		remark(show, "n/a: what was imported doesn't tell it");
	if (show->any_windowed)
		remark(show, "steady: rates and latencies are those of the verified window; the transient is in show "
			     "--json");
	if (show->any_repeats)
		remark(show, "(xN, low-high): the median and range of N repeats, latencies of all; each one is in "
			     "show --json");
	if (show->any_rest)
		remark(show, "rates leave out start delays and the rests of duty cycles: rest_ns in show --json");
	if (show->any_open)
		remark(show, "open loops: latency is response time, counted from the intended start");
}

/* -- after the table -- */

#define STATES_TOLD 12u		/* different ones */

/* Does an earlier step of that name have that state? */
static bool state_told(const struct report_model *model, uint32_t at)
{
	const struct report_step *step = &model->steps[at];

	for (uint32_t i = 0; i < step->family->step_count && step->family->steps[i] < step; i++)
		if (step->family->steps[i]->state.known &&
		    state_words(&step->family->steps[i]->state) == state_words(&step->state))
			return true;
	return false;
}

/* "purged, fresh: 'fill'" or "...: 'read', 'write'". */
static void state_line(struct show *show, const char *words)
{
	struct text names = { 0 };
	uint32_t told = 0;

	text_printf(&names, "%s:", words);
	for (uint32_t i = 0; i < show->model->step_count; i++) {
		const struct report_step *step = &show->model->steps[i];

		if (step->state.known && state_words(&step->state) == words && !state_told(show->model, i))
			text_printf(&names, "%s '%s'", told++ ? "," : "", word(step->record->name));
	}
	paragraph(show, "  ", text_data(&names));
	text_release(&names);
}

/* In which states steps began; the words are constants, so that equal ones are the same pointer. */
static void states(struct show *show)
{
	const char *told[STATES_TOLD];
	uint32_t count = 0;

	for (uint32_t i = 0; i < show->model->step_count && count < STATES_TOLD; i++) {
		const struct report_state *state = &show->model->steps[i].state;
		uint32_t at = 0;

		if (!state->known)
			continue;
		while (at < count && told[at] != state_words(state))
			at++;
		if (at == count)
			told[count++] = state_words(state);
	}
	if (count)
		text_append(show->out, "\nstate of the drive when a step began:\n");
	for (uint32_t i = 0; i < count; i++)
		state_line(show, told[i]);
}

static void stalls(struct show *show)
{
	for (uint32_t i = 0; i < show->model->drive_count; i++) {
		const struct drive_record *drive = &show->model->drives[i];
		char duration[UNITS_TEXT];
		struct text text = { 0 };

		if (drive->longest_stall_ns < REPORT_STALL_TOLD_NS || report_finds(show->model, "longest_"
												"stall"))
			continue;
		text_printf(&text,
			    "The longest time in which %s had I/Os in flight and completed none was %s.",
			    drive->name ? drive->name : "the drive",
			    duration_format(drive->longest_stall_ns, duration));
		paragraph(show, "- ", text_data(&text));
		text_release(&text);
	}
}

/* What the plan has and the run has not, with the reason. */
static void left_out(struct show *show)
{
	for (uint32_t i = 0; i < show->model->event_count; i++)
		if (!strcmp(word(show->model->events[i].kind), "skipped"))
			paragraph(show, "- ", word(show->model->events[i].text));
}

static void findings(struct show *show)
{
	text_append_char(show->out, '\n');
	for (uint32_t i = 0; i < show->model->finding_count; i++)
		if (show->model->findings[i].text)
			paragraph(show, "- ", show->model->findings[i].text);
	stalls(show);
	left_out(show);
}

/* Criteria are the plan's own questions: also those that are met are answered. */
static bool is_criterion(const struct check_record *check)
{
	return !strncmp(word(check->name), "expect ", 7);
}

static void check_line(struct show *show, const struct check_record *check)
{
	const bool failed = check->result == CHECK_FAILED;
	struct text text = { 0 };

	text_printf(&text, "%s: %s", word(check->name), word(check->text));
	marked_paragraph(show, failed ? TEXT_BAD : TEXT_GOOD, failed ? "check failed " : "criterion met ",
			 text_data(&text));
	text_release(&text);
}

static void checks(struct show *show)
{
	const struct report_model *model = show->model;
	uint32_t counts[3] = { 0 };

	for (uint32_t i = 0; i < model->check_count; i++) {
		const struct check_record *check = &model->checks[i];

		counts[check->result]++;
		if (check->result == CHECK_FAILED || (check->result == CHECK_PASSED && is_criterion(check)))
			check_line(show, check);
	}
	if (model->check_count)
		text_printf(show->out, "checks: %u passed, %u failed, %u not applicable\n",
			    counts[CHECK_PASSED], counts[CHECK_FAILED], counts[CHECK_NOT_APPLICABLE]);
}

/* A run that was killed, or still runs, has nothing concluded: that is no sign that all is well. */
static void unconcluded(struct show *show)
{
	const struct report_model *model = show->model;

	if (model->check_count || model->finding_count)
		return;
	if (model->run->status == RUN_RUNNING)
		marked_paragraph(show, TEXT_WARN, "no findings and checks yet: ",
				 "they are drawn when the run ends");
	else if (model->run->status == RUN_INTERRUPTED || model->run->status == RUN_FAILED)
		marked_paragraph(show, TEXT_WARN, "no findings and checks: ",
				 "they are drawn when a run ends, and this one did not come to it; ssdassay run "
				 "--resume RUN goes on with it, and draws them");
}

int report_text(struct store *store, const struct report_layout *layout, struct text *out,
		struct fault *fault)
{
	struct show show = { .layout = *layout, .out = out, .scratch = malloc(sizeof(*show.scratch)) };
	struct report_model *model;
	int error = show.scratch ? report_model_new(store, REPORT_ALL_TARGETS, &model, fault)
				 : fault_system(fault, -ENOMEM, "not enough memory for the table");

	if (error) {
		free(show.scratch);
		return error;
	}
	show.model = model;
	heading(&show);
	for (uint32_t i = 0; i < model->drive_count; i++)
		drive_line(&show, &model->drives[i]);
	engine_lines(&show);
	text_append_char(out, '\n');
	error = table(&show);
	legend(&show);
	states(&show);
	findings(&show);
	checks(&show);
	unconcluded(&show);
	report_model_free(model);
	free(show.scratch);
	if (error)
		return store_fault(store, error, fault);
	return out->error ? fault_system(fault, out->error, "not enough memory for the table") : 0;
}
