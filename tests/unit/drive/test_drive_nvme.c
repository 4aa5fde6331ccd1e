/* NVMe pages, parsed as pure data and read through a scripted drive. */
#include <errno.h>
#include <linux/nvme_ioctl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <cmocka.h>
#include "drive/nvme.h"
#include "drive/nvme_log.h"
#include "tree.h"

/* A drive that answers from pages; -errno or a status (> 0) per command instead when set. */
struct script {
	uint8_t identity[NVME_IDENTIFY_BYTES], namespaces[NVME_IDENTIFY_BYTES], smart[NVME_SMART_BYTES],
		ocp[NVME_VENDOR_LOG_BYTES], vendor[NVME_VENDOR_LOG_BYTES], errors[16 * NVME_ERROR_BYTES],
		sanitize[NVME_SANITIZE_BYTES];
	uint8_t vendor_log;		/* the page's number; 0 = there is none */
	int open_error, identify_result, smart_result, ocp_result, feature_result;
	uint32_t feature, thermal;
	int asked_ocp, asked_vendor;
	int opened, closed;
	char path[80];
};

static int script_open(void *context, const char *path, int flags)
{
	struct script *script = context;

	if (script->open_error)
		return script->open_error;
	if (!strncmp(path, "/dev/nvme", 9))	/* loop devices are asked too: what they stand on */
		snprintf(script->path, sizeof script->path, "%s", path);
	script->opened++;
	return 1000;
}

static void script_close(void *context, int fd)
{
	struct script *script = context;

	assert_int_equal(fd, 1000);
	script->closed++;
}

static int give(const struct nvme_admin_cmd *command, const void *page, uint32_t bytes, int result)
{
	assert_int_equal(command->data_len, bytes);
	if (!result)
		memcpy((void *)(uintptr_t)command->addr, page, bytes);
	return result;
}

static int script_command(void *context, int fd, unsigned long request, void *argument)
{
	struct script *script = context;
	struct nvme_admin_cmd *command = argument;

	if (request != NVME_IOCTL_ADMIN_CMD)
		return -ENOTTY;
	if (command->opcode == 0x06 && command->cdw10 == 1)
		return give(command, script->identity, NVME_IDENTIFY_BYTES, script->identify_result);
	if (command->opcode == 0x06 && command->cdw10 == 2)
		return give(command, script->namespaces, NVME_IDENTIFY_BYTES, script->identify_result);
	if (command->opcode == 0x02 && (command->cdw10 & 0xff) == 0x02) {
		assert_int_equal(command->cdw10 >> 16, 127);	/* 512 bytes as a 0's based count of dwords */
		return give(command, script->smart, NVME_SMART_BYTES, script->smart_result);
	}
	if (command->opcode == 0x02 && (command->cdw10 & 0xff) == 0xc0) {
		script->asked_ocp++;
		return give(command, script->ocp, NVME_VENDOR_LOG_BYTES, script->ocp_result);
	}
	if (command->opcode == 0x02 && ((command->cdw10 & 0xff) == 0xca || (command->cdw10 & 0xff) == 0xd0)) {
		script->asked_vendor++;
		return give(command, script->vendor, NVME_VENDOR_LOG_BYTES,
			    script->vendor_log == (command->cdw10 & 0xff) ? 0 : 0x2109);
	}
	if (command->opcode == 0x02 && (command->cdw10 & 0xff) == 0x01)
		return give(command, script->errors, sizeof script->errors, 0);
	if (command->opcode == 0x02 && (command->cdw10 & 0xff) == 0x81)
		return give(command, script->sanitize, NVME_SANITIZE_BYTES, 0);
	if (command->opcode == 0x0a && command->cdw10 == 0x10) {
		command->result = script->thermal;
		return 0;
	}
	if (command->opcode == 0x0a || command->opcode == 0x09) {
		if (command->opcode == 0x09)
			script->feature = command->cdw11;
		command->result = script->feature;
		return script->feature_result;
	}
	fail_msg("unexpected command %02x", command->opcode);
	return -EINVAL;
}

static void put_le(uint8_t *at, uint64_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		at[i] = i < 8 ? (uint8_t)(value >> 8 * i) : 0;
}

