#include "cli/terminal.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "report/utf8.h"

uint32_t terminal_columns(FILE *stream)
{
	struct winsize size;

	if (!isatty(fileno(stream)))
		return 0;
	return ioctl(fileno(stream), TIOCGWINSZ, &size) || !size.ws_col ? 80 : size.ws_col;
}

struct report_layout terminal_layout(void)
{
	const char *no_color = getenv("NO_COLOR");
	uint32_t width = terminal_columns(stdout);

	return (struct report_layout){ .width = width, .color = width && !(no_color && no_color[0]) };
}

/* By the environment's LC_CTYPE; the program's own locale stays C. */
static bool takes_utf8(void)
{
	locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	bool utf8;

	if (locale == (locale_t)0)
		return false;
	utf8 = strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") == 0;
	freelocale(locale);
	return utf8;
}

static const char *in_ascii(const char *character)
{
	static const char *const pairs[][2] = {
		{ "\u00b5", "u" }, { "\u00b0", "" }, { "\u00d7", "x" }, { "\u2013", "-" }, { "\u2026", "~" },
		{ "\u2265", ">" }, { "\u202f", " " },
		{ "\u2581", "_" }, { "\u2582", "_" }, { "\u2583", "." }, { "\u2584", "-" }, { "\u2585", "-" },
		{ "\u2586", "=" }, { "\u2587", "=" }, { "\u2588", "#" },
	};

	for (uint32_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
		if (strncmp(character, pairs[i][0], strlen(pairs[i][0])) == 0)
			return pairs[i][1];
	return "?";
}

void terminal_write(FILE *stream, const char *text, size_t bytes)
{
	const char *end = text + bytes;

	if (!isatty(fileno(stream)) || takes_utf8()) {
		fwrite(text, 1, bytes, stream);
		return;
	}
	while (text < end) {
		uint32_t length = utf8_length(text);

		if (length > 1)
			fputs(in_ascii(text), stream);
		else
			fputc(*text, stream);
		text += length ? length : 1;
	}
}
