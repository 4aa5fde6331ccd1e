/* Purge by an NVMe format: of one namespace, or on some drives of all of them. */
#include "drive/nvme.h"
#include "guard/subject.h"
#include <errno.h>
#include <math.h>
#include <string.h>

static int identify(const struct machine *machine, const struct guard_subject *subject,
		    struct block *ret_block, struct nvme_identity *ret_identity, struct fault *fault)
{
	int result = subject_nvme_block(machine, subject, "format", ret_block, fault);

	if (result)
		return result;
	result = nvme_identify(machine, ret_block, ret_identity);
	if (result)
		return fault_system(fault, result, "%s cannot be asked what a format would wipe: %s",
				    subject->name, strerror(-result));
	return ret_identity->can_format ? 0 : fault_system(fault, -EOPNOTSUPP, "%s has no format command",
							   subject->name);
}

int subject_examine_format(const struct machine *machine, struct guard_subject *subject, struct fault *fault)
{
	struct nvme_identity identity;
	struct block block;
	const int result = identify(machine, subject, &block, &identity, fault);

	if (result || (!identity.format_all && !identity.erase_all))
		return result;
	return subject_judge_namespaces(machine, subject, &block, identity.serial, "a format", false, fault);
}

bool subject_format_is_harmless(const struct machine *machine, const struct guard_subject *subject)
{
	struct nvme_identity identity;
	struct block block;
	struct fault fault;

	return !identify(machine, subject, &block, &identity, &fault) && !identity.format_all &&
	       !identity.erase_all;
}

int subject_format(const struct machine *machine, const struct guard_subject *subject, struct fault *fault)
{
	struct nvme_format format;
	struct block block;
	uint64_t number;
	int result = subject_nvme_block(machine, subject, "format", &block, fault);

	if (result)
		return result;
	number = machine_read_u64(machine, "/sys/class/block/%s/nsid", block.name);
	if (number == DRIVE_UNKNOWN)
		return fault_system(fault, -ENODEV, "%s does not tell its namespace", subject->name);
	if (subject->progress)
		*subject->progress =
			(struct guard_progress){.how = "format", .share = NAN, .unattended = true};
	result = nvme_read_format(machine, &block, (uint32_t)number, &format);
	if (!result)
		result = nvme_format(machine, &block, (uint32_t)number, &format);
	return result ? fault_system(fault, result, "%s: the format failed: %s", subject->name,
				     strerror(-result))
		      : 0;
}
