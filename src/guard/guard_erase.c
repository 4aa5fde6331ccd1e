/* Purge by a SATA drive's secure erase. */
#include "drive/ata_erase.h"
#include "guard/subject.h"
#include <errno.h>
#include <math.h>
#include <string.h>

static int prepare(const struct machine *machine, const struct guard_subject *subject,
		   struct block *ret_block, struct ata_identity *ret_identity, struct fault *fault)
{
	char interface[16];
	int result;

	if (block_by_dev(machine, subject->dev, ret_block))
		return fault_system(fault, -ENODEV, "%s is gone", subject->name);
	block_interface(machine, ret_block->disk, interface);
	if (ret_block->partition || strcmp(interface, "sata"))
		return fault_system(fault, -EOPNOTSUPP,
				    "%s cannot be purged by method=secure_erase: only a whole SATA drive "
				    "can%s",
				    subject->name,
				    strcmp(interface, "usb") ? "" : " (and not through a USB bridge, where "
								    "it may lock itself for ever)");
	result = ata_identify(machine, ret_block, ret_identity);
	return result ? fault_system(fault, result, "%s cannot be asked whether it can erase itself: %s",
				     subject->name, strerror(-result)) : 0;
}

/* Frozen, locked and the like are reasons, not errors: they are told with the others. */
int subject_examine_secure_erase(const struct machine *machine, struct guard_subject *subject,
				 struct fault *fault)
{
	struct ata_identity identity;
	struct fault why = {0};
	struct block block;
	int result = prepare(machine, subject, &block, &identity, fault);

	if (result)
		return result;
	result = ata_erase_possible(subject->name, &identity.security, &why);
	if (result == -EPERM)
		lines_add_once(&subject->refusals, "%s", why.text);
	else if (result)
		*fault = why;
	return result == -EPERM ? 0 : result;
}

int subject_secure_erase(const struct machine *machine, const struct guard_subject *subject,
			 struct fault *fault)
{
	struct ata_identity identity;
	struct block block;
	bool password;
	int result = prepare(machine, subject, &block, &identity, fault);

	if (result)
		return result;
	if (subject->progress)
		*subject->progress = (struct guard_progress){
			.how = ata_erase_enhanced(&identity.security) ? "secure erase, enhanced" :
									"secure erase",
			.share = NAN,
			.expected_s = ata_erase_seconds(&identity.security),
			.unattended = true,
			.must_finish = true,
		};
	return ata_erase(machine, &block, subject->name, &password, fault);
}