static void put_text(uint8_t *at, const char *text, size_t bytes)
{
	memset(at, ' ', bytes);
	memcpy(at, text, strlen(text));
}

static struct script healthy(void)
{
	struct script script = {.ocp_result = 0x2109};	/* invalid log page */

	put_le(script.identity, 0x144d, 2);
	script.identity[262] = 15;		/* 16 entries */
	put_text(script.identity + 4, "S6Z1NJ0W512345X", 20);
	put_text(script.identity + 24, "Samsung SSD 990 PRO 1TB", 40);
	put_text(script.identity + 64, "4B2QJXD7", 8);
	put_le(script.identity + 256, 0x17, 2);
	put_le(script.identity + 266, 355, 2);
	put_le(script.identity + 268, 358, 2);
	put_le(script.identity + 328, 3, 4);
	put_le(script.identity + 520, 0x5f, 2);
	script.identity[524] = 5;
	script.identity[525] = 7;
	put_le(script.namespaces, 1, 4);
	put_le(script.namespaces + 4, 7, 4);
	script.smart[0] = 0;
	put_le(script.smart + 1, 314, 2);
	script.smart[3] = 100;
	script.smart[4] = 10;
	script.smart[5] = 3;
	put_le(script.smart + 32, 1000, 16);
	put_le(script.smart + 48, 2000000, 16);
	put_le(script.smart + 112, 55, 16);
	put_le(script.smart + 128, 1234, 16);
	put_le(script.smart + 144, 9, 16);
	put_le(script.smart + 176, 17, 16);
	put_le(script.smart + 192, 4, 4);
	put_le(script.smart + 196, 1, 4);
	put_le(script.smart + 200, 314, 2);
	put_le(script.smart + 202, 321, 2);
	put_le(script.smart + 216, 11, 4);
	put_le(script.smart + 220, 2, 4);
	put_le(script.smart + 224, 600, 4);
	put_le(script.smart + 228, 30, 4);
	return script;
}

/* Case D16: the raw log page, its throttle counters included. */
static void the_smart_log_is_read_field_by_field(void **state)
{
	const struct script script = healthy();
	struct drive_health health;

	nvme_parse_smart(script.smart, &health);
	assert_true(health.temperature_c == 41);
	assert_true(health.sensor_c[0] == 41 && health.sensor_c[1] == 48);
	assert_true(isnan(health.sensor_c[2]));		/* 0 K: no such sensor */
	assert_int_equal(health.spare_percent, 100);
	assert_int_equal(health.used_percent, 3);
	assert_int_equal(health.host_read_bytes, 1000ull * 512000);
	assert_int_equal(health.host_write_bytes, 2000000ull * 512000);
	assert_int_equal(health.power_cycles, 55);
	assert_int_equal(health.power_on_hours, 1234);
	assert_int_equal(health.unsafe_shutdowns, 9);
	assert_int_equal(health.media_errors, 0);
	assert_int_equal(health.error_log_entries, 17);
	assert_int_equal(health.warning_minutes, 4);
	assert_int_equal(health.critical_minutes, 1);
	assert_int_equal(health.throttle1_count, 11);	/* host-controlled thermal management */
	assert_int_equal(health.throttle2_count, 2);
	assert_int_equal(health.throttle1_seconds, 600);
	assert_int_equal(health.throttle2_seconds, 30);
}

static void counters_beyond_belief_are_unknown(void **state)
{
	uint8_t page[NVME_SMART_BYTES];
	struct drive_health health;

	memset(page, 0xff, sizeof page);
	nvme_parse_smart(page, &health);
	assert_int_equal(health.host_write_bytes, DRIVE_UNKNOWN);
	assert_int_equal(health.power_cycles, DRIVE_UNKNOWN);
	memset(page, 0, sizeof page);
	put_le(page + 48, UINT64_MAX / 512000 + 1, 8);
	nvme_parse_smart(page, &health);
	assert_int_equal(health.host_write_bytes, DRIVE_UNKNOWN);
	assert_true(isnan(health.temperature_c));
}

