/* The guard on files, directories, odd names and things that cannot be targets. Needs no root. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <cmocka.h>
#include "../../rig/rig.h"
#include "guard/guard.h"

#define MEBI (1024ull * 1024)

struct bench {
	struct rig rig;
	struct guard_subject subject;
	struct target target;
	struct guard_wish wish;
	struct guard_permission permission;
	struct fault fault;
	char path[PATH_MAX];
};

static int set_up(void **state)
{
	struct bench *bench = calloc(1, sizeof *bench);

	rig_init(&bench->rig, "/tmp");
	bench->wish = (struct guard_wish){.will_write = true, .file_bytes = 4 * MEBI};
	*state = bench;
	return 0;
}

static int tear_down(void **state)
{
	struct bench *bench = *state;

	guard_close(&bench->subject, &bench->target);
	guard_subject_release(&bench->subject);
	rig_clean(&bench->rig);
	free(bench);
	return 0;
}

static int examine(struct bench *bench)
{
	guard_subject_release(&bench->subject);
	return guard_examine(bench->path, &bench->wish, &bench->permission, &bench->subject, &bench->fault);
}

static void examine_and_open(struct bench *bench, bool direct)
{
	if (examine(bench) || guard_open(&bench->subject, direct, &bench->target, &bench->fault))
		fail_msg("%s", bench->fault.text);
}

static void a_missing_file_is_made_private_marked_and_sized(void **state)
{
	struct bench *bench = *state;
	struct stat status;

	rig_path(&bench->rig, "new", bench->path);
	assert_int_equal(examine(bench), 0);
	assert_false(bench->subject.exists);
	assert_int_equal(access(bench->path, F_OK), -1);	/* looking makes nothing */
	examine_and_open(bench, true);
	assert_int_equal(stat(bench->path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	assert_int_equal(status.st_size, 4 * MEBI);
	assert_true(getxattr(bench->path, "user.ssdassay", NULL, 0) >= 0);
	assert_int_equal(bench->target.size_bytes, 4 * MEBI);
	assert_true(bench->target.may_write);
	assert_true(bench->target.block_bytes >= 1 && bench->target.block_bytes <= 4096);
	guard_close(&bench->subject, &bench->target);
	assert_int_equal(access(bench->path, F_OK), 0);		/* it stays */
	assert_int_equal(examine(bench), 0);			/* and is known as ours */
	assert_true(bench->subject.ours);
}

static void a_foreign_file_is_written_only_with_overwrite(void **state)
{
	struct bench *bench = *state;
	struct stat status;

	rig_file(&bench->rig, "data", MEBI, bench->path);
	assert_int_equal(examine(bench), -EPERM);
	assert_int_equal(bench->subject.refusals.count, 0);
	assert_non_null(strstr(bench->fault.text, "--overwrite"));
	assert_int_equal(stat(bench->path, &status), 0);
	assert_int_equal(status.st_size, MEBI);
	bench->permission.overwrite = true;
	examine_and_open(bench, false);
	assert_int_equal(bench->target.size_bytes, 4 * MEBI);
	assert_int_equal(bench->target.block_bytes, 1);
	assert_true(getxattr(bench->path, "user.ssdassay", NULL, 0) <
		    0); /* not made by us, never called ours */
}

static void a_file_that_is_written_is_locked_against_a_second_run(void **state)
{
	struct bench *bench = *state;
	struct guard_subject second;

	rig_path(&bench->rig, "new", bench->path);
	examine_and_open(bench, false);
	assert_int_equal(guard_examine(bench->path, &bench->wish, &bench->permission, &second, &bench->fault),
			 -EPERM);
	assert_non_null(strstr(bench->fault.text, "locked by another program"));
	guard_subject_release(&second);
	guard_close(&bench->subject, &bench->target);
	assert_int_equal(examine(bench), 0);
}

/* Between its steps no process of a run has the file open for I/O, and it is no other's all the same. */
static void a_file_is_held_between_the_steps_of_a_run(void **state)
{
	struct bench *bench = *state;
	struct guard_subject second;
	int held;

	rig_path(&bench->rig, "new", bench->path);
	assert_int_equal(examine(bench), 0);
	assert_false(guard_can_hold(&bench->subject));	/* it is still to be made */
	assert_int_equal(guard_make_file(&bench->subject, &bench->fault), 0);
	assert_true(guard_can_hold(&bench->subject));
	held = guard_hold(&bench->subject, &bench->fault);
	assert_true(held >= 0);
	assert_int_equal(guard_hold(&bench->subject, &bench->fault), -EBUSY);
	assert_int_equal(guard_examine(bench->path, &bench->wish, &bench->permission, &second, &bench->fault),
			 -EPERM);
	assert_non_null(strstr(bench->fault.text, "locked by another program"));
	guard_subject_release(&second);
	/* our own steps open it, one after the other; in between it is held */
	bench->subject.wish.held = true;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(guard_open(&bench->subject, false, &bench->target, &bench->fault), 0);
		guard_close(&bench->subject, &bench->target);
		assert_int_equal(guard_hold(&bench->subject, &bench->fault), -EBUSY);
	}
	close(held);
	/* whoever held it has gone: a step locks it itself */
	assert_int_equal(guard_open(&bench->subject, false, &bench->target, &bench->fault), 0);
	assert_int_equal(guard_hold(&bench->subject, &bench->fault), -EBUSY);
	guard_close(&bench->subject, &bench->target);
	bench->subject.wish.held = false;
	assert_int_equal(examine(bench), 0);
}

