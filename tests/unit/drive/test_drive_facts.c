#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <cmocka.h>
#include "drive/drive.h"
#include "tree.h"

struct bench {
	struct tree tree;
	struct drive_facts facts;
	struct fault fault;
};

static struct bench *bench_of(void **state, const char *machine)
{
	struct bench *bench = *state;

	tree_unpack(&bench->tree, machine);
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

	drive_facts_release(&bench->facts);
	tree_remove(&bench->tree);
	free(bench);
	return 0;
}

static struct drive_facts *find(struct bench *bench, const char *path)
{
	drive_facts_release(&bench->facts);
	if (drive_find(&bench->tree.machine, path, &bench->facts, &bench->fault))
		fail_msg("%s", bench->fault.text);
	return &bench->facts;
}

static bool some_line_has(const struct lines *lines, const char *phrase)
{
	for (uint32_t i = 0; i < lines->count; i++)
		if (strstr(lines->line[i], phrase))
			return true;
	return false;
}

static void an_nvme_drive_is_described_in_full(void **state)
{
	struct drive_facts *facts = find(bench_of(state, "laptop"), "/dev/nvme0n1");

	assert_string_equal(facts->path, "/dev/nvme0n1");
	assert_string_equal(facts->id, "S6Z1NJ0W512345X:1");
	assert_string_equal(facts->model, "Samsung SSD 990 PRO 1TB");
	assert_string_equal(facts->serial, "S6Z1NJ0W512345X");
	assert_string_equal(facts->firmware, "4B2QJXD7");
	assert_string_equal(facts->interface, "nvme");
	assert_int_equal(facts->capacity_bytes, 1953525168ull * 512);
	assert_int_equal(facts->dev, makedev(259, 0));
	assert_int_equal(facts->logical_block_bytes, 512);
	assert_int_equal(facts->max_request_bytes, 128 * 1024);
	assert_int_equal(facts->hardware_queues, 4);
	assert_string_equal(facts->scheduler, "mq-deadline");
	assert_string_equal(facts->write_cache, "write back");
	assert_int_equal(facts->rotational, 0);
	assert_int_equal(facts->numa_node, -1);
	assert_true(fabs(facts->health.temperature_c - 41.85) < 1e-9);
	assert_true(fabs(facts->health.warning_c - 81.85) < 1e-9);
	assert_int_equal(facts->health.host_write_bytes, DRIVE_UNKNOWN);	/* nobody was asked */
	assert_true(some_line_has(&facts->not_read, "SMART"));
}

static void the_link_of_the_drive_and_of_the_bridge_are_told(void **state)
{
	struct drive_facts *facts = find(bench_of(state, "laptop"), "/dev/nvme0n1");

	assert_int_equal(facts->link_count, 2);
	assert_string_equal(facts->link[0].address, "0000:01:00.0");
	assert_true(facts->link[0].speed_now == 8.0 && facts->link[0].speed_max == 16.0);
	assert_int_equal(facts->link[0].width_now, 4);
	assert_string_equal(facts->link[1].address, "0000:00:1d.0");
	assert_true(some_line_has(&facts->warnings, "8 of 16 GT/s"));
}

static void partitions_tell_their_alignment(void **state)
{
	struct drive_facts *facts = find(bench_of(state, "laptop"), "/dev/nvme0n1");

	assert_int_equal(facts->partition_count, 3);
	assert_true(facts->partition[0].aligned_4k);
	assert_false(facts->partition[1].aligned_4k);
	assert_int_equal(facts->partition[1].start_bytes, 1050625ull * 512);
	assert_true(some_line_has(&facts->warnings, "nvme0n1p2 does not start"));
}

static void a_partition_has_its_disks_identity_and_its_own_id(void **state)
{
	struct drive_facts *facts = find(bench_of(state, "laptop"), "/dev/nvme0n1p2");

	assert_string_equal(facts->id, "S6Z1NJ0W512345X:1:p2");
	assert_string_equal(facts->parent, "nvme0n1");
	assert_string_equal(facts->model, "Samsung SSD 990 PRO 1TB");
	assert_int_equal(facts->capacity_bytes, 976773167ull * 512);
}

