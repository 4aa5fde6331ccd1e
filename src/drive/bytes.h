/* bytes: numbers in the pages that drives hand out. Offsets are the caller's to keep inside the page. */
#pragma once
#include <stdint.h>

/* little-endian: NVMe, ATA */
static inline uint16_t le16(const uint8_t *at)
{
	return (uint16_t)(at[0] | at[1] << 8);
}

static inline uint32_t le32(const uint8_t *at)
{
	return le16(at) | (uint32_t)le16(at + 2) << 16;
}

static inline uint64_t le48(const uint8_t *at)
{
	return le32(at) | (uint64_t)le16(at + 4) << 32;
}

static inline uint64_t le64(const uint8_t *at)
{
	return le32(at) | (uint64_t)le32(at + 4) << 32;
}

/* big-endian: SCSI */
static inline uint16_t be16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}
