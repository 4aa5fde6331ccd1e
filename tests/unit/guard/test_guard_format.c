/* A purge by format names every namespace that it would wipe: on a captured machine with a scripted
 * controller. */
#include <errno.h>
#include <linux/nvme_ioctl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <cmocka.h>
#include "../drive/tree.h"
#include "guard/subject.h"

struct bench {
	struct tree tree;
	struct drive_io io;
	struct guard_subject subject;
	struct fault fault;
	const char *ids[3];
	uint8_t can_format, fna;
};

static int script_open(void *context, const char *path, int flags)
{
	return 1000;
}

static void script_close(void *context, int fd)
{
}

/* Controller NV9 with namespaces 1, 2 and 5. */
static int script_command(void *context, int fd, unsigned long request, void *argument)
{
	const struct bench *bench = context;
	struct nvme_admin_cmd *command = argument;
	uint8_t *page;

	if (request != NVME_IOCTL_ADMIN_CMD)
		return -ENOTTY;
	assert_int_equal(command->opcode, 6);		/* looking never sends a format */
	page = (uint8_t *)(uintptr_t)command->addr;
	if (command->cdw10 == 1) {
		memset(page + 4, ' ', 20);
		memcpy(page + 4, "NV9", 3);
		page[256] = bench->can_format ? 2 : 0;
		page[524] = bench->fna;
	} else {
		page[0] = 1;
		page[4] = 2;
		page[8] = 5;
	}
	return 0;
}

static int set_up(void **state)
{
	struct bench *bench = calloc(1, sizeof *bench);

	tree_unpack(&bench->tree, "namespaces");
	bench->io = (struct drive_io){script_open, script_command, script_close, bench};
	bench->tree.machine.io = &bench->io;
	bench->can_format = true;
	bench->subject = (struct guard_subject){
		.kind = TARGET_BLOCK, .dev = makedev(259, 1), .name = "/dev/nvme9n1", .id = "NV9:1"};
	bench->ids[0] = "NV9:1";
	bench->subject.permission = (struct guard_permission){.destroy = bench->ids, .destroy_count = 1};
	*state = bench;
	return 0;
}

static int tear_down(void **state)
{
	struct bench *bench = *state;

	guard_subject_release(&bench->subject);
	tree_remove(&bench->tree);
	free(bench);
	return 0;
}

static int examine(struct bench *bench)
{
	return subject_examine_format(&bench->tree.machine, &bench->subject, &bench->fault);
}

static void a_format_that_hits_one_namespace_needs_only_its_id(void **state)
{
	struct bench *bench = *state;

	assert_int_equal(examine(bench), 0);
	assert_int_equal(bench->subject.missing.count, 0);
	assert_int_equal(bench->subject.refusals.count, 0);
}

static void a_format_that_hits_all_needs_the_id_of_each(void **state)
{
	struct bench *bench = *state;

	bench->fna = 1;
	assert_int_equal(examine(bench), 0);
	assert_int_equal(bench->subject.destroys.count, 2);
	assert_int_equal(bench->subject.missing.count, 2);
	assert_non_null(strstr(bench->subject.missing.line[0], "--destroy NV9:2"));
	assert_non_null(strstr(bench->subject.missing.line[1], "--destroy NV9:5"));
}

static void an_erase_that_hits_all_is_seen_too(void **state)
{
	struct bench *bench = *state;

	bench->fna = 2;
	bench->ids[1] = "NV9:5";
	bench->subject.permission.destroy_count = 2;
	assert_int_equal(examine(bench), 0);
	assert_int_equal(bench->subject.missing.count, 1);
	assert_non_null(strstr(bench->subject.missing.line[0], "--destroy NV9:2"));
}

static void a_mounted_sister_namespace_forbids_it(void **state)
{
	struct bench *bench = *state;

	bench->fna = 1;
	bench->ids[1] = "NV9:2";
	bench->ids[2] = "NV9:5";
	bench->subject.permission.destroy_count = 3;
	assert_int_equal(examine(bench), 0);
	assert_int_equal(bench->subject.missing.count, 0);
	assert_int_equal(bench->subject.refusals.count, 1);
	assert_non_null(strstr(bench->subject.refusals.line[0], "nvme9n2 is mounted on /home"));
}

static void a_drive_without_the_command_says_so(void **state)
{
	struct bench *bench = *state;

	bench->can_format = false;
	assert_int_equal(examine(bench), -EOPNOTSUPP);
	bench->subject.dev = makedev(8, 0);
	assert_int_equal(examine(bench), -EOPNOTSUPP);	/* no NVMe */
	assert_non_null(strstr(bench->fault.text, "only a whole NVMe namespace"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(a_format_that_hits_one_namespace_needs_only_its_id),
		TEST(a_format_that_hits_all_needs_the_id_of_each),
		TEST(an_erase_that_hits_all_is_seen_too),
		TEST(a_mounted_sister_namespace_forbids_it),
		TEST(a_drive_without_the_command_says_so),
	};

	return cmocka_run_group_tests_name("guard on formats", tests, NULL, NULL);
}