static void the_controller_says_what_it_can(void **state)
{
	const struct script script = healthy();
	struct nvme_identity identity;

	nvme_parse_identity(script.identity, &identity);
	assert_string_equal(identity.model, "Samsung SSD 990 PRO 1TB");
	assert_string_equal(identity.serial, "S6Z1NJ0W512345X");
	assert_string_equal(identity.firmware, "4B2QJXD7");
	assert_true(identity.warning_c == 82 && identity.critical_c == 85);
	assert_true(identity.volatile_write_cache && identity.format_all && !identity.erase_all);
	assert_true(identity.can_format && identity.can_trim && identity.can_write_zeroes);
	assert_true(identity.can_sanitize_crypto && identity.can_sanitize_block &&
		    !identity.can_sanitize_overwrite);
}

static void an_ocp_log_is_known_by_its_guid(void **state)
{
	static const uint8_t guid[16] = {0xc5, 0xaf, 0x10, 0x28, 0xea, 0xbf, 0xf2, 0xa4,
					 0x9c, 0x4f, 0x6f, 0x7c, 0xc9, 0x14, 0xd5, 0xaf};
	uint8_t page[NVME_VENDOR_LOG_BYTES] = {0};
	uint64_t bytes = 1;

	put_le(page, 123456789, 16);
	assert_false(nvme_parse_ocp(page, &bytes));
	assert_int_equal(bytes, 1);
	memcpy(page + 496, guid, sizeof guid);
	assert_true(nvme_parse_ocp(page, &bytes));
	assert_int_equal(bytes, 123456789);
}

static void vendors_tell_the_bytes_written_to_flash_each_in_its_own_way(void **state)
{
	uint8_t page[NVME_VENDOR_LOG_BYTES] = {0};
	uint64_t bytes = 0;

	page[0] = 0xab;
	page[12] = 0xf4;			/* second item of 12 bytes */
	page[15] = 100;
	put_le(page + 17, 224943088, 6);
	assert_true(nvme_parse_vendor(0x8086, page, &bytes));
	assert_int_equal(bytes, 224943088ull * 32 * 1024 * 1024);
	assert_true(nvme_parse_vendor(0x025e, page, &bytes));
	page[12] = 0xf5;			/* that is what the host wrote */
	assert_false(nvme_parse_vendor(0x8086, page, &bytes));

	memset(page, 0, sizeof page);
	put_le(page, 5357954930143232, 16);
	assert_true(nvme_parse_vendor(0x144d, page, &bytes));
	assert_int_equal(bytes, 5357954930143232);
	page[12] = 1;				/* beyond 64 bits: some other layout */
	assert_false(nvme_parse_vendor(0x144d, page, &bytes));

	memset(page, 0, sizeof page);
	put_le(page + 176, 77777, 8);
	assert_true(nvme_parse_vendor(0x1344, page, &bytes));
	assert_int_equal(bytes, 77777);
	assert_false(nvme_parse_vendor(0x1234, page, &bytes));
}

static void entries_of_the_error_log_are_told_from_empty_ones(void **state)
{
	uint8_t page[3 * NVME_ERROR_BYTES] = {0};
	struct drive_errors errors;

	put_le(page, 18, 8);
	put_le(page + 8, 3, 2);
	put_le(page + 12, 0x281 << 1 | 1, 2);	/* with the phase tag */
	put_le(page + 16, 4711, 8);
	put_le(page + 24, 1, 4);
	put_le(page + 2 * NVME_ERROR_BYTES, 17, 8);
	put_le(page + 2 * NVME_ERROR_BYTES + 12, 0x4109 << 1, 2);	/* do-not-retry is no part of the code */
	nvme_parse_errors(page, 3, &errors);
	assert_true(errors.known);
	assert_int_equal(errors.count, 2);
	assert_int_equal(errors.entry[0].number, 18);
	assert_int_equal(errors.entry[0].queue, 3);
	assert_int_equal(errors.entry[0].status, 0x281);
	assert_int_equal(errors.entry[0].block, 4711);
	assert_int_equal(errors.entry[0].namespace_id, 1);
	assert_string_equal(nvme_status_text(errors.entry[0].status), "unrecovered read error");
	assert_int_equal(errors.entry[1].status, 0x109);
	assert_null(nvme_status_text(0x7ff));
}

