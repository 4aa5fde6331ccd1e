/* What every text of a drive's that people read must be. */
#pragma once
#include <stdlib.h>
#include <string.h>
#include "drive/machine.h"

/* A cleaned text is short enough, printable, and stays the same when cleaned again. */
static inline void check_clean(const char *text, size_t room)
{
	char again[512];

	if (strlen(text) >= room)
		abort();
	for (const char *c = text; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			abort();
	machine_clean_text(text, again, sizeof again);
	if (strcmp(text, again))
		abort();
}
