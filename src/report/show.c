#include "report/show.h"

#include <string.h>

void show_line(struct show *show, enum text_style style, const char *string)
{
	text_styled(show->out, show->layout.color, style, string);
	text_append_char(show->out, '\n');
}

void show_marked(struct show *show, enum text_style style, const char *mark, const char *string)
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

void show_paragraph(struct show *show, const char *mark, const char *string)
{
	show_marked(show, TEXT_PLAIN, mark, string);
}

void show_remark(struct show *show, const char *string)
{
	struct text folded = { 0 };
	struct show inner = *show;
	char *at;

	inner.out = &folded;
	show_paragraph(&inner, "", string);
	for (at = folded.data; at && *at;) {
		char *end = at + strcspn(at, "\n");

		*end = '\0';
		show_line(show, TEXT_FAINT, at);
		at = end + 1;
	}
	if (folded.error)
		show->out->error = folded.error;
	text_release(&folded);
}
