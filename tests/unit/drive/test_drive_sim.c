/* A simulated drive as a target: only what drive_sim adds; the drive itself is tested in its own room. */
#include <errno.h>
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "drive/drive_sim.h"

static void only_names_with_the_prefix_are_simulated(void **state)
{
	assert_true(drive_sim_is("sim:hdd"));
	assert_true(drive_sim_is("sim:"));
	assert_false(drive_sim_is("/mnt/sim:hdd"));
	assert_false(drive_sim_is("simulator"));
}

static void a_simulated_drive_is_a_target_with_facts(void **state)
{
	struct target target = {0};
	struct fault fault = {0};
	json_t *json;
	char *text;

	assert_int_equal(drive_sim_open("hdd", 1, &target, &fault), 0);
	assert_int_equal(target.kind, TARGET_SIM);
	assert_string_equal(target.name, "sim:hdd");
	assert_int_equal(target.fd, -1);
	assert_true(target.may_write);
	assert_true(target.size_bytes && target.size_bytes % target.block_bytes == 0);
	text = drive_sim_facts_json(&target);
	json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(json);
	assert_int_equal(json_integer_value(json_object_get(json, "capacity_bytes")), target.size_bytes);
	assert_true(json_is_string(json_object_get(json, "model")));
	assert_string_equal(json_string_value(json_object_get(json, "interface")), "sata");
	assert_int_equal(json_array_size(json_object_get(json, "links")), 0);
	json_decref(json);
	free(text);
	text = drive_sim_truth_json(&target);
	json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_true(json_is_object(json));
	json_decref(json);
	free(text);
	drive_sim_close(&target);
	assert_null(target.sim);
}

static void a_simulated_drive_has_a_link(void **state)
{
	static const struct { const char *spec, *interface; double now, max; int lanes; } wanted[] = {
		{ "sn850", "nvme", 8, 8, 4 }, { "sn850,pcie_generation_max=4", "nvme", 8, 16, 4 }, { "shannon", "nvme", 5, 5, 8 },
		{ "840pro", "sata", 0, 0, 0 }, { "theory,shrink=8", "sim", 0, 0, 0 },
	};

	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		struct target target = {0};
		struct fault fault = {0};
		json_t *json, *link;
		char *text;

		assert_int_equal(drive_sim_open(wanted[i].spec, 1, &target, &fault), 0);
		text = drive_sim_facts_json(&target);
		json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
		assert_string_equal(json_string_value(json_object_get(json, "interface")), wanted[i].interface);
		link = json_array_get(json_object_get(json, "links"), 0);
		assert_int_equal(link != NULL, wanted[i].lanes > 0);
		if (link) {
			assert_true(json_number_value(json_object_get(link, "speed_now_gt_per_second")) == wanted[i].now);
			assert_true(json_number_value(json_object_get(link, "speed_max_gt_per_second")) == wanted[i].max);
			assert_int_equal(json_integer_value(json_object_get(link, "width_now")),
					 wanted[i].lanes);
			assert_int_equal(json_integer_value(json_object_get(link, "width_max")),
					 wanted[i].lanes);
		}
		json_decref(json);
		free(text);
		drive_sim_close(&target);
	}
}

static void an_unknown_profile_is_a_fault(void **state)
{
	struct target target = {0};
	struct fault fault = {0};
	char longest[8192];

	assert_int_equal(drive_sim_open("no-such-profile", 1, &target, &fault), -EINVAL);
	assert_true(fault.text[0]);
	memset(longest, 'x', sizeof longest - 1);
	longest[sizeof longest - 1] = 0;
	assert_int_equal(drive_sim_open(longest, 1, &target, &fault), -EINVAL);
}

static void profiles_are_listed_and_shown(void **state)
{
	struct text text = {0};
	struct fault fault = {0};

	assert_int_equal(drive_sim_profiles(NULL, &text, &fault), 0);
	assert_non_null(strstr(text_data(&text), "hdd"));
	text_clear(&text);
	assert_int_equal(drive_sim_profiles("hdd", &text, &fault), 0);
	assert_non_null(strstr(text_data(&text), "capacity_gb="));
	text_clear(&text);
	assert_int_equal(drive_sim_profiles("no-such-profile", &text, &fault), -EINVAL);
	text_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_names_with_the_prefix_are_simulated),
		cmocka_unit_test(a_simulated_drive_is_a_target_with_facts),
		cmocka_unit_test(a_simulated_drive_has_a_link),
		cmocka_unit_test(an_unknown_profile_is_a_fault), cmocka_unit_test(profiles_are_listed_and_shown),
	};

	return cmocka_run_group_tests_name("simulated drives as targets", tests, NULL, NULL);
}
