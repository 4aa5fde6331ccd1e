/* drive: everything that is read of a captured machine (tests/sysfs), and what is written of it. JSON goes on
 * without a member that there was no memory for; the lists of reasons that the guard goes by do not. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <cmocka.h>
#include "../unit/drive/tree.h"
#include "drive/drive.h"
#include "drive/drive_file.h"
#include "drive/drive_host.h"
#include "drive/drive_use.h"
#include "rows.h"

static void *tree_make(void)
{
	struct tree *tree = calloc(1, sizeof(*tree));

	if (!tree)
		abort();
	tree_unpack(tree, "laptop");
	return tree;
}

static void tree_free(void *context)
{
	tree_remove(context);
	free(context);
}

static int text_or_nothing(char *text)
{
	const int error = text ? 0 : -ENOMEM;

	free(text);
	return error;
}

static int make_facts(void *context)
{
	struct tree *tree = context;
	struct drive_facts facts;
	struct text text = { 0 };
	struct fault fault = { 0 };
	int error = drive_find(&tree->machine, "nvme0n1", &facts, &fault);

	if (error)
		return error;
	error = text_or_nothing(drive_facts_json(&facts));
	drive_facts_text(&facts, &text);
	if (!error)
		error = text.error;
	text_release(&text);
	drive_facts_release(&facts);
	return error;
}

static int make_names(void *context)
{
	struct tree *tree = context;
	struct lines names;
	int error = drive_names(&tree->machine, &names);

	if (!error)
		lines_release(&names);
	return error;
}

#define REASONS 3	/* of the captured laptop: two mounts and a swap */

/* A use that isn't seen must not look like none. */
static int make_use(void *context)
{
	struct tree *tree = context;
	struct lines reasons = { 0 }, warnings = { 0 };
	struct block block;
	int error = block_by_name(&tree->machine, "nvme0n1", &block);

	if (!error)
		error = drive_use(&tree->machine, &block, &reasons, &warnings);
	if (!error && reasons.count != REASONS) {
		printf("# %u reasons\n", reasons.count);
		error = -EINVAL;
	}
	lines_release(&reasons);
	lines_release(&warnings);
	return error;
}

static int make_health(void *context)
{
	struct tree *tree = context;
	struct drive_health health;
	const int error = drive_health(&tree->machine, makedev(259, 0), &health);

	return error ? error : text_or_nothing(drive_health_json(&health));
}

static int make_host(void *context)
{
	struct tree *tree = context;

	return text_or_nothing(drive_host_json(&tree->machine, "1"));
}

static int make_sample(void *context)
{
	struct tree *tree = context;
	struct host_sample sample = { 0 };
	const int error = drive_host_sample(&tree->machine, &sample);

	host_sample_release(&sample);
	return error;
}

static int make_file(void *context)
{
	struct tree *tree = context;
	struct drive_file_facts facts;
	struct fault fault = { 0 };
	int error = drive_file_facts(&tree->machine, "/home/user/x", &facts, &fault);

	if (error)
		return error;
	error = text_or_nothing(drive_file_facts_json(&facts));
	drive_file_facts_release(&facts);
	return error;
}

static const struct alloc_row rows[] = {
	{ .name = "drive: facts of a drive", .goes_on = true, .set_up = tree_make, .make = make_facts, .tear_down = tree_free },
	{ .name = "drive: names of drives", .set_up = tree_make, .make = make_names, .tear_down = tree_free },
	{ .name = "drive: who uses it", .set_up = tree_make, .make = make_use, .tear_down = tree_free },
	{ .name = "drive: health", .goes_on = true, .set_up = tree_make, .make = make_health, .tear_down = tree_free },
	{ .name = "drive: host's facts", .goes_on = true, .set_up = tree_make, .make = make_host, .tear_down = tree_free },
	{ .name = "drive: sample of the host", .set_up = tree_make, .make = make_sample, .tear_down = tree_free },
	{ .name = "drive: what lies under a file", .goes_on = true, .set_up = tree_make, .make = make_file, .tear_down = tree_free },
};
const struct alloc_rows alloc_rows_drive = { rows, sizeof(rows) / sizeof(*rows) };
