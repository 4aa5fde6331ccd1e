#include "base/units.h"
#include "drive/block.h"
#include "drive/drive_file.h"
#include "drive/drive_use.h"
#include "guard/guard_fs.h"
#include "guard/subject.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static void copy_lines(struct lines *to, const struct lines *from)
{
	for (uint32_t i = 0; i < from->count; i++)
		lines_add(to, "%s", from->line[i]);
}

static void tell_what_is_lost(struct guard_subject *subject, const struct drive_facts *facts)
{
	char size[UNITS_TEXT];

	lines_add(&subject->destroys, "%s: %s%s%s, %s", facts->path,
		  facts->model[0] ? facts->model : facts->interface, facts->serial[0] ? ", serial " : "",
		  facts->serial, capacity_format(facts->capacity_bytes, size));
	if (facts->namespace_id != DRIVE_UNKNOWN)
		lines_add(&subject->destroys, "namespace %llu%s", (unsigned long long)facts->namespace_id,
			  facts->namespace_count != DRIVE_UNKNOWN && facts->namespace_count > 1 ?
			  " (the controller has more)" : "");
	for (uint32_t i = 0; i < facts->partition_count && !facts->parent[0]; i++)
		lines_add(&subject->destroys, "partition %s, %s", facts->partition[i].name,
			  capacity_format(facts->partition[i].size_bytes, size));
	copy_lines(&subject->destroys, &facts->signatures);
}

/* Left by a run that was killed while it measured on a file system of its own. */
static bool is_ours(const struct signature *signature)
{
	static const char label[] = ", label " GUARD_FS_LABEL;
	const size_t length = strlen(signature->text);

	return length >= sizeof label && !strcmp(signature->text + length - (sizeof label - 1), label);
}

static void judge_signatures_of(struct guard_subject *subject, const char *path)
{
	struct signature found[SIGNATURES_MAX];
	const int count = drive_signatures(path, found);

	if (count < 0 && !subject->permission.wipe_signatures)
		lines_add(&subject->missing,
			  "%s could not be searched for signatures (%s): --wipe-signatures is needed", path,
			  strerror(-count));
	for (int i = 0; i < count; i++)
		if (found[i].member)
			lines_add(&subject->refusals,
				  "%s is a member of something bigger (%s); if it is not, remove the "
				  "signature with wipefs first",
				  path, found[i].text);
		else if (!subject->permission.wipe_signatures &&
			 !(subject->permission.resumes && is_ours(&found[i])))
			lines_add(&subject->missing,
				  "%s carries a signature (%s): --wipe-signatures is needed too", path,
				  found[i].text);
}

static void judge_signatures(struct guard_subject *subject, const struct drive_facts *facts)
{
	char path[80];

	judge_signatures_of(subject, facts->path);
	for (uint32_t i = 0; i < facts->partition_count && !facts->parent[0]; i++) {
		snprintf(path, sizeof path, "/dev/%.64s", facts->partition[i].name);
		judge_signatures_of(subject, path);
	}
}

/* The directory counts when the run file is not there yet. */
static bool run_file_status(const char *path, struct stat *ret_status)
{
	char directory[PATH_MAX], *slash;

	if (!path)
		return false;
	if (!stat(path, ret_status))
		return true;
	snprintf(directory, sizeof directory, "%s", path);
	slash = strrchr(directory, '/');
	if (slash)
		slash[slash == directory] = 0;
	else
		strcpy(directory, ".");
	return !stat(directory, ret_status);
}

static void judge_run_file(struct guard_subject *subject, const struct drive_facts *facts)
{
	struct drive_file_facts file;
	struct stat run, backing;
	char backing_file[PATH_MAX];
	struct block below, target;
	int result;

	if (!run_file_status(subject->wish.run_file_path, &run))
		return;
	result = drive_file_facts(NULL, subject->wish.run_file_path, &file, NULL);
	if (result == -ENOMEM)
		subject->refusals.error = result;	/* not known is not granted */
	if (result)
		return;
	if (!block_by_dev(NULL, file.dev, &below) && !block_by_dev(NULL, facts->dev, &target) &&
	    !strcmp(below.disk, target.disk) &&
	    (below.dev == target.dev || !target.partition || !below.partition))
		lines_add(&subject->refusals, "the run file %s lies on it", subject->wish.run_file_path);
	if (block_loop_file(NULL, facts->parent[0] ? facts->parent : facts->name, backing_file) &&
	    !stat(backing_file, &backing) && backing.st_dev == run.st_dev) {
		subject->run_file_same_fs = true;
		lines_add(&subject->warnings,
			  "the run file lies on the file system that holds the backing of %s: its own "
			  "writes disturb the measurement",
			  facts->name);
	}
	drive_file_facts_release(&file);
}

