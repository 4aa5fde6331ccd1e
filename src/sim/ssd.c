#include "sim/ssd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The pages that `bytes` at `offset` touch; logical blocks may be smaller than pages. */
struct span {
	uint32_t first, count;
	uint32_t head;		/* bytes before the data in the first page */
	uint32_t bytes;
};

static struct span span_of(const struct io *io)
{
	struct span span = {
		.first = (uint32_t)(io->offset / SIM_PAGE_BYTES),
		.head = (uint32_t)(io->offset % SIM_PAGE_BYTES),
		.bytes = io->bytes,
	};

	span.count = (span.head + io->bytes + SIM_PAGE_BYTES - 1) / SIM_PAGE_BYTES;
	return span;
}

static inline uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

int sim_ssd_init(struct sim_ssd *ssd, const struct sim_params *params, uint64_t seed, struct fault *fault)
{
	int status;

	memset(ssd, 0, sizeof(*ssd));
	status = sim_ftl_init(&ssd->ftl, params, seed, fault);
	if (!status)
		status = sim_front_init(&ssd->front, params, seed);
	if (!status)
		status = sim_mapcache_init(&ssd->mapcache, params);
	if (status)
		return status;
	sim_thermal_init(&ssd->thermal, params);
	ssd->write_cache = params->write_cache != 0;
	ssd->plp = params->plp != 0;
	ssd->flush_lies = params->flush_lies != 0;
	ssd->idle_ns = (uint64_t)(params->idle_ms * 1e6);
	return 0;
}

void sim_ssd_release(struct sim_ssd *ssd)
{
	free(ssd->damaged);
	sim_mapcache_release(&ssd->mapcache);
	sim_front_release(&ssd->front);
	sim_ftl_release(&ssd->ftl);
	memset(ssd, 0, sizeof(*ssd));
}

/* Heat and idle work, brought up to now. */
static void catch_up(struct sim_ssd *ssd, uint64_t now_ns)
{
	struct sim_flash *flash = &ssd->ftl.flash;

	if (now_ns >= ssd->thermal.next_ns) {
		if (sim_thermal_advance(&ssd->thermal, flash->bytes_read, flash->bytes_programmed, now_ns))
			sim_front_throttle(&ssd->front, ssd->thermal.throttling);
		flash->bytes_read = flash->bytes_programmed = 0;
	}
	if (now_ns > ssd->last_end_ns + ssd->idle_ns && ssd->last_end_ns)
		sim_ftl_tidy(&ssd->ftl, now_ns - ssd->last_end_ns);
}

/* Flash pages that lie together on one flash page are read at once: how many from page `at` on. */
static uint32_t run_length(const struct sim_ssd *ssd, uint32_t at, uint32_t end, uint32_t offset)
{
	const uint32_t *physical = &ssd->ftl.map.physical[at];
	const uint32_t slots = ssd->ftl.geometry.slots;
	const uint32_t room = slots - sim_remainder(&ssd->ftl.geometry.by_slot, offset);
	uint32_t length = 1;

	while (length < room && at + length < end && physical[length] == physical[0] + length)
		length++;
	return length;
}

/* Reads the run that starts at logical page `at`; sets *ret_length; returns when the host has it. */
static uint64_t run_read(struct sim_ssd *ssd, uint32_t at, uint32_t end, uint64_t start_ns,
			 uint32_t *ret_length)
{
	struct sim_ftl *ftl = &ssd->ftl;
	const uint32_t physical = ftl->map.physical[at];
	uint32_t index, offset;
	struct sim_place place;

	*ret_length = 1;
	if (physical == SIM_NOWHERE)
		return sim_front_send(&ssd->front, 1, start_ns);
	if (sim_ftl_is_buffered(ftl, physical, start_ns)) {
		ssd->buffer_hits++;
		return sim_front_send(&ssd->front, 1, start_ns);
	}
	index = sim_map_superblock(&ftl->map, physical);
	offset = physical - index * ftl->geometry.superblock_pages;
	*ret_length = run_length(ssd, at, end, offset);
	if (sim_mapcache_miss(&ssd->mapcache, at))
		start_ns = sim_flash_read_map(&ftl->flash, start_ns);
	place = sim_locate(&ftl->geometry, ftl->map.superblocks[index].mode, offset);
	return sim_front_send(&ssd->front, *ret_length,
			      sim_flash_read(&ftl->flash, place, *ret_length, start_ns));
}

