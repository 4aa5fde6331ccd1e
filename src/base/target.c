#include "base/target.h"

const char *target_kind_name(enum target_kind kind)
{
	static const char *const names[] = { "file", "block", "char", "nvme-generic", "sim" };

	return names[kind];
}

const char *target_kind_words(enum target_kind kind)
{
	static const char *const words[] = {
		"a file", "a block device", "/dev/null or /dev/zero", "an NVMe generic device", "a simulated drive",
	};

	return words[kind];
}
