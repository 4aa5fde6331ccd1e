#include "store/pack.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void packer_release(struct packer *packer)
{
	if (packer->deflater_ready)
		deflateEnd(&packer->deflater);
	if (packer->inflater_ready)
		inflateEnd(&packer->inflater);
	free(packer->plain);
	free(packer->packed);
	memset(packer, 0, sizeof(*packer));
}

static uint8_t *grow(uint8_t **bytes, size_t *capacity, size_t wanted)
{
	if (wanted > *capacity) {
		uint8_t *grown = realloc(*bytes, wanted);

		if (!grown)
			return NULL;
		*bytes = grown;
		*capacity = wanted;
	}
	return *bytes;
}

uint8_t *packer_plain(struct packer *packer, size_t count)
{
	return grow(&packer->plain, &packer->plain_bytes, count ? count : 1);
}

/* Small windows and tables: resetting them costs more than deflating a histogram. */
static int deflater_reset(struct packer *packer)
{
	if (packer->deflater_ready)
		return deflateReset(&packer->deflater) == Z_OK ? 0 : -ENOMEM;
	if (deflateInit2(&packer->deflater, 6, Z_DEFLATED, -12, 5, Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	packer->deflater_ready = 1;
	return 0;
}

static int inflater_reset(struct packer *packer)
{
	if (packer->inflater_ready)
		return inflateReset(&packer->inflater) == Z_OK ? 0 : -ENOMEM;
	if (inflateInit2(&packer->inflater, -15) != Z_OK)
		return -ENOMEM;
	packer->inflater_ready = 1;
	return 0;
}

/* Deflates and returns the bytes used, or 0 when that saves less than an eighth: then reading fast is worth
 * more. */
static size_t deflate_smaller(struct packer *packer, size_t count)
{
	z_stream *stream = &packer->deflater;

	stream->next_in = packer->plain;
	stream->avail_in = (uInt)count;
	stream->next_out = packer->packed + 1;
	stream->avail_out = (uInt)count;
	if (deflate(stream, Z_FINISH) != Z_STREAM_END || stream->total_out > count - count / 8)
		return 0;
	return stream->total_out;
}

int packer_pack(struct packer *packer, uint8_t form, size_t count, const void **ret_bytes, size_t *ret_count)
{
	size_t packed;

	if (!grow(&packer->packed, &packer->packed_bytes, count + 1) || deflater_reset(packer) < 0)
		return -ENOMEM;
	packed = deflate_smaller(packer, count);
	packer->packed[0] = packed ? form | PACK_DEFLATED : form;
	if (packed == 0) {
		memcpy(packer->packed + 1, packer->plain, count);
		packed = count;
	}
	*ret_bytes = packer->packed;
	*ret_count = packed + 1;
	return 0;
}

static int inflate_bounded(struct packer *packer, const uint8_t *bytes, size_t count, size_t plain_max,
			   size_t *ret_count)
{
	z_stream *stream = &packer->inflater;
	int code;

	if (!packer_plain(packer, plain_max) || inflater_reset(packer) < 0)
		return -ENOMEM;
	stream->next_in = (Bytef *)(uintptr_t)bytes;
	stream->avail_in = (uInt)count;
	stream->next_out = packer->plain;
	stream->avail_out = (uInt)plain_max;
	code = inflate(stream, Z_FINISH);
	if (code == Z_MEM_ERROR)
		return -ENOMEM;
	if (code != Z_STREAM_END || stream->avail_in > 0)
		return -EBADMSG;
	*ret_count = stream->total_out;
	return 0;
}

int packer_unpack(struct packer *packer, const void *bytes, size_t count, size_t plain_max,
		  uint8_t *ret_form, const uint8_t **ret_plain, size_t *ret_count)
{
	const uint8_t *packed = bytes;
	int result = 0;

	if (count < 1)
		return -EBADMSG;
	if (!(packed[0] & PACK_DEFLATED)) {
		if (count - 1 > plain_max)
			return -EBADMSG;
		*ret_plain = packed + 1;
		*ret_count = count - 1;
	} else {
		result = inflate_bounded(packer, packed + 1, count - 1, plain_max, ret_count);
		if (result < 0)
			return result;
		*ret_plain = packer->plain;
	}
	*ret_form = packed[0] & (uint8_t)~PACK_DEFLATED;
	return 0;
}

int packer_pack_histogram(struct packer *packer, const struct histogram *histogram, uint32_t bits,
			  const void **ret_bytes, size_t *ret_count)
{
	int count;

	if (histogram->moments.n == 0) {
		*ret_bytes = NULL;
		*ret_count = 0;
		return 0;
	}
	if (!packer_plain(packer, HISTOGRAM_ENCODED_MAX))
		return -ENOMEM;
	count = histogram_encode(histogram, bits, packer->plain, HISTOGRAM_ENCODED_MAX);
	if (count < 0)
		return count;
	return packer_pack(packer, (uint8_t)bits, (size_t)count, ret_bytes, ret_count);
}

int packer_unpack_histogram(struct packer *packer, const void *bytes, size_t count,
			    struct histogram *histogram)
{
	const uint8_t *plain;
	size_t plain_count;
	uint8_t form;
	int result;

	if (count == 0)
		return 0;
	result = packer_unpack(packer, bytes, count, HISTOGRAM_ENCODED_MAX, &form, &plain, &plain_count);
	if (result < 0)
		return result;
	if (form != HISTOGRAM_BITS && form != HISTOGRAM_SERIES_BITS)
		return -EBADMSG;
	return histogram_decode(histogram, form, plain, plain_count);
}
