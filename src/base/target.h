/* target: where I/O is sent. Filled by guard (the only room that opens one for writing) or, for a simulated
 * drive, by drive_sim; read by work (range), engine (descriptor) and run. Plain data, no ownership of
 * `name`. */
#pragma once
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

enum target_kind {
	TARGET_FILE,		/* regular file */
	TARGET_BLOCK,		/* block device */
	TARGET_CHAR,		/* /dev/null, /dev/zero: the program's own speed */
	TARGET_NVME_GENERIC,	/* /dev/ngXnY, passthrough */
	TARGET_SIM,		/* simulated drive */
};

struct sim_drive;		/* opaque: only drive_sim.c and engine_sim.c know it */

struct target {
	enum target_kind kind;
	char name[PATH_MAX];	/* as the user wrote it */
	int fd;			/* open descriptor, -1 for simulated drives; owned by guard */
	bool direct;		/* fd was opened with O_DIRECT */
	bool may_write;		/* guard allowed writing; engines assert it */
	bool no_trim;		/* TARGET_SIM: a hard disk, which has no such command */
	uint32_t block_bytes;	/* smallest I/O and its alignment (logical block); 1 for buffered files */
	uint32_t memory_align;	/* alignment of buffers, bytes */
	uint64_t size_bytes;	/* addressable bytes: capacity of the drive, size of the file */
	struct sim_drive *sim;	/* borrowed; TARGET_SIM only */
};

const char *target_kind_name(enum target_kind kind);
const char *target_kind_words(enum target_kind kind);	/* "a block device": for sentences */
