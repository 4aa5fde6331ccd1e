#include <errno.h>
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <cmocka.h>
#include "drive/drive_file.h"
#include "drive/drive_host.h"
#include "tree.h"

static struct tree tree;

static int remove_tree(void **state)
{
	tree_remove(&tree);
	return 0;
}

static json_t *host(const char *machine)
{
	char *text;
	json_t *json;

	tree_unpack(&tree, machine);
	text = drive_host_json(&tree.machine, "1.2.3");
	json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(json);
	free(text);
	return json;
}

static void assert_text(const json_t *json, const char *key, const char *expected)
{
	assert_string_equal(json_string_value(json_object_get(json, key)), expected);
}

static void a_host_is_described(void **state)
{
	json_t *json = host("laptop");

	assert_text(json, "program_version", "1.2.3");
	assert_text(json, "host", "laptop");
	assert_text(json, "kernel", "6.1.0-18-amd64");
	assert_text(json, "os", "Debian GNU/Linux 12 (bookworm)");
	assert_text(json, "cpu", "11th Gen Intel(R) Core(TM) i7-1185G7 @ 3.00GHz");
	assert_text(json, "governor", "powersave");
	assert_text(json, "clock_source", "tsc");
	assert_text(json, "virtual_machine", "none");
	assert_text(json, "computer", "XPS 13 9310");
	assert_int_equal(json_integer_value(json_object_get(json, "memory_bytes")), 16252928ull * 1024);
	assert_text(json_object_get(json, "mitigations"), "spectre_v2", "Mitigation: Enhanced IBRS");
	assert_null(json_object_get(json_object_get(json, "mitigations"), "meltdown"));
	json_decref(json);
}

static void a_virtual_machine_is_recognised(void **state)
{
	json_t *json = host("server");

	assert_text(json, "virtual_machine", "qemu");
	assert_true(json_is_null(json_object_get(json, "governor")));
	assert_true(json_is_null(json_object_get(json, "memory_bytes")));
	json_decref(json);
}

static void a_sample_has_every_counter(void **state)
{
	struct host_sample sample = {0};

	tree_unpack(&tree, "laptop");
	for (int again = 0; again < 2; again++) {
		assert_int_equal(drive_host_sample(&tree.machine, &sample), 0);
		assert_int_equal(sample.cpu_count, 2);
		assert_int_equal(sample.total.user_ns,
				 1200ull * 10000000); /* ticks of 10 ms; nice is user too */
		assert_int_equal(sample.total.steal_ns, 8ull * 10000000);
		assert_int_equal(sample.cpu[1].softirq_ns, 3ull * 10000000);
		assert_int_equal(sample.context_switches, 987654);
		assert_int_equal(sample.interrupts, 123456);
		assert_int_equal(sample.block_softirqs, 460);
		assert_int_equal(sample.cpu_pressure_us, 1234567);
		assert_int_equal(sample.io_pressure_us, 765);
		assert_int_equal(sample.memory_pressure_us, DRIVE_UNKNOWN);
		assert_int_equal(sample.frequency_khz_min, 1200000);
		assert_int_equal(sample.frequency_khz_max, 3400000);
		assert_int_equal(sample.throttle_events, 9);
		assert_int_equal(sample.memory_available_bytes, 8000000ull * 1024);
	}
	host_sample_release(&sample);
}

static void a_sample_of_a_bare_kernel_has_unknowns(void **state)
{
	struct host_sample sample = {0};

	tree_unpack(&tree, "server");
	assert_int_equal(drive_host_sample(&tree.machine, &sample), 0);
	assert_int_equal(sample.cpu_count, 0);
	assert_int_equal(sample.context_switches, DRIVE_UNKNOWN);
	assert_int_equal(sample.block_softirqs, DRIVE_UNKNOWN);
	assert_int_equal(sample.throttle_events, DRIVE_UNKNOWN);
	tree_remove(&tree);
	tree_unpack(&tree, "odd");
	assert_int_equal(drive_host_sample(&tree.machine, &sample), -ENOENT);	/* no /proc/stat */
	host_sample_release(&sample);
}

struct expected {
	const char *machine, *path, *file_system, *mount_point, *drive;
	bool in_memory, network, copy_on_write, compressed;
	const char *warning;
};

static void check_file(const struct expected *row)
{
	struct drive_file_facts facts;
	struct fault fault = {0};
	char *text;

	tree_unpack(&tree, row->machine);
	if (drive_file_facts(&tree.machine, row->path, &facts, &fault))
		fail_msg("%s", fault.text);
	assert_string_equal(facts.file_system, row->file_system);
	assert_string_equal(facts.mount_point, row->mount_point);
	assert_string_equal(facts.drive, row->drive);
	assert_int_equal(facts.in_memory, row->in_memory);
	assert_int_equal(facts.network, row->network);
	assert_int_equal(facts.copy_on_write, row->copy_on_write);
	assert_int_equal(facts.compressed, row->compressed);
	assert_true(!row->warning || (facts.warnings.count && strstr(facts.warnings.line[0], row->warning)));
	text = drive_file_facts_json(&facts);
	assert_non_null(text);
	free(text);
	drive_file_facts_release(&facts);
	tree_remove(&tree);
}

static void a_file_system_says_what_lies_under_a_file(void **state)
{
	static const struct expected rows[] = {
		{"laptop", "/home/user/new file", "ext4", "/", "nvme0n1p2", false, false, false, false, NULL},
		{"laptop", "/boot/efi part/x", "vfat", "/boot/efi part", "nvme0n1p1", false, false, false,
		 false, NULL},
		{"laptop", "/run/x", "tmpfs", "/run", "", true, false, false, false, "in memory"},
		{"server", "/data/x/f", "btrfs", "/data", "sde", false, false, true, true, "compress=zstd:3"},
		{"server", "/plain/f", "btrfs", "/plain", "sde", false, false, true, false, NULL},
		{"server", "/tank/x", "zfs", "/tank", "", false, false, true, false, "ARC"},
		{"server", "/share/f", "nfs4", "/share", "", false, true, false, false, "network"},
		{"server", "/over/f", "overlay", "/over", "", false, false, false, false, "overlay"},
	};

	for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++)
		check_file(&rows[i]);
}

static void a_path_without_directory_is_an_error(void **state)
{
	struct drive_file_facts facts;
	struct fault fault = {0};

	tree_unpack(&tree, "laptop");
	assert_int_equal(drive_file_facts(&tree.machine, "/no/such/directory/f", &facts, &fault), -ENOENT);
	assert_true(fault.text[0]);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, remove_tree)
	const struct CMUnitTest tests[] = {
		TEST(a_host_is_described),
		TEST(a_virtual_machine_is_recognised),
		TEST(a_sample_has_every_counter),
		TEST(a_sample_of_a_bare_kernel_has_unknowns),
		cmocka_unit_test(a_file_system_says_what_lies_under_a_file),
		TEST(a_path_without_directory_is_an_error),
	};

	return cmocka_run_group_tests_name("host and files", tests, NULL, NULL);
}
