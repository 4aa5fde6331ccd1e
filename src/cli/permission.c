#include "cli/permission.h"

struct guard_permission permission_of(const struct command_line *line)
{
	const struct command_values *destroy = command_values(line, "destroy");

	return (struct guard_permission){
		.destroy = destroy->value,
		.destroy_count = destroy->count,
		.wipe_signatures = command_given(line, "wipe-signatures"),
		.overwrite = command_given(line, "overwrite"),
		.allow_unwritten = command_given(line, "allow-unwritten"),
	};
}