static void two_runs_that_looked_at_the_same_time_do_not_both_open_the_file(void **state)
{
	struct bench *bench = *state;
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int fd;

	rig_path(&bench->rig, "new", bench->path);
	examine_and_open(bench, false);
	guard_close(&bench->subject, &bench->target);
	assert_int_equal(examine(bench), 0);
	fd = open(bench->path, O_RDWR | O_CLOEXEC);
	assert_int_equal(fcntl(fd, F_OFD_SETLK, &lock), 0);
	assert_true(guard_open(&bench->subject, false, &bench->target, &bench->fault) < 0);
	close(fd);
	assert_int_equal(guard_open(&bench->subject, false, &bench->target, &bench->fault), 0);
}

static void a_file_that_took_the_place_of_another_is_not_opened(void **state)
{
	struct bench *bench = *state;

	rig_path(&bench->rig, "new", bench->path);
	examine_and_open(bench, false);
	guard_close(&bench->subject, &bench->target);
	assert_int_equal(examine(bench), 0);
	if (!bench->subject.birth_ns)
		skip();		/* this file system does not tell when a file was made */
	bench->subject.birth_ns--;	/* the inode's number may be the same */
	assert_int_equal(guard_open(&bench->subject, false, &bench->target, &bench->fault), -ESTALE);
}

static void a_foreign_file_may_be_read_and_stays_as_it_is(void **state)
{
	struct bench *bench = *state;

	rig_file(&bench->rig, "data", MEBI, bench->path);
	bench->wish = (struct guard_wish){.file_bytes = MEBI};
	examine_and_open(bench, false);
	assert_false(bench->target.may_write);
	assert_int_equal(write(bench->target.fd, "x", 1), -1);
	assert_int_equal(errno, EBADF);
}

static void a_file_smaller_than_the_plan_reads_is_an_error(void **state)
{
	struct bench *bench = *state;

	rig_file(&bench->rig, "data", MEBI, bench->path);
	bench->wish.will_write = false;
	assert_int_equal(examine(bench), -EINVAL);
	assert_non_null(strstr(bench->fault.text, "4.19 MB (4194304 bytes)"));
}

