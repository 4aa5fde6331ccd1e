#include "analyze/bootstrap.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "analyze/numbers.h"
#include "base/random.h"

/* What is not zero of a piece's histogram. */
struct cell {
	uint32_t slot;
	uint64_t count;
};

struct piece {
	size_t first, cells;
	uint64_t n;
	double sum_ns;
};

struct run {
	size_t first, pieces;
};

struct bootstrap_sample {
	struct cell *cells;
	struct piece *pieces;
	struct run *runs;		/* the last one may be empty */
	size_t cell_count, cell_max, piece_count, piece_max, run_count, run_max;
};

/* A sum of pieces, and what its figures are taken from. */
struct sum {
	uint64_t slot[HISTOGRAM_SLOTS];	/* counts; running totals once it is complete */
	uint64_t n;
	double sum_ns;
};

/* -- samples -- */

/* Makes room for `more` elements behind the `count` that there are. */
static int grow(void **array, size_t count, size_t *max, size_t size, size_t more)
{
	size_t wanted = *max ? *max : 64;
	void *larger;

	if (count + more <= *max)
		return 0;
	while (wanted < count + more)
		wanted *= 2;
	larger = realloc(*array, wanted * size);
	if (!larger)
		return -ENOMEM;
	*array = larger;
	*max = wanted;
	return 0;
}

struct bootstrap_sample *bootstrap_sample_new(void)
{
	return calloc(1, sizeof(struct bootstrap_sample));
}

void bootstrap_sample_free(struct bootstrap_sample *sample)
{
	if (!sample)
		return;
	free(sample->cells);
	free(sample->pieces);
	free(sample->runs);
	free(sample);
}

uint32_t bootstrap_sample_pieces(const struct bootstrap_sample *sample)
{
	return (uint32_t)sample->piece_count;
}

int bootstrap_sample_run(struct bootstrap_sample *sample)
{
	int error;

	if (sample->run_count && !sample->runs[sample->run_count - 1].pieces)
		return 0;
	error = grow((void **)&sample->runs, sample->run_count, &sample->run_max, sizeof(*sample->runs), 1);
	if (!error)
		sample->runs[sample->run_count++] = (struct run){ .first = sample->piece_count };
	return error;
}

static int cells_add(struct bootstrap_sample *sample, const struct histogram *histogram)
{
	for (uint32_t slot = 0; slot < HISTOGRAM_SLOTS; slot++) {
		if (!histogram->slot[slot])
			continue;
		if (grow((void **)&sample->cells, sample->cell_count, &sample->cell_max,
			 sizeof(*sample->cells), 1))
			return -ENOMEM;
		sample->cells[sample->cell_count++] = (struct cell){ slot, histogram->slot[slot] };
	}
	return 0;
}

int bootstrap_sample_add(struct bootstrap_sample *sample, const struct histogram *histogram)
{
	struct piece piece = { .first = sample->cell_count, .n = histogram->moments.n,
			       .sum_ns = (double)histogram->moments.sum_ns };
	int error;

	if (!piece.n)
		return 0;
	error = sample->run_count ? 0 : bootstrap_sample_run(sample);
	if (!error)
		error = grow((void **)&sample->pieces, sample->piece_count, &sample->piece_max,
			     sizeof(*sample->pieces), 1);
	if (!error)
		error = cells_add(sample, histogram);
	if (error) {
		sample->cell_count = piece.first;
		return error;
	}
	piece.cells = sample->cell_count - piece.first;
	sample->pieces[sample->piece_count++] = piece;
	sample->runs[sample->run_count - 1].pieces++;
	return 0;
}

/* -- sums and their figures -- */

static void sum_clear(struct sum *sum)
{
	*sum = (struct sum){ 0 };
}

static void sum_add(struct sum *sum, const struct bootstrap_sample *sample, size_t at)
{
	const struct piece *piece = &sample->pieces[at];
	const struct cell *cell = &sample->cells[piece->first];

	for (size_t i = 0; i < piece->cells; i++)
		sum->slot[cell[i].slot] += cell[i].count;
	sum->n += piece->n;
	sum->sum_ns += piece->sum_ns;
}

static void sum_complete(struct sum *sum)
{
	for (uint32_t i = 1; i < HISTOGRAM_SLOTS; i++)
		sum->slot[i] += sum->slot[i - 1];
}

/* Of a complete sum: middle of the slot with rank ceil(p n), or the mean. */
static double sum_figure(const struct sum *sum, double p)
{
	const uint64_t total = sum->slot[HISTOGRAM_SLOTS - 1];
	uint32_t low = 0, high = HISTOGRAM_SLOTS - 1;
	uint64_t rank = (uint64_t)ceil(p * (double)total);

	if (p == BOOTSTRAP_MEAN)
		return sum->sum_ns / (double)sum->n;
	rank = rank < 1 ? 1 : rank > total ? total : rank;
	while (low < high) {		/* first slot whose total reaches the rank */
		uint32_t middle = (low + high) / 2;

		if (sum->slot[middle] >= rank)
			high = middle;
		else
			low = middle + 1;
	}
	return (double)histogram_slot_low(low, HISTOGRAM_BITS) +
	       (double)(histogram_slot_width(low, HISTOGRAM_BITS) - 1) / 2;
}

static void sum_all(struct sum *sum, const struct bootstrap_sample *sample)
{
	sum_clear(sum);
	for (size_t i = 0; i < sample->piece_count; i++)
		sum_add(sum, sample, i);
	sum_complete(sum);
}

/* -- drawing -- */

