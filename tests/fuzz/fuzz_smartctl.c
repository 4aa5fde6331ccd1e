/* fuzz_smartctl: any bytes as the JSON of smartctl. What is taken of it is clean, and completes a health of which
 * nothing was known to something that can be told. */
#include <stdlib.h>
#include <string.h>
#include "clean.h"
#include "drive/health.h"
#include "drive/smartctl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void check_told(const struct smartctl *told)
{
	struct drive_health health;
	char *json;

	check_clean(told->model, sizeof told->model);
	check_clean(told->serial, sizeof told->serial);
	check_clean(told->firmware, sizeof told->firmware);
	health_unknown(&health);
	smartctl_complete(told, &health);
	if (health_is_unknown(&health) != health_is_unknown(&told->health))
		abort();
	json = drive_health_json(&health);
	if (!json)
		abort();
	free(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct smartctl *told = calloc(1, sizeof *told);
	char *text = calloc(1, bytes + 1);

	if (!told || !text)
		abort();
	memcpy(text, data, bytes);
	if (!smartctl_parse(text, told))
		check_told(told);
	check_clean(told->message, sizeof told->message);
	free(text);
	free(told);
	return 0;
}
