/* Purge by sanitize: the drive erases all of its media, on NVMe every namespace, on SAS the logical unit. It
 * goes on by itself, over power cycles too, and refuses reads and writes until it is done. */
#include "drive/nvme_log.h"
#include "drive/scsi_sanitize.h"
#include "guard/subject.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define LOOK_FIRST_NS 5000000l
#define LOOK_SLOWEST_NS 999000000l
#define FAILED_LOOKS_MAX 30		/* in a row: a drive under sanitize may be slow to answer */

static void progress_begin(const struct guard_subject *subject, const char *how, uint32_t expected_s)
{
	if (subject->progress)
		*subject->progress = (struct guard_progress){
			.how = how,
			.expected_s = expected_s == UINT32_MAX ? 0 : expected_s,
			.unattended = true,
		};
}

static void progress_set(const struct guard_subject *subject, double share)
{
	if (subject->progress)
		subject->progress->share = (float)share;
}

/* Short at first, then a second: small drives are done at once. */
static void pause_between(long *pause_ns)
{
	const struct timespec time = {.tv_nsec = *pause_ns};

	nanosleep(&time, NULL);
	*pause_ns = *pause_ns < LOOK_SLOWEST_NS / 2 ? *pause_ns * 2 : LOOK_SLOWEST_NS;
}

/* -- NVMe -- */

static bool is_nvme(const struct machine *machine, const struct guard_subject *subject)
{
	struct block block;

	return !block_by_dev(machine, subject->dev, &block) && !strncmp(block.name, "nvme", 4);
}

static int nvme_prepare(const struct machine *machine, const struct guard_subject *subject,
			struct block *ret_block, struct nvme_identity *ret_identity, struct fault *fault)
{
	int result = subject_nvme_block(machine, subject, "sanitize", ret_block, fault);

	if (result)
		return result;
	result = nvme_identify(machine, ret_block, ret_identity);
	if (result)
		return fault_system(fault, result, "%s cannot be asked whether it can sanitize itself: %s",
				    subject->name, strerror(-result));
	if (!ret_identity->can_sanitize_block && !ret_identity->can_sanitize_crypto)
		return fault_system(fault, -EOPNOTSUPP, "%s has no sanitize by block erase or crypto erase%s",
				    subject->name, ret_identity->can_format ? " (it has method=format)" : "");
	return 0;
}

static int nvme_examine(const struct machine *machine, struct guard_subject *subject, struct fault *fault)
{
	struct nvme_identity identity;
	struct block block;
	const int result = nvme_prepare(machine, subject, &block, &identity, fault);

	if (result)
		return result;
	return subject_judge_namespaces(machine, subject, &block, identity.serial, "a sanitize",
					identity.can_manage_namespaces, fault);
}

/* Until it does not run any more. */
static int nvme_wait(const struct machine *machine, const struct guard_subject *subject,
		     const struct block *block, struct nvme_sanitize_status *status)
{
	long pause_ns = LOOK_FIRST_NS;
	int failed = 0, result;

	for (;;) {
		result = nvme_read_sanitize(machine, block, status);
		failed = result ? failed + 1 : 0;
		if (failed == FAILED_LOOKS_MAX || (!result && status->state != NVME_SANITIZE_RUNNING))
			return result;
		if (!result)
			progress_set(subject, status->share);
		pause_between(&pause_ns);
	}
}

static int nvme_begin(const struct machine *machine, const struct guard_subject *subject,
		      const struct block *block, bool block_erase, struct fault *fault)
{
	struct nvme_sanitize_status status;
	int result = nvme_read_sanitize(machine, block, &status);

	if (result)
		return fault_system(fault, result, "%s does not tell the state of its sanitize: %s",
				    subject->name, strerror(-result));
	progress_begin(subject, block_erase ? "sanitize, block erase" : "sanitize, crypto erase",
		       block_erase ? status.block_s : status.crypto_s);
	if (status.state == NVME_SANITIZE_RUNNING)
		return 0;		/* one that was begun earlier: it is waited for */
	result = nvme_sanitize(machine, block, block_erase ? NVME_SANITIZE_BLOCK : NVME_SANITIZE_CRYPTO);
	return result ? fault_system(fault, result, "%s does not begin its sanitize: %s", subject->name,
				     strerror(-result)) : 0;
}

