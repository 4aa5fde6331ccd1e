#include "work/work.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "work/source.h"

static const enum load_rw sequential_of[] = {
	[LOAD_READ] = LOAD_READ, [LOAD_WRITE] = LOAD_WRITE, [LOAD_RW] = LOAD_RW,
	[LOAD_RANDREAD] = LOAD_READ, [LOAD_RANDWRITE] = LOAD_WRITE, [LOAD_RANDRW] = LOAD_RW,
	[LOAD_TRIM] = LOAD_TRIM, [LOAD_RANDTRIM] = LOAD_TRIM,
};

/* Share of the I/Os of each direction. */
static void op_shares(const struct load *load, double share[3])
{
	enum load_rw rw = sequential_of[load->rw];

	memset(share, 0, 3 * sizeof(*share));
	if (rw == LOAD_RW) {
		share[IO_READ] = load->read_share;
		share[IO_WRITE] = 1 - load->read_share;
	} else {
		share[rw == LOAD_READ ? IO_READ : rw == LOAD_WRITE ? IO_WRITE : IO_TRIM] = 1;
	}
}

static uint32_t in_blocks(uint64_t bytes, uint32_t block_bytes)
{
	return (uint32_t)((bytes + block_bytes - 1) / block_bytes * block_bytes);
}

uint32_t work_io_bytes_max(const struct load *load, uint32_t block_bytes)
{
	double share[3];
	uint32_t bytes_max = 0;

	op_shares(load, share);
	for (int op = 0; op < 3; op++) {
		if (!(share[op] > 0))
			continue;
		for (uint32_t i = 0; i < load->sizes[op].count; i++) {
			uint32_t bytes = in_blocks(load->sizes[op].part[i].bytes_max, block_bytes);

			bytes_max = bytes > bytes_max ? bytes : bytes_max;
		}
	}
	return bytes_max;
}

double work_io_bytes_mean(const struct load *load, enum io_op op, uint32_t block_bytes)
{
	double mean = 0, sum = 0;
	struct sizes sizes;

	if (sizes_init(&sizes, &load->sizes[op], 0, block_bytes, UINT64_MAX / 2, NULL) == 0) {
		for (uint32_t i = 0; i < sizes.count; i++) {
			mean += sizes.weight[i] * sizes.size[i].bytes;
			sum += sizes.weight[i];
		}
	}
	sizes_release(&sizes);
	return sum > 0 ? mean / sum : 0;
}

uint64_t work_seed(uint64_t seed, uint64_t number)
{
	struct random random;

	random_init(&random, seed, number);
	return random_u64(&random);
}

static void sync_init(struct work *work, const struct load *load)
{
	work->fsync = (struct sync_rule){ .every = load->fsync_every, .left = load->fsync_every };
	work->fdatasync = (struct sync_rule){ .every = load->fdatasync_every, .left = load->fdatasync_every };
	work->syncs = load->fsync_every > 0 || load->fdatasync_every > 0;
}

/* Direction, and whether one size serves all, at multiples of itself; *ret_table says that sizes have to
 * be drawn. */
static int directions_init(struct work *work, const struct load *load, const double share[3], bool *ret_table,
			   struct fault *fault)
{
	int error;

	*ret_table = false;
	mix_init(&work->mix, share[IO_READ]);
	for (uint8_t op = 0; op < 3; op++) {
		if (!(share[op] > 0))
			continue;
		error = sizes_init(&work->sizes[op], &load->sizes[op], load->align_bytes[op],
				   work->block_bytes, work->segments.bytes, fault);
		if (error)
			return error;
		work->op = op;
		if (work->bytes && work->sizes[op].bytes_max != work->bytes)
			*ret_table = true;
		if (work->sizes[op].bytes_min != work->sizes[op].bytes_max || load->align_bytes[op])
			*ret_table = true;
		work->bytes = work->sizes[op].bytes_max;
		if (work->bytes > work->bytes_max)
			work->bytes_max = work->bytes;
		work->random_threshold[op] = load->percentage_random[op] >= 1 ? UINT64_MAX :
			(uint64_t)(load->percentage_random[op] * 18446744073709551616.0);
	}
	work->positions = work->segments.bytes / work->bytes;
	work->bytes_shift = (uint32_t)__builtin_ctz(work->bytes);
	return 0;
}

static bool is_partial(const struct load *load, const double share[3])
{
	for (int op = 0; op < 3; op++)
		if (share[op] > 0 && load->percentage_random[op] < 1)
			return true;
	return false;
}

/* Smallest unit of the directions in use: what skewed distributions count in. */
static uint64_t smallest_unit(const struct work *work, const double share[3])
{
	uint64_t unit = UINT64_MAX;

	for (int op = 0; op < 3; op++)
		if (share[op] > 0 && work->sizes[op].unit < unit)
			unit = work->sizes[op].unit;
	return unit;
}

