/* The series of one step as arrays, merged over loads and ops. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "store/connection.h"
#include "store/row.h"

/* What is kept of a row until all of its interval are there. */
struct part {
	uint64_t index, start_ns, sent_ns;
	struct moments moments;
	double in_flight_ns;
	uint64_t ios, bytes, errors, slow, percentile_ns[3];
	uint32_t load;
	uint8_t op;
	bool ramp, chosen; /* chosen: of the op asked for; the others tell only that the interval is there */
};

struct gathering {
	struct part *part;
	uint32_t count, capacity;
	int32_t op;
};

static const double percentiles[3] = { 0.5, 0.99, 0.999 };

static int gather(void *context, const struct interval_row *row, const struct histogram *histogram)
{
	struct gathering *all = context;
	struct part *part;

	(void)histogram;
	if (row->rest_ns && !interval_sent_ns(row))
		return 0;
	if (all->count == all->capacity) {
		uint32_t wanted = all->capacity ? all->capacity * 2 : 1024;

		part = realloc(all->part, wanted * sizeof(*part));
		if (!part)
			return -ENOMEM;
		all->part = part;
		all->capacity = wanted;
	}
	part = &all->part[all->count++];
	*part = (struct part){
		.index = row->index, .start_ns = row->start_ns, .sent_ns = interval_sent_ns(row),
		.moments = row->moments, .in_flight_ns = row->in_flight_ns,
		.ios = row->ios, .bytes = row->bytes, .errors = row->errors, .slow = row->slow[0],
		.percentile_ns = { row->p50_ns, row->p99_ns, row->p999_ns },
		.load = row->load, .op = (uint8_t)row->op, .ramp = row->ramp,
		.chosen = all->op < 0 || (int32_t)row->op == all->op,
	};
	return 0;
}

static int compare_parts(const void *a, const void *b)
{
	const struct part *left = a, *right = b;

	if (left->index != right->index)
		return left->index < right->index ? -1 : 1;
	if (left->load != right->load)
		return left->load < right->load ? -1 : 1;
	return left->op < right->op ? -1 : left->op > right->op;
}

/* The rows come by load: with one load they are in order already. */
static void sort_parts(struct gathering *all)
{
	for (uint32_t i = 1; i < all->count; i++) {
		if (compare_parts(&all->part[i - 1], &all->part[i]) > 0) {
			qsort(all->part, all->count, sizeof(*all->part), compare_parts);
			return;
		}
	}
}

/* -- one interval -- */

struct merging {
	struct store *store;
	struct store_series *series;
	enum latency_kind kind;
	uint64_t step;
	struct histogram *histogram;
};

static uint32_t timed_parts(const struct part *part, uint32_t parts)
{
	uint32_t timed = 0;

	for (uint32_t i = 0; i < parts; i++)
		timed += part[i].chosen && part[i].moments.n > 0;
	return timed;
}

static void add_moments(struct moments *to, const struct moments *from)
{
	to->n += from->n;
	to->sum_ns += from->sum_ns;
	to->min_ns = from->min_ns < to->min_ns ? from->min_ns : to->min_ns;
	to->max_ns = from->max_ns > to->max_ns ? from->max_ns : to->max_ns;
}

static int add_slots(struct merging *merging, const struct part *part)
{
	enum statement which = merging->kind == LATENCY_SERVICE ? GET_SLOTS : GET_SLOTS_OPEN;
	struct row row = { 0 };
	struct binder to = { 0 };
	const void *bytes;
	size_t count;
	int result = store_statement(merging->store, which, &to.statement);

	if (result < 0)
		return result;
	bind_u64(&to, merging->step);
	bind_u64(&to, part->load);
	bind_u64(&to, part->index);
	bind_u64(&to, part->op);
	bind_u64(&to, merging->kind);
	result = to.error < 0 ? to.error : store_next(merging->store, to.statement);
	if (result <= 0)
		return result < 0 ? result : -EBADMSG;
	row.statement = to.statement;
	bytes = row_blob(&row, &count);
	result = row.error;
	if (result == 0)
		result = packer_unpack_histogram(&merging->store->packer, bytes, count, merging->histogram);
	sqlite3_reset(to.statement);
	return result;
}

/* Percentiles of several rows together: their histograms are added. */
static int merge_percentiles(struct merging *merging, const struct part *part, uint32_t parts,
			     const struct moments *moments, double *ret_ns)
{
	struct histogram *histogram = merging->histogram;
	int result = 0;

	histogram_clear(histogram);
	histogram->moments = *moments;
	for (uint32_t i = 0; i < parts && result == 0; i++)
		if (part[i].chosen && part[i].moments.n > 0)
			result = add_slots(merging, &part[i]);
	for (int i = 0; i < 3 && result == 0; i++)
		ret_ns[i] = (double)histogram_percentile(histogram, percentiles[i]);
	return result;
}

