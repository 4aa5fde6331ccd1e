#include "cli/progress.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/terminal.h"

#define LIVE_EVERY_NS 200000000ull
#define PLAIN_EVERY_NS 10000000000ull
#define PLAIN_STEP_NS 400000000ull	/* short steps: not a line each */
#define LEFT_TOLD_NS 1000000ull		/* less is no time that is left */
#define JSON_EVERY_NS 1000000000ull

int progress_init(struct progress *progress, const char *style)
{
	*progress = (struct progress){ 0 };
	if (!style || !strcmp(style, "auto"))
		progress->style = isatty(STDERR_FILENO) ? PROGRESS_LIVE : PROGRESS_PLAIN;
	else if (!strcmp(style, "plain"))
		progress->style = PROGRESS_PLAIN;
	else if (!strcmp(style, "json"))
		progress->style = PROGRESS_JSON;
	else if (!strcmp(style, "none"))
		progress->style = PROGRESS_NONE;
	else
		return -EINVAL;
	return 0;
}

static void history_add(struct progress *progress, double iops)
{
	if (progress->history_count == PROGRESS_SPARK) {
		memmove(progress->history, progress->history + 1, sizeof(progress->history) - sizeof(double));
		progress->history_count--;
	}
	progress->history[progress->history_count++] = iops;
}

static void spark_append(const struct progress *progress, struct text *text)
{
	static const char *const bars[] = { "\u2581", "\u2582", "\u2583", "\u2584",
					    "\u2585", "\u2586", "\u2587", "\u2588" };
	double top = 1;

	for (uint32_t i = 0; i < progress->history_count; i++)
		top = fmax(top, progress->history[i]);
	for (uint32_t i = 0; i < progress->history_count; i++)
		text_append(text, bars[(int)fmin(7, floor(progress->history[i] / top * 7.999))]);
}

static void head_append(const struct run_progress *now, struct text *text)
{
	char left[UNITS_TEXT];

	text_printf(text, "[%u/%u] %s", now->step_number,
		    now->step_number > now->step_count ? now->step_number : now->step_count, now->step);
	if (now->phase && strcmp(now->phase, "measure"))
		text_printf(text, " (%s)", now->phase);
	if (!isnan(now->share))
		text_printf(text, " %3.0f %%", now->share * 100);
	if (now->left_ns != UINT64_MAX && now->left_ns >= LEFT_TOLD_NS)
		text_printf(text, ", %s left", duration_format(now->left_ns, left));
}

static void figures_append(const struct run_progress *now, struct text *text)
{
	char iops[UNITS_TEXT], rate[UNITS_TEXT], p50[UNITS_TEXT], p99[UNITS_TEXT], max[UNITS_TEXT];

	if (!strcmp(now->phase, "idle") || isnan(now->iops))	/* or no interval is over yet */
		return;
	text_printf(text, "  %s IOPS  %s", count_format(now->iops, iops),
		    rate_format(now->bytes_per_second, rate));
	if (now->iops > 0)
		text_printf(text, "  p50 %s  p99 %s  max %s", duration_format(now->p50_ns, p50),
			    duration_format(now->p99_ns, p99), duration_format(now->max_ns, max));
	if (now->errors)
		text_printf(text, "  %llu errors", (unsigned long long)now->errors);
}

/* How much of a line has room in so many columns: characters, not bytes. What is two spaces apart belongs
 * together, and half of it says nothing: cut before it. */
static size_t cut_bytes(const char *line, uint32_t width)
{
	size_t at = 0, field = 0;

	for (uint32_t count = 0; line[at]; at++) {
		if (at && line[at] == ' ' && line[at + 1] == ' ')
			field = at;
		if (((unsigned char)line[at] & 0xc0) != 0x80 && count++ == width)
			return field ? field : at;
	}
	return at;
}

/* -- several targets side by side: one line for all -- */

static void side_note(struct progress *progress, const struct run_progress *now)
{
	struct progress_side *side = &progress->side[now->target];

	progress->side_count = now->target_count < PROGRESS_SIDES ? now->target_count : PROGRESS_SIDES;
	snprintf(side->step, sizeof(side->step), "%s", now->step);
	snprintf(side->phase, sizeof(side->phase), "%s", now->phase);
	snprintf(side->notice, sizeof(side->notice), "%s", now->notice ? now->notice : "");
	side->step_number = now->step_number;
	side->share = now->share;
	side->iops = now->iops;
	side->bytes_per_second = now->bytes_per_second;
	side->p99_ns = now->p99_ns;
}

static bool moves_data(const struct progress_side *side)
{
	return !strcmp(side->phase, "measure") || !strcmp(side->phase, "ramp");
}

static void side_append(const struct progress_side *side, uint32_t number, struct text *text)
{
	char iops[UNITS_TEXT], rate[UNITS_TEXT], p99[UNITS_TEXT];

	text_printf(text, "%s%u: ", number ? "  |  " : "", number);
	if (!side->step[0]) {
		text_append(text, "-");
		return;
	}
	text_append(text, side->step);
	if (!moves_data(side))
		text_printf(text, " (%s)", side->phase);
	if (!isnan(side->share))
		text_printf(text, " %.0f %%", side->share * 100);
	if (moves_data(side) && !isnan(side->iops))
		text_printf(text, " %s IOPS %s p99 %s", count_format(side->iops, iops),
			    rate_format(side->bytes_per_second, rate), duration_format(side->p99_ns, p99));
	if (side->notice[0])
		text_printf(text, " %s", side->notice);
}

