/* smartctl's documents: captured ones, broken ones, and what becomes of them in a drive's facts. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <cmocka.h>
#include "drive/smartctl.h"
#include "tree.h"

#define DOCUMENT_BYTES_MAX 65536

static void read_document(const char *name, struct text *out)
{
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%s/../smartctl/%s.json", getenv("TREES"), name);
	assert_int_equal(text_read_file(out, path, DOCUMENT_BYTES_MAX), 0);
}

static int parse(const char *name, struct smartctl *smartctl)
{
	struct text text = {0};
	int result;

	read_document(name, &text);
	result = smartctl_parse(text_data(&text), smartctl);
	text_release(&text);
	return result;
}

static void attributes_count_when_their_name_tells_the_unit(void **state)
{
	struct smartctl smartctl;

	assert_int_equal(parse("ata", &smartctl), 0);
	assert_string_equal(smartctl.model, "INTEL SSDSC2KB480G8");
	assert_string_equal(smartctl.serial, "PHYF00000000480BGN");
	assert_string_equal(smartctl.firmware, "XCV10132");
	assert_int_equal(smartctl.passed, 1);
	assert_int_equal(smartctl.health.host_write_bytes, 1000000ull << 25);
	assert_int_equal(smartctl.health.host_read_bytes, 500000ull << 25);
	assert_int_equal(smartctl.health.nand_write_bytes, 1800000ull << 25);
	assert_int_equal(smartctl.health.power_on_hours, 25000);
	assert_int_equal(smartctl.health.power_cycles, 40);
	assert_true(smartctl.health.temperature_c == 28);
	assert_int_equal(smartctl.health.used_percent, DRIVE_UNKNOWN);
}

static void statistics_count_when_they_are_valid(void **state)
{
	struct smartctl smartctl;

	assert_int_equal(parse("statistics", &smartctl), 0);
	assert_int_equal(smartctl.health.host_write_bytes, 40000000ull * 512);
	assert_int_equal(smartctl.health.host_read_bytes, DRIVE_UNKNOWN);
	assert_int_equal(smartctl.health.media_errors, 2);
	assert_int_equal(smartctl.health.used_percent, 3);
}

static void a_sas_drive_counts_in_gigabytes(void **state)
{
	struct smartctl smartctl;

	assert_int_equal(parse("scsi", &smartctl), 0);
	assert_string_equal(smartctl.model, "KIOXIA KPM6VRUG960G");
	assert_string_equal(smartctl.firmware, "BD07");
	assert_int_equal(smartctl.health.host_write_bytes, 123456789000000ull);
	assert_int_equal(smartctl.health.host_read_bytes, 98765432000000ull);
	assert_int_equal(smartctl.health.media_errors, 3);
	assert_int_equal(smartctl.health.used_percent, 4);
	assert_true(smartctl.health.critical_c == 75);
}

static void an_nvme_drive_behind_a_bridge_has_its_smart_log(void **state)
{
	struct smartctl smartctl;

	assert_int_equal(parse("nvme", &smartctl), 0);
	assert_int_equal(smartctl.passed, 0);
	assert_int_equal(smartctl.health.critical_warning, 4);
	assert_int_equal(smartctl.health.host_write_bytes, 2000ull * 512000);
	assert_int_equal(smartctl.health.error_log_entries, 10);
	assert_int_equal(smartctl.health.warning_minutes, 11);
	assert_true(smartctl.health.sensor_c[1] == 51 && isnan(smartctl.health.sensor_c[2]));
}

static void a_drive_that_could_not_be_opened_leaves_the_reason(void **state)
{
	struct smartctl smartctl;

	assert_int_equal(parse("refused", &smartctl), -EBADMSG);
	assert_non_null(strstr(smartctl.message, "Unknown USB bridge"));
}

static void broken_documents_are_told_from_answers(void **state)
{
	static const char *const broken[] = {"", "{", "[]", "null", "{\"smartctl\":7}", "{\"model_name\":\"\"}"};
	struct smartctl smartctl;

	assert_int_equal(parse("cut", &smartctl), -EBADMSG);
	for (uint32_t i = 0; i < sizeof broken / sizeof *broken; i++)
		assert_int_equal(smartctl_parse(broken[i], &smartctl), -EBADMSG);
}

static void values_that_no_drive_could_have_are_unknown(void **state)
{
	struct smartctl smartctl;

	assert_int_equal(parse("hostile", &smartctl), 0);
	assert_null(strchr(smartctl.model, '\033'));
	assert_null(strchr(smartctl.model, '\n'));
	assert_string_equal(smartctl.serial, "");
	assert_int_equal(smartctl.passed, -1);
	assert_true(isnan(smartctl.health.temperature_c));
	assert_int_equal(smartctl.health.power_on_hours, DRIVE_UNKNOWN);
	assert_int_equal(smartctl.health.host_write_bytes, DRIVE_UNKNOWN);
	assert_int_equal(smartctl.health.nand_write_bytes, DRIVE_UNKNOWN);
}

/* -- in a drive's facts -- */