static void every_way_to_name_a_drive_leads_to_it(void **state)
{
	static const char *const names[] = {
		"/dev/nvme0n1",
		"nvme0n1",
		"/dev/ng0n1",
		"S6Z1NJ0W512345X:1",
		"/dev/disk/by-id/nvme-Samsung_SSD_990_PRO_1TB_S6Z1NJ0W512345X",
		"/dev/disk/by-path/pci-0000:01:00.0-nvme-1",
	};
	struct bench *bench = bench_of(state, "laptop");

	for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
		assert_int_equal(find(bench, names[i])->dev, makedev(259, 0));
	assert_int_equal(find(bench, "S6Z1NJ0W512345X:1:p3")->dev, makedev(259, 3));
	assert_int_equal(drive_find(&bench->tree.machine, "/dev/nvme7n1", &bench->facts, &bench->fault),
			 -ENOENT);
	assert_int_equal(drive_find(&bench->tree.machine, "../nvme0n1", &bench->facts, &bench->fault),
			 -ENOENT);
}

/* id, device and interface of each kind */
static void ids_are_what_each_kind_of_device_has(void **state)
{
	static const char *const expected[][3] = {
		{"/dev/sda", "naa.5002538f4110a1b2", "sata"}, {"sda3", "naa.5002538f4110a1b2:p3", "sata"},
		{"dm-0", "LVM-abcdefgh", "dm"}, {"dm-2", "mpath-3600a098038303053", "dm"},
		{"md0", "3aaa0122:29827cfa:5331ad66:ca767371", "md"}, {"nvme2n1", "PM1733X:3", "nvme"},
		{"nvme1n1p1", "NV1:1:p1", "nvme"}, {"sdd", "t10.ATA_INTEL_SSD_X", "scsi"},
		{"sde", "usb:8:64:107374182400", "usb"}, {"loop3", "loop:/dev/sde", "loop"},
		/* two paths with one WWID: the id must not be ambiguous */
		{"sdb", "scsi:8:16:107374182400", "scsi"}, {"sdc", "scsi:8:32:107374182400", "scsi"},
	};
	struct bench *bench = bench_of(state, "server");

	for (uint32_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		const struct drive_facts *facts = find(bench, expected[i][0]);

		assert_string_equal(facts->id, expected[i][1]);
		assert_string_equal(facts->interface, expected[i][2]);
	}
}

static void odd_drives_get_ids_that_name_only_them(void **state)
{
	static const char *const expected[][2] = {
		{"nvme0n1", "nvme:259:0:1024000"},
		{"nvme1n1", "nvme:259:1:1024000"},
		{"nvme2n1", "eui.00000000000000018ce38e0300a1b2c3"},
		{"nvme10n1", "nvme:259:3:2097152"},
		{"vda", "virtio:254:0:1024000"},
		{"/dev/cciss/c0d0", "cciss:104:0:1024000"},
		{"zram1", "zram:253:1:4294967296"},
	};
	struct bench *bench = bench_of(state, "odd");

	for (uint32_t i = 0; i < sizeof expected / sizeof *expected; i++)
		assert_string_equal(find(bench, expected[i][0])->id, expected[i][1]);
	assert_true(some_line_has(&find(bench, "nvme0n1")->warnings, "another drive has the same"));
	assert_string_equal(find(bench, "/dev/cciss/c0d0")->path, "/dev/cciss/c0d0");
	assert_string_equal(find(bench, "nvme1n1")->zoned, "host-managed");
}

static void a_hostile_model_is_made_printable(void **state)
{
	struct drive_facts *facts = find(bench_of(state, "odd"), "nvme0n1");
	char *text = drive_facts_json(facts);
	json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);

	assert_string_equal(facts->model, "?[31m<script>alert(\"x\")</script>?" "?( Caf\xc3\xa9");
	assert_non_null(json);
	assert_string_equal(json_string_value(json_object_get(json, "model")), facts->model);
	json_decref(json);
	free(text);
}

static void what_is_not_known_is_null_and_not_zero(void **state)
{
	char *text = drive_facts_json(find(bench_of(state, "odd"), "vda"));
	json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);

	assert_true(json_is_null(json_object_get(json, "model")));
	assert_true(json_is_null(json_object_get(json, "rotational")));
	assert_true(json_is_null(json_object_get(json_object_get(json, "health"), "temperature_c")));
	assert_true(json_is_null(json_object_get(json_object_get(json, "queue"), "max_request_bytes")));
	json_decref(json);
	free(text);
}

