/* units: sizes, durations, shares and numbers as people write them, checked; and back again.
 *
 * Parsers take the whole string (no trailing rubbish), return 0 or -EINVAL (not a number, unknown unit) or
 * -ERANGE (does not fit), and set *ret_ on success only. Inside the program sizes are bytes and times are
 * ns. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#define UNITS_TEXT 32	/* enough for every *_format below */

/* "4k" "4KiB" "4K" = 4096, "1m" "1g" "1t" "1p" powers of 1024, plain bytes, "0x1000"; also "1.5g"; never
 * negative. */
int size_parse(const char *text, uint64_t *ret_bytes);
/* "30" and "30s" seconds, "500ms", "100us", "10ns", "5m", "2h", "1d"; also "1.5h". */
int duration_parse(const char *text, uint64_t *ret_ns);
/* "60%" -> 0.6; the percent sign is needed; 0 <= share <= 1 unless stated otherwise by the caller. */
int share_parse(const char *text, double *ret_share);
int u64_parse(const char *text, uint64_t *ret_value);	/* decimal or 0x; no sign */
int i64_parse(const char *text, int64_t *ret_value);
int double_parse(const char *text, double *ret_value);	/* finite; always '.' whatever the locale */

/* All return `buffer`. */
const char *size_format(uint64_t bytes, char buffer[UNITS_TEXT]);	/* "4 KiB", "1.5 GiB": powers of two */
const char *capacity_format(uint64_t bytes, char buffer[UNITS_TEXT]);	/* "512.1 GB": powers of ten */
const char *duration_format(uint64_t ns, char buffer[UNITS_TEXT]);	/* "83.1 µs", "1.20 ms", "2 h 05 min" */
const char *count_format(double value, char buffer[UNITS_TEXT]);	/* "1 234", "98.7 k", "1.23 M" */
const char *rate_format(double bytes_per_second, char buffer[UNITS_TEXT]); /* "512 MB/s": powers of ten */
