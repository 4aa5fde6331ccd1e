#include "report/plan_words.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

static const char *line_end(const char *line)
{
	return line + strcspn(line, "\n");
}

/* Without a comment, which begins a line or stands behind white space. */
static const char *text_end(const char *line)
{
	const char *end = line_end(line);

	for (const char *at = line; at < end; at++)
		if ((*at == ';' || *at == '#') && (at == line || isspace((unsigned char)at[-1])))
			end = at;
	return end;
}

static const char *trimmed(struct arena *arena, const char *from, const char *to)
{
	while (from < to && isspace((unsigned char)*from))
		from++;
	while (to > from && isspace((unsigned char)to[-1]))
		to--;
	return arena_strndup(arena, from, (size_t)(to - from));
}

/* How many lines there are: no more sections, nor pairs in one of them. */
static uint32_t line_count(const char *text)
{
	uint32_t count = 1;

	for (; *text; text++)
		count += *text == '\n';
	return count;
}

static int section_add(struct plan_words *words, struct arena *arena, const char *line, const char *end, uint32_t lines)
{
	const char *close = memchr(line, ']', (size_t)(end - line));
	struct plan_section *section = &words->sections[words->count];

	if (!close)
		return 0;
	section->name = trimmed(arena, line + 1, close);
	section->pairs = arena_alloc(arena, lines * sizeof(*section->pairs));
	if (!section->name || !section->pairs)
		return -ENOMEM;
	words->count++;
	return 0;
}

static int pair_add(struct plan_words *words, struct arena *arena, const char *line, const char *end)
{
	const char *equals = memchr(line, '=', (size_t)(end - line));
	struct plan_section *section = words->count ? &words->sections[words->count - 1] : NULL;
	struct plan_pair *pair;

	if (!section)
		return 0;
	pair = &section->pairs[section->count];
	pair->key = trimmed(arena, line, equals ? equals : end);
	pair->value = trimmed(arena, equals ? equals + 1 : end, end);
	if (!pair->key || !pair->value)
		return -ENOMEM;
	section->count += pair->key[0] != '\0';
	return 0;
}

int plan_words_read(struct plan_words *words, struct arena *arena, const char *text)
{
	uint32_t lines = text ? line_count(text) : 0;
	int error = 0;

	*words = (struct plan_words){ .sections = arena_alloc(arena, lines * sizeof(*words->sections) + 1) };
	if (!words->sections)
		return -ENOMEM;
	for (const char *line = text; line && !error; line = *line_end(line) ? line_end(line) + 1 : NULL) {
		const char *end = text_end(line);

		while (line < end && isspace((unsigned char)*line))
			line++;
		if (line == end)
			continue;
		error = *line == '[' ? section_add(words, arena, line, end, line_count(line))
				     : pair_add(words, arena, line, end);
	}
	return error;
}

const char *plan_section_value(const struct plan_section *section, const char *key)
{
	for (uint32_t i = section ? section->count : 0; i--;)
		if (strcmp(section->pairs[i].key, key) == 0)
			return section->pairs[i].value;
	return NULL;
}

const struct plan_section *plan_words_section(const struct plan_words *words, const char *name)
{
	for (uint32_t i = 0; i < words->count; i++)
		if (strcmp(words->sections[i].name, name) == 0)
			return &words->sections[i];
	return NULL;
}
