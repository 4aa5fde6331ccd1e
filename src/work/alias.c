#include "work/alias.h"
#include <errno.h>
#include <stdlib.h>

static uint64_t share_of_column(double share)
{
	if (share >= 1)
		return UINT64_MAX;
	return share <= 0 ? 0 : (uint64_t)(share * 18446744073709551616.0);
}

/* Fills each column that holds too little (small) from one that holds too much (large). `left` holds what
 * each outcome still has to place, in columns; `stack` has room for count indices: small ones from below,
 * large from above. */
static void pair_columns(struct alias *alias, double *left, uint32_t *stack)
{
	uint32_t small = 0, large = alias->count;

	for (uint32_t i = 0; i < alias->count; i++)
		stack[left[i] < 1 ? small++ : --large] = i;
	while (small > 0 && large < alias->count) {
		uint32_t poor = stack[--small], rich = stack[large];

		alias->column[poor].own = share_of_column(left[poor]);
		alias->column[poor].other = rich;
		left[rich] -= 1 - left[poor];
		if (left[rich] < 1) {
			large++;
			stack[small++] = rich;
		}
	}
}

int alias_init(struct alias *alias, const double *weights, uint32_t count)
{
	double *left = calloc(count, sizeof(*left));
	uint32_t *stack = calloc(count, sizeof(*stack));
	double sum = 0;

	alias->count = count;
	alias->column = calloc(count, sizeof(*alias->column));
	if (!left || !stack || !alias->column) {
		free(left);
		free(stack);
		alias_release(alias);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < count; i++)
		sum += weights[i];
	for (uint32_t i = 0; i < count; i++) {
		left[i] = weights[i] / sum * count;
		alias->column[i].own = UINT64_MAX;	/* what stays unpaired is full */
		alias->column[i].other = i;
	}
	pair_columns(alias, left, stack);
	free(left);
	free(stack);
	return 0;
}

void alias_release(struct alias *alias)
{
	free(alias->column);
	alias->column = NULL;
	alias->count = 0;
}
