/* The writer: a bounded queue that keeps order, copies what it is given, and remembers the first error. */
#include <errno.h>
#include <pthread.h>
#include <sys/mount.h>
#include <unistd.h>
#include "../plan/fixture.h"
#include "assay/writer.h"

struct scene {
	char directory[64], path[128];
	bool mounted;
	struct store *store;
	struct writer *writer;
	struct tally *tally;
};

static void scene_init(struct scene *scene, const char *small)
{
	struct fault fault = { 0 };
	const struct run_record run = { .id = "0", .version = "0.1.0", .status = RUN_RUNNING, .plan_name = "p", .scale = 1,
					.clock = "vdso" };

	*scene = (struct scene){ .directory = "/tmp/writer-test-XXXXXX" };
	assert_non_null(mkdtemp(scene->directory));
	if (small)
		scene->mounted = !mount("none", scene->directory, "tmpfs", 0, small);
	snprintf(scene->path, sizeof(scene->path), "%s/r.assay", scene->directory);
	if (store_create(scene->path, &scene->store, &fault))
		fail_msg("%s", fault.text);
	assert_int_equal(store_put_run(scene->store, &run), 0);
	assert_int_equal(store_commit(scene->store), 0);
	assert_int_equal(writer_new(scene->store, &scene->writer), 0);
	scene->tally = calloc(1, sizeof(*scene->tally));
	tally_clear(scene->tally);
}

static void scene_release(struct scene *scene)
{
	char command[160];

	writer_free(scene->writer);
	store_close(scene->store);
	free(scene->tally);
	if (scene->mounted)
		assert_int_equal(umount(scene->directory), 0);
	snprintf(command, sizeof(command), "rm -rf '%s'", scene->directory);
	assert_int_equal(system(command), 0);
}

static int step_put(struct scene *scene, uint64_t id, enum run_status status)
{
	char name[32] = "step", path[32], values[32];
	struct step_record step = { .id = id, .name = name, .kind = "load", .path = path, .values_json = values, .status = status,
				    .interval_ns = 1000 };
	int error;

	snprintf(path, sizeof(path), "p%lu", id);
	snprintf(values, sizeof(values), "{\"bs\":%lu}", id);
	error = writer_step(scene->writer, &step);
	memset(name, 'X', sizeof(name));	/* copied: what happens to them now is nobody's business */
	memset(path, 'X', sizeof(path));
	memset(values, 'X', sizeof(values));
	return error;
}

static int interval_put(struct scene *scene, uint64_t step, uint64_t index, uint64_t ios)
{
	const struct interval_record interval = { .step = step, .index = index, .tally = scene->tally };
	int error;

	tally_clear(scene->tally);
	scene->tally->start_ns = index * 1000;
	scene->tally->end_ns = (index + 1) * 1000;
	scene->tally->spans = 1;
	scene->tally->op[IO_READ].ios = ios;
	for (uint64_t i = 0; i < ios; i++)
		histogram_record(&scene->tally->op[IO_READ].service, 100 + i);
	error = writer_interval(scene->writer, &interval);
	tally_clear(scene->tally);
	return error;
}

struct sum { uint64_t rows, ios, n, last_index; bool in_order; };

static int sum_row(void *context, const struct interval_row *row, const struct histogram *service)
{
	struct sum *sum = context;

	sum->in_order = sum->in_order && (!sum->rows || row->index > sum->last_index);
	sum->last_index = row->index;
	sum->rows++;
	sum->ios += row->ios;
	sum->n += row->moments.n;
	return 0;
}

static void everything_arrives_as_it_was_when_given(void **state)
{
	struct scene scene;
	const struct step_record *steps;
	struct sum sum = { .in_order = true };
	uint32_t count;

	scene_init(&scene, NULL);
	for (uint64_t id = 1; id <= 3; id++)
		assert_int_equal(step_put(&scene, id, RUN_RUNNING), 0);
	for (uint64_t i = 0; i < 3000; i++)		/* far more than the queue and the pool hold */
		assert_int_equal(interval_put(&scene, 2, i, i % 5), 0);
	assert_int_equal(step_put(&scene, 2, RUN_COMPLETE), 0);
	assert_int_equal(writer_finish(scene.writer), 0);
	assert_int_equal(store_steps(scene.store, &steps, &count), 0);
	assert_int_equal(count, 3);
	assert_string_equal(steps[1].name, "step");
	assert_string_equal(steps[1].path, "p2");
	assert_string_equal(steps[1].values_json, "{\"bs\":2}");
	assert_int_equal(steps[1].status, RUN_COMPLETE);	/* the later word wins */
	assert_int_equal(store_each_interval(scene.store, 2, -1, false, sum_row, &sum), 0);
	assert_int_equal(sum.rows, 3000);
	assert_int_equal(sum.ios, 3000 / 5 * (0 + 1 + 2 + 3 + 4));
	assert_int_equal(sum.n, sum.ios);
	assert_true(sum.in_order);
	scene_release(&scene);
}