static void power_states_have_watts_in_either_unit(void **state)
{
	struct script script = healthy();
	struct nvme_identity identity;

	script.identity[263] = 2;
	put_le(script.identity + 2048, 825, 2);
	put_le(script.identity + 2048 + 32, 300, 2);
	script.identity[2048 + 64 + 3] = 3;	/* units of 0.0001 W, no I/O */
	put_le(script.identity + 2048 + 64, 50, 2);
	put_le(script.identity + 2048 + 64 + 4, 500, 4);
	put_le(script.identity + 2048 + 64 + 8, 9000, 4);
	nvme_parse_identity(script.identity, &identity);
	assert_int_equal(identity.power_state_count, 3);
	assert_true(fabs(identity.power_state[0].watts - 8.25) < 1e-9 && identity.power_state[0].operational);
	assert_true(fabs(identity.power_state[2].watts - 0.005) < 1e-9 && !identity.power_state[2].operational);
	assert_int_equal(identity.power_state[2].entry_us, 500);
	assert_int_equal(identity.power_state[2].exit_us, 9000);
	script.identity[263] = 255;		/* more than there can be */
	nvme_parse_identity(script.identity, &identity);
	assert_int_equal(identity.power_state_count, DRIVE_POWER_STATES_MAX);
}

static void a_sanitize_says_how_far_it_is(void **state)
{
	uint8_t page[NVME_SANITIZE_BYTES] = {0};
	struct nvme_sanitize_status status;

	nvme_parse_sanitize(page, &status);
	assert_int_equal(status.state, NVME_SANITIZE_NEVER);
	put_le(page, 0x4000, 2);
	put_le(page + 2, 0x102, 2);		/* running; bit 8 says that nothing was written since the last */
	put_le(page + 12, 60, 4);
	put_le(page + 16, 0xffffffff, 4);
	nvme_parse_sanitize(page, &status);
	assert_int_equal(status.state, NVME_SANITIZE_RUNNING);
	assert_true(status.share == 0.25);
	assert_int_equal(status.block_s, 60);
	assert_int_equal(status.crypto_s, UINT32_MAX);
	page[2] = 3;
	nvme_parse_sanitize(page, &status);
	assert_int_equal(status.state, NVME_SANITIZE_FAILED);
	page[2] = 4;
	nvme_parse_sanitize(page, &status);
	assert_int_equal(status.state, NVME_SANITIZE_DONE);
}

struct bench {
	struct tree tree;
	struct script script;
	struct drive_io io;
	struct drive_facts facts;
};

static struct bench *scripted(void **state, const char *machine)
{
	struct bench *bench = *state;

	tree_unpack(&bench->tree, machine);
	bench->script = healthy();
	bench->io = (struct drive_io){script_open, script_command, script_close, &bench->script};
	bench->tree.machine.io = &bench->io;
	return bench;
}

static int set_up(void **state)
{
	*state = calloc(1, sizeof(struct bench));
	return 0;
}

static int tear_down(void **state)
{
	struct bench *bench = *state;

	assert_int_equal(bench->script.opened, bench->script.closed);
	drive_facts_release(&bench->facts);
	tree_remove(&bench->tree);
	free(bench);
	return 0;
}

static void a_drive_that_answers_tells_its_health(void **state)
{
	struct bench *bench = scripted(state, "laptop");

	bench->script.feature = 2;
	assert_int_equal(drive_find(&bench->tree.machine, "nvme0n1", &bench->facts, NULL), 0);
	assert_true(bench->facts.health.temperature_c == 41);
	assert_true(bench->facts.health.warning_c == 82);
	assert_int_equal(bench->facts.health.power_state, 2);
	assert_int_equal(bench->facts.health.nand_write_bytes, DRIVE_UNKNOWN);
	assert_int_equal(bench->facts.namespace_count, 2);
	assert_int_equal(bench->facts.not_read.count, 0);
	assert_string_equal(bench->script.path, "/dev/nvme0n1");
}

static void a_partition_has_the_health_of_its_drive(void **state)
{
	struct bench *bench = scripted(state, "laptop");
	struct drive_health health;

	assert_int_equal(drive_health(&bench->tree.machine, makedev(259, 2), &health), 0);
	assert_int_equal(health.host_write_bytes, 2000000ull * 512000);
	assert_string_equal(bench->script.path, "/dev/nvme0n1");
}