static void sides_append(const struct progress *progress, const struct run_progress *now, struct text *text)
{
	text_printf(text, "[%u/%u] ", now->step_number,
		    now->step_number > now->step_count ? now->step_number : now->step_count);
	for (uint32_t i = 0; i < progress->side_count; i++)
		side_append(&progress->side[i], i, text);
}

static void one_append(const struct progress *progress, const struct run_progress *now, struct text *text)
{
	head_append(now, text);
	figures_append(now, text);
	text_append(text, "  ");
	if (now->notice)
		text_append(text, now->notice);
	else
		spark_append(progress, text);
}

static void live_show(struct progress *progress, const struct run_progress *now)
{
	const uint32_t columns = terminal_columns(stderr);
	struct text text = { 0 };

	if (progress->side_count)
		sides_append(progress, now, &text);
	else
		one_append(progress, now, &text);
	if (text.data)
		command_clean(text.data);
	fputs("\r\033[K", stderr);
	terminal_write(stderr, text_data(&text),
		       cut_bytes(text_data(&text), columns > 1 ? columns - 1 : 79));
	fflush(stderr);
	progress->line_open = true;
	text_release(&text);
}

static void plain_show(const struct progress *progress, const struct run_progress *now)
{
	struct text text = { 0 };

	if (progress->side_count) {
		sides_append(progress, now, &text);
	} else {
		head_append(now, &text);
		figures_append(now, &text);
		if (now->notice)
			text_printf(&text, "  %s", now->notice);
	}
	command_print_line(stderr, "%s", text_data(&text));
	text_release(&text);
}

static json_t *number_or_null(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

/* Takes the object. */
static void json_print(json_t *object)
{
	char *line = object ? json_dumps(object, JSON_COMPACT) : NULL;

	if (line)
		fprintf(stderr, "%s\n", line);
	free(line);
	json_decref(object);
}

static void json_show(const struct run_progress *now)
{
	json_t *left = now->left_ns == UINT64_MAX ? json_null() : json_integer((json_int_t)now->left_ns);
	json_t *object = json_pack(
		"{s:s, s:s, s:i, s:i, s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:I}",
		"step", now->step, "phase", now->phase, "step_number", (int)now->step_number,
		"step_count", (int)now->step_count, "share", number_or_null(now->share), "left_ns", left,
		"elapsed_ns", (json_int_t)now->elapsed_ns, "iops", number_or_null(now->iops),
		"bytes_per_second", number_or_null(now->bytes_per_second),
		"read_iops", number_or_null(now->read_iops), "write_iops", number_or_null(now->write_iops),
		"p50_ns", (json_int_t)now->p50_ns, "p99_ns", (json_int_t)now->p99_ns,
		"max_ns", (json_int_t)now->max_ns, "errors", (json_int_t)now->errors);

	if (object && now->target_count)
		json_object_set_new(object, "target", json_integer(now->target));
	if (object && now->notice)
		json_object_set_new(object, "notice", json_string(now->notice));
	json_print(object);
}

/* Names of files need not be UTF-8. */
static json_t *json_string_or_clean(const char *text)
{
	char *clean = strdup(text);
	json_t *string = clean ? json_string(command_clean(clean)) : NULL;

	free(clean);
	return string;
}

static uint64_t pause_ns(enum progress_style style, bool new_step)
{
	switch (style) {
	case PROGRESS_LIVE:
		return new_step ? 0 : LIVE_EVERY_NS;
	case PROGRESS_JSON:
		return new_step ? 0 : JSON_EVERY_NS;
	default:
		return new_step ? PLAIN_STEP_NS : PLAIN_EVERY_NS;
	}
}

bool progress_is_due(struct progress *progress, const struct run_progress *now, uint64_t wall_ns,
		     bool *ret_new_step)
{
	struct progress_pace *pace = &progress->pace[now->target_count ? now->target % PROGRESS_PACES : 0];
	uint64_t *last = progress->style == PROGRESS_JSON ? &pace->wall_ns : &progress->shown_wall_ns;
	bool new_step = now->step_number != pace->step_number || strcmp(pace->step, now->step);

	if (*last && wall_ns - *last < pause_ns(progress->style, new_step))
		return false;
	*last = wall_ns;
	pace->step_number = now->step_number;
	snprintf(pace->step, sizeof(pace->step), "%s", now->step);
	*ret_new_step = new_step;
	return true;
}

void progress_show(struct progress *progress, const struct run_progress *now)
{
	bool new_step;

	if (progress->style == PROGRESS_NONE)
		return;
	if (now->target_count && now->target < PROGRESS_SIDES)
		side_note(progress, now);
	if (!progress_is_due(progress, now, clock_monotonic_ns(), &new_step))
		return;
	if (new_step)
		progress->history_count = 0;
	if (!isnan(now->iops))
		history_add(progress, now->iops);
	if (progress->style == PROGRESS_LIVE)
		live_show(progress, now);
	else if (progress->style == PROGRESS_JSON)
		json_show(now);
	else
		plain_show(progress, now);
}

void progress_say(struct progress *progress, const char *key, const char *text, const char *plain)
{
	json_t *object;

	progress_end(progress);
	if (progress->style != PROGRESS_JSON) {
		command_print_line(stderr, "%s", plain);
		return;
	}
	object = json_object();
	json_object_set_new(object, key, json_string_or_clean(text));
	json_print(object);
}

void progress_end(struct progress *progress)
{
	if (progress->line_open)
		fputs("\r\033[K", stderr);
	progress->line_open = false;
}
