#include "report/explore.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>
#include "explore_config.h"
#include "report/base64.h"
#include "report/explore_pack.h"
#include "report/json_writer.h"

#ifdef REPORT_EXPLORE
#include "explore_files.h"
#else
static const unsigned char explore_js[] = "", uplot_js[] = "", uplot_css[] = "", uplot_licence[] = "";
#endif

bool explore_available(void)
{
	return sizeof(uplot_js) > 1;
}

/* -- deflate-raw, base64 -- */

static int deflated(const void *bytes, size_t count, uint8_t **ret_packed, size_t *ret_count)
{
	z_stream stream = { 0 };
	uint8_t *packed = NULL;
	size_t bound;
	int state;

	if (deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	bound = deflateBound(&stream, count);
	packed = malloc(bound);
	stream.next_in = (z_const Bytef *)bytes;
	stream.avail_in = (uInt)count;
	stream.next_out = packed;
	stream.avail_out = (uInt)bound;
	state = packed ? deflate(&stream, Z_FINISH) : Z_MEM_ERROR;
	deflateEnd(&stream);
	if (state != Z_STREAM_END) {
		free(packed);
		return -ENOMEM;
	}
	*ret_packed = packed;
	*ret_count = stream.total_out;
	return 0;
}

static void append_deflated(struct page *page, const void *bytes, size_t count)
{
	uint8_t *packed = NULL;
	size_t packed_count = 0;
	int error = deflated(bytes, count, &packed, &packed_count);

	if (!error)
		base64_append(page->out, packed, packed_count);
	else if (!page->out->error)
		page->out->error = error;
	free(packed);
}

/* -- blobs -- */

static void column_head(struct json_writer *w, const struct explore_column *column, uint32_t rows)
{
	struct explore_range range = explore_range_of(column, rows);

	json_open(w, NULL, '{');
	json_text(w, "kind", column->kind);
	json_text(w, "label", column->label);
	json_u64(w, "series", column->series);
	if (!range.log) {
		json_number(w, "low", range.low);
		json_number(w, "step", range.step);
	}
	json_close(w, '}');
}

static void blob_head(struct page *page, const struct explore_column *columns, uint32_t column_count,
		      uint32_t rows)
{
	struct text head = { 0 };
	struct json_writer w;

	json_writer_init(&w, &head, 0);
	json_open(&w, NULL, '{');
	json_u64(&w, "rows", rows);
	json_open(&w, "columns", '[');
	for (uint32_t i = 0; i < column_count; i++)
		column_head(&w, &columns[i], rows);
	json_close(&w, ']');
	json_close(&w, '}');
	page_text(page, text_data(&head));
	if (head.error && !page->out->error)
		page->out->error = head.error;
	text_release(&head);
}

uint32_t explore_blob(struct page *page, const double *t_ns, uint32_t rows,
		      const struct explore_column *columns, uint32_t column_count)
{
	uint8_t *bytes = NULL;
	size_t count = 0;
	uint32_t id;
	int error;

	if (!explore_available() || !rows || rows > EXPLORE_ROWS_MAX || !column_count)
		return 0;
	error = explore_pack(t_ns, rows, columns, column_count, &bytes, &count);
	if (error) {
		page->out->error = error;
		return 0;
	}
	id = ++page->next_id;
	text_printf(page->out, "<script type=\"application/x-ssd+deflate\" id=\"b%u\" data-head=\"", id);
	blob_head(page, columns, column_count, rows);
	page_raw(page, "\">");
	append_deflated(page, bytes, count);
	page_raw(page, "</script>\n");
	free(bytes);
	return id;
}

/* -- the button -- */

static void button_names(struct page *page, const char *const *names, uint32_t count)
{
	struct text text = { 0 };
	struct json_writer w;

	json_writer_init(&w, &text, 0);
	json_open(&w, NULL, '[');
	for (uint32_t i = 0; i < count; i++)
		json_text(&w, NULL, names[i]);
	json_close(&w, ']');
	page_raw(page, "\" data-names=\"");
	page_text(page, text_data(&text));
	if (text.error && !page->out->error)
		page->out->error = text.error;
	text_release(&text);
}

void explore_button(struct page *page, const char *kind, const uint32_t *blobs, const char *const *names,
		    uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (!blobs[i])
			return;
	if (!count)
		return;
	page->explored = true;
	page_raw(page, "<button type=\"button\" class=\"explore\" aria-expanded=\"false\" data-show=\"");
	page_text(page, kind);
	page_raw(page, "\" data-blobs=\"");
	for (uint32_t i = 0; i < count; i++)
		text_printf(page->out, "%sb%u", i ? " " : "", blobs[i]);
	if (names)
		button_names(page, names, count);
	page_raw(page, "\">");
	page_text(page, say(page, "Explore"));
	page_raw(page, "</button>\n");
}

/* -- what starts it -- */

static void library_part(struct page *page, const char *id, const void *bytes, size_t count)
{
	text_printf(page->out, "<script type=\"application/x-ssd+deflate\" id=\"%s\">", id);
	append_deflated(page, bytes, count);
	page_raw(page, "</script>\n");
}

static void words(struct page *page)
{
	static const char *const phrases[][2] = {
		{ "time", "time" },
		{ "log", "logarithmic" },
		{ "linear", "linear" },
		{ "whole", "whole length" },
		{ "hint", "Drag to zoom, double-click for all; press a name to hide it; arrow keys move the cursor." },
	};
	struct json_writer w;

	page_raw(page, "<script type=\"application/json\" id=\"explore-words\">");
	json_writer_init(&w, page->out, 0);
	json_open(&w, NULL, '{');
	for (uint32_t i = 0; i < sizeof(phrases) / sizeof(*phrases); i++)
		json_text(&w, phrases[i][0], say(page, phrases[i][1]));
	json_close(&w, '}');
	page_raw(page, "</script>\n");
}

static void licence(struct page *page)
{
	page_raw(page, "<details class=\"licence\"><summary>");
	page_text(page, say(page, "Licence of the library behind Explore (uPlot)"));
	page_raw(page, "</summary><pre>");
	page_format(page, "%.*s", (int)sizeof(uplot_licence), (const char *)uplot_licence);
	page_raw(page, "</pre></details>\n");
}

void explore_end(struct page *page)
{
	if (!explore_available() || !page->explored)
		return;
	licence(page);
	library_part(page, "uplot-css", uplot_css, sizeof(uplot_css));
	library_part(page, "uplot-js", uplot_js, sizeof(uplot_js));
	words(page);
	page_raw(page, "<script>\n");
	text_append_bytes(page->out, (const char *)explore_js, sizeof(explore_js));
	page_raw(page, "</script>\n");
}
