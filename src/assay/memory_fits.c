#include "assay/assay.h"

#include <unistd.h>
#include "base/units.h"

int assay_memory_fits(uint64_t bytes, struct fault *fault)
{
	uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	char wanted[UNITS_TEXT], there[UNITS_TEXT];

	if (bytes <= memory / 4 * 3)
		return 0;
	return fault_set(fault, 0, 0, "the plan needs %s of memory for buffers, and this machine has %s: fewer workers, less depth "
			 "or smaller blocks", size_format(bytes, wanted), size_format(memory, there));
}
