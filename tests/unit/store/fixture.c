#include "fixture.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int fixture_setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	if (!fixture)
		return -1;
	strcpy(fixture->directory, "/dev/shm/store-test-XXXXXX");	/* in memory: fsync is quick there */
	if (!mkdtemp(fixture->directory)) {
		strcpy(fixture->directory, "/tmp/store-test-XXXXXX");
		if (!mkdtemp(fixture->directory))
			return -1;
	}
	snprintf(fixture->path, sizeof(fixture->path), "%s/run.assay", fixture->directory);
	*state = fixture;
	return 0;
}

void fixture_remove_run(struct fixture *fixture)
{
	static const char *const suffixes[] = { "", "-wal", "-shm", "-journal" };
	char name[128];

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		snprintf(name, sizeof(name), "%s%s", fixture->path, suffixes[i]);
		unlink(name);
	}
}

int fixture_teardown(void **state)
{
	struct fixture *fixture = *state;

	fixture_remove_run(fixture);
	rmdir(fixture->directory);
	free(fixture);
	return 0;
}

struct tally *tally_new(void)
{
	struct tally *tally = calloc(1, sizeof(*tally));

	if (tally)
		tally_clear(tally);
	return tally;
}

/* 80 us in most cases, 2 ms in some, 15 ms in few: as drives are. */
static uint64_t service_time(struct random *random)
{
	uint64_t draw = random_below(random, 1000);
	uint64_t base = draw < 900 ? 80000 : draw < 998 ? 2000000 : 15000000;

	return base + random_below(random, base / 4);
}

static void op_fill(struct op_tally *op, struct random *random, uint32_t ios, bool open)
{
	for (uint32_t i = 0; i < ios; i++) {
		uint64_t service = service_time(random), late = random_below(random, 5000);

		op->ios++;
		op->bytes += 4096;
		op->slow[0] += service >= 10000000;
		histogram_record(&op->service, service);
		if (open) {
			histogram_record(&op->response, service + late);
			histogram_record(&op->lateness, late);
		}
	}
}

void tally_fill(struct tally *tally, struct random *random, uint64_t index, uint32_t ios, bool open)
{
	tally->start_ns = index * 1000000000;
	tally->end_ns = (index + 1) * 1000000000;
	tally->spans = 1;
	tally->in_flight_ns = 31.5e9;
	op_fill(&tally->op[IO_READ], random, ios, open);
	if (index % 2)
		op_fill(&tally->op[IO_WRITE], random, ios / 2, open);
	tally->op[IO_READ].errors += index % 5 == 0;
}

void logged_fill(struct logged_io *io, struct random *random, uint64_t submit_ns)
{
	*io = (struct logged_io){
		.submit_ns = submit_ns,
		.offset = random_below(random, 1 << 28) * 4096,
		.service_ns = service_time(random),
		.bytes = 4096,
		.result = 4096,
		.worker = (uint16_t)random_below(random, 4),
		.in_flight = (uint16_t)random_below(random, 33),
		.op = IO_READ,
	};
	io->response_ns = io->service_ns;
	if (random_below(random, 50) == 0) {
		io->result = -EIO;
		io->flags = LOGGED_ERROR;
	}
}

static void put_head(struct store *store, uint64_t step, uint32_t intervals)
{
	struct run_record run = {
		.id = "0123456789abcdef0123456789abcdef",
		.version = "0.1.0",
		.started_wall_ns = 1700000000000000000,
		.status = RUN_RUNNING,
		.plan_name = "quick",
		.plan_title = "Quick look",
		.plan_text = "[read]\nrw=randread\n",
		.command_line = "[\"ssdassay\",\"run\"]",
		.scale = 1,
		.seed = 0xf123456789abcdef,
		.host_json = "{}",
		.clock = "vdso",
	};
	struct drive_record drive = {
		.name = "sim:mlc",
		.kind = "sim",
		.id = "",
		.model = "Imaginary",
		.serial = "X",
		.firmware = "1",
		.interface_name = "none",
		.capacity_bytes = 512000000000,
		.block_bytes = 512,
		.before_json = "{\"a\":1}",
	};
	struct step_record record = {
		.id = step,
		.name = "read",
		.kind = "load",
		.path = "0",
		.values_json = "{\"bs\":4096}",
		.status = RUN_COMPLETE,
		.status_text = "time",
		.duration_ns = intervals * 1000000000ull,
		.interval_ns = 1000000000,
	};

	store_put_run(store, &run);
	store_put_drive(store, &drive);
	store_put_step(store, &record);
}

static void put_tail(struct store *store, uint64_t step)
{
	struct event_record event = {
		.t_ns = 5, .step = step, .kind = "warning", .text = "a bit warm", .data_json = "{}",
		.said_json = "[[\"a bit %s\",\"warm\"]]"
	};
	struct finding_record finding = {
		.kind = "steady",
		.step = "read",
		.step_id = step,
		.value = 42.5,
		.low = 40,
		.high = NAN,
		.unit = "IOPS",
		.text = "Steady.",
		.data_json = "{\"x\":1}",
		.said_json = "[[\"Steady.\"]]",
	};
	struct check_record check = { .name = "bytes_match_block_layer",
				      .result = CHECK_PASSED,
				      .text = "equal",
				      .said_json = "[[\"equal\"]]" };

	store_put_event(store, &event);
	store_put_finding(store, &finding);
	store_put_check(store, &check);
}