static bool span_is_damaged(const struct sim_ssd *ssd, const struct span *span)
{
	for (uint32_t i = span->first; ssd->damaged && i < span->first + span->count; i++)
		if (ssd->damaged[i >> 6] >> (i & 63) & 1)
			return true;
	return false;
}

static void contents_read(const struct sim_ssd *ssd, const struct span *span, uint8_t *data)
{
	uint32_t start = span->head, left = span->bytes;

	for (uint32_t i = 0; i < span->count && data; i++) {
		const uint32_t bytes = left < SIM_PAGE_BYTES - start ? left : SIM_PAGE_BYTES - start;

		sim_contents_read(&ssd->ftl.contents, ssd->ftl.map.physical[span->first + i], start, data,
				  bytes);
		data += bytes;
		left -= bytes;
		start = 0;
	}
}

static int32_t ssd_read(struct sim_ssd *ssd, const struct io *io, uint64_t now_ns, uint64_t *ret_done_ns)
{
	const struct span span = span_of(io);
	const uint32_t end = span.first + span.count;
	const uint64_t start_ns = sim_front_read(&ssd->front, now_ns);
	uint64_t done_ns = start_ns;
	uint32_t length;

	sim_ftl_settle(&ssd->ftl);
	for (uint32_t at = span.first; at < end; at += length)
		done_ns = later(done_ns, run_read(ssd, at, end, start_ns, &length));
	ssd->read_pages += span.count;
	ssd->ftl.flash.bytes_read += io->bytes;
	*ret_done_ns = done_ns + sim_front_fixed(&ssd->front, false);
	if (span_is_damaged(ssd, &span))
		return -EIO;
	if (ssd->ftl.contents.pages)
		contents_read(ssd, &span, io->buffer);
	return (int32_t)io->bytes;
}

/* A write of part of a page first reads the rest of it, unless the buffer has it. */
static uint64_t part_read(struct sim_ssd *ssd, uint32_t logical, uint64_t start_ns)
{
	struct sim_ftl *ftl = &ssd->ftl;
	uint32_t physical, index, offset;
	struct sim_place place;

	sim_ftl_settle(ftl);
	physical = ftl->map.physical[logical];
	if (physical == SIM_NOWHERE || sim_ftl_is_buffered(ftl, physical, start_ns))
		return start_ns;
	index = sim_map_superblock(&ftl->map, physical);
	offset = physical - index * ftl->geometry.superblock_pages;
	place = sim_locate(&ftl->geometry, ftl->map.superblocks[index].mode, offset);
	return sim_flash_read(&ftl->flash, place, 1, start_ns);
}

/* The page is the last one written, in the open unit. */
static void contents_write(struct sim_ftl *ftl, uint32_t logical, uint32_t start, const void *data,
			   uint32_t bytes)
{
	sim_ftl_settle(ftl);
	sim_contents_write(&ftl->contents, ftl->map.physical[logical],
			   sim_buffer_back(&ftl->buffer, 1)->before, start, data, bytes);
}

/* One page of a write: `start` and `bytes` say which part. Returns when it is admitted; 0 when no flash is
 * left. */
static uint64_t page_write(struct sim_ssd *ssd, uint32_t logical, uint32_t start, const void *data,
			   uint32_t bytes, uint64_t arrived_ns)
{
	struct sim_ftl *ftl = &ssd->ftl;
	uint64_t admitted_ns =
		later(arrived_ns, later(ssd->admission_ns, sim_buffer_admission(&ftl->buffer)));

	if (bytes < SIM_PAGE_BYTES)
		admitted_ns = part_read(ssd, logical, admitted_ns);
	if (!sim_ftl_write(ftl, logical, admitted_ns, admitted_ns + ssd->front.write_fixed_ns))
		return 0;
	ssd->admission_ns = admitted_ns;
	if (ftl->contents.pages)
		contents_write(ftl, logical, start, data, bytes);
	if (ssd->damaged)
		ssd->damaged[logical >> 6] &= ~(1ull << (logical & 63));
	return admitted_ns;
}