static int skewed_init(struct work *work, const struct work_config *config, const double share[3],
		       struct fault *fault)
{
	struct random places;
	uint64_t blocks;

	random_init(&places, work_seed(config->layout_seed, config->load->seed), config->load->section);
	work->block_unit = smallest_unit(work, share);
	blocks = work->segments.bytes / work->block_unit;
	blocks = blocks ? blocks : 1;		/* blockalign= may be larger than the range */
	divide_init(&work->by_segment, blocks);
	return skew_init(&work->skew, config->load, blocks * work->segments.count, &places, fault);
}

static int mapped_init(struct work *work, const double share[3], bool table)
{
	uint64_t blocks = (work->segments.bytes + work->bytes - 1) / work->bytes;

	if (table)
		return map_init_mixed(&work->map, work->sizes, share, &work->segments, &work->random);
	work->block_unit = work->bytes;
	divide_init(&work->by_segment, blocks);
	return map_init_fixed(&work->map, blocks * work->segments.count, &work->random);
}

static int where_init(struct work *work, const struct work_config *config, const double share[3], bool table,
		      enum source_where *ret_where, struct fault *fault)
{
	const struct load *load = config->load;
	int error;

	if (!load_rw_random(load->rw)) {
		*ret_where = SOURCE_SEQUENTIAL;
	} else if (load->distribution != DISTRIBUTION_RANDOM) {
		error = skewed_init(work, config, share, fault);
		if (error)
			return error;
		*ret_where = work->skew.scattered ? SOURCE_SCATTER : SOURCE_SKEW;
	} else if (load->random_map || load->generator_lfsr) {
		error = mapped_init(work, share, table);
		if (error)
			return error;
		*ret_where = table ? SOURCE_MAP_MIXED :
			     work->segments.count > 1 ? SOURCE_MAP_SEGMENTS : SOURCE_MAP;
	} else {
		*ret_where = work->segments.count > 1 ? SOURCE_SEGMENTS : SOURCE_UNIFORM;
	}
	return 0;
}

static void cursor_set(struct work *work, uint32_t segment, uint64_t inner)
{
	work->segment = segment;
	work->inner = inner;
	work->full_left = (work->segments.bytes - inner) / work->bytes;
}

/* To a place in the target; the start of the range when it isn't a block inside. */
static void cursor_seek(struct work *work, uint64_t offset)
{
	const struct segments *segments = &work->segments;

	cursor_set(work, 0, 0);
	for (uint32_t i = 0; i < segments->count; i++)
		if (offset >= segments->start[i] && offset - segments->start[i] < segments->bytes &&
		    (offset - segments->start[i]) % work->block_bytes == 0)
			cursor_set(work, i, offset - segments->start[i]);
}

/* rw=read:4k, rw=randread:8 */
static void modifier_init(struct work *work, const struct load *load)
{
	work->skip = load->rw_skip;
	if (work->skip)
		work->next = source_holes;
	if (load->rw_each < 2)
		return;
	work->follow = (struct follow){ .draw = work->next,
					.each = load->rw_each,
					.identical = load->rw_identical };
	work->next = source_follow;
}

static int work_init(struct work *work, const struct work_config *config, struct fault *fault)
{
	const struct load *load = config->load;
	struct work_range range;
	enum source_where where;
	double share[3];
	bool table, partial;
	int error;

	error = work_range_resolve(load, config->target_bytes, config->block_bytes, config->worker, &range,
				   fault);
	if (error)
		return error;
	work->block_bytes = config->block_bytes;
	random_init(&work->random, work_seed(config->seed, load->seed),
		    ((uint64_t)load->section << 32) | config->worker);
	error = segments_init(&work->segments, &range, config->block_bytes, config->layout_seed);
	if (error)
		return error;
	work->start = work->segments.start[0];
	op_shares(load, share);
	error = directions_init(work, load, share, &table, fault);
	if (error)
		return error;
	error = where_init(work, config, share, table, &where, fault);
	if (error)
		return error;
	partial = where != SOURCE_SEQUENTIAL && is_partial(load, share);
	work->next = source_choose(where, share[IO_READ] > 0 && share[IO_WRITE] > 0, table, partial,
				   (work->bytes & (work->bytes - 1)) == 0);
	modifier_init(work, load);
	cursor_seek(work, load->offset_continue ? config->continue_offset : 0);
	sync_init(work, load);
	work_budget_set(work, config->budget_bytes, config->budget_ios);
	return 0;
}

int work_new(const struct work_config *config, struct work **ret_work, struct fault *fault)
{
	struct work *work = aligned_alloc(64, (sizeof(*work) + 63) / 64 * 64);
	int error;

	if (!work)
		return -ENOMEM;
	memset(work, 0, sizeof(*work));
	error = work_init(work, config, fault);
	if (error) {
		work_free(work);
		return error;
	}
	*ret_work = work;
	return 0;
}

