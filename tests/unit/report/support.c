#include "support.h"

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

void fake_open(struct fake_file *file, enum fake_kind kind, uint32_t seconds)
{
	struct fault fault = { 0 };

	snprintf(file->folder, sizeof(file->folder), "/tmp/report-test-XXXXXX");
	assert_non_null(mkdtemp(file->folder));
	snprintf(file->path, sizeof(file->path), "%s/run.assay", file->folder);
	assert_int_equal(fake_run(file->path, kind, seconds, 7), 0);
	assert_int_equal(store_open(file->path, &file->store, &fault), 0);
}

void fake_close(struct fake_file *file)
{
	DIR *folder = opendir(file->folder);
	struct dirent *entry;
	char path[400];

	store_close(file->store);
	while (folder && (entry = readdir(folder))) {
		snprintf(path, sizeof(path), "%s/%s", file->folder, entry->d_name);
		unlink(path);
	}
	closedir(folder);
	rmdir(file->folder);
}

static void bless(const char *path, const struct text *text)
{
	FILE *stream = fopen(path, "w");

	assert_non_null(stream);
	assert_int_equal(fwrite(text_data(text), 1, text->bytes, stream), text->bytes);
	assert_int_equal(fclose(stream), 0);
}

void assert_golden(const char *name, const struct text *text)
{
	struct text golden = { 0 };
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", GOLDEN_FOLDER, name);
	if (getenv("SSDASSAY_BLESS"))
		bless(path, text);
	assert_int_equal(text_read_file(&golden, path, 16 << 20), 0);
	assert_string_equal(text_data(text), text_data(&golden));
	text_release(&golden);
}