static int nvme_erase(const struct machine *machine, const struct guard_subject *subject, struct fault *fault)
{
	struct nvme_sanitize_status status = {0};
	struct nvme_identity identity;
	struct block block;
	int result = nvme_prepare(machine, subject, &block, &identity, fault);

	if (!result)
		result = nvme_begin(machine, subject, &block, identity.can_sanitize_block, fault);
	if (result)
		return result;
	result = nvme_wait(machine, subject, &block, &status);
	if (result)
		return fault_system(fault, result, "%s stopped telling how far its sanitize is: %s",
				    subject->name, strerror(-result));
	if (status.state != NVME_SANITIZE_DONE)
		return fault_system(fault, -EIO,
				    "%s: the sanitize failed; the drive refuses reads and writes "
				    "until one succeeds",
				    subject->name);
	return 0;
}

/* -- SCSI -- */

static int scsi_prepare(const struct machine *machine, const struct guard_subject *subject,
			struct block *ret_block, enum scsi_sanitize_action *ret_action, struct fault *fault)
{
	char interface[16];
	int result;

	if (block_by_dev(machine, subject->dev, ret_block))
		return fault_system(fault, -ENODEV, "%s is gone", subject->name);
	block_interface(machine, ret_block->disk, interface);
	if (ret_block->partition || strcmp(interface, "scsi"))
		return fault_system(fault, -EOPNOTSUPP,
				    "%s cannot be purged by method=sanitize: only a whole NVMe or SCSI "
				    "drive can%s",
				    subject->name,
				    strcmp(interface, "sata") ? "" : " (SATA has method=secure_erase)");
	result = scsi_sanitize_find(machine, ret_block, ret_action);
	if (!result)
		return 0;
	return fault_system(fault, result, "%s has no sanitize by block erase or crypto erase",
			    subject->name);
}

static int scsi_erase(const struct machine *machine, const struct guard_subject *subject, struct fault *fault)
{
	enum scsi_sanitize_action action;
	long pause_ns = LOOK_FIRST_NS;
	double share = NAN;
	struct block block;
	int result = scsi_prepare(machine, subject, &block, &action, fault);

	if (result)
		return result;
	progress_begin(subject,
		       action == SCSI_SANITIZE_BLOCK ? "sanitize, block erase" : "sanitize, crypto erase", 0);
	result = scsi_sanitize_progress(machine, &block, &share);
	if (result != 1)
		result = scsi_sanitize(machine, &block, action);
	if (result < 0)
		return fault_system(fault, result, "%s does not begin its sanitize: %s", subject->name,
				    strerror(-result));
	while ((result = scsi_sanitize_progress(machine, &block, &share)) == 1) {
		progress_set(subject, share);
		pause_between(&pause_ns);
	}
	if (!result)
		return 0;
	return fault_system(fault, result, "%s: the sanitize failed: %s", subject->name, strerror(-result));
}

int subject_examine_sanitize(const struct machine *machine, struct guard_subject *subject,
			     struct fault *fault)
{
	enum scsi_sanitize_action action;
	struct block block;

	return is_nvme(machine, subject) ? nvme_examine(machine, subject, fault)
					 : scsi_prepare(machine, subject, &block, &action, fault);
}

int subject_sanitize(const struct machine *machine, const struct guard_subject *subject, struct fault *fault)
{
	if (is_nvme(machine, subject))
		return nvme_erase(machine, subject, fault);
	return scsi_erase(machine, subject, fault);
}