/* Zones that the host must write from their start on take no write of any plan but by chance. */
static void judge_zones(struct guard_subject *subject, const struct drive_facts *facts)
{
	if (!strcmp(facts->zoned, "host-managed"))
		lines_add(&subject->refusals,
			  "its zones must be written in order (host-managed), which no plan does");
}

/* Claims the device for a moment, as a mount would. */
static int judge_exclusive(struct guard_subject *subject, const char *path, struct fault *fault)
{
	const int fd = open(path, O_RDONLY | O_EXCL | O_CLOEXEC | O_NONBLOCK);

	if (fd >= 0) {
		close(fd);
		return 0;
	}
	if (errno == EBUSY && !subject->refusals.count)
		lines_add(&subject->refusals, "%s is opened exclusively by another program or the kernel",
			  path);
	return errno == EBUSY ? 0 : subject_open_failed(path, errno, fault);
}

static void judge_permission(struct guard_subject *subject)
{
	if (subject_permits_id(subject, subject->id))
		return;
	subject->needs_id = true;
	lines_add(&subject->missing, "everything on it would be lost: --destroy %s is needed%s", subject->id,
		  subject->permission.destroy_count ? " (the ID that was given names another drive)" : "");
}

static int judge_whole_purges(struct guard_subject *subject, struct fault *fault)
{
	int result = 0;

	for (int method = PURGE_BEST; method <= PURGE_NONE && !result; method++)
		if (subject->wish.purge_methods & 1u << method && purge_is_whole((enum purge_method)method))
			result = subject_examine_whole(NULL, subject, (enum purge_method)method, fault);
	return result;
}

static int judge_writing(struct guard_subject *subject, const struct drive_facts *facts, struct fault *fault)
{
	int result;

	tell_what_is_lost(subject, facts);
	copy_lines(&subject->refusals, &facts->in_use);
	judge_run_file(subject, facts);
	judge_zones(subject, facts);
	result = judge_exclusive(subject, facts->path, fault);
	if (result)
		return result;
	subject_judge_locks(subject, facts->path);
	if (strcmp(subject->path, facts->path))
		subject_judge_locks(subject, subject->path);	/* a lock belongs to the node */
	if (facts->read_only == 1)
		return fault_system(fault, -EROFS, "%s is read-only", facts->path);
	judge_signatures(subject, facts);
	judge_permission(subject);
	return judge_whole_purges(subject, fault);
}

static int judge_reading(struct guard_subject *subject, const struct drive_facts *facts, struct fault *fault)
{
	const int fd = open(facts->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return subject_open_failed(facts->path, errno, fault);
	close(fd);
	for (uint32_t i = 0; i < facts->in_use.count; i++)
		lines_add(&subject->warnings, "%s: other load disturbs the measurement",
			  facts->in_use.line[i]);
	return 0;
}

/* O_DIRECT wants memory aligned to the logical block where the kernel does not say better; sectors of 520 or
 * 528 bytes are no alignment for memory. */
static uint32_t memory_alignment(uint64_t block_bytes)
{
	return block_bytes & (block_bytes - 1) ? 4096 : (uint32_t)block_bytes;
}

static int subject_take_facts(struct guard_subject *subject, const struct drive_facts *facts,
			      struct fault *fault)
{
	subject->kind = TARGET_BLOCK;
	subject->dev = facts->dev;
	strcpy(subject->id, facts->id);
	if (!facts->capacity_bytes || facts->capacity_bytes == DRIVE_UNKNOWN)
		return fault_system(fault, -ENOMEDIUM,
				    "%s has no content: nothing is bound to it or inserted", facts->path);
	if (facts->logical_block_bytes == DRIVE_UNKNOWN || facts->logical_block_bytes < 512)
		return fault_system(fault, -ENODEV, "%s does not tell its block size", facts->path);
	subject->size_bytes = facts->capacity_bytes;
	subject->block_bytes = (uint32_t)facts->logical_block_bytes;
	subject->memory_align = memory_alignment(facts->logical_block_bytes);
	subject->disk_sequence = machine_read_u64(NULL, "/sys/class/block/%s/diskseq",
						  facts->parent[0] ? facts->parent : facts->name);
	copy_lines(&subject->warnings, &facts->warnings);
	return 0;
}

int subject_examine_block(struct guard_subject *subject, dev_t dev, struct fault *fault)
{
	struct drive_facts facts;
	int result = drive_find_dev(NULL, dev, &facts, fault);

	if (result)
		return result;
	result = subject_take_facts(subject, &facts, fault);
	if (!result && subject->writes)
		result = judge_writing(subject, &facts, fault);
	else if (!result)
		result = judge_reading(subject, &facts, fault);
	drive_facts_release(&facts);
	return result;
}
