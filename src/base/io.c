#include "base/io.h"

const char *io_op_name(enum io_op op)
{
	static const char *const names[IO_OPS] = { "read", "write", "trim", "flush", "fsync" };

	return op < IO_OPS ? names[op] : "?";
}