struct bench {
	struct tree tree;
	struct drive_io io;
	struct drive_facts facts;
	const char *document;		/* NULL: it hangs */
	char device[80];
};

static int script_open(void *context, const char *path, int flags)
{
	return 1000;
}

/* A bridge that passes nothing on. */
static int script_command(void *context, int fd, unsigned long request, void *argument)
{
	return -EINVAL;
}

static void script_close(void *context, int fd)
{
}

static int script_smartctl(void *context, const char *device, struct text *out)
{
	struct bench *bench = context;

	snprintf(bench->device, sizeof bench->device, "%s", device);
	if (!bench->document)
		return -ETIMEDOUT;
	read_document(bench->document, out);
	return 0;
}

static int set_up(void **state)
{
	struct bench *bench = calloc(1, sizeof *bench);

	tree_unpack(&bench->tree, "server");
	bench->io = (struct drive_io){
		.open = script_open, .command = script_command, .close = script_close, .context = bench,
		.smartctl = script_smartctl,
	};
	bench->tree.machine.io = &bench->io;
	*state = bench;
	return 0;
}

static int tear_down(void **state)
{
	struct bench *bench = *state;

	drive_facts_release(&bench->facts);
	tree_remove(&bench->tree);
	free(bench);
	return 0;
}

static struct drive_facts *find(struct bench *bench, const char *name)
{
	drive_facts_release(&bench->facts);
	assert_int_equal(drive_find(&bench->tree.machine, name, &bench->facts, NULL), 0);
	return &bench->facts;
}

static bool some_line_has(const struct lines *lines, const char *phrase)
{
	for (uint32_t i = 0; i < lines->count; i++)
		if (strstr(lines->line[i], phrase))
			return true;
	return false;
}

static void a_usb_drive_is_known_through_smartctl(void **state)
{
	struct bench *bench = *state;
	struct drive_facts *facts;

	bench->document = "nvme";
	facts = find(bench, "sde");
	assert_string_equal(bench->device, "/dev/sde");
	assert_string_equal(facts->model, "Samsung SSD 980 1TB");
	assert_string_equal(facts->serial, "S649NX0R000000L");
	assert_int_equal(facts->health.host_write_bytes, 2000ull * 512000);
	assert_true(some_line_has(&facts->warnings, "SMART verdict is that it is failing"));
	assert_true(some_line_has(&facts->warnings, "critical warning 0x04"));
}

static void without_smartctl_the_facts_say_so(void **state)
{
	struct bench *bench = *state;

	bench->io.smartctl = NULL;
	assert_true(some_line_has(&find(bench, "sde")->not_read, "smartctl is not installed"));
	assert_false(some_line_has(&find(bench, "nvme1n1")->not_read, "smartctl"));
}

static void why_smartctl_told_nothing_is_passed_on(void **state)
{
	struct bench *bench = *state;

	bench->document = "refused";
	assert_true(some_line_has(&find(bench, "sde")->not_read, "Unknown USB bridge"));
	bench->document = "cut";
	assert_true(some_line_has(&find(bench, "sde")->not_read, "smartctl says nothing of it"));
	bench->document = NULL;
	assert_true(some_line_has(&find(bench, "sde")->not_read, strerror(ETIMEDOUT)));
}

static void a_device_that_is_none_gives_no_document(void **state)
{
	struct text text = {0};
	const int result = smartctl_spawn("/dev/null", &text);

	/* installed, it complains in its own words; else it is not there */
	if (result != -ENOENT) {
		struct smartctl smartctl;

		assert_int_equal(result, 0);
		assert_int_equal(smartctl_parse(text_data(&text), &smartctl), -EBADMSG);
		assert_string_not_equal(smartctl.message, "");
	}
	text_release(&text);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(attributes_count_when_their_name_tells_the_unit),
		cmocka_unit_test(statistics_count_when_they_are_valid),
		cmocka_unit_test(a_sas_drive_counts_in_gigabytes),
		cmocka_unit_test(an_nvme_drive_behind_a_bridge_has_its_smart_log),
		cmocka_unit_test(a_drive_that_could_not_be_opened_leaves_the_reason),
		cmocka_unit_test(broken_documents_are_told_from_answers),
		cmocka_unit_test(values_that_no_drive_could_have_are_unknown),
		TEST(a_usb_drive_is_known_through_smartctl),
		TEST(without_smartctl_the_facts_say_so),
		TEST(why_smartctl_told_nothing_is_passed_on),
		cmocka_unit_test(a_device_that_is_none_gives_no_document),
	};

	return cmocka_run_group_tests_name("smartctl", tests, NULL, NULL);
}
