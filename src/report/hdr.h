/* hdr: a histogram in the V2 encoding of HdrHistogram, and the lines of its log format 1.3.
 *
 * Our histograms (K = 7) have the same ladder of slots as an HdrHistogram of 2 significant digits whose
 * lowest value is 1: counts go over slot by slot. All numbers are big-endian. Layout, from the format's
 * public description:
 *   compressed: cookie 0x1c849314, bytes of what follows, a zlib stream of
 *   plain:      cookie 0x1c849313, bytes of the counts, normalizing offset (0), significant digits
 *               (32 bits each), lowest value, highest value, integer-to-double ratio (1.0) (64 bits each),
 *               counts
 *   counts:     zig-zag LEB128 of at most 9 bytes (the ninth has eight bits) of each slot up to the last
 *               used one; -n stands for n zeros. */
#pragma once
#include "base/text.h"
#include "measure/histogram.h"

#define HDR_HEADER_BYTES 40
#define HDR_PLAIN_MAX (HDR_HEADER_BYTES + HISTOGRAM_SLOTS * 9)

/* The plain encoding; returns its bytes, at most HDR_PLAIN_MAX. */
size_t hdr_encode(const struct histogram *histogram, uint8_t *bytes);
/* Appends base64 of the compressed encoding. 0 or -ENOMEM. */
int hdr_append(struct text *out, const struct histogram *histogram);
