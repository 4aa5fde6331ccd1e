/* Purges that a drive does itself: on captured machines, with drives that are scripts. */
#include <errno.h>
#include <fcntl.h>
#include <linux/nvme_ioctl.h>
#include <math.h>
#include <scsi/sg.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <cmocka.h>
#include "../drive/tree.h"
#include "drive/ata_erase.h"
#include "guard/subject.h"

enum { SET_PASSWORD = 0xf1, UNLOCK = 0xf2, ERASE_PREPARE = 0xf3, ERASE_UNIT = 0xf4, DISABLE_PASSWORD = 0xf6 };
enum { SECURITY_SUPPORTED = 1, ENABLED = 2, LOCKED = 4, FROZEN = 8, EXPIRED = 16, ENHANCED = 32 };

struct bench {
	struct tree tree;
	struct drive_io io;
	struct guard_subject subject;
	struct guard_progress progress;
	struct fault fault;
	const char *ids[4];

	/* an NVMe drive */
	uint32_t abilities;		/* SANICAP: 1 crypto, 2 block */
	bool manages;			/* namespaces that no controller shows */
	uint16_t state;			/* of the last sanitize: 0 never, 1 done, 2 running, 3 failed */
	int looks_left;			/* until one that runs is done */
	uint16_t ends_as;
	int begin_status, look_errors, errors_when_begun;
	uint32_t sent[4];		/* sanitize commands' dword 10 */
	int sent_count;
	float share_seen;

	/* a SATA drive */
	uint16_t security;
	bool prepared, erased, erase_fails, disable_fails, password_fails;
	uint8_t commands[16];
	int command_count;

	/* a SAS drive */
	bool has_block, has_crypto, scsi_fails;
	uint8_t scsi_action;
};

static int script_open(void *context, const char *path, int flags)
{
	assert_int_equal(flags & O_ACCMODE, O_RDONLY);
	return 1000;
}

static void script_close(void *context, int fd)
{
}

