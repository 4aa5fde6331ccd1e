/* Reading: single I/Os. */
#include <errno.h>
#include <stdlib.h>
#include "store/batch.h"
#include "store/connection.h"
#include "store/row.h"

/* The rows of one step, or of all when step is 0. */
static int start(struct store *store, enum statement one, enum statement all, uint64_t step,
		 sqlite3_stmt **ret_statement)
{
	int result = store_statement(store, step ? one : all, ret_statement);
	struct binder to = { 0 };

	if (result < 0 || step == 0)
		return result;
	to.statement = *ret_statement;
	bind_u64(&to, step);
	return to.error;
}

static uint64_t read_outlier(struct row *row, struct logged_io *io)
{
	uint64_t step;

	row->column = 0;
	step = row_u64(row);
	io->load = (uint16_t)row_u64_max(row, UINT16_MAX);
	io->op = (uint8_t)row_u64_max(row, IO_OPS - 1);
	io->worker = (uint16_t)row_u64_max(row, UINT16_MAX);
	io->submit_ns = row_u64(row);
	io->offset = row_u64(row);
	io->bytes = row_u32(row);
	io->service_ns = row_u64(row);
	io->response_ns = row_u64(row);
	io->result = (int32_t)row_i64(row);
	io->in_flight = (uint16_t)row_u64_max(row, UINT16_MAX);
	io->flags = (uint8_t)row_u64_max(row, UINT8_MAX);
	return step;
}

/* Gives the rows of a statement that was started with this result. */
static int give_outliers(struct store *store, sqlite3_stmt *statement, int result, store_logged_fn fn,
			 void *context)
{
	struct row row = { .statement = statement };

	while (result == 0) {
		struct logged_io io = { 0 };
		uint64_t its_step;

		result = store_next(store, row.statement);
		if (result <= 0)
			break;
		its_step = read_outlier(&row, &io);
		result = row.error < 0 ? row.error : fn(context, its_step, &io);
	}
	sqlite3_reset(row.statement);
	return result;
}

int store_each_outlier(struct store *store, uint64_t step, store_logged_fn fn, void *context)
{
	sqlite3_stmt *statement = NULL;
	int result = start(store, GET_OUTLIER, GET_OUTLIER_ALL, step, &statement);

	return give_outliers(store, statement, result, fn, context);
}

int store_each_failed(struct store *store, store_logged_fn fn, void *context)
{
	struct binder to = { 0 };
	int result = store_statement(store, GET_OUTLIER_FAILED, &to.statement);

	if (result == 0) {
		bind_u64(&to, LOGGED_SHORT);
		result = to.error;
	}
	return give_outliers(store, to.statement, result, fn, context);
}

static int give_batch(struct store *store, struct row *row, struct logged_io *ios, store_logged_fn fn,
		      void *context)
{
	const void *bytes;
	size_t bytes_count;
	uint64_t step, count;
	int result;

	row->column = 0;
	step = row_u64(row);
	count = row_u64(row);
	row_u64(row);
	row_u64(row);
	bytes = row_blob(row, &bytes_count);
	if (row->error < 0)
		return row->error;
	result = batch_unpack(&store->packer, bytes, bytes_count, ios);
	if (result >= 0 && (uint64_t)result != count)
		result = -EBADMSG;
	if (result < 0)
		return result;
	result = 0;
	for (uint64_t i = 0; i < count && result == 0; i++)
		result = fn(context, step, &ios[i]);
	return result;
}

int store_each_sample(struct store *store, uint64_t step, store_logged_fn fn, void *context)
{
	struct row row = { 0 };
	struct logged_io *ios = calloc(BATCH_IOS_MAX, sizeof(*ios));
	int result = ios ? start(store, GET_SAMPLE, GET_SAMPLE_ALL, step, &row.statement) : -ENOMEM;

	while (result == 0) {
		result = store_next(store, row.statement);
		if (result > 0)
			result = give_batch(store, &row, ios, fn, context);
		else
			break;
	}
	sqlite3_reset(row.statement);
	free(ios);
	return result;
}