static void an_empty_file_without_a_size_is_an_error(void **state)
{
	struct bench *bench = *state;

	rig_file(&bench->rig, "data", 0, bench->path);
	bench->wish.file_bytes = 0;
	assert_int_equal(examine(bench), -EINVAL);
	rig_path(&bench->rig, "new", bench->path);
	assert_int_equal(examine(bench), -EINVAL);
}

static void names_with_any_character_work(void **state)
{
	static const char *const names[] = {"a:b.dat", "100%", "two words", "\xc3\xa9t\xc3\xa9",
					    "'q\"",    "-o",   "new\nline", "%s%n"};
	struct bench *bench = *state;
	char longest[256];

	for (uint32_t i = 0; i <= sizeof names / sizeof *names; i++) {
		memset(longest, 'x', 255);
		longest[255] = 0;
		rig_path(&bench->rig, i < sizeof names / sizeof *names ? names[i] : longest, bench->path);
		examine_and_open(bench, false);
		guard_close(&bench->subject, &bench->target);
		assert_int_equal(access(bench->path, F_OK), 0);
	}
}

static void a_directory_gets_a_file_that_is_removed_again(void **state)
{
	struct bench *bench = *state;
	struct stat status;

	strcpy(bench->path, bench->rig.directory);
	examine_and_open(bench, true);
	assert_true(bench->subject.temporary);
	assert_int_equal(stat(bench->subject.path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	assert_int_equal(status.st_size, 4 * MEBI);
	guard_close(&bench->subject, &bench->target);
	assert_int_equal(stat(bench->subject.path, &status), -1);
	assert_int_equal(rmdir(bench->rig.directory), 0);	/* nothing is left in it */
}

static void a_temporary_name_that_another_file_took_is_left_alone(void **state)
{
	struct bench *bench = *state;

	strcpy(bench->path, bench->rig.directory);
	examine_and_open(bench, false);
	rig_must("rm '%s' && echo precious > '%s'", bench->subject.path, bench->subject.path);
	guard_close(&bench->subject, &bench->target);
	assert_int_equal(access(bench->subject.path, F_OK), 0);
}

static void nothing_is_made_under_dev(void **state)
{
	static const char *const names[] = {"/dev/ssdassay-no-such", "/dev/shm/ssdassay-no-such",
					    "/dev/../dev/ssdassay-x"};
	struct bench *bench = *state;

	for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
		strcpy(bench->path, names[i]);
		assert_int_equal(examine(bench), -ENOENT);
		assert_int_equal(access(names[i], F_OK), -1);
	}
	strcpy(bench->path, "/dev/shm");
	assert_int_equal(examine(bench), -EINVAL);
	rig_path(&bench->rig, "link", bench->path);
	assert_int_equal(symlink("/dev/ssdassay-no-such", bench->path), 0);
	assert_int_equal(examine(bench), -ENOENT);
	assert_int_equal(access("/dev/ssdassay-no-such", F_OK), -1);
}

static void what_is_no_target_is_named(void **state)
{
	struct bench *bench = *state;

	rig_path(&bench->rig, "pipe", bench->path);
	assert_int_equal(mkfifo(bench->path, 0600), 0);
	assert_int_equal(examine(bench), -EINVAL);
	strcpy(bench->path, "/dev/tty");
	assert_int_equal(examine(bench), -EINVAL);
	rig_path(&bench->rig, "no/such/directory", bench->path);
	assert_int_equal(examine(bench), -ENOENT);
	strcpy(bench->path, "");
	assert_int_equal(examine(bench), -EINVAL);
	rig_path(&bench->rig, "missing/", bench->path);
	assert_int_equal(examine(bench), -ENOENT);
}

static void dev_null_and_zero_measure_the_program(void **state)
{
	struct bench *bench = *state;

	strcpy(bench->path, "/dev/null");
	examine_and_open(bench, true);
	assert_int_equal(bench->target.kind, TARGET_CHAR);
	assert_int_equal(bench->target.size_bytes, 4 * MEBI);
	assert_false(bench->target.direct);
	guard_close(&bench->subject, &bench->target);
	strcpy(bench->path, "/dev/zero");
	examine_and_open(bench, true);
}

static void more_than_fits_is_said_before_the_run(void **state)
{
	struct bench *bench = *state;

	rig_path(&bench->rig, "huge", bench->path);
	bench->wish.file_bytes = 1ull << 60;
	assert_int_equal(examine(bench), -ENOSPC);
	assert_int_equal(access(bench->path, F_OK), -1);
}

static void a_file_replaced_after_it_was_examined_is_not_opened(void **state)
{
	struct bench *bench = *state;

	rig_file(&bench->rig, "data", 4 * MEBI, bench->path);
	bench->permission.overwrite = true;
	assert_int_equal(examine(bench), 0);
	rig_must("cp --sparse=always '%s' '%s.new' && mv '%s.new' '%s'", bench->path, bench->path,
		 bench->path, bench->path);
	assert_int_equal(guard_open(&bench->subject, false, &bench->target, &bench->fault), -ESTALE);
}

static void a_file_that_appears_meanwhile_is_not_overwritten(void **state)
{
	struct bench *bench = *state;
	char other[PATH_MAX];

	rig_path(&bench->rig, "new", bench->path);
	assert_int_equal(examine(bench), 0);
	rig_file(&bench->rig, "new", MEBI, other);
	assert_int_not_equal(guard_open(&bench->subject, false, &bench->target, &bench->fault), 0);
	rig_must("test $(stat -c %%s '%s') = 1048576", other);
}

static void a_removed_file_is_noticed_before_a_purge(void **state)
{
	struct bench *bench = *state;
	enum purge_method used;

	rig_path(&bench->rig, "new", bench->path);
	examine_and_open(bench, false);
	assert_int_equal(guard_recheck(&bench->subject, &bench->target, &bench->fault), 0);
	assert_int_equal(unlink(bench->path), 0);
	assert_int_equal(guard_recheck(&bench->subject, &bench->target, &bench->fault), -ESTALE);
	assert_int_equal(
		guard_purge(&bench->subject, &bench->target, PURGE_BEST, 0, MEBI, &used, &bench->fault),
		-ESTALE);
}

static void fill(struct bench *bench, uint64_t offset, uint64_t bytes)
{
	char *data = malloc(bytes);

	memset(data, 0x5a, bytes);
	assert_int_equal(pwrite(bench->target.fd, data, bytes, (off_t)offset), (ssize_t)bytes);
	free(data);
}

static void check_written(const char *parent)
{
	struct bench bench = {.wish = {.will_write = true, .file_bytes = 4 * MEBI}};
	const struct target *target = &bench.target;
	enum purge_method used;
	uint64_t first = 1;

	rig_init(&bench.rig, parent);
	rig_file(&bench.rig, "f", 4 * MEBI, bench.path); /* before: may lie under /dev, so it must exist */
	bench.permission.overwrite = true;
	examine_and_open(&bench, false);
	assert_int_equal(guard_range_written(target, 0, 4 * MEBI, &first), 0);
	assert_int_equal(first, 0);
	fill(&bench, 0, 2 * MEBI);
	assert_int_equal(guard_range_written(target, 0, 2 * MEBI, &first), 1);
	assert_int_equal(guard_range_written(target, MEBI, 2 * MEBI, &first), 0);
	assert_int_equal(first, 2 * MEBI);
	fill(&bench, 2 * MEBI, 2 * MEBI);
	assert_int_equal(guard_range_written(target, 0, 4 * MEBI, &first), 1);
	assert_int_equal(guard_range_written(target, 0, 4 * MEBI + 1, &first), 0);	/* beyond the end */
	assert_int_equal(
		guard_purge(&bench.subject, &bench.target, PURGE_BEST, MEBI, MEBI, &used, &bench.fault), 0);
	assert_int_equal(used, PURGE_PUNCH);
	assert_int_equal(guard_range_written(target, 0, 4 * MEBI, &first), 0);
	assert_int_equal(first, MEBI);
	guard_close(&bench.subject, &bench.target);
	guard_subject_release(&bench.subject);
	rig_clean(&bench.rig);
}

static void never_written_parts_are_found_on_the_disk(void **state)
{
	check_written("/tmp");
}

static void never_written_parts_are_found_in_memory(void **state)
{
	check_written("/dev/shm");
}

static void reserved_space_counts_as_never_written(void **state)
{
	struct bench *bench = *state;
	uint64_t first = 1;

	rig_path(&bench->rig, "new", bench->path);
	examine_and_open(bench, false);
	assert_int_equal(guard_range_written(&bench->target, 0, 4 * MEBI, &first), 0);
	assert_int_equal(first, 0);
}

static void a_fragmented_file_is_walked_to_its_end(void **state)
{
	struct bench *bench = *state;
	uint64_t first = 0;

	bench->wish.file_bytes = 16 * MEBI;
	rig_file(&bench->rig, "new", 16 * MEBI, bench->path);
	bench->permission.overwrite = true;
	examine_and_open(bench, false);
	for (uint64_t at = 0; at < 16 * MEBI;
	     at += 16384) { /* every second one first: over 256 extents at once */
		fill(bench, at, 8192);
		if (at == 8 * MEBI)
			fsync(bench->target.fd);
	}
	fsync(bench->target.fd);
	for (uint64_t at = 8192; at < 16 * MEBI - 8192; at += 16384)
		fill(bench, at, 8192);
	assert_int_equal(guard_range_written(&bench->target, 0, 16 * MEBI, &first), 0);
	assert_int_equal(first, 16 * MEBI - 8192);
}

static void purges_outside_the_file_or_of_the_wrong_kind_are_errors(void **state)
{
	struct bench *bench = *state;
	enum purge_method used;

	rig_path(&bench->rig, "new", bench->path);
	examine_and_open(bench, false);
#define PURGE(method, offset, bytes) \
	guard_purge(&bench->subject, &bench->target, method, offset, bytes, &used, &bench->fault)
	assert_int_equal(PURGE(PURGE_BEST, 0, 5 * MEBI), -EINVAL);
	assert_int_equal(PURGE(PURGE_BEST, 8 * MEBI, MEBI), -EINVAL);
	assert_int_equal(PURGE(PURGE_BEST, UINT64_MAX - 10, 100), -EINVAL);
	assert_int_equal(PURGE(PURGE_BEST, 0, 0), -EINVAL);	/* nothing is not "everything" */
	assert_int_equal(PURGE(PURGE_TRIM, 0, MEBI), -EOPNOTSUPP);
	assert_int_equal(PURGE(PURGE_FORMAT, 0, MEBI), -EOPNOTSUPP);
	assert_int_equal(PURGE(PURGE_NONE, 0, MEBI), 0);
	assert_int_equal(used, PURGE_NONE);
#undef PURGE
}

static void the_run_file_beside_the_target_is_a_warning_and_on_it_a_refusal(void **state)
{
	struct bench *bench = *state;
	char run[PATH_MAX];

	rig_path(&bench->rig, "data", bench->path);
	rig_path(&bench->rig, "r.assay", run);
	bench->wish.run_file_path = run;
	assert_int_equal(examine(bench), 0);
	assert_true(bench->subject.run_file_same_fs);
	assert_true(bench->subject.warnings.count >= 1);
	bench->wish.run_file_path = "/dev/shm/r.assay";
	assert_int_equal(examine(bench), 0);
	assert_false(bench->subject.run_file_same_fs);
	rig_file(&bench->rig, "data", MEBI, run);
	bench->wish.run_file_path = run;
	bench->permission.overwrite = true;
	assert_int_equal(examine(bench), -EPERM);
	assert_int_equal(bench->subject.refusals.count, 1);
}

static void swap_files_and_loop_backings_are_never_written(void **state)
{
	struct bench *bench = *state;
	char loop[PATH_MAX];

	if (rig_no_loop_reason()) {
		rig_skip(rig_no_loop_reason());
		return;
	}
	bench->permission.overwrite = true;
	rig_file(&bench->rig, "backing", 4 * MEBI, bench->path);
	assert_int_equal(examine(bench), 0);
	rig_loop(&bench->rig, bench->path, 512, false, loop);
	assert_int_equal(examine(bench), -EPERM);
	assert_non_null(strstr(bench->fault.text, "backing file of loop"));
	rig_must("cd '%s' && ln backing hard", bench->rig.directory);
	rig_path(&bench->rig, "hard", bench->path);		/* another name of the same file */
	assert_int_equal(examine(bench), -EPERM);
	rig_path(&bench->rig, "swap", bench->path);
	rig_must("dd if=/dev/zero of='%s' bs=1M count=4 && chmod 600 '%s' && mkswap '%s' && swapon '%s'",
		 bench->path, bench->path, bench->path, bench->path);
	rig_later(&bench->rig, "swapoff '%s'", bench->path);
	assert_int_equal(examine(bench), -EPERM);
	assert_non_null(strstr(bench->fault.text, "swap file"));
}

/* The head of one, as SQLite and docs/formats/run-file.md have it. */
static void make_run_file(const char *path)
{
	char head[4096] = "SQLite format 3";
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	memcpy(head + 68, "SSDA", 4);
	assert_int_equal(write(fd, head, sizeof head), sizeof head);
	close(fd);
}

static void run_files_are_never_written(void **state)
{
	struct bench *bench = *state;
	char run[PATH_MAX];

	bench->permission.overwrite = true;
	rig_path(&bench->rig, "other.assay", run);
	make_run_file(run);
	strcpy(bench->path, run);
	assert_int_equal(examine(bench), -EPERM);
	assert_non_null(strstr(bench->subject.refusals.line[0], "it is a run file"));
	rig_must("ln -s '%s' '%s/link'", run, bench->rig.directory);
	rig_path(&bench->rig, "link", bench->path);
	assert_int_equal(examine(bench), -EPERM);
	rig_file(&bench->rig, "other.assay-wal", MEBI, bench->path);
	assert_int_equal(examine(bench), -EPERM);
	assert_non_null(strstr(bench->subject.refusals.line[0], "belongs to the run file"));
	rig_file(&bench->rig, "nobodys-wal", MEBI, bench->path);
	assert_int_equal(examine(bench), 0);
	strcpy(bench->path, run);
	bench->wish = (struct guard_wish){.file_bytes = 4096};	/* reading harms nothing */
	assert_int_equal(examine(bench), 0);
}

static void a_file_that_another_program_has_locked_is_not_written(void **state)
{
	struct bench *bench = *state;
	struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 100, .l_len = 1};
	int fd;

	bench->permission.overwrite = true;
	rig_file(&bench->rig, "image", 4 * MEBI, bench->path);
	fd = open(bench->path, O_RDWR | O_CLOEXEC);
	assert_int_equal(examine(bench), 0);
	assert_int_equal(fcntl(fd, F_OFD_SETLK, &lock), 0);	/* as virtual machines do */
	assert_int_equal(examine(bench), -EPERM);
	assert_non_null(strstr(bench->fault.text, "locked by another program"));
	lock.l_type = F_UNLCK;
	assert_int_equal(fcntl(fd, F_OFD_SETLK, &lock), 0);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_int_equal(examine(bench), -EPERM);
	assert_int_equal(flock(fd, LOCK_UN), 0);
	assert_int_equal(examine(bench), 0);
	close(fd);
}

