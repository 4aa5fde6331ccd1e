/* fuzz_import_json: any bytes as fio's JSON. */
#include "import_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	import_target("x.json", data, bytes);
	return 0;
}