struct work *work_free(struct work *work)
{
	if (!work)
		return NULL;
	for (int op = 0; op < 3; op++)
		sizes_release(&work->sizes[op]);
	segments_release(&work->segments);
	skew_release(&work->skew);
	map_release(&work->map);
	free(work);
	return NULL;
}

uint64_t work_memory_bytes(const struct work_config *config)
{
	const struct load *load = config->load;
	uint64_t bytes = sizeof(struct work);
	double share[3];

	op_shares(load, share);
	for (int op = 0; op < 3; op++) {
		uint64_t sizes = share[op] > 0 ? sizes_count(&load->sizes[op]) : 0;

		bytes += sizes * (sizeof(struct size) + sizeof(double) + sizeof(struct alias_column) +
				  sizeof(struct map_kind));
	}
	bytes += (load->range_segments + 1ull) * sizeof(uint64_t);
	return bytes + (load->distribution != DISTRIBUTION_RANDOM ? skew_memory_bytes(load) : 0);
}

/* ---- budgets ---- */

void work_budget_set(struct work *work, uint64_t budget_bytes, uint64_t budget_ios)
{
	work->bytes_left = budget_bytes == UINT64_MAX ? UINT64_MAX :
			   budget_bytes / work->block_bytes * work->block_bytes;
	work->ios_left = budget_ios;
}

static void budget_take(struct work *work, uint64_t bytes, uint32_t ios)
{
	work->issued_bytes += bytes;
	work->issued_ios += ios;
	work->bytes_left -= work->bytes_left == UINT64_MAX ? 0 : bytes;
	work->ios_left -= work->ios_left == UINT64_MAX ? 0 : ios;
}

/* The last bytes of a budget, one I/O after the other; the last one is cut to fit, and the position with
 * it. */
static uint32_t next_last(struct work *work, struct io *ios, uint32_t max)
{
	uint32_t count = 0;

	while (count < max && work->bytes_left > 0) {
		uint64_t bytes = work->next(work, &ios[count], 1);

		if (bytes > work->bytes_left) {
			if (work->inner >= bytes - work->bytes_left)
				cursor_set(work, work->segment, work->inner - (bytes - work->bytes_left));
			bytes = work->bytes_left;
			ios[count].bytes = (uint32_t)bytes;
		}
		budget_take(work, bytes, 1);
		count++;
	}
	return count;
}

static uint32_t next_budgeted(struct work *work, struct io *ios, uint32_t max)
{
	if (max > work->ios_left)
		max = (uint32_t)work->ios_left;
	if (work->bytes_left < (uint64_t)max * work->bytes_max)
		return next_last(work, ios, max);
	budget_take(work, work->next(work, ios, max), max);
	return max;
}

/* ---- fsync and fdatasync ---- */

static bool sync_due(struct sync_rule *rule)
{
	if (rule->every == 0 || rule->left > 0)
		return false;
	rule->left = rule->every;
	return true;
}

static void sync_count(struct sync_rule *rule, uint32_t writes)
{
	rule->left -= rule->every > 0 ? writes : 0;
}

static void sync_entry(struct io *io, enum io_op op)
{
	io->offset = 0;
	io_word_set(io, 0, (uint8_t)op);
}

static uint32_t sync_room(const struct sync_rule *rule, uint32_t room)
{
	return rule->every > 0 && rule->left < room ? rule->left : room;
}

static uint32_t next_with_syncs(struct work *work, struct io *ios, uint32_t max)
{
	uint32_t count = 0;

	while (count < max) {
		uint32_t taken, writes = 0;

		if (sync_due(&work->fsync)) {
			sync_entry(&ios[count++], IO_FSYNC);
			continue;
		}
		if (sync_due(&work->fdatasync)) {
			sync_entry(&ios[count++], IO_FLUSH);
			continue;
		}
		taken = next_budgeted(work, ios + count,
				      sync_room(&work->fsync, sync_room(&work->fdatasync, max - count)));
		if (taken == 0)
			break;
		for (uint32_t i = 0; i < taken; i++)
			writes += ios[count + i].op == IO_WRITE;
		sync_count(&work->fsync, writes);
		sync_count(&work->fdatasync, writes);
		count += taken;
	}
	return count;
}

uint32_t work_next(struct work *work, struct io *ios, uint32_t max)
{
	return work->syncs ? next_with_syncs(work, ios, max) : next_budgeted(work, ios, max);
}

uint64_t work_position(const struct work *work)
{
	return work->segments.start[work->segment] + work->inner;
}

uint64_t work_issued_bytes(const struct work *work)
{
	return work->issued_bytes;
}

uint64_t work_issued_ios(const struct work *work)
{
	return work->issued_ios;
}
