#include "base/target.h"

const char *target_kind_name(enum target_kind kind)
{
	static const char *const names[] = { "file", "block", "char", "nvme-generic", "sim" };

	return names[kind];
}
