/* render: makes fake run files and renders them, for people who look at the pages: render FORM OUT
 * KIND[:SECONDS]... */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "fake_run.h"
#include "report/report.h"

static struct store *open_kind(const char *word, uint64_t seed)
{
	char path[] = "/tmp/report-render-XXXXXX";
	const char *colon = strchr(word, ':');
	size_t length = colon ? (size_t)(colon - word) : strlen(word);
	struct fault fault = { 0 };
	struct store *store = NULL;
	int error = -1;

	if (access(word, R_OK) == 0)
		return store_open(word, &store, &fault) ? NULL : store;
	close(mkstemp(path));
	unlink(path);
	for (int kind = 0; kind < FAKE_KINDS; kind++)
		if (strncmp(fake_kind_name[kind], word, length) == 0 && !fake_kind_name[kind][length])
			error = fake_run(path, kind, colon ? (uint32_t)atoi(colon + 1) : 0, seed);
	if (!error)
		error = store_open(path, &store, &fault);
	fprintf(stderr, "%s\n", path);
	if (error)
		fprintf(stderr, "%s: %d %s\n", word, error, fault.text);
	return store;
}

static int render(const char *form, struct store **runs, uint32_t count, struct text *out,
		  struct fault *fault)
{
	struct report_options options = { 0 };
	struct report_layout layout = { .color = isatty(1), .width = 0 };

	if (strcmp(form, "json") == 0)
		return report_json(runs[0], out, fault);
	if (strcmp(form, "text") == 0)
		return report_text(runs[0], &layout, out, fault);
#ifndef NO_HTML
	report_language_parse(strncmp(form, "html-", 5) == 0 ? form + 5 : "en", &options.language);
	return report_html(runs, count, &options, out, fault);
#endif
	return -1;
}

int main(int argc, char **argv)
{
	struct store *runs[32] = { 0 };
	struct timespec start, end;
	struct text out = { 0 };
	struct fault fault = { 0 };
	int error = 0;

	for (int i = 3; i < argc; i++) {
		runs[i - 3] = open_kind(argv[i], (uint64_t)i);
		if (!runs[i - 3])
			return 1;
	}
	clock_gettime(CLOCK_MONOTONIC, &start);
	if (strcmp(argv[1], "csv") == 0)
		error = report_csv(runs[0], open(argv[2], O_DIRECTORY | O_RDONLY), &fault);
	else
		error = render(argv[1], runs, (uint32_t)argc - 3, &out, &fault);
	clock_gettime(CLOCK_MONOTONIC, &end);
	fprintf(stderr, "%d %s %zu bytes %.3f s\n", error, fault.text, out.bytes,
		(double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9);
	if (!error && strcmp(argv[1], "csv") != 0) {
		FILE *file = strcmp(argv[2], "-") == 0 ? stdout : fopen(argv[2], "w");

		fwrite(text_data(&out), 1, out.bytes, file);
		fclose(file);
	}
	for (int i = 3; i < argc; i++)
		store_close(runs[i - 3]);
	text_release(&out);
	return error != 0;
}
