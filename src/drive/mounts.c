#include "drive/mounts.h"
#include "base/text.h"
#include "drive/lines.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#define TABLE_BYTES_MAX (16u << 20)

typedef int (*mount_visitor)(void *context, const struct mount_entry *entry);

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

void mounts_unescape(char *text)
{
	char *out = text;

	for (const char *in = text; *in; out++) {
		if (in[0] == '\\' && is_octal(in[1]) && is_octal(in[2]) && is_octal(in[3])) {
			*out = (char)((in[1] - '0') << 6 | (in[2] - '0') << 3 | (in[3] - '0'));
			in += 4;
		} else {
			*out = *in++;
		}
	}
	*out = 0;
}

/* Cuts the next blank-separated word off; "" at the end. */
static char *next_word(char **at)
{
	char *word = *at + strspn(*at, " ");
	char *end = word + strcspn(word, " ");

	*at = *end ? end + 1 : end;
	*end = 0;
	return word;
}

static void copy_word(char *buffer, size_t bytes, char *word)
{
	mounts_unescape(word);
	snprintf(buffer, bytes, "%s", word);
}

/* "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue" */
static bool parse_line(char *line, struct mount_entry *entry)
{
	unsigned int major, minor;
	char *options, *word;

	next_word(&line);
	next_word(&line);
	if (sscanf(next_word(&line), "%u:%u", &major, &minor) != 2)
		return false;
	entry->dev = makedev(major, minor);
	copy_word(entry->root, sizeof entry->root, next_word(&line));
	copy_word(entry->point, sizeof entry->point, next_word(&line));
	options = next_word(&line);
	do
		word = next_word(&line);
	while (*word && strcmp(word, "-"));
	if (!*word)
		return false;
	copy_word(entry->file_system, sizeof entry->file_system, next_word(&line));
	copy_word(entry->source, sizeof entry->source, next_word(&line));
	snprintf(entry->options, sizeof entry->options, "%s,%s", options, next_word(&line));
	return true;
}

int mounts_visit_text(char *text, struct mount_entry *entry, mount_visitor visit, void *context)
{
	char *rest;
	int result = 0;

	for (char *line = text; !result && *line; line = rest) {
		rest = line + strcspn(line, "\n");
		if (*rest)
			*rest++ = 0;
		if (parse_line(line, entry))
			result = visit(context, entry);
	}
	return result;
}

static int visit_table(const struct machine *machine, const char *owner, struct mount_entry *entry,
		       mount_visitor visit, void *context)
{
	char path[PATH_MAX];
	struct text table = {0};
	int result;

	snprintf(path, sizeof path, "%s/proc/%s/mountinfo", machine_or_real(machine)->root, owner);
	result = text_read_file(&table, path, TABLE_BYTES_MAX);
	if (!result && table.data)
		result = mounts_visit_text(table.data, entry, visit, context);
	text_release(&table);
	return result;
}

int mounts_visit_own(const struct machine *machine, mount_visitor visit, void *context)
{
	struct mount_entry *entry = calloc(1, sizeof *entry);
	int result;

	if (!entry)
		return -ENOMEM;
	result = visit_table(machine, "self", entry, visit, context);
	free(entry);
	return result;
}

static bool is_pid(const char *name)
{
	return isdigit((unsigned char)name[0]) && strspn(name, "0123456789") == strlen(name);
}

/* Errors of foreign tables are those of processes that ended or that we may not look at; but for want of
 * memory nothing is taken for unmounted. */
static int visit_foreign(const struct machine *machine, const char *pid, struct lines *seen,
			 struct mount_entry *entry, mount_visitor visit, void *context)
{
	char name[64];
	int result;

	if (machine_read_link(machine, name, sizeof name, "/proc/%s/ns/mnt", pid) ||
	    lines_contain(seen, name))
		return 0;
	lines_add(seen, "%s", name);
	entry->foreign = true;
	entry->pid = atoi(pid);
	result = visit_table(machine, pid, entry, visit, context);
	return result < 0 && result != -ENOMEM ? 0 : result;
}

int mounts_visit(const struct machine *machine, mount_visitor visit, void *context)
{
	struct lines seen = {0}, pids = {0};
	struct mount_entry *entry;
	char own[64];
	int result = mounts_visit_own(machine, visit, context);

	if (result)
		return result;
	if (!machine_read_link(machine, own, sizeof own, "/proc/self/ns/mnt"))
		lines_add(&seen, "%s", own);
	entry = calloc(1, sizeof *entry);
	result = entry ? machine_list(machine, &pids, "/proc") : -ENOMEM;
	for (uint32_t i = 0; !result && i < pids.count; i++)
		if (is_pid(pids.line[i]))
			result = visit_foreign(machine, pids.line[i], &seen, entry, visit, context);
	if (!result)
		result = seen.error;
	free(entry);
	lines_release(&pids);
	lines_release(&seen);
	return result;
}
