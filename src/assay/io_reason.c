#include "assay/io_reason.h"

#include <errno.h>
#include <string.h>

struct io_reason {
	int error;
	const char *code, *words;
};

/* Those that the block layer, file systems and io_uring give; what the block layer means by its codes: the kernel's
 * blk_errors[]. */
static const struct io_reason reasons[] = {
	{ EIO, "EIO", SAID_WORD("I/O error") },
	{ ENODATA, "ENODATA", SAID_WORD("media error: the drive cannot read it") },
	{ EREMOTEIO, "EREMOTEIO", SAID_WORD("the drive reports a fault of its own") },
	{ EILSEQ, "EILSEQ", SAID_WORD("protection information does not match") },
	{ ETIMEDOUT, "ETIMEDOUT", SAID_WORD("timed out: the kernel gave up waiting") },
	{ ECANCELED, "ECANCELED", SAID_WORD("aborted") },
	{ ENODEV, "ENODEV", SAID_WORD("the device is gone") },
	{ ENXIO, "ENXIO", SAID_WORD("the device is gone or has no such block") },
	{ ENOLINK, "ENOLINK", SAID_WORD("the connection to the drive failed") },
	{ EBADE, "EBADE", SAID_WORD("another host has reserved the drive") },
	{ ENOSPC, "ENOSPC", SAID_WORD("no space left") },
	{ EDQUOT, "EDQUOT", SAID_WORD("the quota is used up") },
	{ EFBIG, "EFBIG", SAID_WORD("the file may not be so large") },
	{ EROFS, "EROFS", SAID_WORD("the file system is read-only") },
	{ EOPNOTSUPP, "EOPNOTSUPP", SAID_WORD("the device cannot do it") },
	{ EINVAL, "EINVAL", SAID_WORD("refused: size, alignment or address is not allowed") },
	{ EPERM, "EPERM", SAID_WORD("not permitted") },
	{ EACCES, "EACCES", SAID_WORD("not permitted") },
	{ EBUSY, "EBUSY", SAID_WORD("the device is busy") },
	{ EAGAIN, "EAGAIN", SAID_WORD("it would have had to wait") },
	{ ENOMEM, "ENOMEM", SAID_WORD("the kernel has no memory left") },
	{ ESTALE, "ESTALE", SAID_WORD("the server no longer knows the file") },
};

struct saying *io_reason_say(int error, struct saying *saying)
{
	struct saying words = { 0 };

	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (reasons[i].error == error) {
			saying_add(saying, "%p (%s)", saying_word(&words, reasons[i].words), reasons[i].code);
			return saying;
		}
	saying_add(saying, "%s (errno %d)", strerror(error), error);
	return saying;
}