static void a_drive_that_must_not_be_asked_still_has_a_temperature(void **state)
{
	struct bench *bench = scripted(state, "laptop");

	bench->script.open_error = -EACCES;
	assert_int_equal(drive_find(&bench->tree.machine, "nvme0n1", &bench->facts, NULL), 0);
	assert_true(fabs(bench->facts.health.temperature_c - 41.85) < 1e-9);	/* hwmon needs no root */
	assert_int_equal(bench->facts.health.used_percent, DRIVE_UNKNOWN);
	assert_int_equal(bench->facts.namespace_count, DRIVE_UNKNOWN);
	assert_int_equal(bench->facts.not_read.count, 1);
	assert_non_null(strstr(bench->facts.not_read.line[0], "Permission denied"));
}

static void an_error_status_is_no_data(void **state)
{
	struct bench *bench = scripted(state, "laptop");
	struct drive_health health;

	bench->script.smart_result = 0x4002;
	bench->script.identify_result = 0x4002;
	assert_int_equal(drive_health(&bench->tree.machine, makedev(259, 0), &health), 0);
	assert_int_equal(health.host_write_bytes, DRIVE_UNKNOWN);
	assert_int_equal(health.critical_warning, DRIVE_UNKNOWN);
}

static void what_the_drive_wrote_down_is_read(void **state)
{
	struct bench *bench = scripted(state, "laptop");
	struct text text = {0};
	bool failed = false;

	bench->script.vendor_log = 0xca;
	put_le(bench->script.vendor, 3000000ull * 512000, 16);
	bench->script.identity[322] = 1;
	bench->script.thermal = 350u << 16 | 355;
	put_le(bench->script.errors, 17, 8);
	put_le(bench->script.errors + 12, 0x281 << 1, 2);
	bench->script.sanitize[2] = 3;
	assert_int_equal(drive_find(&bench->tree.machine, "nvme0n1", &bench->facts, NULL), 0);
	assert_int_equal(bench->facts.health.nand_write_bytes, 3000000ull * 512000);
	assert_int_equal(bench->facts.health.nand_log, 0xca);
	assert_true(bench->facts.health.throttle1_c == 77 && bench->facts.health.throttle2_c == 82);
	assert_int_equal(bench->facts.errors.count, 1);
	for (uint32_t i = 0; i < bench->facts.warnings.count; i++)
		failed |= strstr(bench->facts.warnings.line[i], "sanitize failed") != NULL;
	assert_true(failed);
	drive_facts_text(&bench->facts, &text);
	assert_non_null(strstr(text_data(&text), "write amplification 1.50"));
	assert_non_null(strstr(text_data(&text), "17 over its life, the last: command, unrecovered read error"));
	assert_non_null(strstr(text_data(&text), "set to throttle from 77 C"));
	text_release(&text);
}

static void a_count_that_no_drive_could_have_is_not_believed(void **state)
{
	struct bench *bench = scripted(state, "laptop");
	struct drive_health health;

	bench->script.vendor_log = 0xca;
	put_le(bench->script.vendor, 1234, 16);		/* the host wrote a terabyte */
	assert_int_equal(drive_health(&bench->tree.machine, makedev(259, 0), &health), 0);
	assert_int_equal(health.nand_write_bytes, DRIVE_UNKNOWN);
}

static void a_log_that_the_drive_has_not_is_asked_for_once(void **state)
{
	struct bench *bench = scripted(state, "laptop");
	struct drive_health health;

	assert_int_equal(drive_health(&bench->tree.machine, makedev(259, 0), &health), 0);
	assert_int_equal(bench->script.asked_ocp, 1);
	assert_int_equal(bench->script.asked_vendor, 1);
	put_le(bench->script.smart + 48, 2000100, 16);
	for (int i = 0; i < 3; i++)
		assert_int_equal(drive_health_again(&bench->tree.machine, makedev(259, 0), &health), 0);
	assert_int_equal(bench->script.asked_ocp, 1);
	assert_int_equal(bench->script.asked_vendor, 1);
	assert_int_equal(health.host_write_bytes, 2000100ull * 512000);
	assert_true(health.warning_c == 82);
}

