#include "fixture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "sim/describe.h"
#include "sim/profile.h"

static void every_builtin_profile_loads_and_makes_a_drive(void **state)
{
	static const char *const wanted[] = { "sn850",	 "p3700",	 "840pro",	 "intel750",
					      "m8peg",	 "shannon",	 "hdd",		 "hdd-raid0",
					      "theory",	 "tlc-consumer", "qlc-consumer", "tlc-datacenter",
					      "sata-tlc" };

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		assert_non_null(sim_profile_find(wanted[i]));
	for (size_t i = 0; sim_profile_at(i); i++) {
		struct sim_drive *drive = drive_make(sim_profile_at(i)->name, 1);

		assert_true(sim_drive_capacity_bytes(drive) > 1000000000);
		assert_int_equal(sim_drive_capacity_bytes(drive) % 4096, 0);
		assert_string_not_equal(sim_drive_model(drive), "");
		sim_drive_free(drive);
	}
}

static void every_parameter_is_described_and_its_fallback_in_range(void **state)
{
	for (size_t i = 0; sim_param_at(i); i++) {
		const struct sim_param *param = sim_param_at(i);

		assert_true(strlen(param->meaning) > 8);
		assert_true(param->fallback >= param->min && param->fallback <= param->max);
		assert_ptr_equal(sim_param_find(param->name), param);
		assert_int_equal(param->type == SIM_PARAM_CHOICE, *param->choices != 0);
	}
}

static void a_formatted_value_is_read_back_the_same(void **state)
{
	const struct sim_params params = params_make("840pro,gc=choices,plp=on,read_us=61.5");
	struct sim_params again;
	char text[SIM_VALUE_TEXT];

	sim_params_default(&again);
	for (size_t i = 0; sim_param_at(i); i++) {
		const struct sim_param *param = sim_param_at(i);

		sim_param_format(param, &params, text);
		if (sim_params_set(&again, param->name, text, 0, 0, NULL))
			fail_msg("%s=%s is refused", param->name, text);
		assert_true(sim_param_value(param, &again) == sim_param_value(param, &params));
	}
}

static void overrides_and_units_are_understood(void **state)
{
	const struct sim_params params = params_make(
		"theory,read_us=80,program_us=2ms,gc=fifo,plp=on,stall=10s/500ms/1m,shrink=4,idle_ms=1s");

	assert_true(params.read_us == 80 && params.program_us == 2000 && params.gc == SIM_POLICY_FIFO);
	assert_true(params.plp == 1 && params.shrink == 4 && params.idle_ms == 1000);
	assert_true(params.stall_at_s == 10 && params.stall_s == 0.5 && params.stall_every_s == 60);
	assert_string_equal(params.profile, "theory");
}

static const struct {
	const char *spec, *says;
} mistakes[] = {
	{ "sn580", "nearest is \"sn850\"" },
	{ "teory,shrink=2", "nearest is \"theory\"" },
	{ "nosuch", "there is no simulated drive \"nosuch\"; there are: sn850 " },
	{ "theory,colour=4", "no parameter \"colour\"; 'ssdassay sim PROFILE' lists all" },
	{ "", "there is no simulated drive \"\"" },
	{ "theory,buffer_mbb=4", "nearest is \"buffer_mb\"" },
	{ "theory,slc_gib=4", "nearest is \"slc_gb\"" },
	{ "theory,stal=1/2", "nearest is \"stall\"" },
	{ "theory,buffer_mb", "expected key=value" },
	{ "theory,", "expected key=value" },
	{ "theory,read_us=fast", "must be a number in us from 0.1 to 10000" },
	{ "theory,read_us=", "must be a number" },
	{ "theory,read_us=nan", "must be a number" },
	{ "theory,read_us=1e99", "must be a number" },
	{ "theory,spare=-1", "from 0.5 to 400" },
	{ "theory,plp=maybe", "must be on or off" },
	{ "theory,gc=random", "must be one of: greedy fifo choices" },
	{ "theory,bits=2.5", "must be a whole number" },
	{ "theory,block=1024", "must be 512 or 4096" },
	{ "theory,page_kb=6", "must be a multiple of 4" },
	{ "theory,slc_gb=1", "no SLC cache" },
	{ "theory,stall=1", "AT/DURATION" },
	{ "theory,stall=1/2/3/4", "AT/DURATION" },
	{ "theory,stall=1/10/5", "EVERY must be longer" },
	{ "theory,stall=10s/26688888", "at most 1e+06 s" },
	{ "theory,throttle_c=50,throttle_clear_c=60", "must not be above" },
	{ "theory,gc_reserve=4,gc_floor=4", "must be below gc_reserve" },
	{ "theory,model=", "must have 1 to 40 bytes" },
	{ "/nonexistent/profile", "cannot read" },
	{ "hdd,contents=on", "for flash drives" },
	{ "theory,shrink=4096,capacity_gb=1", "too small" },
	{ "theory,capacity_gb=15000,spare=400", "needs a larger shrink" },
	{ "theory,contents=on", "8 GiB" },
	{ "theory,planes=8,page_kb=64", "more than 256 KiB" },
};

