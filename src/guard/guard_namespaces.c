/* The other namespaces of an NVMe drive, which a format or sanitize of one may wipe too. */
#include "drive/block.h"
#include "drive/drive_id.h"
#include "drive/drive_use.h"
#include "drive/nvme.h"
#include "guard/subject.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAMESPACES_MAX 1024u		/* what one identify page can list */

int subject_nvme_block(const struct machine *machine, const struct guard_subject *subject, const char *method,
		       struct block *ret_block, struct fault *fault)
{
	struct block block;

	if (block_by_dev(machine, subject->dev, &block))
		return fault_system(fault, -ENODEV, "%s is gone", subject->name);
	if (strncmp(block.name, "nvme", 4) || block.partition)
		return fault_system(fault, -EOPNOTSUPP,
				    "%s cannot be purged by method=%s: only a whole NVMe namespace can",
				    subject->name, method);
	*ret_block = block;
	return 0;
}

/* The block device of the namespace whose id is `id`; false: it is not attached here. */
static bool attached_namespace(const struct machine *machine, const char *id, struct block *ret_block)
{
	char other[DRIVE_ID_BYTES];
	struct lines names = {0};
	bool found = false;

	if (!machine_list(machine, &names, "/sys/block"))
		for (uint32_t i = 0; !found && i < names.count; i++)
			found = !strncmp(names.line[i], "nvme", 4) &&
				!block_by_name(machine, names.line[i], ret_block) &&
				!drive_id(machine, ret_block, other, NULL) && !strcmp(other, id);
	lines_release(&names);
	return found;
}

static int judge_namespace(const struct machine *machine, struct guard_subject *subject, const char *serial,
			   uint32_t number, const char *verb)
{
	char id[DRIVE_ID_BYTES];
	struct block block;
	int result = 0;

	snprintf(id, sizeof id, "%s:%u", serial, number);
	if (!strcmp(id, subject->id))
		return 0;
	lines_add_once(&subject->destroys, "namespace %u too: %s of this drive wipes all of them",
		       number, verb);
	if (attached_namespace(machine, id, &block))
		result = drive_use(machine, &block, &subject->refusals, NULL);
	if (!subject_permits_id(subject, id))
		lines_add_once(&subject->missing, "%s wipes namespace %u too: --destroy %s is needed",
			       verb, number, id);
	return result;
}

int subject_judge_namespaces(const struct machine *machine, struct guard_subject *subject,
			     const struct block *block, const char *serial, const char *verb,
			     bool all_allocated, struct fault *fault)
{
	uint32_t *numbers = calloc(NAMESPACES_MAX, sizeof *numbers);
	int count = !numbers ? -ENOMEM
		    : all_allocated ? nvme_namespaces_allocated(machine, block, numbers, NAMESPACES_MAX)
				    : nvme_namespaces(machine, block, numbers, NAMESPACES_MAX);
	int result = count < 0 ? count : 0;

	for (int i = 0; !result && i < count; i++)
		result = judge_namespace(machine, subject, serial, numbers[i], verb);
	free(numbers);
	return result ? fault_system(fault, result, "%s: its namespaces cannot be listed: %s", subject->name,
				     strerror(-result)) : 0;
}

/* "nvme0n1" and "nvme0n3" are namespaces of one drive; hidden paths "nvme0c1n1" cannot be opened anyway. */
static bool same_drive(const char *name, const char *other)
{
	unsigned int drive, other_drive, number;
	char rest;

	return sscanf(name, "nvme%un%u%c", &drive, &number, &rest) == 2 &&
	       sscanf(other, "nvme%un%u%c", &other_drive, &number, &rest) == 2 && drive == other_drive &&
	       strcmp(name, other);
}

static int fence_one(const char *name, struct fence *fence, struct fault *fault)
{
	char path[80];
	int fd;

	if (fence->count == FENCE_MAX)
		return fault_system(fault, -E2BIG, "more than %d namespaces would be wiped", FENCE_MAX);
	snprintf(path, sizeof path, "/dev/%.64s", name);
	fd = open(path, O_RDONLY | O_EXCL | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return fault_system(fault, -errno, "%s would be wiped too and cannot be held meanwhile: %s",
				    path, strerror(errno));
	fence->fd[fence->count++] = fd;
	return 0;
}

int fence_raise(const struct guard_subject *subject, struct fence *fence, struct fault *fault)
{
	struct lines names = {0};
	struct block block;
	int result = block_by_dev(NULL, subject->dev, &block);

	*fence = (struct fence){0};
	if (!result)
		result = machine_list(NULL, &names, "/sys/block");
	if (result)
		fault_system(fault, result, "%s: %s", subject->name, strerror(-result));
	for (uint32_t i = 0; !result && i < names.count; i++)
		if (same_drive(names.line[i], block.name))
			result = fence_one(names.line[i], fence, fault);
	lines_release(&names);
	if (result)
		fence_lower(fence);
	return result;
}

void fence_lower(struct fence *fence)
{
	while (fence->count)
		close(fence->fd[--fence->count]);
}
