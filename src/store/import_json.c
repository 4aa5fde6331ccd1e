#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "store/import_inside.h"

/* Length of a number that JSON doesn't have ("nan", "-nan", "inf", "-inf") at this place outside of strings,
 * or 0. */
static size_t no_number(const char *at)
{
	size_t sign = *at == '-';

	if (strncmp(at + sign, "nan", 3) == 0 || strncmp(at + sign, "inf", 3) == 0)
		return sign + 3;
	return 0;
}

/* A raw control character, which fio lets into strings (a tab in a job's name) and JSON does not. */
static bool is_raw_control(char c)
{
	return (unsigned char)c < 0x20 && c != '\n' && c != '\r';
}

/* The same text without a byte order mark, with null for such numbers and \u00XX for such characters;
 * lines keep their numbers. */
static void clean(const char *at, struct text *to)
{
	bool in_string = false;

	at += strncmp(at, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	while (*at) {
		size_t skip = in_string ? 0 : no_number(at);

		if (skip) {
			text_append(to, "null");
			at += skip;
			continue;
		}
		if (in_string && is_raw_control(*at)) {
			text_printf(to, "\\u%04x", (unsigned int)*at++);
			continue;
		}
		if (in_string && *at == '\\' && at[1])
			text_append_char(to, *at++);
		else if (*at == '"')
			in_string = !in_string;
		text_append_char(to, *at++);
	}
}

/* The next '{' that begins a line, or NULL. */
static const char *next_document(const char *at, bool at_line_start)
{
	for (; *at; at++) {
		if (at_line_start && *at == '{')
			return at;
		at_line_start = *at == '\n' || (at_line_start && (*at == ' ' || *at == '\t'));
	}
	return NULL;
}

static uint64_t line_of(const char *text, const char *at)
{
	uint64_t line = 1;

	for (; text < at; text++)
		line += *text == '\n';
	return line;
}

static bool is_fio(json_t *document)
{
	return json_is_array(json_object_get(document, "jobs")) ||
	       json_is_array(json_object_get(document, "client_stats"));
}

/* What follows the document at `at`; sets *ret_document (owned by the caller), or returns NULL with the json
 * error. */
static const char *parse_one(const char *at, json_t **ret_document, json_error_t *error)
{
	*ret_document = json_loadb(at, strlen(at), JSON_DISABLE_EOF_CHECK, error);
	return *ret_document ? at + error->position : NULL;
}

static int parse_all(struct import *import, const char *path, const char *text, json_t **root,
		     uint32_t *documents)
{
	const char *at = next_document(text, true);

	while (at) {
		json_error_t error;
		json_t *document;
		const char *end = parse_one(at, &document, &error);

		if (!end)
			return import_refuse(import, path, line_of(text, at) + (uint64_t)error.line - 1,
					     "not valid JSON: %s%s", error.text,
					     error.position >= (int)strlen(at) ? " (the file is cut off)"
									       : "");
		if (is_fio(document)) {
			json_decref(*root);
			*root = json_incref(document);
			*documents += 1;
		}
		json_decref(document);
		at = next_document(end, false);
	}
	return 0;
}

int import_json_parse(struct import *import, const char *path, const struct text *text, json_t **ret_root,
		      uint32_t *ret_documents)
{
	struct text cleaned = { 0 };
	json_t *root = NULL;
	uint32_t documents = 0;
	int result;

	clean(text_data(text), &cleaned);
	result = cleaned.error ? cleaned.error
			       : parse_all(import, path, text_data(&cleaned), &root, &documents);
	text_release(&cleaned);
	if (result == 0 && !root)
		result = import_refuse(import, path, 0,
				       "neither JSON of fio (\"jobs\" or \"client_stats\") nor a log of fio");
	if (result < 0) {
		json_decref(root);
		return result;
	}
	*ret_root = root;
	*ret_documents = documents;
	return 0;
}
