/* layers: the modes of a latency distribution: how many distinct speeds a drive answers with, and where.
 *
 * The histogram is put on a grid of 0.4 % steps, smoothed by a Gaussian of 1.2 %, and its peaks are kept by
 * persistence (how deep the valley to the next higher peak is) where that is significant against counting
 * noise, at least 10 % of the peak, and the peak holds at least 0.5 % of the I/Os. "N modes", never "N
 * channels": they may be dies, planes, page types, buffer hits or read retries. Pure function. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "measure/histogram.h"

#define LAYERS_MAX 32
#define LAYERS_IOS_MIN 1000		/* below that nothing is said */

struct layer {
	double value_ns;		/* top of the peak */
	double low_ns, high_ns;		/* valleys on both sides */
	double share;			/* of all I/Os between the valleys, 0..1 */
};

struct layers {
	uint32_t count;
	struct layer layer[LAYERS_MAX];	/* ascending */
	bool regular;			/* three or more at equal distances (within 10 %) */
	double spacing_ns;		/* median distance; NaN below 2 */
};

/* independent_share: n_eff / n, 1 when I/Os are taken as independent. 0, -ERANGE (too few I/Os), -ENOMEM. */
int layers_find(const struct histogram *histogram, double independent_share, struct layers *ret_layers);
