/* pack: bytes into the smaller of their plain and their deflated form, and back; histograms as blobs. Only
 * for src/store.
 *
 * Layout: one byte - the form's number in the low 7 bits, 0x80 when deflated (raw deflate, RFC 1951) - then
 * the bytes. A histogram's form number is its K, 6 or 7; its bytes are histogram_encode()'s. A
 * zero-initialised packer is ready and releasable. One user at a time. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>
#include "measure/histogram.h"

#define PACK_DEFLATED 0x80u

struct packer {
	z_stream deflater, inflater;
	int deflater_ready, inflater_ready;
	uint8_t *plain, *packed;		/* owned, grown as needed */
	size_t plain_bytes, packed_bytes;
};

void packer_release(struct packer *packer);
/* Room for `count` plain bytes, to be filled by the caller before packer_pack; NULL when out of memory. */
uint8_t *packer_plain(struct packer *packer, size_t count);
/* Packs the first `count` plain bytes; *ret_bytes is borrowed until the next call. 0 or -ENOMEM. */
int packer_pack(struct packer *packer, uint8_t form, size_t count, const void **ret_bytes, size_t *ret_count);
/* Unpacks; at most plain_max bytes come out, whatever the input says. The plain bytes are borrowed until the
 * next call. 0, -EBADMSG or -ENOMEM. */
int packer_unpack(struct packer *packer, const void *bytes, size_t count, size_t plain_max,
		  uint8_t *ret_form, const uint8_t **ret_plain, size_t *ret_count);

/* An empty histogram packs to no bytes (*ret_count 0). */
int packer_pack_histogram(struct packer *packer, const struct histogram *histogram, uint32_t bits,
			  const void **ret_bytes, size_t *ret_count);
/* Adds the slots to the histogram; its moments are not touched. Hostile input safe: counts add up to at most
 * 2^63. */
int packer_unpack_histogram(struct packer *packer, const void *bytes, size_t count,
			    struct histogram *histogram);
