#include "assay/drives.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "assay/look.h"
#include "base/units.h"
#include "drive/drive.h"

struct drives_wanted {
	const char *name;
	bool json;
};

static int facts_append(const struct drive_facts *facts, bool json, struct text *out)
{
	char *document;

	if (!json) {
		drive_facts_text(facts, out);
		return out->error;
	}
	document = drive_facts_json(facts);
	if (!document)
		return -ENOMEM;
	text_append(out, document);
	free(document);
	return out->error;
}

/* The answer: how it went, and what it says. */
static void drive_ask_all(void *context, struct text *answer)
{
	const struct drives_wanted *wanted = context;
	struct text told = { 0 };
	struct drive_facts facts;
	int32_t result = drive_find(NULL, wanted->name, &facts, NULL);

	if (!result) {
		result = facts_append(&facts, wanted->json, &told);
		drive_facts_release(&facts);
	}
	text_append_bytes(answer, &result, sizeof(result));
	text_append(answer, text_data(&told));
	text_release(&told);
}

static int silent_tell(const struct drives_wanted *wanted, struct text *out)
{
	struct drive_facts facts;
	char why[128], time[UNITS_TEXT];
	int error;

	snprintf(why, sizeof(why), "all of it: the drive did not answer within %s",
		 duration_format(LOOK_ANSWER_NS, time));
	drive_facts_silent(NULL, wanted->name, why, &facts);
	error = facts.not_read.error ? facts.not_read.error : facts_append(&facts, wanted->json, out);
	drive_facts_release(&facts);
	return error ? error : 1;
}

int drives_tell(const char *name, bool json, struct text *out)
{
	struct drives_wanted wanted = { .name = name, .json = json };
	struct text answer = { 0 };
	int32_t result;
	int error = look(drive_ask_all, &wanted, LOOK_ANSWER_NS, NULL, &answer);

	if (error == -ETIMEDOUT)
		return silent_tell(&wanted, out);
	if (error)
		return error;
	memcpy(&result, answer.data, sizeof(result));
	if (!result)
		text_append(out, answer.data + sizeof(result));
	text_release(&answer);
	return result ? result : out->error;
}
