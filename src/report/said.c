/* said: sentences of the run file in the page's language. The file says how each was made (base/saying.h); its
 * formats are keys of the phrases. */
#include <jansson.h>
#include <string.h>
#include "base/saying.h"
#include "report/page.h"

#define DEPTH_MAX 6u	/* of sayings in sayings: a file may hold anything */

static bool message_say(struct page *page, const json_t *message, uint32_t depth, struct text *text);

static bool value_say(struct page *page, const json_t *value, uint32_t depth, struct text *text)
{
	if (json_is_array(value))
		return message_say(page, value, depth + 1, text);
	if (json_is_string(value))
		text_append(text, json_string_value(value));
	return json_is_string(value);
}

/* ["format", value, ...]; false when the format has no translation or takes a value that is not there. */
static bool piece_say(struct page *page, const json_t *piece, uint32_t depth, struct text *text)
{
	const char *format = json_string_value(json_array_get(piece, 0)),
		   *at = format ? say_known(page, format) : NULL;
	struct conversion conversion;
	bool said = at != NULL;
	size_t next = 1;

	while (said && conversion_next(at, &conversion)) {
		text_append_bytes(text, at, (size_t)(conversion.start - at));
		if (conversion.letter == '%')
			text_append_char(text, '%');
		else
			said = value_say(page,
					 json_array_get(piece, conversion.place ? conversion.place : next++),
					 depth, text);
		at = conversion.end;
	}
	if (said)
		text_append(text, at);
	return said;
}

static bool message_say(struct page *page, const json_t *message, uint32_t depth, struct text *text)
{
	bool said = json_is_array(message) && depth < DEPTH_MAX;

	for (size_t i = 0; said && i < json_array_size(message); i++)
		said = piece_say(page, json_array_get(message, i), depth, text);
	return said;
}

const char *page_said(struct page *page, const char *said_json)
{
	json_t *message = said_json ? json_loads(said_json, 0, NULL) : NULL;
	struct text text = { 0 };
	const char *kept = NULL;

	if (message_say(page, message, 0, &text) && !text.error)
		kept = arena_strdup(&page->arena, text_data(&text));
	text_release(&text);
	json_decref(message);
	return kept;
}

const char *page_told(struct page *page, const char *english, const char *said_json)
{
	const char *said = page->language == REPORT_ENGLISH ? NULL : page_said(page, said_json);

	return page_grouped(page, said ? said : english);
}

void page_sentence(struct page *page, const char *tag, const char *english, const char *said_json)
{
	const char *said = page->language == REPORT_ENGLISH ? english : page_said(page, said_json);

	text_printf(page->out, "<%s%s>", tag, said || !*english ? "" : " lang=\"en\"");
	page_text(page, page_grouped(page, said ? said : english));
	text_printf(page->out, "</%s>", tag);
}
