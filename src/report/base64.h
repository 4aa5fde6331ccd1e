/* base64: bytes as letters (RFC 4648, padded). */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "base/text.h"

/* A failure is remembered in `out`. */
void base64_append(struct text *out, const void *bytes, size_t count);
