/* output: a file that results are written to, under the name that somebody gave.
 *
 * A file is written under a temporary name beside it and takes its place when it is complete; a link is
 * followed first. What is no file (a terminal, a FIFO, /dev/null) is written into and stays what it is. A run
 * file, or what belongs to one, is never replaced, and no block device is written to. */
#pragma once
#include <limits.h>
#include <stddef.h>
#include "base/fault.h"

struct output {
	int fd;				/* owned; -1: none */
	int directory;			/* borrowed */
	char name[PATH_MAX];		/* what it will be called, links followed */
	char temporary[PATH_MAX];	/* what it is called until then; "" = written in place */
};

/* `name` from the directory `directory` (AT_FDCWD: here). 0; -EEXIST: what has the name is not written over;
 * another -errno. */
int output_open(struct output *output, int directory, const char *name, struct fault *fault);
int output_write(struct output *output, const void *bytes, size_t count);	/* 0, -errno */
/* Closes, and puts the file in place. 0, or -errno: then nothing is left behind. */
int output_finish(struct output *output);
void output_discard(struct output *output);	/* twice is fine */