static void what_belongs_to_the_kernel_or_to_one_process_is_no_target(void **state)
{
	static const struct {
		const char *path, *phrase;
	} rows[] = {
		{"/proc/self/mem", "lies on proc"},
		{"/proc/self/", "lies on proc"},
		{"/proc/sys/vm/swappiness", "lies on proc"},
		{"/sys/kernel/new", "lies on sysfs"},
		{"/sys/kernel/", "lies on sysfs"},
		{"/dev/fd/%d", "names what one process has open"},
		{"/proc/self/fd/%d", "names what one process has open"},
		{"/proc/thread-self/fd/%d", "names what one process has open"},
	};
	struct bench *bench = *state;
	int fd;

	rig_file(&bench->rig, "data", 4 * MEBI, bench->path);
	fd = open(bench->path, O_RDWR | O_CLOEXEC);
	bench->permission.overwrite = true;
	for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		snprintf(bench->path, sizeof bench->path, "%s", rows[i].path);
		if (strchr(rows[i].path, '%'))
			sprintf(strchr(bench->path, '%'), "%d", fd);
		assert_int_equal(examine(bench), -EINVAL);
		if (!strstr(bench->fault.text, rows[i].phrase))
			fail_msg("%s: %s", bench->path, bench->fault.text);
	}
	close(fd);
}

