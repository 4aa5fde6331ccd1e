/* guard: examining and opening a file, a directory, a simulated drive. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "guard/guard.h"
#include "rows.h"

static const struct guard_wish wish = { .will_write = true, .file_bytes = 1 << 20 };
static const struct guard_permission permission = { 0 };

static void *folder_make(void)
{
	char *folder = malloc(64);

	if (!folder)
		abort();
	snprintf(folder, 64, "/tmp/ssdassay-alloc-XXXXXX");
	if (!mkdtemp(folder))
		abort();
	return folder;
}

static void folder_free(void *context)
{
	char path[80];

	snprintf(path, sizeof(path), "%s/new", (char *)context);
	unlink(path);
	rmdir(context);
	free(context);
}

static int open_name(const char *name)
{
	struct guard_subject subject = { .fence_fd = -1 };
	struct target target;
	struct fault fault = { 0 };
	int error = guard_examine(name, &wish, &permission, &subject, &fault);

	if (!error && subject.kind != TARGET_SIM) {
		error = guard_open(&subject, false, &target, &fault);
		if (!error)
			guard_close(&subject, &target);
	}
	guard_subject_release(&subject);
	return error;
}

static int make_file(void *context)
{
	char path[80];
	int error;

	snprintf(path, sizeof(path), "%s/new", (char *)context);
	error = open_name(path);
	unlink(path);
	return error;
}

static int make_in_folder(void *context)
{
	return open_name(context);
}

static int make_sim(void *context)
{
	return open_name("sim:theory,shrink=256");
}

static int make_null(void *context)
{
	return open_name("/dev/null");
}

static const struct alloc_row rows[] = {
	{ .name = "guard: a new file", .set_up = folder_make, .make = make_file, .tear_down = folder_free },
	{ .name = "guard: a temporary file", .set_up = folder_make, .make = make_in_folder, .tear_down = folder_free },
	{ .name = "guard: a simulated drive", .make = make_sim },
	{ .name = "guard: /dev/null", .make = make_null },
};
const struct alloc_rows alloc_rows_guard = { rows, sizeof(rows) / sizeof(*rows) };
