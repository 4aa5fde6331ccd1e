/* What a run file says about the run to go on with. */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "assay/assay.h"
#include "assay/look.h"
#include "drive/drive.h"
#include "store/store.h"

static bool is_relative(const char *name)
{
	return name[0] != '/' && strncmp(name, "sim:", 4);
}

static char *absolute(const char *directory, const char *name)
{
	size_t bytes = strlen(name) + (directory ? strlen(directory) : 0) + 2;
	char *path = malloc(bytes);

	if (path)
		snprintf(path, bytes, "%s%s%s", directory && is_relative(name) ? directory : "",
			 directory && is_relative(name) ? "/" : "", name);
	return path;
}

/* A file that was made in a directory and is gone: a new one is made there. */
static void directory_instead(char *name)
{
	char *slash = strrchr(name, '/');

	if (slash && access(name, F_OK))
		slash[1] = '\0';
}

static int targets_name(const json_t *options, struct assay_stored *stored)
{
	const char *directory = json_string_value(json_object_get(options, "directory"));
	const json_t *targets = json_object_get(options, "targets");
	char **names = calloc(json_array_size(targets) + 1, sizeof(*names));

	if (!names)
		return -ENOMEM;
	stored->targets = (const char *const *)names;
	for (; stored->target_count < json_array_size(targets); stored->target_count++) {
		const char *name = json_string_value(json_array_get(targets, stored->target_count));

		names[stored->target_count] = name ? absolute(directory, name) : NULL;
		if (!names[stored->target_count])
			return name ? -ENOMEM : -EBADMSG;	/* not UTF-8: it has to be named again */
		if (json_is_true(json_array_get(json_object_get(options, "temporary"), stored->target_count)))
			directory_instead(names[stored->target_count]);
	}
	return 0;
}

struct wanted {
	const char *name, *id;
	bool generic;
};

static bool has_id(const char *name, const char *id)
{
	struct drive_facts facts;
	bool same;

	if (drive_find(NULL, name, &facts, NULL))
		return false;
	same = !strcmp(facts.id, id);
	drive_facts_release(&facts);
	return same;
}

/* The path under which the drive with that ID is found now, if it has another name. */
static void path_ask(void *context, struct text *answer)
{
	const struct wanted *wanted = context;
	struct drive_facts facts;

	if (has_id(wanted->name, wanted->id) || drive_find(NULL, wanted->id, &facts, NULL))
		return;
	if (wanted->generic && !strncmp(facts.name, "nvme", 4))
		text_printf(answer, "/dev/ng%.40s", facts.name + 4);
	else
		text_append(answer, facts.path);
	drive_facts_release(&facts);
}

/* NULL: it has the name that it had, is nowhere, or cannot be asked: then looking at the targets tells. */
static char *new_path(const char *name, const char *id, bool generic)
{
	struct wanted wanted = { name, id, generic };
	struct text answer = { 0 };

	if (!look(path_ask, &wanted, LOOK_FOREVER, NULL, &answer) && answer.bytes)
		return text_take(&answer);
	text_release(&answer);
	return NULL;
}

/* Kernels give names in the order in which they find drives: after a reboot it may be another. */
static int drives_locate(struct store *store, struct assay_stored *stored)
{
	char **names = (char **)stored->targets;
	const struct drive_record *drives;
	uint32_t count;
	int error = store_drives(store, &drives, &count);

	if (error || count != stored->target_count)
		return error;
	for (uint32_t i = 0; i < count; i++) {
		bool generic = drives[i].kind && !strcmp(drives[i].kind, target_kind_name(TARGET_NVME_GENERIC));
		bool block = drives[i].kind && !strcmp(drives[i].kind, target_kind_name(TARGET_BLOCK));
		char *path;

		if ((!generic && !block) || !drives[i].id)
			continue;
		path = new_path(names[i], drives[i].id, generic);
		if (!path)
			continue;
		lines_add(&stored->moved, "the drive %s was %s and is %s now", drives[i].id, names[i], path);
		free(names[i]);
		names[i] = path;
	}
	return 0;
}

int assay_stored(struct store *store, struct assay_stored *ret_stored, struct fault *fault)
{
	struct assay_stored stored = { 0 };
	json_t *options = NULL;
	int error = store_run(store, &stored.run);

	if (error == -ENODATA)
		return fault_set(fault, 0, 0, "the run file holds nothing yet: the run ended before it began; remove it and start "
				 "again");
	if (error)
		return store_fault(store, error, fault);
	if (stored.run->options_json)
		options = json_loads(stored.run->options_json, 0, NULL);
	if (!stored.run->plan_text || !json_is_object(options)) {
		json_decref(options);
		return fault_set(fault, 0, 0, "the run file does not say how the run was made (imported, or of another program): it "
				 "cannot go on");
	}
	stored.options_text = json_dumps(json_object_get(options, "plan"), JSON_COMPACT);
	stored.plan_options_json = stored.options_text;
	stored.together = json_is_true(json_object_get(options, "together"));
	if (!json_is_true(json_object_get(options, "plan_targets")))
		error = targets_name(options, &stored);
	json_decref(options);
	if (!error)
		error = drives_locate(store, &stored);
	if (error) {
		assay_stored_release(&stored);
		return store_fault(store, error, fault);
	}
	*ret_stored = stored;
	return 0;
}

void assay_stored_release(struct assay_stored *stored)
{
	char **names = (char **)stored->targets;

	for (uint32_t i = 0; i < stored->target_count; i++)
		free(names[i]);
	free(names);
	lines_release(&stored->moved);
	free(stored->options_text);
	*stored = (struct assay_stored){ 0 };
}
