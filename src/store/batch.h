/* batch: many logged I/Os in one blob, column by column, so that thousands a second cost little. Only for
 * src/store.
 *
 * Layout (inside pack's form 1; every number is a LEB128 varint, signed ones zig-zag): count; the number of
 * low zero bits that all offsets share; then `count` values of each column in turn: submit_ns (signed
 * difference to the one before), offset without its zero bits, bytes (signed difference), service_ns,
 * response_ns - service_ns (signed), bytes - result (signed), worker, in_flight, op, flags, load. */
#pragma once
#include "base/io.h"
#include "measure/event_log.h"
#include "store/pack.h"

#define BATCH_IOS_MAX 16384u
#define BATCH_FORM 1

/* At most BATCH_IOS_MAX I/Os. The blob is borrowed until the packer's next use. 0, -EINVAL or -ENOMEM. */
int batch_pack(struct packer *packer, const struct logged_io *ios, uint32_t count,
	       const void **ret_bytes, size_t *ret_count);
/* Hostile input safe. `ios` has room for BATCH_IOS_MAX. Returns the count, -EBADMSG or -ENOMEM. */
int batch_unpack(struct packer *packer, const void *bytes, size_t bytes_count, struct logged_io *ios);
