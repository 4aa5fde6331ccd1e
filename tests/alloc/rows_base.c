/* base: texts, files, arenas. */
#include <errno.h>
#include <stdlib.h>
#include "base/arena.h"
#include "base/text.h"
#include "rows.h"

static int make_text(void *context)
{
	struct text text = { 0 };
	char *taken;
	int error;

	for (int i = 0; i < 100; i++) {
		text_append_xml(&text, "<a text & its \"escapes\">\x01");
		text_printf(&text, "%0100d", i);
	}
	taken = text_take(&text);
	error = taken ? 0 : -ENOMEM;
	free(taken);
	text_release(&text);
	return error;
}

static int make_file(void *context)
{
	struct text text = { 0 };
	const int error = text_read_file(&text, "/proc/self/status", 1 << 20);

	text_release(&text);
	return error;
}

static int make_arena(void *context)
{
	struct arena arena = { 0 };
	int error = 0;

	for (int i = 0; i < 4 && !error; i++)
		if (!arena_alloc(&arena, 40000) || !arena_printf(&arena, "%d", i) || !arena_strdup(&arena, "x"))
			error = -ENOMEM;
	arena_release(&arena);
	return error;
}

static const struct alloc_row rows[] = {
	{ .name = "base: a text", .make = make_text },
	{ .name = "base: a file's text", .make = make_file },
	{ .name = "base: an arena", .make = make_arena },
};
const struct alloc_rows alloc_rows_base = { rows, sizeof(rows) / sizeof(*rows) };
