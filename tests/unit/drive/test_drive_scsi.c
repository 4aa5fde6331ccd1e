/* SATA and SAS pages, parsed as pure data and read through a scripted drive. */
#include <errno.h>
#include <math.h>
#include <scsi/sg.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <cmocka.h>
#include "drive/scsi.h"
#include "tree.h"

/* Answers by command; what is not there is a check condition. */
struct script {
	uint8_t identity[512], smart[512], statistics[8][512], log[64];
	bool has_identity, has_smart, has_statistics, has_log;
	int opened, closed;
};

static int script_open(void *context, const char *path, int flags)
{
	struct script *script = context;

	script->opened++;
	return 1000;
}

static void script_close(void *context, int fd)
{
	struct script *script = context;

	script->closed++;
}

static int answer(sg_io_hdr_t *header, bool has, const uint8_t *page, uint32_t bytes)
{
	header->status = has ? 0 : 2;
	if (has)
		memcpy(header->dxferp, page, header->dxfer_len < bytes ? header->dxfer_len : bytes);
	return 0;
}

static int script_command(void *context, int fd, unsigned long request, void *argument)
{
	struct script *script = context;
	sg_io_hdr_t *header = argument;

	if (request != SG_IO)
		return -ENOTTY;
	if (header->cmdp[0] == 0x4d)
		return answer(header, script->has_log && (script->log[0] & 0x3f) == (header->cmdp[2] & 0x3f),
			      script->log, 64);
	assert_int_equal(header->cmdp[0], 0x85);
	assert_int_equal(header->cmdp[6], 1);
	switch (header->cmdp[14]) {
	case 0xec:
		assert_int_equal(header->cmdp[1], 0x08);
		return answer(header, script->has_identity, script->identity, 512);
	case 0xb0:
		assert_int_equal(header->cmdp[4], 0xd0);
		assert_int_equal(header->cmdp[10], 0x4f);
		assert_int_equal(header->cmdp[12], 0xc2);
		return answer(header, script->has_smart, script->smart, 512);
	case 0x2f:
		assert_int_equal(header->cmdp[1], 0x09);
		assert_int_equal(header->cmdp[8], 4);
		return answer(header, script->has_statistics, script->statistics[header->cmdp[10] & 7], 512);
	}
	fail_msg("unexpected ATA command %02x", header->cmdp[14]);
	return -EINVAL;
}

static void put_le(uint8_t *at, uint64_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		at[i] = i < 8 ? (uint8_t)(value >> 8 * i) : 0;
}

/* Two characters a word, swapped; padded with blanks. */
static void put_string(uint8_t *page, uint32_t word, uint32_t words, const char *text)
{
	const size_t length = strlen(text);

	for (uint32_t i = 0; i < 2 * words; i++)
		page[2 * word + (i ^ 1)] = i < length ? (uint8_t)text[i] : ' ';
}

static void put_attribute(uint8_t *page, int index, uint8_t id, uint64_t raw)
{
	page[2 + 12 * index] = id;
	put_le(page + 2 + 12 * index + 5, raw, 6);
}

static void put_statistic(uint8_t *page, uint32_t offset, uint64_t value)
{
	put_le(page + offset, value | 3ull << 62, 8);
}

static struct script samsung(void)
{
	struct script script = {.has_identity = true, .has_smart = true, .has_statistics = true};

	put_string(script.identity, 10, 10, "S5STNF0R123456");
	put_string(script.identity, 23, 4, "SVT02B6Q");
	put_string(script.identity, 27, 20, "Samsung SSD 870 EVO 1TB");
	put_le(script.identity + 2 * 82, 1 << 5, 2);
	put_le(script.identity + 2 * 84, 0x4020, 2);
	put_le(script.identity + 2 * 85, 1 << 5, 2);
	put_le(script.identity + 2 * 169, 1, 2);
	put_le(script.identity + 2 * 217, 1, 2);
	put_attribute(script.smart, 0, 9, 0x000500001234);	/* upper bytes are the vendor's own */
	put_attribute(script.smart, 1, 12, 77);
	put_attribute(script.smart, 2, 190, 31);
	put_attribute(script.smart, 3, 194, 0x002d00130021);	/* 33, minimum 19, maximum 45 */
	script.statistics[1][2] = 1;
	put_statistic(script.statistics[1], 8, 78);
	put_statistic(script.statistics[1], 16, 5000);
	put_statistic(script.statistics[1], 24, 1000000);
	put_le(script.statistics[1] + 40, 1ull << 63, 8);	/* supported, but not valid */
	script.statistics[4][2] = 4;
	put_statistic(script.statistics[4], 8, 2);
	script.statistics[5][2] = 5;
	put_statistic(script.statistics[5], 8, 0xfb);		/* -5 C: a signed byte */
	script.statistics[7][2] = 7;
	put_statistic(script.statistics[7], 8, 12);
	return script;
}

static void the_identity_is_read_with_swapped_bytes(void **state)
{
	const struct script script = samsung();
	struct ata_identity identity;

	ata_parse_identity(script.identity, &identity);
	assert_string_equal(identity.model, "Samsung SSD 870 EVO 1TB");
	assert_string_equal(identity.serial, "S5STNF0R123456");
	assert_string_equal(identity.firmware, "SVT02B6Q");
	assert_int_equal(identity.rotation, 1);
	assert_true(identity.trim && identity.write_cache_known && identity.write_cache_on &&
		    identity.has_statistics);
}