static void events_telemetry_and_logs_are_copied_too(void **state)
{
	struct scene scene;
	char text[32] = "it hangs", name[32] = "temperature_c";
	const struct event_record event = { .t_ns = 5, .step = 1, .kind = "hang", .text = text };
	const struct telemetry_record row = { .t_ns = 7, .target = -1, .name = name, .value = 42 };
	const struct logged_io io = { .submit_ns = 1, .service_ns = 2, .bytes = 4096, .result = 4096 };
	const struct event_record *events;
	uint32_t count;

	scene_init(&scene, NULL);
	assert_int_equal(step_put(&scene, 1, RUN_RUNNING), 0);
	assert_int_equal(writer_event(scene.writer, &event), 0);
	assert_int_equal(writer_telemetry(scene.writer, &row, 1), 0);
	assert_int_equal(writer_outliers(scene.writer, 1, &io, 1), 0);
	assert_int_equal(writer_samples(scene.writer, 1, &io, 1), 0);
	memset(text, 'X', sizeof(text));
	memset(name, 'X', sizeof(name));
	assert_int_equal(writer_finish(scene.writer), 0);
	assert_int_equal(store_events(scene.store, &events, &count), 0);
	assert_int_equal(count, 1);
	assert_string_equal(events[0].text, "it hangs");
	scene_release(&scene);
}

static void it_commits_by_itself_within_a_second(void **state)
{
	struct scene scene;
	struct store *reader;
	struct fault fault = { 0 };
	const struct step_record *steps;
	uint32_t count = 0;

	scene_init(&scene, NULL);
	assert_int_equal(step_put(&scene, 1, RUN_RUNNING), 0);
	for (int tries = 0; tries < 3000 && !count; tries++) {
		usleep(20000);
		assert_int_equal(store_open(scene.path, &reader, &fault), 0);
		assert_int_equal(store_steps(reader, &steps, &count), 0);
		store_close(reader);
	}
	assert_int_equal(count, 1);
	scene_release(&scene);
}

static void after_a_sync_all_that_was_given_is_in_the_file(void **state)
{
	struct scene scene;
	struct store *reader;
	struct fault fault = { 0 };
	const struct step_record *steps;
	uint32_t count = 0;

	scene_init(&scene, NULL);
	for (uint32_t id = 1; id <= 100; id++) {
		assert_int_equal(step_put(&scene, id, RUN_RUNNING), 0);
		if (id % 10)
			continue;
		assert_int_equal(writer_sync(scene.writer), 0);
		assert_int_equal(store_open(scene.path, &reader, &fault), 0);
		assert_int_equal(store_steps(reader, &steps, &count), 0);
		store_close(reader);
		assert_int_equal(count, id);
	}
	assert_int_equal(writer_sync(scene.writer), 0);
	assert_int_equal(writer_finish(scene.writer), 0);
	assert_int_equal(writer_sync(scene.writer), 0);
	scene_release(&scene);
}

static void a_full_disk_is_kept_and_told_by_every_later_call(void **state)
{
	struct scene scene;
	int error = 0;

	if (geteuid()) {
		print_message("# skipped: not root, so no small file system\n");
		skip();
	}
	scene_init(&scene, "size=512k");
	if (!scene.mounted) {
		scene_release(&scene);
		print_message("# skipped: tmpfs cannot be mounted\n");
		skip();
	}
	assert_int_equal(step_put(&scene, 1, RUN_RUNNING), 0);
	for (uint64_t i = 0; i < 200000 && !error; i++)
		error = interval_put(&scene, 1, i, 50);
	assert_int_equal(error, -ENOSPC);
	assert_int_equal(step_put(&scene, 1, RUN_COMPLETE), -ENOSPC);
	assert_int_equal(writer_finish(scene.writer), -ENOSPC);
	scene_release(&scene);
}

static void finishing_twice_and_freeing_nothing_is_fine(void **state)
{
	struct scene scene;

	scene_init(&scene, NULL);
	assert_int_equal(writer_finish(scene.writer), 0);
	assert_int_equal(writer_finish(scene.writer), 0);
	assert_null(writer_free(NULL));
	scene_release(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_arrives_as_it_was_when_given),
		cmocka_unit_test(events_telemetry_and_logs_are_copied_too),
		cmocka_unit_test(it_commits_by_itself_within_a_second),
		cmocka_unit_test(after_a_sync_all_that_was_given_is_in_the_file),
		cmocka_unit_test(a_full_disk_is_kept_and_told_by_every_later_call),
		cmocka_unit_test(finishing_twice_and_freeing_nothing_is_fine),
	};

	return cmocka_run_group_tests_name("writer", tests, NULL, NULL);
}
