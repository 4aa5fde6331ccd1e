/* Whose limit was it: one row for each verdict, on facts read from the captured machines of tests/sysfs, and
 * a second of a load written by hand. */
#include <jansson.h>
#include "../drive/tree.h"
#include "drive/drive.h"
#include "made_run.h"

/* What one second of sequential reads and its worker looked like. */
struct row {
	const char *tree, *path;		/* the machine and the drive that was read */
	double bytes_per_second, depth_asked, depth_reached, worker_cpu;	/* worker_cpu: share; below 0: not known */
	double temperature_c;			/* 0 = not known */
	const char *verdict, *says, *tag;	/* tag: one that must be there; NULL = none at all */
	double irq, irq_busiest;		/* share of all four CPUs' time, and of the busiest one's; 0 = not known */
	uint32_t pauses;			/* of the host in that second */
	int drive_node;				/* > 0: instead of what the machine says */
	double written;				/* bytes per second on top */
};

static const struct row rows[] = {
	{ "laptop", "/dev/nvme0n1", 1.0e9, 32, 32, 0.4, 0, "drive", "the drive was the limit, not the computer", NULL },
	{ "laptop", "/dev/nvme0n1", 3.4e9, 32, 32, 0.4, 0, "link",
	  "the link to the drive was the limit, not the drive (PCIe 3.0 x4 carries 3.58 GB/s); the link was used to 95.1 %",
	  "link_limited" },
	{ "server", "/dev/sda", 0.53e9, 32, 32, 0.2, 0, "link", "not the drive (SATA 6 Gb/s carries 555 MB/s)", "link_limited" },
	/* PCIe carries so much each way at once, SATA both ways together */
	{ "laptop", "/dev/nvme0n1", 2.0e9, 32, 32, 0.4, 0, "drive", "the link was used to 55.9 %", NULL, .written = 1.4e9 },
	{ "laptop", "/dev/nvme0n1", 1.4e9, 32, 32, 0.4, 0, "link", "the link was used to 95.1 %", "link_limited", .written = 3.4e9 },
	{ "server", "/dev/sda", 0.30e9, 32, 32, 0.2, 0, "link", "the link was used to 95.5 %", "link_limited", .written = 0.23e9 },
	{ "server", "/dev/sda", 0.30e9, 32, 32, 0.2, 0, "drive", "the drive was the limit", NULL },
	{ "laptop", "/dev/nvme0n1", 1.0e9, 32, 10, 0.99, 0, "host_cpu",
	  "the computer's CPU was the limit, not the drive; the busiest worker used 99 % of a CPU (full from 95 % on)",
	  "cpu_limited" },
	{ "laptop", "/dev/nvme0n1", 1.0e9, 32, 10, 0.3, 0, "host_queue", "31.3 % of the I/Os asked for were in flight",
	  "queue_limited" },
	{ "laptop", "/dev/nvme0n1", 1.0e9, 32, 32, 0.4, 82, "thermal", "heat was the limit; it was 82.0 °C hot (it warns at 81.85 °C)", "throttled" },
	{ "laptop", "/dev/nvme0n1", 1.0e9, 32, 32, 0.4, 81, "drive", "the drive was the limit", NULL },
	{ "laptop", "/dev/nvme0n1", 1.0e9, 32, 32, 0.4, 60, "drive", "the drive was the limit", NULL },
	{ "laptop", "/dev/nvme0n1", 1.0e9, 32, 32, -1, 0, "unknown", "what would tell: CPU time of the workers", NULL },
	/* what the computer did beside it */
	{ "laptop", "/dev/nvme0n1", 1.0e9, 32, 32, 0.4, 0, "host_cpu", "one CPU spent 90 % of its time on interrupts", "irq_limited",
	  .irq = 0.25, .irq_busiest = 0.9 },
	{ "laptop", "/dev/nvme0n1", 1.0e9, 32, 32, 0.4, 0, "drive", "one CPU did 100 % of all interrupt work", "placement",
	  .irq = 0.1, .irq_busiest = 0.4 },
	{ "laptop", "/dev/nvme0n1", 1.0e9, 32, 32, 0.4, 0, "drive", "the drive was the limit", NULL, .irq = 0.1, .irq_busiest = 0.2 },
	{ "laptop", "/dev/nvme0n1", 1.0e9, 32, 32, 0.4, 0, "drive",
	  "5 % of the wake-ups of a thread that watches the computer came late (noisy above 0.1 %); the longest pause took 3.00 "
	  "ms; so the computer was noisy", "noisy", .pauses = 50 },
	{ "laptop", "/dev/nvme0n1", 1.0e9, 32, 32, 0.4, 0, "drive", "the drive was the limit", NULL, .pauses = 1 },
	{ "laptop", "/dev/nvme0n1", 1.0e9, 32, 32, 0.4, 0, "drive", "a worker ran on NUMA node 0, the drive belongs to node 1",
	  "placement", .drive_node = 1 },
};

