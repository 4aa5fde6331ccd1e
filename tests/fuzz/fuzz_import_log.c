/* fuzz_import_log: the first byte picks the kind of log by its name, the rest is a log of fio's. */
#include "import_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static const char *const names[] = {
		"x_bw.1.log", "x_lat.1.log", "x_clat.1.log", "x_clat_hist.1.log", "x_iops.log"
	};

	if (bytes)
		import_target(names[data[0] % 5], data + 1, bytes - 1);
	return 0;
}
