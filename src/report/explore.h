/* explore: what the page needs to zoom, hover and toggle in charts against time, when someone asks for it.
 *
 * The library (uPlot, MIT) comes from npm when the program is configured (Meson option `explore`); without it
 * nothing of this is written and every chart stands as it is. In the page it lies deflated and is started by the
 * first press of an Explore button only. Data lie in blobs,
 *     <script type="application/x-ssd+deflate" id="b7" data-head="{rows, columns}">base64</script>
 * a raw deflate stream of: the times in ms (32 bits), then each column (16 bits). A logarithmic column holds
 * 0 for no value, 1 for zero, else 8000 + round(1000 ln value); a linear one 0 for no value, else
 * 1 + (value - low) / step. Numbers are differences to the row before (modulo 2^16, 2^32), zig-zag coded,
 * and stored as planes of bytes, the lowest first. Precision: 0.05 % of a value (logarithmic), 1/65000 of the
 * range (linear). */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "report/page.h"

#define EXPLORE_COLUMNS_MAX 40
#define EXPLORE_ROWS_MAX 100000u	/* of one blob; longer series have none */

/* What a column holds decides how it is drawn and written: kinds "iops" (per second), "rate" (bytes per second)
 * and "ns" (latency) are logarithmic; "value" is linear. */
struct explore_column {
	const char *kind;
	const char *label;	/* in the page's language */
	uint32_t series;	/* its colour */
	const double *values;	/* NaN: no value; borrowed */
};

bool explore_available(void);

/* One blob; its number is what explore_button() takes; 0: none was written (not available, no rows or too many). Times in
 * ns, rising. Errors are remembered in the page's text. */
uint32_t explore_blob(struct page *page, const double *t_ns, uint32_t rows,
		      const struct explore_column *columns, uint32_t column_count);

/* The button of the figure that is being written, for `count` blobs, drawn one after the other in time; or, with
 * `names` (one per blob), side by side from their beginnings. `kind`: what the chart shows. Nothing when one of the
 * blobs is 0. */
void explore_button(struct page *page, const char *kind, const uint32_t *blobs, const char *const *names,
		    uint32_t count);

/* The library, its licence, and what starts it: once, at the end of a page that has buttons. */
void explore_end(struct page *page);

/* -- for tests: the stream before it is deflated -- */
/* Bytes: rows * (4 + 2 * column_count). 0 or -ENOMEM; *ret_bytes is freed by the caller. */
int explore_pack(const double *t_ns, uint32_t rows, const struct explore_column *columns, uint32_t column_count,
		 uint8_t **ret_bytes, size_t *ret_count);