static int32_t ssd_write(struct sim_ssd *ssd, const struct io *io, uint64_t now_ns, uint64_t *ret_done_ns)
{
	const struct span span = span_of(io);
	const double filled = ssd->ftl.map.mapped / (double)ssd->ftl.geometry.user_pages;
	const uint64_t arrived_ns = sim_front_write(&ssd->front, span.count, filled, now_ns);
	const uint8_t *data = io->buffer;
	uint32_t start = span.head, left = span.bytes;
	uint64_t done_ns = arrived_ns;

	for (uint32_t i = 0; i < span.count; i++) {
		const uint32_t bytes = left < SIM_PAGE_BYTES - start ? left : SIM_PAGE_BYTES - start;

		done_ns = page_write(ssd, span.first + i, start, data, bytes, arrived_ns);
		if (!done_ns) {
			*ret_done_ns = arrived_ns;
			return -ENOSPC;
		}
		data = data ? data + bytes : NULL;
		left -= bytes;
		start = 0;
	}
	if (!ssd->write_cache)
		done_ns = sim_ftl_flush(&ssd->ftl, done_ns);
	*ret_done_ns = done_ns + sim_front_fixed(&ssd->front, true);
	return (int32_t)io->bytes;
}

/* Unmaps the pages that lie wholly inside; parts of pages are left alone, as drives do. */
static int32_t ssd_trim(struct sim_ssd *ssd, const struct io *io, uint64_t now_ns, uint64_t *ret_done_ns)
{
	const uint64_t first = (io->offset + SIM_PAGE_BYTES - 1) / SIM_PAGE_BYTES;
	const uint64_t end = (io->offset + io->bytes) / SIM_PAGE_BYTES;

	sim_ftl_settle(&ssd->ftl);
	for (uint64_t i = first; i < end; i++) {
		ssd->trimmed_pages += sim_map_unmap(&ssd->ftl.map, (uint32_t)i);
		if (ssd->damaged)
			ssd->damaged[i >> 6] &= ~(1ull << (i & 63));
	}
	*ret_done_ns = sim_front_trim(&ssd->front, end > first ? (uint32_t)(end - first) : 0, now_ns);
	return 0;
}

static int32_t ssd_flush(struct sim_ssd *ssd, uint64_t now_ns, uint64_t *ret_done_ns)
{
	uint64_t done_ns = sim_front_flush(&ssd->front, now_ns);

	if (!ssd->plp && !ssd->flush_lies)
		done_ns = sim_ftl_flush(&ssd->ftl, done_ns);
	ssd->flushed_sequence = ssd->ftl.buffer.sequence;
	ssd->flushed_ns = done_ns;
	*ret_done_ns = done_ns;
	return 0;
}

static int32_t dispatch(struct sim_ssd *ssd, const struct io *io, uint64_t now_ns, uint64_t *ret_done_ns)
{
	switch (io->op) {
	case IO_READ:
		return ssd_read(ssd, io, now_ns, ret_done_ns);
	case IO_WRITE:
		return ssd_write(ssd, io, now_ns, ret_done_ns);
	case IO_TRIM:
		return ssd_trim(ssd, io, now_ns, ret_done_ns);
	default:
		return ssd_flush(ssd, now_ns, ret_done_ns);
	}
}

int32_t sim_ssd_submit(struct sim_ssd *ssd, const struct io *io, uint64_t now_ns, uint64_t *ret_done_ns)
{
	int32_t result;

	catch_up(ssd, now_ns);
	result = dispatch(ssd, io, now_ns, ret_done_ns);
	if (*ret_done_ns > ssd->last_end_ns)
		ssd->last_end_ns = *ret_done_ns;
	return result;
}