static char *facts_of(const struct row *row)
{
	struct drive_facts facts = { 0 };
	struct fault fault = { 0 };
	struct tree tree;
	char *text;

	tree_unpack(&tree, row->tree);
	if (drive_find(&tree.machine, row->path, &facts, &fault))
		fail_msg("%s", fault.text);
	if (row->drive_node)
		facts.numa_node = row->drive_node;
	text = drive_facts_json(&facts);
	assert_non_null(text);
	drive_facts_release(&facts);
	tree_remove(&tree);
	return text;
}

/* Blocks of 128 KiB for a second, at the time each that Little's law wants. */
static void load_make(struct made_run *made, const struct row *row, char *worker_json)
{
	const uint64_t ios = (uint64_t)(row->bytes_per_second / 131072), written = (uint64_t)(row->written / 131072);

	tally_clear(made->total);
	made->total->end_ns = 1000000000;
	made->total->spans = 1;
	made->total->in_flight_ns = row->depth_reached * 1e9;
	made_run_add(made, IO_READ, ios, 131072, (uint64_t)(row->depth_reached * 1e9 / (double)(ios + written)));
	made_run_add(made, IO_WRITE, written, 131072, (uint64_t)(row->depth_reached * 1e9 / (double)(ios + written)));
	made->load.depth_asked = (uint32_t)row->depth_asked;
	made->step.values_json = "{\"bs\":131072,\"rw\":\"read\"}";
	if (row->worker_cpu < 0)
		return;
	sprintf(worker_json, "{\"workers\":[{\"cpu_user_ns\":%.0f,\"cpu_system_ns\":0,\"finished_ns\":1000000000,\"numa_node\":0}]}",
		row->worker_cpu * 1e9);
	made->load.facts_json = worker_json;
}

static const struct finding_record *bottleneck_found(struct made_run *made)
{
	const struct finding_record *findings;
	uint32_t count;

	assert_int_equal(store_findings(made->store, &findings, &count), 0);
	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(findings[i].kind, "bottleneck"))
			return &findings[i];
	fail_msg("no verdict");
	return NULL;
}

static void finding_is(const struct finding_record *finding, const struct row *row)
{
	json_t *data = json_loads(finding->data_json, 0, NULL);
	json_t *tags = json_object_get(json_array_get(json_object_get(data, "loads"), 0), "tags");
	bool tagged = !row->tag && !json_array_size(tags);

	for (size_t i = 0; i < json_array_size(tags) && row->tag; i++)
		tagged = tagged || !strcmp(json_string_value(json_array_get(tags, i)), row->tag);
	if (strcmp(json_string_value(json_object_get(data, "verdict")), row->verdict) ||
	    !strstr(finding->text, row->says) || !tagged)
		fail_msg("row %zu: %s", (size_t)(row - rows), finding->text);
	json_decref(data);
}

static void host_put(struct made_run *made, const struct row *row)
{
	struct telemetry_record readings[] = {
		{ .t_ns = 500000000, .step = 1, .target = -1, .name = "cpu_irq", .value = row->irq },
		{ .t_ns = 500000000, .step = 1, .target = -1, .name = "cpu_irq_busiest", .value = row->irq_busiest },
	};
	char json[64];
	struct event_record event = { .t_ns = 900000000, .step = 1, .kind = "hiccup", .text = "pauses", .data_json = json };

	sprintf(json, "{\"pauses\":%u,\"pause_ns_max\":3000000}", row->pauses);
	if (row->irq > 0)
		assert_int_equal(store_put_telemetry(made->store, readings, 2), 0);
	if (row->pauses)
		assert_int_equal(store_put_event(made->store, &event), 0);
}

static void row_judge(const struct row *row)
{
	struct telemetry_record warm = { .t_ns = 500000000, .step = 1, .name = "temperature_c", .value = row->temperature_c };
	char worker_json[160], *facts = facts_of(row);
	struct made_run made;

	made_run_init(&made);
	made.drive.before_json = made.drive.after_json = facts;
	made.run.host_json = "{\"cpus_online\":4}";
	load_make(&made, row, worker_json);
	made_run_write(&made);
	if (row->temperature_c > 0)
		assert_int_equal(store_put_telemetry(made.store, &warm, 1), 0);
	host_put(&made, row);
	made_run_conclude(&made, NULL);
	finding_is(bottleneck_found(&made), row);
	made_run_release(&made);
	free(facts);
}

static void each_verdict_is_reached(void **state)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		row_judge(&rows[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_verdict_is_reached),
	};

	return cmocka_run_group_tests_name("bottlenecks", tests, NULL, NULL);
}
