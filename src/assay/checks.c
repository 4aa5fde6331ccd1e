/* The list of all self-checks. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include "assay/check.h"
#include "assay/conclude.h"

int check_record_put(struct store *store, struct check_record *check, const struct saying *saying)
{
	char *said = saying_json(saying);
	int error = said ? saying->error : -ENOMEM;

	check->text = saying_text(saying);
	check->said_json = said;
	if (!error)
		error = store_put_check(store, check);
	free(said);
	return error;
}

int check_put(const struct evidence *evidence, const char *name, enum check_result result, const char *format,
	      ...)
{
	struct check_record check = { .name = name, .result = result };
	struct saying saying = { 0 };
	va_list args;
	int error;

	va_start(args, format);
	saying_vadd(&saying, format, args);
	va_end(args);
	error = check_record_put(evidence->store, &check, &saying);
	saying_release(&saying);
	return error;
}

int conclude_checks(const struct evidence *evidence)
{
	static check_fn *const all[] = {
		check_block_layer, check_littles_law, check_queue_depth, check_open_loop, check_plausible,
		check_errors, check_unwritten, check_offsets, check_cpu, check_quiet, check_tails, check_link,
		check_settings, check_cache, check_heat, check_clock, check_run_file, check_apart, check_scale,
	};
	int error = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]) && !error; i++)
		error = all[i](evidence);
	return error;
}
