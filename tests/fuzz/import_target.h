/* import_target: any bytes as another tool's result file of this name. What is accepted is readable to the
 * end; what is refused says why. */
#pragma once
#include <stddef.h>
#include <stdint.h>

void import_target(const char *name, const uint8_t *data, size_t bytes);