static void put_second(struct store *store, uint64_t step, uint64_t index, struct random *random)
{
	struct telemetry_record telemetry[2] = {
		{ .t_ns = index * 1000000000,
		  .step = step,
		  .target = 0,
		  .name = "temperature_c",
		  .value = 40.5 },
		{ .t_ns = index * 1000000000, .step = step, .target = -1, .name = "cpu_busy", .value = 0.25 },
	};
	struct logged_io ios[8];

	for (int i = 0; i < 8; i++)
		logged_fill(&ios[i], random, index * 1000000000 + (uint64_t)i * 1000);
	store_put_outliers(store, step, ios, 2);
	store_put_samples(store, step, ios, 8);
	store_put_telemetry(store, telemetry, 2);
}

void run_fill(struct store *store, uint64_t step, uint32_t intervals, uint64_t seed)
{
	struct tally *tally = tally_new(), *total = tally_new();
	struct load_record load = { .step = step,
				    .name = "read",
				    .engine = "sim",
				    .workers = 2,
				    .depth_asked = 16,
				    .open_loop = true,
				    .rate_asked = 1000,
				    .range_bytes = 1 << 30,
				    .samples_every = 16 };
	struct random random;

	random_init(&random, seed, step);
	put_head(store, step, intervals);
	for (uint32_t i = 0; i < intervals; i++) {
		struct interval_record interval = { .step = step, .index = i, .tally = tally };

		tally_clear(tally);
		tally_fill(tally, &random, i, 100, true);
		tally_add(total, tally);
		store_put_interval(store, &interval);
		put_second(store, step, i, &random);
	}
	load.total = total;
	store_put_load(store, &load);
	put_tail(store, step);
	store_commit(store);
	free(tally);
	free(total);
}

/* -- reading everything -- */

static int count_interval(void *context, const struct interval_row *row, const struct histogram *histogram)
{
	uint64_t *rows = context;

	*rows += 1;
	if (histogram && histogram->moments.n)
		return histogram_percentile(histogram, 0.99) > row->moments.max_ns ? -EBADMSG : 0;
	return 0;
}

static int touch_io(void *context, uint64_t step, const struct logged_io *io)
{
	uint64_t *sum = context;

	*sum += step + io->service_ns + io->op;
	return 0;
}

static int touch_telemetry(void *context, const struct telemetry_record *row)
{
	uint64_t *sum = context;

	*sum += strlen(row->name);
	return 0;
}

static void keep_first(int *first, int result)
{
	if (result < 0 && *first == 0)
		*first = result;
}

static uint64_t text_bytes(const char *text)
{
	return text ? strlen(text) : 0;
}

static int read_small(struct store *store, uint64_t *sum)
{
	const struct run_record *run;
	const struct drive_record *drives;
	const struct finding_record *findings;
	const struct check_record *checks;
	const struct event_record *events;
	uint32_t count;
	int first = store_run(store, &run);

	if (first == 0)
		*sum += text_bytes(run->plan_text);
	keep_first(&first, store_drives(store, &drives, &count));
	keep_first(&first, store_findings(store, &findings, &count));
	keep_first(&first, store_checks(store, &checks, &count));
	keep_first(&first, store_events(store, &events, &count));
	return first;
}

static int read_loads(struct store *store, uint64_t *sum)
{
	const struct load_record *loads;
	uint32_t count;
	int result = store_loads(store, &loads, &count);

	for (uint32_t i = 0; result == 0 && i < count; i++) {
		for (int op = 0; loads[i].total && op < IO_OPS; op++)
			*sum += histogram_percentile(&loads[i].total->op[op].service, 0.999) +
				loads[i].total->op[op].ios;
		*sum += text_bytes(loads[i].name);
	}
	return result;
}

static int read_step(struct store *store, uint64_t step, uint64_t *rows)
{
	struct store_series series;
	int first = store_each_interval(store, step, -1, true, count_interval, rows);
	uint64_t ignored = 0;

	for (enum latency_kind kind = 0; kind < LATENCY_KINDS; kind++) {
		int result = store_step_series(store, step, STORE_ALL, STORE_ALL, kind, &series);

		keep_first(&first, result);
		if (result == 0)
			store_series_release(&series);
	}
	keep_first(&first,
		   store_each_interval_of(store, step, 0, LATENCY_RESPONSE, true, count_interval, &ignored));
	return first;
}

int run_read_all(struct store *store, uint64_t *ret_rows)
{
	const struct step_record *steps;
	uint64_t sum = 0, rows = 0;
	uint32_t count = 0;
	int first = read_small(store, &sum);

	keep_first(&first, read_loads(store, &sum));
	keep_first(&first, store_each_outlier(store, 0, touch_io, &sum));
	keep_first(&first, store_each_failed(store, touch_io, &sum));
	keep_first(&first, store_each_sample(store, 0, touch_io, &sum));
	keep_first(&first, store_each_telemetry(store, touch_telemetry, &sum));
	keep_first(&first, store_steps(store, &steps, &count));
	for (uint32_t i = 0; i < count && i < 3; i++)
		keep_first(&first, read_step(store, steps[i].id, &rows));
	*ret_rows = rows;
	return first;
}
