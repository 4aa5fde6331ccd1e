#include "tree.h"
#include <ctype.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#define LINE_BYTES 16384

static void make_parents(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		assert_true(!mkdir(path, 0755) || errno == EEXIST);
		*slash = '/';
	}
}

/* "\n" "\t" "\x41" in place; the length. */
static size_t unescape(char *text)
{
	char *out = text;

	for (char *in = text; *in; in++) {
		if (*in != '\\') {
			*out++ = *in;
		} else if (*++in == 'x') {
			const char digits[3] = {in[1], in[2], 0};

			*out++ = (char)strtol(digits, NULL, 16);
			in += 2;
		} else {
			*out++ = *in == 'n' ? '\n' : *in == 't' ? '\t' : *in;
			if (*in != 'n' && *in != 't') {	/* \040 stays as the kernel writes it */
				out[0] = out[-1];
				out[-1] = '\\';
				out++;
			}
		}
	}
	*out = 0;
	return (size_t)(out - text);
}

static void make_file(char *path, char *value)
{
	const size_t bytes = unescape(value);
	FILE *file;

	make_parents(path);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(value, 1, bytes, file), bytes);
	fclose(file);
}

static void make_entry(const char *base, char *line)
{
	char *value = strstr(line, " = "), *link = strstr(line, " -> "), *end = strstr(line, " =");
	char path[PATH_MAX + LINE_BYTES];

	if (value || (end && !end[2])) {
		end = value ? value : end;
		*end = 0;
		snprintf(path, sizeof path, "%s/%s", base, line);
		make_file(path, value ? value + 3 : end + 2);
	} else if (link) {
		*link = 0;
		snprintf(path, sizeof path, "%s/%s", base, line);
		make_parents(path);
		assert_int_equal(symlink(link + 4, path), 0);
	} else {
		snprintf(path, sizeof path, "%s/%s", base, line);
		assert_int_equal(path[strlen(path) - 1], '/');
		make_parents(path);
	}
}

void tree_unpack(struct tree *tree, const char *name)
{
	char path[PATH_MAX], base[PATH_MAX], line[LINE_BYTES];
	FILE *file;

	strcpy(tree->directory, "/tmp/ssdassay-tree-XXXXXX");
	assert_non_null(mkdtemp(tree->directory));
	tree->machine = (struct machine){tree->directory, NULL};
	strcpy(base, tree->directory);
	assert_non_null(getenv("TREES"));
	snprintf(path, sizeof path, "%s/%s.tree", getenv("TREES"), name);
	file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(line, sizeof line, file)) {
		line[strcspn(line, "\n")] = 0;
		if (line[0] == '@')
			snprintf(base, sizeof base, "%.64s/%.2000s", tree->directory,
				 line[1] ? line + 2 : "");
		else if (line[0] && line[0] != '#')
			make_entry(base, line);
	}
	fclose(file);
}

void tree_remove(struct tree *tree)
{
	char command[PATH_MAX + 16];

	snprintf(command, sizeof command, "rm -rf '%s'", tree->directory);
	assert_int_equal(system(command), 0);
}