static void a_later_look_keeps_nothing_that_has_passed(void **state)
{
	struct bench *bench = scripted(state, "laptop");
	struct drive_health health;

	bench->script.vendor_log = 0xca;
	put_le(bench->script.vendor, 3000000ull * 512000, 16);
	assert_int_equal(drive_health(&bench->tree.machine, makedev(259, 0), &health), 0);
	bench->script.smart_result = 0x4006;
	assert_int_equal(drive_health_again(&bench->tree.machine, makedev(259, 0), &health), 0);
	assert_int_equal(health.host_write_bytes, DRIVE_UNKNOWN);
	assert_int_equal(health.nand_write_bytes, DRIVE_UNKNOWN);
	assert_true(fabs(health.temperature_c - 41.85) < 1e-9);		/* hwmon's */
	bench->script.smart_result = 0;
	assert_int_equal(drive_health_again(&bench->tree.machine, makedev(259, 0), &health), 0);
	assert_int_equal(health.nand_write_bytes, 3000000ull * 512000);
	assert_int_equal(bench->script.asked_ocp, 1);
}

static void warnings_of_the_drive_are_passed_on(void **state)
{
	struct bench *bench = scripted(state, "laptop");
	bool critical = false, media = false, worn = false, hot = false;

	bench->script.smart[0] = 4;
	bench->script.smart[5] = 97;
	put_le(bench->script.smart + 1, 350, 2);
	put_le(bench->script.smart + 160, 3, 16);
	assert_int_equal(drive_find(&bench->tree.machine, "nvme0n1", &bench->facts, NULL), 0);
	for (uint32_t i = 0; i < bench->facts.warnings.count; i++) {
		const char *line = bench->facts.warnings.line[i];

		critical |= strstr(line, "critical warning 0x04") != NULL;
		media |= strstr(line, "3 media errors") != NULL;
		worn |= strstr(line, "97 %") != NULL;
		hot |= strstr(line, "77 C") != NULL;
	}
	assert_true(critical && media && worn && hot);
}

static void a_multipath_head_is_asked_itself(void **state)
{
	struct bench *bench = scripted(state, "server");
	struct drive_health health;

	assert_int_equal(drive_health(&bench->tree.machine, makedev(259, 5), &health), 0);
	assert_string_equal(bench->script.path, "/dev/nvme2n1");
	assert_true(health.temperature_c == 41);
}

static void features_are_read_and_set(void **state)
{
	struct bench *bench = scripted(state, "laptop");
	struct block block;
	uint32_t value;

	assert_int_equal(block_by_name(&bench->tree.machine, "nvme0n1", &block), 0);
	bench->script.feature = 1;
	assert_int_equal(nvme_get_feature(&bench->tree.machine, &block, 6, &value), 0);
	assert_int_equal(value, 1);
	assert_int_equal(nvme_set_feature(&bench->tree.machine, &block, 6, 0), 0);
	assert_int_equal(bench->script.feature, 0);
	bench->script.feature_result = 0x4002;
	assert_int_equal(nvme_set_feature(&bench->tree.machine, &block, 6, 1), -EIO);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_smart_log_is_read_field_by_field),
		cmocka_unit_test(counters_beyond_belief_are_unknown),
		cmocka_unit_test(the_controller_says_what_it_can),
		cmocka_unit_test(an_ocp_log_is_known_by_its_guid),
		cmocka_unit_test(vendors_tell_the_bytes_written_to_flash_each_in_its_own_way),
		cmocka_unit_test(entries_of_the_error_log_are_told_from_empty_ones),
		cmocka_unit_test(power_states_have_watts_in_either_unit),
		cmocka_unit_test(a_sanitize_says_how_far_it_is),
		TEST(what_the_drive_wrote_down_is_read),
		TEST(a_count_that_no_drive_could_have_is_not_believed),
		TEST(a_log_that_the_drive_has_not_is_asked_for_once),
		TEST(a_later_look_keeps_nothing_that_has_passed),
		TEST(a_drive_that_answers_tells_its_health),
		TEST(a_partition_has_the_health_of_its_drive),
		TEST(a_drive_that_must_not_be_asked_still_has_a_temperature),
		TEST(an_error_status_is_no_data),
		TEST(warnings_of_the_drive_are_passed_on),
		TEST(a_multipath_head_is_asked_itself),
		TEST(features_are_read_and_set),
	};

	return cmocka_run_group_tests_name("NVMe", tests, NULL, NULL);
}
