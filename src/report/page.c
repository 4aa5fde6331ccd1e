#include "report/page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/units.h"
#include "report/utf8.h"

#define FACT_COLUMNS 42u	/* of name and value; what is longer has a line of its own */
#define NARROW_SPACE "\xe2\x80\xaf"	/* U+202F, doesn't break */

void page_raw(struct page *page, const char *markup)
{
	text_append(page->out, markup);
}

void page_sentence_gap(struct page *page)
{
	if (page->language == REPORT_ENGLISH)
		page_raw(page, " ");
}

/* text_append_xml() escapes; what isn't UTF-8 must be mended before. */
void page_text(struct page *page, const char *string)
{
	while (*string) {
		uint32_t length = utf8_length(string);
		char one[8] = UTF8_REPLACEMENT;

		if (length) {
			memcpy(one, string, length);
			one[length] = '\0';
		}
		if (length == 2 && (unsigned char)one[0] == 0xc2 && (unsigned char)one[1] < 0xa0)
			text_append(page->out, UTF8_REPLACEMENT);	/* C1 controls */
		else
			text_append_xml(page->out, one);
		string += length ? length : 1;
	}
}

void page_format(struct page *page, const char *format, ...)
{
	struct text text = { 0 };
	va_list args;

	va_start(args, format);
	text_vprintf(&text, format, args);
	va_end(args);
	page_text(page, text_data(&text));
	text_release(&text);
}

static void open_tag(struct page *page, const char *tag, const char *classes)
{
	text_printf(page->out, "<%s", tag);
	if (classes)
		text_printf(page->out, " class=\"%s\"", classes);
	text_append_char(page->out, '>');
}

void page_element(struct page *page, const char *tag, const char *classes, const char *string)
{
	open_tag(page, tag, classes);
	page_text(page, string);
	text_printf(page->out, "</%s>", tag);
}

void page_paragraph(struct page *page, const char *classes, const char *string)
{
	page_element(page, "p", classes, string);
	text_append_char(page->out, '\n');
}

void page_table_begin(struct page *page, const char *const *names, uint32_t count, uint32_t text_columns)
{
	page_raw(page, "<div class=\"scroll\"><table><thead><tr>");
	for (uint32_t i = 0; i < count; i++) {
		page_raw(page, i < text_columns ? "<th scope=\"col\">" : "<th scope=\"col\" class=\"n\">");
		page_text(page, say(page, names[i]));
		page_raw(page, "</th>");
	}
	page_raw(page, "</tr></thead><tbody>\n");
}

void page_row_begin(struct page *page)
{
	page_raw(page, "<tr>");
}

void page_cell(struct page *page, const char *string)
{
	page_element(page, "td", NULL, string);
}

void page_number(struct page *page, const char *string)
{
	page_element(page, "td", "n", string);
}

void page_number_format(struct page *page, const char *format, ...)
{
	struct text text = { 0 };
	va_list args;

	va_start(args, format);
	text_vprintf(&text, format, args);
	va_end(args);
	page_number(page, text_data(&text));
	text_release(&text);
}

void page_row_end(struct page *page)
{
	page_raw(page, "</tr>\n");
}

void page_table_end(struct page *page)
{
	page_raw(page, "</tbody></table></div>\n");
}

void page_fact(struct page *page, const char *name, const char *value)
{
	bool is_long = utf8_columns(name) + utf8_columns(value) > FACT_COLUMNS;

	page_raw(page, is_long ? "<div class=\"long\"><dt>" : "<div><dt>");
	page_text(page, name);
	page_raw(page, "</dt><dd>");
	page_text(page, value);
	page_raw(page, "</dd></div>\n");
}

const char *page_count_text(double value, char buffer[PAGE_NUMBER])
{
	char digits[PAGE_NUMBER];
	size_t length, used = 0, whole;

	if (!isfinite(value))
		return strcpy(buffer, "n/a");
	snprintf(digits, sizeof(digits), "%.*f", fabs(value) < 10 && value != floor(value) ? 2 :
		 fabs(value) < 100 && value != floor(value) ? 1 : 0, fmin(value, 1e15));
	length = strlen(digits);
	whole = strcspn(digits, ".");
	for (size_t i = 0; i < length; i++) {
		if (i && i < whole && (whole - i) % 3 == 0 && digits[i - 1] != '-' && whole > 4) {
			memcpy(buffer + used, NARROW_SPACE, 3);
			used += 3;
		}
		buffer[used++] = digits[i];
	}
	buffer[used] = '\0';
	return buffer;
}

