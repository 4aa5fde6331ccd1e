#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "analyze/layers.h"
#include "analyze/numbers.h"

#define GRID_STEP 0.004			/* of ln ns */
#define GRID_LOW 4.0			/* ln 55 ns */
#define GRID_POINTS 6300u		/* up to ln 2^42 and a bit */
#define SMOOTH_POINTS 3.0		/* 1.2 % */
#define SMOOTH_REACH 12
#define SIGNIFICANT 5.0
#define DEPTH_MIN 0.10
#define SHARE_MIN 0.005
#define REGULAR_WITHIN 0.10

struct peak {
	uint32_t at;			/* grid point of its top */
	double saddle;			/* height at which it joins a higher one; 0 = the highest */
};

struct landscape {
	double count[GRID_POINTS];
	double height[GRID_POINTS];	/* smoothed: I/Os per grid point */
	double kernel[2 * SMOOTH_REACH + 1];
	double kernel_squares;		/* variance of a height = height * this */
	uint32_t order[GRID_POINTS];	/* by height, highest first */
	int32_t owner[GRID_POINTS];	/* peak, union-find over points; -1 = still under water */
	uint32_t peak_count;
	struct peak peak[GRID_POINTS];
};

static double grid_position(double value_ns)
{
	return (log(fmax(value_ns, 1)) - GRID_LOW) / GRID_STEP;
}

static double grid_value_ns(double position)
{
	return exp(GRID_LOW + GRID_STEP * position);
}

/* Spreads a slot's I/Os evenly over the grid points that it covers. */
static void spread(struct landscape *land, double low_ns, double high_ns, double ios)
{
	const double from = fmin(fmax(grid_position(low_ns), 0), GRID_POINTS - 1);
	const double to = fmin(fmax(grid_position(high_ns), from + 1e-9), GRID_POINTS - 1e-6);

	for (uint32_t i = (uint32_t)from; i <= (uint32_t)to; i++) {
		const double part = fmin(to, i + 1) - fmax(from, i);

		if (part > 0)
			land->count[i] += ios * part / (to - from);
	}
}

static void fill_grid(struct landscape *land, const struct histogram *histogram)
{
	for (uint32_t i = 0; i < HISTOGRAM_SLOTS; i++) {
		const double low_ns = (double)histogram_slot_low(i, HISTOGRAM_BITS);

		if (histogram->slot[i] > 0)
			spread(land, low_ns, low_ns + (double)histogram_slot_width(i, HISTOGRAM_BITS),
			       (double)histogram->slot[i]);
	}
}

static void smooth(struct landscape *land)
{
	double sum = 0;

	for (int i = -SMOOTH_REACH; i <= SMOOTH_REACH; i++)
		sum += land->kernel[i + SMOOTH_REACH] = exp(-0.5 * (i / SMOOTH_POINTS) * (i / SMOOTH_POINTS));
	for (int i = 0; i <= 2 * SMOOTH_REACH; i++) {
		land->kernel[i] /= sum;
		land->kernel_squares += land->kernel[i] * land->kernel[i];
	}
	for (int64_t at = 0; at < GRID_POINTS; at++)
		for (int i = -SMOOTH_REACH; i <= SMOOTH_REACH; i++)
			if (at + i >= 0 && at + i < GRID_POINTS)
				land->height[at] += land->kernel[i + SMOOTH_REACH] * land->count[at + i];
}

static int by_height(const void *a, const void *b, void *context)
{
	const struct landscape *land = context;
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (land->height[x] != land->height[y])
		return land->height[x] > land->height[y] ? -1 : 1;
	return x < y ? -1 : x > y;
}

static int32_t find_owner(struct landscape *land, uint32_t at)
{
	while (land->owner[at] != (int32_t)at) {
		land->owner[at] = land->owner[land->owner[at]];
		at = (uint32_t)land->owner[at];
	}
	return (int32_t)at;
}

static void peak_sinks(struct landscape *land, uint32_t top, double saddle)
{
	for (uint32_t i = 0; i < land->peak_count; i++)
		if (land->peak[i].at == top)
			land->peak[i].saddle = saddle;
}

/* Water falls: points come up from the highest on; where two islands meet, the lower one's peak has its
 * saddle. */