static void multipath_heads_have_the_link_of_their_path(void **state)
{
	struct drive_facts *facts = find(bench_of(state, "server"), "nvme2n1");

	assert_string_equal(facts->serial, "PM1733X");
	assert_int_equal(facts->link_count, 1);
	assert_int_equal(facts->link[0].width_now, 2);
	assert_true(some_line_has(&facts->warnings, "2 of 4 lanes"));
}

static void the_names_are_in_natural_order_without_hidden_and_empty_devices(void **state)
{
	static const char *const odd[] = {"cciss!c0d0", "nvme0n1", "nvme1n1", "nvme2n1",
					  "nvme10n1",	"vda",	   "zram1"};
	struct bench *bench = bench_of(state, "odd");
	struct lines names = {0};

	assert_int_equal(drive_names(&bench->tree.machine, &names), 0);
	assert_int_equal(names.count, 7);
	for (uint32_t i = 0; i < 7; i++)
		assert_string_equal(names.line[i], odd[i]);
	lines_release(&names);
}

static void hidden_paths_have_no_names(void **state)
{
	struct bench *bench = bench_of(state, "server");
	struct lines names = {0};

	assert_int_equal(drive_names(&bench->tree.machine, &names), 0);
	for (uint32_t i = 0; i < names.count; i++)
		assert_null(strstr(names.line[i], "nvme2c"));
	assert_int_equal(names.count, 14);
	lines_release(&names);
}

static void a_machine_without_sysfs_is_an_error(void **state)
{
	struct bench *bench = bench_of(state, "odd");
	const struct machine nothing = {"/tmp/ssdassay-no-such-machine", NULL};
	struct lines names;

	assert_non_null(bench);
	assert_int_equal(drive_names(&nothing, &names), -ENOENT);
}

/* Nothing is claimed of it: neither that it is free, nor any 0. */
static void a_silent_drive_is_its_path_and_size(void **state)
{
	struct bench *bench = bench_of(state, "odd");
	struct drive_facts facts;
	struct text text = {0};
	json_t *json;
	char *document;

	drive_facts_silent(&bench->tree.machine, "cciss!c0d0", "it sleeps", &facts);
	drive_facts_text(&facts, &text);
	assert_non_null(strstr(text_data(&text), "/dev/cciss/c0d0  "));
	assert_non_null(strstr(text_data(&text), "not read    it sleeps\n"));
	assert_null(strstr(text_data(&text), "in use"));
	assert_null(strstr(text_data(&text), "id "));
	document = drive_facts_json(&facts);
	json = json_loads(document, JSON_REJECT_DUPLICATES, NULL);
	assert_string_equal(json_string_value(json_object_get(json, "path")), "/dev/cciss/c0d0");
	assert_true(json_is_integer(json_object_get(json, "capacity_bytes")));
	assert_true(json_is_null(json_object_get(json, "in_use")));
	assert_true(json_is_null(json_object_get(json, "id")));
	assert_true(json_is_null(json_object_get(json, "read_only")));
	assert_true(json_is_null(json_object_get(json_object_get(json, "queue"), "logical_block_bytes")));
	json_decref(json);
	free(document);
	text_release(&text);
	drive_facts_release(&facts);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(an_nvme_drive_is_described_in_full),
		TEST(the_link_of_the_drive_and_of_the_bridge_are_told),
		TEST(partitions_tell_their_alignment),
		TEST(a_partition_has_its_disks_identity_and_its_own_id),
		TEST(every_way_to_name_a_drive_leads_to_it),
		TEST(ids_are_what_each_kind_of_device_has),
		TEST(odd_drives_get_ids_that_name_only_them),
		TEST(a_hostile_model_is_made_printable),
		TEST(what_is_not_known_is_null_and_not_zero),
		TEST(multipath_heads_have_the_link_of_their_path),
		TEST(the_names_are_in_natural_order_without_hidden_and_empty_devices),
		TEST(hidden_paths_have_no_names),
		TEST(a_machine_without_sysfs_is_an_error),
		TEST(a_silent_drive_is_its_path_and_size),
	};

	return cmocka_run_group_tests_name("drive facts", tests, NULL, NULL);
}
