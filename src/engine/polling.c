#include "engine/polling.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include "base/text.h"

/* '0', '1', or '\0' when nothing is said. A partition's queue is its parent's. */
static char queue_polls(dev_t dev)
{
	static const char *const paths[] = { "/sys/dev/block/%u:%u/queue/io_poll",
					     "/sys/dev/block/%u:%u/../queue/io_poll" };
	char polls = '\0';

	for (int i = 0; i < 2 && !polls; i++) {
		struct text text = { 0 };
		char path[80];

		snprintf(path, sizeof(path), paths[i], major(dev), minor(dev));
		if (text_read_file(&text, path, 16) == 0)
			polls = text_data(&text)[0];
		text_release(&text);
	}
	return polls;
}

int polling_check_device(enum target_kind kind, dev_t dev, const char *name, struct fault *fault)
{
	if (kind == TARGET_CHAR)
		return fault_system(fault, -EOPNOTSUPP, "%s has no completions that could be polled for", name);
	if (kind == TARGET_SIM || queue_polls(dev) != '0')
		return 0;
	return fault_system(
		fault, -EOPNOTSUPP,
		"%s can't be polled: its device has no poll queues (queue/io_poll is 0; NVMe: module "
		"option nvme.poll_queues), so that the kernel would answer by interrupt",
		name);
}

int polling_check(const struct target *target, struct fault *fault)
{
	struct stat status = { 0 };

	if (target->kind != TARGET_CHAR && fstat(target->fd, &status))
		return 0;
	return polling_check_device(target->kind, target->kind == TARGET_BLOCK ? status.st_rdev : status.st_dev,
				    target->name, fault);
}
