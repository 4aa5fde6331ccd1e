/* The reading half of the public library (include/ssdassay.h): thin wrappers, nothing of its own. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "report/report.h"
#include "ssdassay.h"

#define FILES_MAX 64

struct ssdassay_file {
	struct store *store;
};

static int failed(struct ssdassay_error *error, int code, const struct fault *fault)
{
	if (error)
		snprintf(error->text, sizeof(error->text), "%s", fault->text[0] ? fault->text : strerror(-code));
	return code;
}

static void error_clear(struct ssdassay_error *error)
{
	if (error)
		*error = (struct ssdassay_error){ 0 };
}

int ssdassay_open(const char *run_path, struct ssdassay_file **ret_file, struct ssdassay_error *error)
{
	struct ssdassay_file *file = calloc(1, sizeof(*file));
	struct fault fault = { 0 };
	int code = file ? store_open(run_path, &file->store, &fault) : -ENOMEM;

	error_clear(error);
	if (code) {
		free(file);
		return failed(error, code, &fault);
	}
	*ret_file = file;
	return 0;
}

struct ssdassay_file *ssdassay_close(struct ssdassay_file *file)
{
	if (file)
		store_close(file->store);
	free(file);
	return NULL;
}

/* The end of every form: the text goes to the caller, or the reason why there is none. */
static int text_give(int code, struct text *text, const struct fault *fault, char **ret_text,
		     struct ssdassay_error *error)
{
	char *data = code ? NULL : text_take(text);

	error_clear(error);
	if (!code && !data)
		code = -ENOMEM;
	text_release(text);
	if (code)
		return failed(error, code, fault);
	*ret_text = data;
	return 0;
}

int ssdassay_json(struct ssdassay_file *file, char **ret_text, struct ssdassay_error *error)
{
	struct text text = { 0 };
	struct fault fault = { 0 };
	int code = report_json(file->store, &text, &fault);

	return text_give(code, &text, &fault, ret_text, error);
}

int ssdassay_text(struct ssdassay_file *file, char **ret_text, struct ssdassay_error *error)
{
	const struct report_layout layout = { 0 };
	struct text text = { 0 };
	struct fault fault = { 0 };
	int code = report_text(file->store, &layout, &text, &fault);

	return text_give(code, &text, &fault, ret_text, error);
}

int ssdassay_html(struct ssdassay_file *const *files, uint32_t count, const char *language, char **ret_text,
		  struct ssdassay_error *error)
{
	struct report_options options = { .language = REPORT_ENGLISH };
	struct store *stores[FILES_MAX];
	struct text text = { 0 };
	struct fault fault = { 0 };
	int code = 0;

	if (!count || count > FILES_MAX)
		code = fault_set(&fault, 0, 0, "a page takes 1 to %d runs", FILES_MAX);
	else if (language && report_language_parse(language, &options.language))
		code = fault_set(&fault, 0, 0, "language %s: known are en, zh-Hans, zh-Hant", language);
	for (uint32_t i = 0; !code && i < count; i++)
		stores[i] = files[i]->store;
	if (!code)
		code = report_html(stores, count, &options, &text, &fault);
	return text_give(code, &text, &fault, ret_text, error);
}

void ssdassay_free(char *text)
{
	free(text);
}