/* Is this the first of five digits and more that stand alone? Beyond ASCII are signs and words of Chinese. */
static bool number_begins(const char *sentence, const char *at)
{
	size_t length = strspn(at, "0123456789");
	bool alone = at == sentence || strchr(" (", at[-1]) || at[-1] & 0x80;

	return alone && length >= 5 && (strchr(" .,;:)", at[length]) || at[length] & 0x80); /* or the end */
}

/* Names of steps stand in quotes; an apostrophe follows a letter. Which closing quote belongs to the one that
 * opens here; NULL = none does. */
static const char *quote_opens(const char *sentence, const char *at)
{
	static const char *const pairs[][2] = { { "\xe2\x80\x9c", "\xe2\x80\x9d" },
						{ "\xe3\x80\x8c", "\xe3\x80\x8d" } };

	for (int i = 0; i < 2; i++)
		if (strncmp(at, pairs[i][0], 3) == 0)
			return pairs[i][1];
	return *at == '\'' && (at == sentence || strchr(" (", at[-1])) ? "'" : NULL;
}

const char *page_grouped(struct page *page, const char *sentence)
{
	struct text grouped = { 0 };
	const char *kept, *closing = NULL;

	for (const char *c = sentence; *c;) {
		size_t length = !closing && number_begins(sentence, c) ? strspn(c, "0123456789") : 0;

		if (closing && strncmp(c, closing, strlen(closing)) == 0)
			closing = NULL;
		else if (!closing)
			closing = quote_opens(sentence, c);
		for (size_t i = 0; i < length; i++)
			text_printf(&grouped, "%s%c", i && (length - i) % 3 == 0 ? NARROW_SPACE : "", *c++);
		if (!length)
			text_append_char(&grouped, *c++);
	}
	kept = arena_strdup(&page->arena, text_data(&grouped));
	text_release(&grouped);
	return kept ? kept : sentence;
}

const char *page_short_text(double value, char buffer[PAGE_NUMBER])
{
	static const char *const powers[] = { "", "k", "M", "G" };
	int power = 0;

	if (!isfinite(value) || fabs(value) < 1e4)
		return page_count_text(value, buffer);
	while (fabs(value) >= 999.5 && power < 3) {
		value /= 1000;
		power++;
	}
	snprintf(buffer, PAGE_NUMBER, "%.*f" NARROW_SPACE "%s",
		 fabs(value) < 9.995   ? 2
		 : fabs(value) < 99.95 ? 1
				       : 0,
		 value, powers[power]);
	return buffer;
}

const char *page_rate_text(double bytes_per_second, char buffer[PAGE_NUMBER])
{
	page_count_text(bytes_per_second / 1e6, buffer);
	return isfinite(bytes_per_second) ? strcat(buffer, NARROW_SPACE "MB/s") : buffer;
}

/* units' own form, with a space that doesn't break. */
const char *page_latency_text(double ns, char buffer[PAGE_NUMBER])
{
	char plain[UNITS_TEXT];
	size_t used = 0;

	if (!isfinite(ns) || ns < 0)
		return strcpy(buffer, "n/a");
	duration_format((uint64_t)(ns + 0.5), plain);
	for (const char *c = plain; *c && used + 4 < PAGE_NUMBER; c++) {
		const char *piece = *c == ' ' ? NARROW_SPACE : NULL;
		size_t length = piece ? strlen(piece) : 1;

		memcpy(buffer + used, piece ? piece : c, length);
		used += length;
	}
	buffer[used] = '\0';
	return buffer;
}

const char *page_time_text(double ns, char buffer[PAGE_NUMBER])
{
	return ns >= 0 && ns < 1 ? strcpy(buffer, "0" NARROW_SPACE "s") : page_latency_text(ns, buffer);
}