static void rise(struct landscape *land, uint32_t at)
{
	const bool left = at > 0 && land->owner[at - 1] >= 0;
	const bool right = at + 1 < GRID_POINTS && land->owner[at + 1] >= 0;
	int32_t a, b;

	land->owner[at] = (int32_t)at;
	if (!left && !right) {
		land->peak[land->peak_count++] = (struct peak){ .at = at };
		return;
	}
	a = find_owner(land, left ? at - 1 : at + 1);
	land->owner[at] = a;
	if (!left || !right)
		return;
	b = find_owner(land, at + 1);
	if (land->height[a] < land->height[b]) {
		const int32_t swap = a;

		a = b;
		b = swap;
	}
	peak_sinks(land, (uint32_t)b, land->height[at]);
	land->owner[b] = a;
}

static void find_peaks(struct landscape *land)
{
	uint32_t points = 0;

	for (uint32_t i = 0; i < GRID_POINTS; i++) {
		land->owner[i] = -1;
		if (land->height[i] > 1e-9)
			land->order[points++] = i;
	}
	qsort_r(land->order, points, sizeof(land->order[0]), by_height, land);
	for (uint32_t i = 0; i < points; i++)
		rise(land, land->order[i]);
}

static bool stands_out(const struct landscape *land, const struct peak *peak, double independent_share)
{
	const double top = land->height[peak->at], depth = top - peak->saddle;
	const double noise = sqrt((top + peak->saddle) * land->kernel_squares / independent_share);

	return depth >= SIGNIFICANT * noise && depth >= DEPTH_MIN * top;
}

static int by_place(const void *a, const void *b)
{
	const struct peak *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

static uint32_t lowest_between(const struct landscape *land, uint32_t from, uint32_t to)
{
	uint32_t lowest = from;

	for (uint32_t i = from; i < to; i++)
		if (land->height[i] < land->height[lowest])
			lowest = i;
	return lowest;
}

/* Layers from the peaks in land->peak[0 .. count), ascending; valleys are the lowest points between them. */
static uint32_t make_layers(const struct landscape *land, uint32_t count, double n, struct layer *layer)
{
	uint32_t from = 0;

	for (uint32_t i = 0; i < count; i++) {
		const uint32_t to = i + 1 < count
					    ? lowest_between(land, land->peak[i].at, land->peak[i + 1].at)
					    : GRID_POINTS;
		double ios = 0;

		for (uint32_t at = from; at < to; at++)
			ios += land->count[at];
		layer[i] = (struct layer){ .value_ns = grid_value_ns(land->peak[i].at + 0.5),
					   .low_ns = grid_value_ns(from), .high_ns = grid_value_ns(to),
					   .share = ios / n };
		from = to;
	}
	return count;
}

/* Keeps the peaks that stand out; then drops, one by one, the smallest layer that holds too little. */
static void choose_layers(struct landscape *land, double n, double independent_share, struct layers *layers)
{
	uint32_t kept = 0, smallest;

	for (uint32_t i = 0; i < land->peak_count; i++)
		if (kept < LAYERS_MAX && stands_out(land, &land->peak[i], independent_share))
			land->peak[kept++] = land->peak[i];
	qsort(land->peak, kept, sizeof(land->peak[0]), by_place);
	for (;;) {
		layers->count = make_layers(land, kept, n, layers->layer);
		smallest = 0;
		for (uint32_t i = 1; i < kept; i++)
			if (layers->layer[i].share < layers->layer[smallest].share)
				smallest = i;
		if (kept <= 1 || layers->layer[smallest].share >= SHARE_MIN)
			return;
		for (uint32_t i = smallest; i + 1 < kept; i++)
			land->peak[i] = land->peak[i + 1];
		kept--;
	}
}

static void judge_spacing(struct layers *layers)
{
	double distance[LAYERS_MAX];

	layers->spacing_ns = NAN;
	if (layers->count < 2)
		return;
	for (uint32_t i = 1; i < layers->count; i++)
		distance[i - 1] = layers->layer[i].value_ns - layers->layer[i - 1].value_ns;
	layers->spacing_ns = numbers_median_of(distance, layers->count - 1);
	layers->regular = layers->count >= 3;
	for (uint32_t i = 0; i + 1 < layers->count; i++)
		if (fabs(distance[i] - layers->spacing_ns) > REGULAR_WITHIN * layers->spacing_ns)
			layers->regular = false;
}

int layers_find(const struct histogram *histogram, double independent_share, struct layers *ret_layers)
{
	struct layers layers = { 0 };
	struct landscape *land;

	if (histogram->moments.n < LAYERS_IOS_MIN)
		return -ERANGE;
	land = calloc(1, sizeof(*land));
	if (!land)
		return -ENOMEM;
	fill_grid(land, histogram);
	smooth(land);
	find_peaks(land);
	choose_layers(land, (double)histogram->moments.n, independent_share, &layers);
	judge_spacing(&layers);
	free(land);
	*ret_layers = layers;
	return 0;
}