static void run_draw(struct sum *sum, const struct bootstrap_sample *sample, const struct run *run,
		     uint32_t block, struct random *random)
{
	size_t drawn = 0;

	while (drawn < run->pieces) {
		size_t start = random_below(random, run->pieces);

		for (uint32_t i = 0; i < block && drawn < run->pieces; i++, drawn++)
			sum_add(sum, sample, run->first + (start + i) % run->pieces);
	}
}

static void sample_draw(struct sum *sum, const struct bootstrap_sample *sample, uint32_t block,
			struct random *random)
{
	const size_t runs = sample->run_count - !sample->runs[sample->run_count - 1].pieces;

	sum_clear(sum);
	for (size_t i = 0; i < runs; i++)
		run_draw(sum, sample, &sample->runs[random_below(random, runs)], block, random);
	sum_complete(sum);
}

struct draws {
	const struct bootstrap_sample *sample[2];	/* [1] NULL: figures of [0], else ratios [1] / [0] */
	struct bootstrap_plan plan;
	struct sum *sum;
	double *drawn;			/* [plan.count][plan.resamples] */
};

/* The plan's figures of what `sum` holds: multiplied by themselves, or by their inverse. */
static void figures_take(const struct draws *draws, bool inverse, double *figures)
{
	for (uint32_t i = 0; i < draws->plan.count; i++) {
		const double figure = sum_figure(draws->sum, draws->plan.p[i]);

		figures[i] *= inverse ? 1 / figure : figure;
	}
}

static void draw_all(struct draws *draws)
{
	const uint32_t count = draws->plan.resamples;
	double figures[BOOTSTRAP_FIGURES_MAX];
	struct random random[2];

	random_init(&random[0], draws->plan.seed, 0);
	random_init(&random[1], draws->plan.seed, 1);
	for (uint32_t draw = 0; draw < count; draw++) {
		for (uint32_t i = 0; i < draws->plan.count; i++)
			figures[i] = 1;
		for (int side = 0; side < 2 && draws->sample[side]; side++) {
			sample_draw(draws->sum, draws->sample[side], draws->plan.block, &random[side]);
			figures_take(draws, draws->sample[1] && side == 0, figures);
		}
		for (uint32_t i = 0; i < draws->plan.count; i++)
			draws->drawn[(size_t)i * count + draw] = figures[i];
	}
}

static void values_take(struct draws *draws, struct bootstrap_figure *ret)
{
	double figures[BOOTSTRAP_FIGURES_MAX];

	for (uint32_t i = 0; i < draws->plan.count; i++)
		figures[i] = 1;
	for (int side = 0; side < 2 && draws->sample[side]; side++) {
		sum_all(draws->sum, draws->sample[side]);
		figures_take(draws, draws->sample[1] && side == 0, figures);
	}
	for (uint32_t i = 0; i < draws->plan.count; i++)
		ret[i] = (struct bootstrap_figure){ figures[i], NAN, NAN };
}

static void intervals_take(struct draws *draws, struct bootstrap_figure *ret)
{
	const double tail = (1 - draws->plan.level) / 2;
	const uint32_t count = draws->plan.resamples;

	for (uint32_t i = 0; i < draws->plan.count; i++) {
		double *drawn = &draws->drawn[(size_t)i * count];

		numbers_sort(drawn, count);
		ret[i].low = fmin(ret[i].value, numbers_sorted_quantile(drawn, count, tail));
		ret[i].high = fmax(ret[i].value, numbers_sorted_quantile(drawn, count, 1 - tail));
	}
}

static int plan_complete(struct bootstrap_plan *plan)
{
	plan->resamples = plan->resamples ? plan->resamples : BOOTSTRAP_RESAMPLES;
	plan->block = plan->block ? plan->block : 1;
	plan->level = plan->level > 0 ? plan->level : 0.95;
	if (!plan->count || plan->count > BOOTSTRAP_FIGURES_MAX || plan->level >= 1)
		return -EINVAL;
	for (uint32_t i = 0; i < plan->count; i++)
		if (!(plan->p[i] >= 0 && plan->p[i] < 1))
			return -EINVAL;
	return 0;
}

static int figures_of(struct draws *draws, struct bootstrap_figure *ret)
{
	bool enough = true;
	int error = plan_complete(&draws->plan);

	for (int side = 0; side < 2 && draws->sample[side]; side++) {
		enough = enough && draws->sample[side]->piece_count >= BOOTSTRAP_PIECES_MIN;
		if (!error && !draws->sample[side]->piece_count)
			error = -ENODATA;
	}
	if (error)
		return error;
	draws->sum = malloc(sizeof(*draws->sum));
	draws->drawn = malloc((size_t)draws->plan.count * draws->plan.resamples * sizeof(*draws->drawn));
	error = draws->sum && draws->drawn ? 0 : -ENOMEM;
	if (!error)
		values_take(draws, ret);
	if (!error && enough) {
		draw_all(draws);
		intervals_take(draws, ret);
	}
	free(draws->sum);
	free(draws->drawn);
	return error;
}

int bootstrap_figures(const struct bootstrap_sample *sample, const struct bootstrap_plan *plan,
		      struct bootstrap_figure *ret_figures)
{
	struct draws draws = { .sample = { sample }, .plan = *plan };

	return figures_of(&draws, ret_figures);
}

int bootstrap_ratios(const struct bootstrap_sample *a, const struct bootstrap_sample *b,
		     const struct bootstrap_plan *plan, struct bootstrap_figure *ret_ratios)
{
	struct draws draws = { .sample = { a, b }, .plan = *plan };

	return figures_of(&draws, ret_ratios);
}
