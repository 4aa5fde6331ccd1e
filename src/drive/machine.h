/* machine: the computer whose drives are looked at. The real one has root "" and the kernel's ioctl; a
 * captured one (tests) has a directory that holds "sys", "proc" and "dev" trees and a scripted `struct
 * drive_io`.
 *
 * Every function of this room that takes a machine accepts NULL, which means the real one. Reading a tree
 * never writes anything and keeps nothing open. Plain data: may be used by several threads at once. */
#pragma once
#include <limits.h>
#include <stdint.h>

#define DRIVE_UNKNOWN                                                                                        \
	UINT64_MAX /* "not available", for every uint64_t fact of this room: never 0 by mistake */

struct text;

/* The seam to the hardware: what a drive is asked directly instead of through sysfs. All return >= 0 or
 * -errno. */
struct drive_io {
	int (*open)(void *context, const char *path, int flags);
	int (*command)(void *context, int fd, unsigned long request, void *argument);	/* as ioctl(2) */
	void (*close)(void *context, int fd);
	void *context;
	/* The program smartctl's JSON about a device (smartctl.h); NULL = not installed. */
	int (*smartctl)(void *context, const char *device, struct text *out);
};

struct machine {
	const char *root;		/* prefix of /sys, /proc and /dev; "" = the real ones. Borrowed. */
	const struct drive_io *io;	/* borrowed; NULL = ask no hardware, only read the trees */
};

const struct machine *machine_real(void);
const struct machine *machine_or_real(const struct machine *machine);	/* NULL -> the real one */

/* Readers of attribute files; `format` names the path below the root ("/sys/block/%s/size"). */

/* First line without surrounding blanks, made printable (bad UTF-8 and control characters become '?'), cut to
 * the buffer. Length, or -errno. An attribute that is there but empty gives 0. */
int machine_read_text(const struct machine *machine, char *buffer, uint32_t buffer_bytes, const char *format,
		      ...) __attribute__((format(printf, 4, 5)));
/* The first bytes of a binary attribute; their count, or -errno. */
int machine_read_bytes(const struct machine *machine, void *buffer, uint32_t buffer_bytes, const char *format,
		       ...) __attribute__((format(printf, 4, 5)));
/* A decimal (or 0x) number that starts the file; DRIVE_UNKNOWN when there is none. */
uint64_t machine_read_u64(const struct machine *machine, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The last component of where a symbolic link points to; 0 or -errno. */
int machine_read_link(const struct machine *machine, char *buffer, uint32_t buffer_bytes, const char *format,
		      ...) __attribute__((format(printf, 4, 5)));
/* The full path of a tree's entry, all links resolved, without the root prefix; 0 or -errno. */
int machine_real_path(const struct machine *machine, char buffer[PATH_MAX], const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The cleaning that machine_read_text does, for strings from elsewhere (identify data). Takes NUL-terminated
 * `raw`. */
void machine_clean_text(const char *raw, char *buffer, uint32_t buffer_bytes);

struct lines;
/* Names in a directory (without dot files), in natural order (nvme2n1 before nvme10n1); 0 or -errno. */
int machine_list(const struct machine *machine, struct lines *names, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
