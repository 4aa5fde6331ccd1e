#include "drive/block.h"
#include "drive/drive_id.h"
#include "drive/drive_use.h"
#include "drive/nvme.h"
#include "guard/subject.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMESPACES_MAX 1024u		/* what one identify page can list */

static int nvme_block(const struct machine *machine, const struct guard_subject *subject,
		      struct block *ret_block, struct fault *fault)
{
	struct block block;

	if (block_by_dev(machine, subject->dev, &block))
		return fault_system(fault, -ENODEV, "%s is gone", subject->name);
	if (strncmp(block.name, "nvme", 4) || block.partition)
		return fault_system(fault, -EOPNOTSUPP,
				    "%s cannot be purged by method=format: only a whole NVMe namespace can",
				    subject->name);
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
			   uint32_t number)
{
	char id[DRIVE_ID_BYTES];
	struct block block;
	int result = 0;

	snprintf(id, sizeof id, "%s:%u", serial, number);
	if (!strcmp(id, subject->id))
		return 0;
	lines_add(&subject->destroys, "namespace %u too: a format of this controller wipes all of them",
		  number);
	if (attached_namespace(machine, id, &block))
		result = drive_use(machine, &block, &subject->refusals, NULL);
	if (!subject_permits_id(subject, id))
		lines_add(&subject->missing, "the format wipes namespace %u too: --destroy %s is needed",
			  number, id);
	return result;
}

static int judge_all_namespaces(const struct machine *machine, struct guard_subject *subject,
				const struct block *block, const char *serial, struct fault *fault)
{
	uint32_t *numbers = calloc(NAMESPACES_MAX, sizeof *numbers);
	int count = numbers ? nvme_namespaces(machine, block, numbers, NAMESPACES_MAX) : -ENOMEM;
	int result = count < 0 ? count : 0;

	for (int i = 0; !result && i < count; i++)
		result = judge_namespace(machine, subject, serial, numbers[i]);
	free(numbers);
	return result ? fault_system(fault, result, "%s: its namespaces cannot be listed: %s", subject->name,
				     strerror(-result)) : 0;
}

int subject_examine_format(const struct machine *machine, struct guard_subject *subject, struct fault *fault)
{
	struct nvme_identity identity;
	struct block block;
	int result = nvme_block(machine, subject, &block, fault);

	if (result)
		return result;
	result = nvme_identify(machine, &block, &identity);
	if (result)
		return fault_system(fault, result, "%s cannot be asked what a format would wipe: %s",
				    subject->name, strerror(-result));
	if (!identity.can_format)
		return fault_system(fault, -EOPNOTSUPP, "%s has no format command", subject->name);
	if (!identity.format_all && !identity.erase_all)
		return 0;
	return judge_all_namespaces(machine, subject, &block, identity.serial, fault);
}

int subject_format(const struct guard_subject *subject, uint64_t offset, uint64_t bytes, struct fault *fault)
{
	struct nvme_format format;
	struct block block;
	uint64_t number;
	int result = nvme_block(NULL, subject, &block, fault);

	if (result)
		return result;
	if (offset || bytes != subject->size_bytes)
		return fault_set(fault, 0, 0, "%s: a format purges the whole namespace, not a range of it",
				 subject->name);
	number = machine_read_u64(NULL, "/sys/class/block/%s/nsid", block.name);
	if (number == DRIVE_UNKNOWN)
		return fault_system(fault, -ENODEV, "%s does not tell its namespace", subject->name);
	result = nvme_read_format(NULL, &block, (uint32_t)number, &format);
	if (!result)
		result = nvme_format(NULL, &block, (uint32_t)number, &format);
	return result ? fault_system(fault, result, "%s: the format failed: %s", subject->name,
				     strerror(-result))
		      : 0;
}