static void smart_attributes_that_all_vendors_share_are_read(void **state)
{
	const struct script script = samsung();
	struct drive_health health = {.temperature_c = NAN};

	ata_parse_smart(script.smart, &health);
	assert_int_equal(health.power_on_hours, 0x1234);
	assert_int_equal(health.power_cycles, 77);
	assert_true(health.temperature_c == 33);
}

static void statistics_count_only_when_valid(void **state)
{
	const struct script script = samsung();
	struct drive_health health = {.temperature_c = NAN};

	ata_parse_statistics(script.statistics[1], 1, &health);
	assert_int_equal(health.power_on_hours, 5000);
	assert_int_equal(health.host_write_bytes, 1000000ull * 512);
	assert_int_equal(health.host_read_bytes, DRIVE_UNKNOWN);
	ata_parse_statistics(script.statistics[5], 5, &health);
	assert_true(health.temperature_c == -5);
	ata_parse_statistics(script.statistics[1], 7, &health);	/* another page than asked for */
	assert_int_equal(health.used_percent, 0);
	ata_parse_statistics(script.statistics[7], 7, &health);
	assert_int_equal(health.used_percent, 12);
}

static void scsi_log_pages_are_read(void **state)
{
	const uint8_t temperature[64] = {0x0d, 0, 0, 12, 0, 0, 3, 2, 0, 38, 0, 1};
	const uint8_t unknown[64] = {0x0d, 0, 0, 12, 0, 0, 3, 2, 0, 0xff};
	const uint8_t endurance[64] = {0x11, 0, 0, 8, 0, 1, 3, 4, 0, 0, 0, 7};
	struct drive_health health = {.temperature_c = NAN};

	scsi_parse_log(unknown, 64, &health);
	assert_true(isnan(health.temperature_c));
	scsi_parse_log(temperature, 64, &health);
	assert_true(health.temperature_c == 38);
	scsi_parse_log(endurance, 64, &health);
	assert_int_equal(health.used_percent, 7);
	scsi_parse_log(endurance, 4, &health);
}

struct bench {
	struct tree tree;
	struct script script;
	struct drive_io io;
	struct drive_facts facts;
};

static struct bench *scripted(void **state)
{
	struct bench *bench = *state;

	tree_unpack(&bench->tree, "server");
	bench->script = samsung();
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

static void a_sata_drive_tells_more_than_sysfs(void **state)
{
	struct bench *bench = scripted(state);

	assert_int_equal(drive_find(&bench->tree.machine, "sda", &bench->facts, NULL), 0);
	assert_string_equal(bench->facts.model, "Samsung SSD 870 EVO 1TB");
	assert_string_equal(bench->facts.serial, "S5STNF0R123456");
	assert_string_equal(bench->facts.id, "naa.5002538f4110a1b2");
	assert_true(bench->facts.health.temperature_c == -5);
	assert_int_equal(bench->facts.health.media_errors, 2);
	assert_int_equal(bench->facts.health.used_percent, 12);
}

static void a_drive_without_statistics_has_its_attributes(void **state)
{
	struct bench *bench = scripted(state);
	struct drive_health health;

	bench->script.has_statistics = false;
	assert_int_equal(drive_health(&bench->tree.machine, makedev(8, 0), &health), 0);
	assert_true(health.temperature_c == 33);
	assert_int_equal(health.host_write_bytes, DRIVE_UNKNOWN);
}

static void a_bridge_that_refuses_leaves_hwmon(void **state)
{
	struct bench *bench = scripted(state);

	bench->script.has_identity = false;
	assert_int_equal(drive_find(&bench->tree.machine, "sda", &bench->facts, NULL), 0);
	assert_string_equal(bench->facts.model, "Samsung SSD 870");
	assert_true(bench->facts.health.temperature_c == 33);	/* drivetemp */
	assert_int_equal(bench->facts.not_read.count, 2);
	assert_non_null(strstr(bench->facts.not_read.line[0], "ATA identify and SMART of /dev/sda"));
	assert_non_null(strstr(bench->facts.not_read.line[1], "smartctl is not installed"));
}

static void a_sas_drive_is_asked_by_log_sense(void **state)
{
	static const uint8_t endurance[12] = {0x11, 0, 0, 8, 0, 1, 3, 4, 0, 0, 0, 9};
	struct bench *bench = scripted(state);
	struct drive_health health;

	memcpy(bench->script.log, endurance, sizeof endurance);
	bench->script.has_log = true;
	assert_int_equal(drive_health(&bench->tree.machine, makedev(8, 48), &health), 0);
	assert_int_equal(health.used_percent, 9);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_identity_is_read_with_swapped_bytes),
		cmocka_unit_test(smart_attributes_that_all_vendors_share_are_read),
		cmocka_unit_test(statistics_count_only_when_valid), cmocka_unit_test(scsi_log_pages_are_read),
		TEST(a_sata_drive_tells_more_than_sysfs), TEST(a_drive_without_statistics_has_its_attributes),
		TEST(a_bridge_that_refuses_leaves_hwmon), TEST(a_sas_drive_is_asked_by_log_sense),
	};

	return cmocka_run_group_tests_name("SATA and SCSI", tests, NULL, NULL);
}
