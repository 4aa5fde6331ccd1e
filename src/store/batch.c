#include "store/batch.h"
#include <errno.h>
#include <string.h>

#define COLUMNS 11u
#define VARINT_MAX 10u
#define BATCH_BYTES_MAX ((size_t)BATCH_IOS_MAX * COLUMNS * VARINT_MAX + 2 * VARINT_MAX)

static uint8_t *put(uint8_t *at, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*at++ = (uint8_t)(value | 0x80);
	*at++ = (uint8_t)value;
	return at;
}

static uint64_t zigzag(uint64_t difference)
{
	return difference << 1 ^ (uint64_t)((int64_t)difference >> 63);
}

static uint64_t unzigzag(uint64_t value)
{
	return value >> 1 ^ (0 - (value & 1));
}

/* One value of one column; `before` is the I/O before it. Differences are modulo 2^64. */
static uint64_t column_value(uint32_t column, const struct logged_io *io, const struct logged_io *before,
			     uint32_t shift)
{
	switch (column) {
	case 0: return zigzag(io->submit_ns - before->submit_ns);
	case 1: return io->offset >> shift;
	case 2: return zigzag((uint64_t)io->bytes - before->bytes);
	case 3: return io->service_ns;
	case 4: return zigzag(io->response_ns - io->service_ns);
	case 5: return zigzag((uint64_t)io->bytes - (uint64_t)(int64_t)io->result);
	case 6: return io->worker;
	case 7: return io->in_flight;
	case 8: return io->op;
	case 9: return io->flags;
	default: return io->load;
	}
}

/* Takes what column_value gave back; numbers that don't fit are cut, which the caller's checks don't need to
 * see. */
static void set_column(uint32_t column, uint64_t value, struct logged_io *io, const struct logged_io *before,
		       uint32_t shift)
{
	switch (column) {
	case 0: io->submit_ns = before->submit_ns + unzigzag(value); break;
	case 1: io->offset = value << shift; break;
	case 2: io->bytes = (uint32_t)(before->bytes + unzigzag(value)); break;
	case 3: io->service_ns = value; break;
	case 4: io->response_ns = io->service_ns + unzigzag(value); break;
	case 5: io->result = (int32_t)(io->bytes - unzigzag(value)); break;
	case 6: io->worker = (uint16_t)value; break;
	case 7: io->in_flight = (uint16_t)value; break;
	case 8: io->op = (uint8_t)value; break;
	case 9: io->flags = (uint8_t)value; break;
	default: io->load = (uint16_t)value; break;
	}
}

static uint32_t shared_zero_bits(const struct logged_io *ios, uint32_t count)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < count; i++)
		all |= ios[i].offset;
	return all ? (uint32_t)__builtin_ctzll(all) : 0;
}

int batch_pack(struct packer *packer, const struct logged_io *ios, uint32_t count,
	       const void **ret_bytes, size_t *ret_count)
{
	static const struct logged_io none;
	uint32_t shift = shared_zero_bits(ios, count);
	uint8_t *start, *at;

	if (count == 0 || count > BATCH_IOS_MAX)
		return -EINVAL;
	start = packer_plain(packer, (size_t)count * COLUMNS * VARINT_MAX + 2 * VARINT_MAX);
	if (!start)
		return -ENOMEM;
	at = put(put(start, count), shift);
	for (uint32_t column = 0; column < COLUMNS; column++)
		for (uint32_t i = 0; i < count; i++)
			at = put(at, column_value(column, &ios[i], i ? &ios[i - 1] : &none, shift));
	return packer_pack(packer, BATCH_FORM, (size_t)(at - start), ret_bytes, ret_count);
}

struct cursor {
	const uint8_t *at, *end;
	int error;
};

static uint64_t take(struct cursor *cursor)
{
	uint64_t value = 0;

	for (uint32_t shift = 0; shift < 64 && cursor->at < cursor->end; shift += 7) {
		uint8_t byte = *cursor->at++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	cursor->error = -EBADMSG;
	return 0;
}

static int check_ios(const struct logged_io *ios, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (ios[i].op >= IO_OPS ||
		    (ios[i].submit_ns | ios[i].offset | ios[i].service_ns | ios[i].response_ns) >> 63)
			return -EBADMSG;
	return (int)count;
}

static int unpack_columns(struct cursor *cursor, struct logged_io *ios)
{
	static const struct logged_io none;
	uint64_t count = take(cursor), shift = take(cursor);

	if (cursor->error < 0 || count == 0 || count > BATCH_IOS_MAX || shift > 63)
		return -EBADMSG;
	for (uint32_t column = 0; column < COLUMNS; column++)
		for (uint32_t i = 0; i < count && cursor->error == 0; i++)
			set_column(column, take(cursor), &ios[i], i ? &ios[i - 1] : &none, (uint32_t)shift);
	if (cursor->error < 0 || cursor->at != cursor->end)
		return -EBADMSG;
	return check_ios(ios, (uint32_t)count);
}

int batch_unpack(struct packer *packer, const void *bytes, size_t bytes_count, struct logged_io *ios)
{
	const uint8_t *plain;
	size_t plain_count;
	struct cursor cursor;
	uint8_t form;
	int result = packer_unpack(packer, bytes, bytes_count, BATCH_BYTES_MAX, &form, &plain, &plain_count);

	if (result < 0)
		return result;
	if (form != BATCH_FORM)
		return -EBADMSG;
	cursor = (struct cursor){ .at = plain, .end = plain + plain_count };
	return unpack_columns(&cursor, ios);
}
