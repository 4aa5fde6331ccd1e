#include "made_run.h"
#include <unistd.h>

#define SECOND 1000000000ull

void made_run_init(struct made_run *made)
{
	*made = (struct made_run){ 0 };
	strcpy(made->directory, "/dev/shm/assay-test-XXXXXX");
	assert_non_null(mkdtemp(made->directory));
	snprintf(made->path, sizeof(made->path), "%s/r.assay", made->directory);
	made->run = (struct run_record){
		.id = "0123456789abcdef0123456789abcdef", .version = "0.1.0", .status = RUN_COMPLETE, .plan_name = "made",
		.plan_text = "[a]\nrw=randread\n", .scale = 1, .seed = 1, .clock = "vdso", .duration_ns = SECOND,
	};
	made->drive = (struct drive_record){ .name = "/dev/made", .kind = "block", .capacity_bytes = 1 << 30, .block_bytes = 512 };
	made->step = (struct step_record){
		.id = 1, .name = "a", .kind = "load", .path = "a[0]:0", .values_json = "{\"bs\":4096}", .status = RUN_COMPLETE,
		.status_text = "time", .duration_ns = SECOND, .interval_ns = SECOND,
	};
	made->load = (struct load_record){ .step = 1, .name = "a", .engine = "io_uring", .workers = 1, .depth_asked = 4,
					   .range_bytes = 1 << 30 };
	made->total = calloc(1, sizeof(*made->total));
	tally_clear(made->total);
	made->total->end_ns = SECOND;
	made->total->spans = 1;
	made_run_add(made, IO_READ, 40000, 4096, 100000);
	made->total->in_flight_ns = 4.0 * SECOND;
}

void made_run_add(struct made_run *made, enum io_op op, uint64_t ios, uint32_t bytes, uint64_t service_ns)
{
	struct op_tally *tally = &made->total->op[op];

	tally->ios += ios;
	tally->bytes += ios * bytes;
	for (uint64_t i = 0; i < ios; i++)
		histogram_record(&tally->service, service_ns);
}

void made_run_write(struct made_run *made)
{
	struct fault fault = { 0 };
	const struct interval_record interval = { .step = made->step.id, .tally = made->total };

	if (store_create(made->path, &made->store, &fault))
		fail_msg("%s", fault.text);
	made->load.total = made->total;
	made->load.step = made->step.id;
	assert_int_equal(store_put_run(made->store, &made->run), 0);
	assert_int_equal(store_put_drive(made->store, &made->drive), 0);
	assert_int_equal(store_put_step(made->store, &made->step), 0);
	assert_int_equal(store_put_load(made->store, &made->load), 0);
	assert_int_equal(store_put_interval(made->store, &interval), 0);
	assert_int_equal(store_commit(made->store), 0);
}

bool made_run_conclude(struct made_run *made, const struct plan *plan)
{
	bool met = false;

	assert_int_equal(conclude(made->store, plan, &met), 0);
	return met;
}

const struct check_record *made_run_check(struct made_run *made, const char *name)
{
	const struct check_record *checks;
	uint32_t count;

	assert_int_equal(store_checks(made->store, &checks, &count), 0);
	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(checks[i].name, name))
			return &checks[i];
	fail_msg("no check %s", name);
	return NULL;
}

void made_run_release(struct made_run *made)
{
	char command[160];

	store_close(made->store);
	free(made->total);
	snprintf(command, sizeof(command), "rm -rf '%s'", made->directory);
	assert_int_equal(system(command), 0);
}
