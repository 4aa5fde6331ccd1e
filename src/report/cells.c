#include "report/cells.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool step_measured(const struct report_step *step)
{
	for (uint32_t i = 0; i < step->load_count; i++)
		if (step->loads[i].ios || step->loads[i].errors || step->loads[i].bytes)
			return true;
	return false;
}

/* Steps of one point side by side, each point in order of execution. */
static int step_order(const void *a, const void *b)
{
	const struct step_record *first = (*(const struct report_step *const *)a)->record;
	const struct step_record *second = (*(const struct report_step *const *)b)->record;

	if (first->point != second->point)
		return first->point > second->point ? 1 : -1;
	return (first->id > second->id) - (first->id < second->id);
}

/* Of each point the last rounds only: a group that is repeated may take more of them for one value than for
 * another. `steps` are sorted; returns how many are left. */
static uint32_t last_rounds(const struct report_step **steps, uint32_t count)
{
	uint32_t kept = 0;

	for (uint32_t first = 0, end; first < count; first = end) {
		uint32_t rounds = 0;

		for (end = first; end < count && steps[end]->record->point == steps[first]->record->point;
		     end++)
			rounds = steps[end]->record->round >= rounds ? steps[end]->record->round + 1 : rounds;
		for (uint32_t i = first; i < end; i++)
			if (steps[i]->record->round + CELL_ROUNDS >= rounds)
				steps[kept++] = steps[i];
	}
	return kept;
}

static void cell_add(struct report_cell *cell, const struct report_step *step)
{
	cell->family = step->family;
	cell->last = step;
	cell->count++;
	for (uint32_t i = 0; i < step->load_count; i++)
		cell->open_loop |= step->loads[i].record->open_loop;
}

/* `steps` are sorted; each cell borrows its part of them. */
static uint32_t cells_split(struct report_cell *cells, const struct report_step **steps, uint32_t step_count)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < step_count; i++) {
		if (!count || cells[count - 1].last->record->point != steps[i]->record->point)
			cells[count++].steps = steps + i;
		cell_add(&cells[count - 1], steps[i]);
	}
	return count;
}

static int number_order(const void *a, const void *b)
{
	double first = *(const double *)a, second = *(const double *)b;

	return (first > second) - (first < second);
}

/* Of rounds the mean, as SNIA's window has it; of repeats the median. */
static void spread(double *numbers, uint32_t count, bool rounds, double *ret_middle, double *ret_low,
		   double *ret_high)
{
	double sum = 0;

	qsort(numbers, count, sizeof(*numbers), number_order);
	for (uint32_t i = 0; i < count; i++)
		sum += numbers[i];
	*ret_low = count ? numbers[0] : NAN;
	*ret_high = count ? numbers[count - 1] : NAN;
	*ret_middle = !count   ? NAN
		      : rounds ? sum / count
			       : (numbers[(count - 1) / 2] + numbers[count / 2]) / 2;
}

/* The directions that `op` stands for. */
static bool stands_for(int op, int kind)
{
	return op == kind || op == CELL_ALL;
}

/* Their loads, from the arena; NULL when there is no memory. */
static struct counted_load *cell_loads(const struct report_cell *cell, struct arena *arena,
				       uint32_t *ret_count)
{
	struct counted_load *loads;
	uint32_t count = 0;

	for (uint32_t i = 0; i < cell->count; i++)
		count += cell->steps[i]->load_count;
	loads = arena_alloc(arena, count * sizeof(*loads) + 1);
	count = 0;
	for (uint32_t i = 0; i < cell->count && loads; i++)
		for (uint32_t j = 0; j < cell->steps[i]->load_count; j++)
			loads[count++] = (struct counted_load){ cell->steps[i], &cell->steps[i]->loads[j] };
	*ret_count = count;
	return loads;
}

/* Adds up what is known: NaN as long as nothing is. */
static void known_add(double *sum, double part)
{
	if (!isnan(part))
		*sum = isnan(*sum) ? part : *sum + part;
}

static void op_add(struct cell_op *op, const struct report_op *part, double *iops, double *rate)
{
	op->used |= part->used;
	op->errors += part->errors;
	for (int k = 0; k < SLOW_BUCKETS; k++)
		op->slow[k] += part->slow[k];
	known_add(iops, part->iops);
	known_add(rate, part->bytes_per_second);
}

static void cell_sum(struct report_cell *cell, int all, double *iops, double *rates)
{
	struct cell_op *op = &cell->op[all];
	uint32_t count = 0;

	for (uint32_t i = 0; i < cell->count; i++) {
		const struct report_step *step = cell->steps[i];
		double longest = 0;

		iops[count] = rates[count] = NAN;
		for (uint32_t j = 0; j < step->load_count; j++) {
			for (int kind = 0; kind < IO_OPS; kind++)
				if (stands_for(all, kind))
					op_add(op, &step->loads[j].op[kind], &iops[count], &rates[count]);
			longest = fmax(longest, (double)step->loads[j].duration_ns / 1e9);
		}
		op->seconds += longest;
		count += longest > 0;
	}
	spread(iops, count, cell->family->rounds > 1, &op->iops, &op->iops_low, &op->iops_high);
	spread(rates, count, cell->family->rounds > 1, &op->rate, &op->rate_low, &op->rate_high);
}

static int cell_latency(struct report_cell *cell, int op, struct store *store, struct histogram *scratch)
{
	int error = counted_merge(store, cell->loads, cell->load_count, op, scratch, &cell->op[op].latency);

	cell->op[op].latency.histogram = NULL;
	return error;
}

static int cell_finish(struct report_cell *cell, struct store *store, struct arena *arena,
		       struct histogram *scratch)
{
	double *numbers = malloc(2 * (cell->count + 1) * sizeof(*numbers));
	int error;

	cell->loads = cell_loads(cell, arena, &cell->load_count);
	error = numbers && cell->loads ? 0 : -ENOMEM;
	for (int op = 0; op <= CELL_ALL && !error; op++) {
		cell_sum(cell, op, numbers, numbers + cell->count + 1);
		if (cell->op[op].used)
			error = cell_latency(cell, op, store, scratch);
	}
	free(numbers);
	return error;
}

int report_cells(const struct report_family *family, struct store *store, struct arena *arena,
		 struct report_cell **ret_cells, uint32_t *ret_count)
{
	struct report_cell *cells = arena_alloc(arena, family->step_count * sizeof(*cells) + 1);
	const struct report_step **steps = arena_alloc(arena, family->step_count * sizeof(*steps) + 1);
	struct histogram *scratch = malloc(sizeof(*scratch));
	int error = cells && steps && scratch ? 0 : -ENOMEM;
	uint32_t measured = 0, count = 0;

	for (uint32_t i = 0; i < family->step_count && !error; i++)
		if (step_measured(family->steps[i]))
			steps[measured++] = family->steps[i];
	if (!error) {
		qsort(steps, measured, sizeof(*steps), step_order);
		count = cells_split(cells, steps, last_rounds(steps, measured));
	}
	for (uint32_t i = 0; i < count && !error; i++)
		error = cell_finish(&cells[i], store, arena, scratch);
	free(scratch);
	if (error)
		return error;
	*ret_cells = cells;
	*ret_count = count;
	return 0;
}

const struct report_value *report_cell_value(const struct report_cell *cell, const char *key)
{
	return report_values_find(&cell->last->values, key);
}
