/* Writing: single I/Os. */
#include <errno.h>
#include "store/batch.h"
#include "store/connection.h"
#include "store/row.h"

static int put_outlier(struct store *store, uint64_t step, const struct logged_io *io)
{
	struct binder to = { 0 };
	int result = store_statement(store, PUT_OUTLIER, &to.statement);

	if (result < 0)
		return result;
	bind_u64(&to, step);
	bind_u64(&to, io->load);
	bind_u64(&to, io->op);
	bind_u64(&to, io->worker);
	bind_u64(&to, io->submit_ns);
	bind_u64(&to, io->offset);
	bind_u64(&to, io->bytes);
	bind_u64(&to, io->service_ns);
	bind_u64(&to, io->response_ns);
	bind_i64(&to, io->result);
	bind_u64(&to, io->in_flight);
	bind_u64(&to, io->flags);
	return store_finish(store, to.statement, to.error);
}

int store_put_outliers(struct store *store, uint64_t step, const struct logged_io *ios, uint32_t count)
{
	int result = 0;

	for (uint32_t i = 0; i < count && result == 0; i++)
		result = put_outlier(store, step, &ios[i]);
	return result;
}

static void bind_time_range(struct binder *to, const struct logged_io *ios, uint32_t count)
{
	uint64_t first = ios[0].submit_ns, last = ios[0].submit_ns;

	for (uint32_t i = 1; i < count; i++) {
		first = ios[i].submit_ns < first ? ios[i].submit_ns : first;
		last = ios[i].submit_ns > last ? ios[i].submit_ns : last;
	}
	bind_u64(to, first);
	bind_u64(to, last);
}

static int check_range(const struct logged_io *ios, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if ((ios[i].submit_ns | ios[i].offset | ios[i].service_ns | ios[i].response_ns) > INT64_MAX)
			return -ERANGE;
	return 0;
}

static int put_batch(struct store *store, uint64_t step, const struct logged_io *ios, uint32_t count)
{
	struct binder to = { 0 };
	const void *packed;
	size_t packed_count;
	int result = check_range(ios, count);

	if (result == 0)
		result = batch_pack(&store->packer, ios, count, &packed, &packed_count);
	if (result == 0)
		result = store_statement(store, PUT_SAMPLE, &to.statement);
	if (result < 0)
		return result;
	bind_u64(&to, step);
	bind_u64(&to, count);
	bind_time_range(&to, ios, count);
	bind_blob(&to, packed, packed_count);
	return store_finish(store, to.statement, to.error);
}

int store_put_samples(struct store *store, uint64_t step, const struct logged_io *ios, uint32_t count)
{
	int result = 0;

	while (count > 0 && result == 0) {
		uint32_t part = count < BATCH_IOS_MAX ? count : BATCH_IOS_MAX;

		result = put_batch(store, step, ios, part);
		ios += part;
		count -= part;
	}
	return result;
}