static void simulated_drives_need_no_permission(void **state)
{
	struct bench *bench = *state;

	strcpy(bench->path, "sim:no-such-profile");
	assert_int_equal(examine(bench), -EINVAL);
	strcpy(bench->path, "sim:hdd");
	examine_and_open(bench, true);
	assert_int_equal(bench->target.kind, TARGET_SIM);
	assert_true(bench->target.may_write);
	assert_non_null(bench->target.sim);
	assert_true(bench->target.size_bytes > 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(a_missing_file_is_made_private_marked_and_sized),
		TEST(a_file_that_is_written_is_locked_against_a_second_run),
		TEST(a_file_is_held_between_the_steps_of_a_run),
		TEST(two_runs_that_looked_at_the_same_time_do_not_both_open_the_file),
		TEST(a_file_that_took_the_place_of_another_is_not_opened),
		TEST(a_foreign_file_is_written_only_with_overwrite),
		TEST(a_foreign_file_may_be_read_and_stays_as_it_is),
		TEST(a_file_smaller_than_the_plan_reads_is_an_error),
		TEST(an_empty_file_without_a_size_is_an_error),
		TEST(names_with_any_character_work),
		TEST(a_directory_gets_a_file_that_is_removed_again),
		TEST(a_temporary_name_that_another_file_took_is_left_alone),
		TEST(nothing_is_made_under_dev),
		TEST(what_is_no_target_is_named),
		TEST(dev_null_and_zero_measure_the_program),
		TEST(more_than_fits_is_said_before_the_run),
		TEST(a_file_replaced_after_it_was_examined_is_not_opened),
		TEST(a_file_that_appears_meanwhile_is_not_overwritten),
		TEST(a_removed_file_is_noticed_before_a_purge),
		TEST(never_written_parts_are_found_on_the_disk),
		TEST(never_written_parts_are_found_in_memory),
		TEST(reserved_space_counts_as_never_written),
		TEST(a_fragmented_file_is_walked_to_its_end),
		TEST(purges_outside_the_file_or_of_the_wrong_kind_are_errors),
		TEST(the_run_file_beside_the_target_is_a_warning_and_on_it_a_refusal),
		TEST(swap_files_and_loop_backings_are_never_written),
		TEST(run_files_are_never_written),
		TEST(a_file_that_another_program_has_locked_is_not_written),
		TEST(what_belongs_to_the_kernel_or_to_one_process_is_no_target),
		TEST(simulated_drives_need_no_permission),
	};

	return cmocka_run_group_tests_name("guard on files", tests, NULL, NULL);
}
