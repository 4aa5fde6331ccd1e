/* work: sources of I/Os of every kind, their tables, their data. */
#include <stdlib.h>
#include <string.h>
#include "../unit/work/fixture.h"
#include "rows.h"
#include "work/data.h"
#include "work/map.h"
#include "work/skew.h"

static int source(const struct load *load)
{
	const struct work_config config = config_make(load, GIB);
	struct work *work = NULL;
	struct fault fault = { 0 };
	const int error = work_new(&config, &work, &fault);

	work_free(work);
	return error;
}

static int make_plain(void *context)
{
	struct load load = load_make(LOAD_RANDRW, 4096);

	return source(&load);
}

static int make_map(void *context)
{
	struct load load = load_make(LOAD_RANDRW, 4096);

	load_sizes_set(&load, (struct load_sizes){ .count = 2, .part = { { 4096, 4096, 1 }, { 8192, 65536, 2 } } });
	load.random_map = true;
	return source(&load);
}

static int make_skew(void *context)
{
	struct load load = load_make(LOAD_RANDREAD, 4096);

	load.distribution = DISTRIBUTION_ZIPF;
	load.distribution_theta = 1.2;
	return source(&load);
}

static int make_alias(void *context)
{
	static const double weights[] = { 1, 2, 3 };
	struct alias alias;
	const int error = alias_init(&alias, weights, 3);

	if (!error)
		alias_release(&alias);
	return error;
}

static int make_segments(void *context)
{
	const struct work_range range = { .bytes = GIB, .segments = 64, .addressed_bytes = 64 * MIB };
	struct segments segments;
	const int error = segments_init(&segments, &range, 512, 1);

	if (!error)
		segments_release(&segments);
	return error;
}

static int make_sizes(void *context)
{
	const struct load_sizes asked = { .count = 2, .part = { { 4096, 4096, 1 }, { 8192, 65536, 2 } } };
	struct sizes sizes = { 0 };
	struct fault fault = { 0 };
	const int error = sizes_init(&sizes, &asked, 0, 512, GIB, &fault);

	sizes_release(&sizes);	/* also when it failed, as its owners do */
	return error;
}

static int make_data(void *context)
{
	struct load load = load_make(LOAD_WRITE, 4096);
	struct data *data = NULL;
	int error;

	load.dedupe_share = 0.5;
	load.compress_share = 0.5;
	error = data_new(&load, 1, 1, &data);
	data_free(data);
	return error;
}

static const struct alloc_row rows[] = {
	{ .name = "work: random", .covers = "work_new", .make = make_plain },
	{ .name = "work: map of mixed sizes", .covers = "map_init_mixed map_init_fixed", .make = make_map },
	{ .name = "work: zipf", .covers = "skew_init", .make = make_skew },
	{ .name = "work: alias table", .covers = "alias_init", .make = make_alias },
	{ .name = "work: segments", .covers = "segments_init", .make = make_segments },
	{ .name = "work: sizes", .covers = "sizes_init", .make = make_sizes },
	{ .name = "work: data", .covers = "data_new", .make = make_data },
};
const struct alloc_rows alloc_rows_work = { rows, sizeof(rows) / sizeof(*rows) };
