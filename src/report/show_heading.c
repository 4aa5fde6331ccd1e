/* What was run, on which drives, by which engine. */
#include "report/show.h"

#include <stdio.h>
#include <string.h>
#include "base/units.h"
#include "report/utf8.h"

static enum text_style status_style(enum run_status status)
{
	return status == RUN_COMPLETE ? TEXT_GOOD : status == RUN_RUNNING ? TEXT_WARN : TEXT_BAD;
}

static void run_lines(struct show *show)
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
	show_line(show, TEXT_PLAIN, text_data(&head));
	text_release(&head);
	if (run->status != RUN_COMPLETE && run->status_text)
		show_paragraph(show, "  ", run->status_text);
	if (run->status != RUN_COMPLETE && !show->model->measured)
		show_marked(show, TEXT_WARN, "  nothing was measured: ",
			    run->status == RUN_RUNNING ? "no I/O has come to its end yet"
						       : "no I/O came to its end; ssdassay run --resume RUN begins anew");
	if (run->scale != 1) {
		char scaled[96];

		snprintf(scaled, sizeof(scaled), "  scaled by %.6g, not scored", run->scale);
		show_line(show, TEXT_WARN, scaled);
	}
	if (report_bursts(show->model))
		show_line(show, TEXT_WARN,
		     "  burst figures: seconds of load on a small range; they say nothing about the steady state");
	if (run->allow_unwritten)
		show_line(show, TEXT_WARN,
		     "  reads of never-written ranges were allowed: not a measurement of the drive");
}

/* What has no room in the line any more goes to the next. */
static void field(struct show *show, struct text *text, const char *name, const char *value)
{
	uint32_t columns = utf8_columns(text_data(text)) + utf8_columns(name) + utf8_columns(value) + 2;

	if (show->layout.width && columns > show->layout.width) {
		show_line(show, TEXT_PLAIN, text_data(text));
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
	show_line(show, TEXT_PLAIN, text_data(&text));
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
			show_paragraph(show, "  ", text_data(&text));
			text_release(&text);
		}
	}
}

void show_heading(struct show *show)
{
	run_lines(show);
	for (uint32_t i = 0; i < show->model->drive_count; i++)
		drive_line(show, &show->model->drives[i]);
	engine_lines(show);
	text_append_char(show->out, '\n');
}
