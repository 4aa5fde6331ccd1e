/* The list of all self-checks. */
#include <stdarg.h>
#include <stdio.h>
#include "assay/check.h"
#include "assay/conclude.h"

int check_put(const struct evidence *evidence, const char *name, enum check_result result, const char *format, ...)
{
	char text[512];
	struct check_record record = { .name = name, .result = result, .text = text };
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return store_put_check(evidence->store, &record);
}

int conclude_checks(const struct evidence *evidence)
{
	static check_fn *const all[] = {
		check_block_layer, check_littles_law, check_queue_depth, check_open_loop, check_plausible, check_errors,
		check_unwritten, check_offsets, check_cpu, check_quiet, check_link, check_settings, check_heat, check_clock, check_run_file, check_apart,
		check_scale,
	};
	int error = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]) && !error; i++)
		error = all[i](evidence);
	return error;
}