static void mistakes_are_named_with_the_nearest_name(void **state)
{
	for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		struct sim_drive *drive = NULL;
		struct fault fault = { 0 };

		assert_true(sim_drive_new(mistakes[i].spec, 1, &drive, &fault) < 0);
		assert_null(drive);
		if (!strstr(fault.text, mistakes[i].says))
			fail_msg("\"%s\" says \"%s\", not \"%s\"", mistakes[i].spec, fault.text,
				 mistakes[i].says);
	}
}

static void the_fault_points_at_the_column_of_the_override(void **state)
{
	struct sim_params params;
	struct fault fault = { 0 };

	assert_int_equal(sim_params_load("theory,plp=on,bogus=1", &params, &fault), -EINVAL);
	assert_int_equal(fault.column, 15);
}

static int file_load(const char *text, struct sim_params *params, struct fault *fault)
{
	char path[] = "/tmp/sim-profile-XXXXXX";
	const int fd = mkstemp(path);
	int status;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	status = sim_params_load(path, params, fault);
	unlink(path);
	return status;
}

static void a_profile_can_be_a_text_file(void **state)
{
	struct sim_params params;
	struct fault fault = { 0 };

	assert_int_equal(
		file_load("# mine\n\nbase=840pro\r\n model = My drive \nspare=20\n; end\n", &params, &fault),
		0);
	assert_string_equal(params.model, "My drive");
	assert_true(params.spare == 20 && params.queue_depth == 32);
}

static void a_mistake_in_a_file_has_its_line_and_source(void **state)
{
	struct sim_params params;
	struct fault fault = { 0 };

	assert_int_equal(file_load("spare=20\n\nspair=7\n", &params, &fault), -EINVAL);
	assert_int_equal(fault.line, 3);
	assert_non_null(strstr(fault.source, "/tmp/sim-profile-"));
	assert_non_null(strstr(fault.text, "nearest is \"spare\""));
	fault = (struct fault){ 0 };
	assert_int_equal(file_load("spare=20\nbase=sn850\n", &params, &fault), -EINVAL);
	assert_non_null(strstr(fault.text, "must be the first key"));
	assert_int_equal(file_load("base=sn85\n", &params, &fault), -EINVAL);
	assert_non_null(strstr(fault.text, "nearest is \"sn850\""));
}

/* What is printed can be saved, changed and used. */
static void the_description_of_a_profile_is_that_profile(void **state)
{
	for (size_t i = 0; sim_profile_at(i); i++) {
		struct sim_params params = params_make(sim_profile_at(i)->name), again;
		struct fault fault = { 0 };
		struct text text = { 0 };

		sim_params_describe(&params, sim_profile_at(i)->title, &text);
		assert_int_equal(text.error, 0);
		assert_int_equal(file_load(text_data(&text), &again, &fault), 0);
		assert_string_equal(again.model, params.model);
		for (size_t j = 0; sim_param_at(j); j++)
			if (params.kind == SIM_KIND_SSD ? sim_param_at(j)->group != SIM_GROUP_DISK :
							  sim_param_at(j)->group == SIM_GROUP_DISK)
				assert_true(sim_param_value(sim_param_at(j), &params) ==
					    sim_param_value(sim_param_at(j), &again));
		text_release(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_builtin_profile_loads_and_makes_a_drive),
		cmocka_unit_test(every_parameter_is_described_and_its_fallback_in_range),
		cmocka_unit_test(a_formatted_value_is_read_back_the_same),
		cmocka_unit_test(overrides_and_units_are_understood),
		cmocka_unit_test(mistakes_are_named_with_the_nearest_name),
		cmocka_unit_test(the_fault_points_at_the_column_of_the_override),
		cmocka_unit_test(a_profile_can_be_a_text_file),
		cmocka_unit_test(a_mistake_in_a_file_has_its_line_and_source),
		cmocka_unit_test(the_description_of_a_profile_is_that_profile),
	};

	return cmocka_run_group_tests_name("sim/profile", tests, NULL, NULL);
}