static int find_percentiles(struct merging *merging, const struct part *part, uint32_t parts,
			    const struct moments *moments, double *ret_ns)
{
	if (timed_parts(part, parts) > 1)
		return merge_percentiles(merging, part, parts, moments, ret_ns);
	for (uint32_t i = 0; i < parts; i++)
		for (int k = 0; part[i].chosen && part[i].moments.n > 0 && k < 3; k++)
			ret_ns[k] = (double)part[i].percentile_ns[k];
	return 0;
}

static int set_latency(struct merging *merging, const struct part *part, uint32_t parts)
{
	struct store_series *to = merging->series;
	struct moments moments = { .min_ns = UINT64_MAX };
	double ns[3] = { NAN, NAN, NAN };
	int result;

	for (uint32_t i = 0; i < parts; i++)
		if (part[i].chosen && part[i].moments.n > 0)
			add_moments(&moments, &part[i].moments);
	result = find_percentiles(merging, part, parts, &moments, ns);
	to->min_ns[to->count] = moments.n ? (double)moments.min_ns : NAN;
	to->max_ns[to->count] = moments.n ? (double)moments.max_ns : NAN;
	to->mean_ns[to->count] = moments.n ? (double)moments.sum_ns / (double)moments.n : NAN;
	to->p50_ns[to->count] = ns[0];
	to->p99_ns[to->count] = ns[1];
	to->p999_ns[to->count] = ns[2];
	return result;
}

static void set_time(struct store_series *to, const struct part *part, uint32_t parts)
{
	uint64_t start = part[0].start_ns, duration = part[0].sent_ns;
	bool ramp = part[0].ramp;

	for (uint32_t i = 1; i < parts; i++) {
		start = part[i].start_ns < start ? part[i].start_ns : start;
		duration = part[i].sent_ns > duration ? part[i].sent_ns : duration;
		ramp = ramp && part[i].ramp;
	}
	to->start_s[to->count] = (double)start / 1e9;
	to->duration_s[to->count] = (double)duration / 1e9;
	to->ramp[to->count] = ramp;
}

static void set_counts(struct store_series *to, const struct part *part, uint32_t parts)
{
	uint32_t at = to->count;
	double in_flight_ns = 0;

	for (uint32_t i = 0; i < parts; i++) {
		if (i == 0 || part[i].load != part[i - 1].load)
			in_flight_ns += part[i].in_flight_ns;
		if (!part[i].chosen)
			continue;
		to->ios[at] += (double)part[i].ios;
		to->bytes[at] += (double)part[i].bytes;
		to->errors[at] += (double)part[i].errors;
		to->slow[at] += (double)part[i].slow;
	}
	to->in_flight[at] = to->duration_s[at] > 0 ? in_flight_ns / 1e9 / to->duration_s[at] : NAN;
}

static int merge_all(struct merging *merging, const struct gathering *all)
{
	int result = 0;

	for (uint32_t i = 0, parts; i < all->count && result == 0; i += parts) {
		for (parts = 1; i + parts < all->count && all->part[i + parts].index == all->part[i].index;)
			parts++;
		set_time(merging->series, &all->part[i], parts);
		set_counts(merging->series, &all->part[i], parts);
		result = set_latency(merging, &all->part[i], parts);
		merging->series->count++;
	}
	return result;
}

/* -- the arrays: one allocation, start_s first -- */

#define ARRAYS 13u

static int allocate(struct store_series *series, uint32_t count)
{
	double **array[ARRAYS] = {
		&series->start_s,   &series->duration_s, &series->ios,     &series->bytes,   &series->errors,
		&series->in_flight, &series->slow,       &series->min_ns,  &series->mean_ns, &series->max_ns,
		&series->p50_ns,    &series->p99_ns,     &series->p999_ns,
	};
	size_t room = count ? count : 1;
	double *all = calloc(room * ARRAYS, sizeof(*all));

	series->ramp = calloc(room, sizeof(*series->ramp));
	series->start_s = all;
	if (!all || !series->ramp)
		return -ENOMEM;
	for (uint32_t i = 0; i < ARRAYS; i++)
		*array[i] = all + i * room;
	return 0;
}

void store_series_release(struct store_series *series)
{
	free(series->start_s);
	free(series->ramp);
	*series = (struct store_series){ 0 };
}

static int merge(struct merging *merging, struct gathering *all)
{
	int result = allocate(merging->series, all->count);

	merging->histogram = calloc(1, sizeof(*merging->histogram));
	if (!merging->histogram)
		result = -ENOMEM;
	if (result == 0) {
		histogram_clear(merging->histogram);
		sort_parts(all);
		result = merge_all(merging, all);
	}
	free(merging->histogram);
	return result;
}

int store_step_series(struct store *store, uint64_t step, int32_t load, int32_t op, enum latency_kind kind,
		      struct store_series *ret_series)
{
	struct store_series series = { 0 };
	struct merging merging = { .store = store, .series = &series, .kind = kind, .step = step };
	struct gathering all = { .op = op };
	int result = store_each_interval_of(store, step, load, kind, false, gather, &all);

	if (result == 0)
		result = merge(&merging, &all);
	free(all.part);
	if (result < 0)
		store_series_release(&series);
	else
		*ret_series = series;
	return result;
}