static void put_le(uint8_t *at, uint64_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

/* -- NVMe: namespaces 1, 2, 5; and 9, which only the list of allocated ones has -- */

static int nvme_identify_page(const struct bench *bench, uint32_t which, uint8_t *page)
{
	if (which == 1) {
		memset(page + 4, ' ', 20);
		memcpy(page + 4, "NV9", 3);
		page[256] = bench->manages ? 8 | 2 : 2;
		put_le(page + 328, bench->abilities, 4);
		return 0;
	}
	assert_true(which == 2 || which == 0x10);
	page[0] = 1;
	page[4] = 2;
	page[8] = 5;
	page[12] = which == 0x10 ? 9 : 0;
	return 0;
}

static int nvme_sanitize_log(struct bench *bench, uint8_t *page)
{
	if (bench->look_errors) {
		bench->look_errors--;
		return 0x2006;
	}
	if (bench->state == 2 && bench->looks_left-- <= 0)
		bench->state = bench->ends_as;
	put_le(page, bench->state == 2 ? 0x8000 : 0xffff, 2);
	put_le(page + 2, bench->state, 2);
	put_le(page + 12, 90, 4);
	put_le(page + 16, 0xffffffff, 4);
	if (bench->progress.how)
		bench->share_seen = fmaxf(bench->share_seen, bench->progress.share);
	return 0;
}

static int nvme_command(struct bench *bench, struct nvme_admin_cmd *command)
{
	uint8_t *page = (uint8_t *)(uintptr_t)command->addr;

	switch (command->opcode) {
	case 0x06:
		return nvme_identify_page(bench, command->cdw10, page);
	case 0x02:
		assert_int_equal(command->cdw10 & 0xff, 0x81);
		return nvme_sanitize_log(bench, page);
	case 0x84:
		assert_true(bench->sent_count < 4);
		bench->sent[bench->sent_count++] = command->cdw10;
		if (!bench->begin_status)
			bench->state = 2;
		bench->look_errors = bench->errors_when_begun;
		return bench->begin_status;
	}
	fail_msg("unexpected NVMe command %02x", command->opcode);
	return -EINVAL;
}

/* -- SATA -- */

static int complain(sg_io_hdr_t *header, uint8_t key, uint8_t code, uint8_t qualifier)
{
	header->status = 2;
	header->sbp[0] = 0x72;
	header->sbp[1] = key;
	header->sbp[2] = code;
	header->sbp[3] = qualifier;
	return 0;
}

static int ata_identity_page(const struct bench *bench, uint8_t *page)
{
	memset(page, 0, 512);
	put_le(page + 2 * 82, bench->security & SECURITY_SUPPORTED ? 2 : 0, 2);
	put_le(page + 2 * 89, 4, 2);
	put_le(page + 2 * 90, 0x8001, 2);
	put_le(page + 2 * 128, bench->security, 2);
	return 0;
}

static bool right_password(const sg_io_hdr_t *header)
{
	const uint8_t *data = header->dxferp;

	assert_int_equal(header->dxfer_len, 512);
	return !memcmp(data + 2, ATA_ERASE_PASSWORD, strlen(ATA_ERASE_PASSWORD)) &&
	       !data[2 + strlen(ATA_ERASE_PASSWORD)];
}

static int ata_command(struct bench *bench, sg_io_hdr_t *header)
{
	const uint8_t command = header->cmdp[14];

	if (command == 0xec)
		return ata_identity_page(bench, header->dxferp);
	if (bench->command_count < 16)
		bench->commands[bench->command_count++] = command;
	switch (command) {
	case SET_PASSWORD:
		assert_true(right_password(header));
		if (bench->password_fails || bench->security & FROZEN)
			return complain(header, 0xb, 0, 0);
		bench->security |= ENABLED;
		return 0;
	case ERASE_PREPARE:
		assert_int_equal(header->dxfer_direction, SG_DXFER_NONE);
		bench->prepared = true;
		return 0;
	case ERASE_UNIT:
		assert_true(bench->prepared && right_password(header));
		assert_true(header->timeout >= 2 * 3600 * 1000);
		if (bench->progress.how)
			assert_true(bench->progress.must_finish);
		if (bench->erase_fails) {
			bench->security |= LOCKED;
			return complain(header, 0xb, 0, 0);
		}
		assert_int_equal(((uint8_t *)header->dxferp)[0] & 2, bench->security & ENHANCED ? 2 : 0);
		bench->erased = true;
		bench->security &= (uint16_t)~(ENABLED | LOCKED);
		return 0;
	case UNLOCK:
		assert_true(right_password(header));
		bench->security &= (uint16_t)~LOCKED;
		return 0;
	case DISABLE_PASSWORD:
		assert_true(right_password(header));
		if (bench->disable_fails || bench->security & LOCKED)
			return complain(header, 0xb, 0, 0);
		bench->security &= (uint16_t)~ENABLED;
		return 0;
	}
	fail_msg("unexpected ATA command %02x", command);
	return -EINVAL;
}

/* -- SAS -- */

static int scsi_answer(struct bench *bench, sg_io_hdr_t *header)
{
	const uint8_t *words = header->cmdp;

	if (words[0] == 0xa3) {
		assert_int_equal(words[3], 0x48);
		((uint8_t *)header->dxferp)[1] = (words[5] == 2 && bench->has_block) ||
						 (words[5] == 3 && bench->has_crypto) ? 3 : 1;
		return 0;
	}
	if (words[0] == 0x48) {
		assert_int_equal(words[1] & 0x80, 0x80);
		bench->scsi_action = words[1] & 0x1f;
		bench->looks_left = 2;
		return 0;
	}
	assert_int_equal(words[0], 0);		/* test unit ready */
	if (!bench->scsi_action || !bench->looks_left)
		return bench->scsi_action && bench->scsi_fails ? complain(header, 3, 0x31, 3) : 0;
	bench->looks_left--;
	complain(header, 2, 4, 0x1b);
	header->sbp[7] = 8;
	memcpy(header->sbp + 8, (uint8_t[8]){2, 6, 0, 0, 0x80, 0x40, 0, 0}, 8);
	if (bench->progress.how && bench->progress.share > 0)
		bench->share_seen = bench->progress.share;
	return 0;
}

static int script_command(void *context, int fd, unsigned long request, void *argument)
{
	struct bench *bench = context;

	if (request == NVME_IOCTL_ADMIN_CMD)
		return nvme_command(bench, argument);
	if (request != SG_IO)
		return -ENOTTY;
	return ((sg_io_hdr_t *)argument)->cmdp[0] == 0x85 ? ata_command(bench, argument) : scsi_answer(bench, argument);
}

/* -- the tests -- */

static int set_up(void **state)
{
	struct bench *bench = calloc(1, sizeof *bench);

	bench->io = (struct drive_io){
		.open = script_open, .command = script_command, .close = script_close, .context = bench};
	bench->abilities = 3;
	bench->ends_as = 1;
	bench->security = SECURITY_SUPPORTED;
	bench->ids[0] = "NV9:1";
	bench->ids[1] = "NV9:2";
	bench->ids[2] = "NV9:5";
	bench->ids[3] = "NV9:9";
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

static struct bench *on(void **state, const char *tree, const char *name, dev_t dev, uint32_t ids)
{
	struct bench *bench = *state;

	tree_unpack(&bench->tree, tree);
	bench->tree.machine.io = &bench->io;
	bench->subject = (struct guard_subject){.kind = TARGET_BLOCK, .dev = dev, .id = "NV9:1", .progress = &bench->progress};
	strcpy(bench->subject.name, name);
	bench->subject.permission = (struct guard_permission){.destroy = bench->ids, .destroy_count = ids};
	return bench;
}

static struct bench *nvme(void **state, uint32_t ids)
{
	return on(state, "namespaces", "/dev/nvme9n1", makedev(259, 1), ids);
}

static struct bench *sata(void **state)
{
	return on(state, "server", "/dev/sda", makedev(8, 0), 1);
}

static struct bench *sas(void **state)
{
	return on(state, "server", "/dev/sdd", makedev(8, 48), 1);
}

static int examine(struct bench *bench, enum purge_method method)
{
	return subject_examine_whole(&bench->tree.machine, &bench->subject, method, &bench->fault);
}

static int purge(struct bench *bench, enum purge_method method)
{
	return subject_purge_whole(&bench->tree.machine, &bench->subject, method, &bench->fault);
}

static void a_sanitize_needs_the_id_of_every_namespace(void **state)
{
	struct bench *bench = nvme(state, 1);

	assert_int_equal(examine(bench, PURGE_SANITIZE), 0);
	assert_int_equal(bench->subject.destroys.count, 2);
	assert_int_equal(bench->subject.missing.count, 2);
	assert_non_null(strstr(bench->subject.missing.line[0], "--destroy NV9:2"));
	assert_non_null(strstr(bench->subject.missing.line[1], "--destroy NV9:5"));
	assert_int_equal(bench->subject.refusals.count, 1);
	assert_non_null(strstr(bench->subject.refusals.line[0], "nvme9n2 is mounted on /home"));
	assert_int_equal(bench->sent_count, 0);
}

static void namespaces_that_nobody_shows_are_named_too(void **state)
{
	struct bench *bench = nvme(state, 3);

	bench->manages = true;
	assert_int_equal(examine(bench, PURGE_SANITIZE), 0);
	assert_int_equal(bench->subject.missing.count, 1);
	assert_non_null(strstr(bench->subject.missing.line[0], "--destroy NV9:9"));
}

static void a_mount_made_meanwhile_forbids_the_sanitize(void **state)
{
	struct bench *bench = nvme(state, 4);

	assert_int_equal(subject_recheck_whole(&bench->tree.machine, &bench->subject, PURGE_SANITIZE, &bench->fault), -EPERM);
	assert_non_null(strstr(bench->fault.text, "nvme9n2 is mounted on /home"));
	assert_int_equal(bench->sent_count, 0);
}

static void a_sanitize_is_waited_for(void **state)
{
	struct bench *bench = nvme(state, 4);

	bench->looks_left = 3;
	assert_int_equal(purge(bench, PURGE_SANITIZE), 0);
	assert_int_equal(bench->sent_count, 1);
	assert_int_equal(bench->sent[0] & 7, 2);	/* block erase */
	assert_string_equal(bench->progress.how, "sanitize, block erase");
	assert_int_equal(bench->progress.expected_s, 90);
	assert_true(bench->progress.unattended && !bench->progress.must_finish);
	assert_true(bench->share_seen == 0.5f);
}

static void a_drive_without_block_erase_erases_its_key(void **state)
{
	struct bench *bench = nvme(state, 4);

	bench->abilities = 1;
	assert_int_equal(purge(bench, PURGE_SANITIZE), 0);
	assert_int_equal(bench->sent[0] & 7, 4);
	assert_string_equal(bench->progress.how, "sanitize, crypto erase");
	assert_int_equal(bench->progress.expected_s, 0);	/* it does not say */
}

static void a_sanitize_that_runs_already_is_not_begun_anew(void **state)
{
	struct bench *bench = nvme(state, 4);

	bench->state = 2;
	bench->looks_left = 2;
	assert_int_equal(purge(bench, PURGE_SANITIZE), 0);
	assert_int_equal(bench->sent_count, 0);
}

static void a_drive_that_is_slow_to_answer_is_asked_again(void **state)
{
	struct bench *bench = nvme(state, 4);

	bench->errors_when_begun = 5;
	assert_int_equal(purge(bench, PURGE_SANITIZE), 0);
	assert_int_equal(bench->look_errors, 0);
	assert_int_equal(bench->sent_count, 1);
}

static void a_sanitize_that_fails_says_what_state_the_drive_is_in(void **state)
{
	struct bench *bench = nvme(state, 4);

	bench->ends_as = 3;
	assert_int_equal(purge(bench, PURGE_SANITIZE), -EIO);
	assert_non_null(strstr(bench->fault.text, "the sanitize failed"));
	assert_non_null(strstr(bench->fault.text, "refuses reads and writes"));
	bench->ends_as = 1;		/* and another try is allowed */
	assert_int_equal(purge(bench, PURGE_SANITIZE), 0);
	assert_int_equal(bench->sent_count, 2);
}

static void a_drive_that_refuses_to_begin_says_so(void **state)
{
	struct bench *bench = nvme(state, 4);

	bench->begin_status = 0x4002;
	assert_int_equal(purge(bench, PURGE_SANITIZE), -EIO);
	assert_non_null(strstr(bench->fault.text, "does not begin"));
}

static void a_drive_that_cannot_sanitize_names_what_it_can(void **state)
{
	struct bench *bench = nvme(state, 4);

	bench->abilities = 4;		/* by overwriting only, which wears it for hours */
	assert_int_equal(examine(bench, PURGE_SANITIZE), -EOPNOTSUPP);
	assert_non_null(strstr(bench->fault.text, "method=format"));
	bench->subject.dev = makedev(8, 0);
	assert_int_equal(examine(bench, PURGE_SANITIZE), -EOPNOTSUPP);
}

static void a_sata_drive_is_erased_and_its_password_gone(void **state)
{
	struct bench *bench = sata(state);

	assert_int_equal(examine(bench, PURGE_SECURE_ERASE), 0);
	assert_int_equal(bench->subject.refusals.count, 0);
	assert_int_equal(bench->command_count, 0);
	assert_int_equal(purge(bench, PURGE_SECURE_ERASE), 0);
	assert_true(bench->erased);
	assert_int_equal(bench->security, SECURITY_SUPPORTED);
	assert_int_equal(bench->progress.expected_s, 8 * 60);
	assert_string_equal(bench->progress.how, "secure erase");
	assert_memory_equal(bench->commands, ((uint8_t[]){SET_PASSWORD, ERASE_PREPARE, ERASE_UNIT}), 3);
	assert_int_equal(bench->command_count, 3);
}

static void the_enhanced_erase_is_taken_where_there_is_one(void **state)
{
	struct bench *bench = sata(state);

	bench->security |= ENHANCED;
	assert_int_equal(purge(bench, PURGE_SECURE_ERASE), 0);
	assert_string_equal(bench->progress.how, "secure erase, enhanced");
	assert_int_equal(bench->progress.expected_s, 2 * 60);
}

static void a_frozen_locked_or_claimed_drive_is_refused_with_the_cure(void **state)
{
	static const struct {
		uint16_t security;
		const char *cause, *cure;
	} rows[] = {
		{ FROZEN, "frozen", "suspend the machine" },
		{ ENABLED | LOCKED, "locked by a password", "--security-unlock" },
		{ ENABLED, "has a password already", "--security-disable" },
		{ EXPIRED, "too many wrong passwords", "unplug its power" },
	};
	struct bench *bench = sata(state);

	for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		bench->security = SECURITY_SUPPORTED | rows[i].security;
		assert_int_equal(examine(bench, PURGE_SECURE_ERASE), 0);
		assert_int_equal(bench->subject.refusals.count, i + 1);
		assert_non_null(strstr(bench->subject.refusals.line[i], rows[i].cause));
		assert_non_null(strstr(bench->subject.refusals.line[i], rows[i].cure));
		assert_int_equal(purge(bench, PURGE_SECURE_ERASE), -EPERM);
	}
	assert_int_equal(bench->command_count, 0);
}

static void a_drive_without_security_cannot_be_erased(void **state)
{
	struct bench *bench = sata(state);

	bench->security = 0;
	assert_int_equal(examine(bench, PURGE_SECURE_ERASE), -EOPNOTSUPP);
	bench->subject.dev = makedev(259, 1);
	assert_int_equal(examine(bench, PURGE_SECURE_ERASE), -EOPNOTSUPP);
}

static void an_erase_that_fails_leaves_no_password(void **state)
{
	struct bench *bench = sata(state);

	bench->erase_fails = true;
	assert_int_equal(purge(bench, PURGE_SECURE_ERASE), -EIO);
	assert_int_equal(bench->security, SECURITY_SUPPORTED);
	assert_non_null(strstr(bench->fault.text, "the password is cleared again"));
	assert_memory_equal(bench->commands, ((uint8_t[]){SET_PASSWORD, ERASE_PREPARE, ERASE_UNIT, UNLOCK, DISABLE_PASSWORD}), 5);
}

static void a_password_that_stays_is_told_with_the_command_that_clears_it(void **state)
{
	struct bench *bench = sata(state);

	bench->erase_fails = bench->disable_fails = true;
	assert_int_equal(purge(bench, PURGE_SECURE_ERASE), -EIO);
	assert_non_null(strstr(bench->fault.text, "hdparm --user-master u --security-disable ssdassay /dev/sda"));
}

static void a_drive_that_takes_no_password_is_left_alone(void **state)
{
	struct bench *bench = sata(state);

	bench->password_fails = true;
	assert_int_equal(purge(bench, PURGE_SECURE_ERASE), -EIO);
	assert_int_equal(bench->command_count, 1);
	assert_false(bench->erased);
}

static void a_sas_drive_is_sanitized(void **state)
{
	struct bench *bench = sas(state);

	bench->has_block = bench->has_crypto = true;
	assert_int_equal(examine(bench, PURGE_SANITIZE), 0);
	assert_int_equal(bench->scsi_action, 0);
	assert_int_equal(purge(bench, PURGE_SANITIZE), 0);
	assert_int_equal(bench->scsi_action, 2);
	assert_true(bench->share_seen == 0.25f);
}

static void a_sas_drive_may_have_only_crypto_erase_or_none(void **state)
{
	struct bench *bench = sas(state);

	assert_int_equal(examine(bench, PURGE_SANITIZE), -EOPNOTSUPP);
	bench->has_crypto = true;
	assert_int_equal(purge(bench, PURGE_SANITIZE), 0);
	assert_int_equal(bench->scsi_action, 3);
}

static void a_sas_sanitize_that_fails_is_told(void **state)
{
	struct bench *bench = sas(state);

	bench->has_block = bench->scsi_fails = true;
	assert_int_equal(purge(bench, PURGE_SANITIZE), -EIO);
	assert_non_null(strstr(bench->fault.text, "the sanitize failed"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(a_sanitize_needs_the_id_of_every_namespace),
		TEST(namespaces_that_nobody_shows_are_named_too),
		TEST(a_mount_made_meanwhile_forbids_the_sanitize),
		TEST(a_sanitize_is_waited_for),
		TEST(a_drive_without_block_erase_erases_its_key),
		TEST(a_sanitize_that_runs_already_is_not_begun_anew),
		TEST(a_drive_that_is_slow_to_answer_is_asked_again),
		TEST(a_sanitize_that_fails_says_what_state_the_drive_is_in),
		TEST(a_drive_that_refuses_to_begin_says_so),
		TEST(a_drive_that_cannot_sanitize_names_what_it_can),
		TEST(a_sata_drive_is_erased_and_its_password_gone),
		TEST(the_enhanced_erase_is_taken_where_there_is_one),
		TEST(a_frozen_locked_or_claimed_drive_is_refused_with_the_cure),
		TEST(a_drive_without_security_cannot_be_erased),
		TEST(an_erase_that_fails_leaves_no_password),
		TEST(a_password_that_stays_is_told_with_the_command_that_clears_it),
		TEST(a_drive_that_takes_no_password_is_left_alone),
		TEST(a_sas_drive_is_sanitized),
		TEST(a_sas_drive_may_have_only_crypto_erase_or_none),
		TEST(a_sas_sanitize_that_fails_is_told),
	};

	return cmocka_run_group_tests_name("guard on purges", tests, NULL, NULL);
}
