#include "fake_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/random.h"

#define SECOND 1000000000ull

const char *const fake_kind_name[FAKE_KINDS] = { "quick", "hour",  "sweep", "rounds",
						 "open",  "empty", "pair",  "hostile" };

struct fake {
	struct store *store;
	struct random random;
	uint64_t next_step, now_ns;
	uint32_t load;		/* of the step, being written; goes to the target of that number */
	struct tally interval, total;
	struct logged_io samples[1024], outliers[1024];	/* of the interval */
	uint32_t sample_count, outlier_count;
	struct run_record run;
	int error;
};

/* One op of one load during one interval. */
struct mix {
	enum io_op op;
	double iops, latency_ns, spread;	/* log-normal: median and sigma */
	uint32_t bytes;
	double slow_share, slow_ns;		/* a second mode */
	double lateness_ns;			/* > 0: open loop */
};

static void keep(struct fake *fake, int error)
{
	if (!fake->error)
		fake->error = error;
}

static double normal(struct random *random)
{
	double a = random_double(random), b = random_double(random);

	return sqrt(-2 * log(1 - a)) * cos(6.283185307179586 * b);
}

static uint64_t draw(struct random *random, const struct mix *mix)
{
	if (mix->slow_share > 0 && random_double(random) < mix->slow_share)
		return (uint64_t)(mix->slow_ns * (0.7 + 0.6 * random_double(random)));
	return (uint64_t)(mix->latency_ns * exp(mix->spread * normal(random)));
}

static void log_io(struct fake *fake, const struct mix *mix, uint64_t at_ns, uint64_t service,
		   uint64_t response, bool sample)
{
	struct logged_io io = { .submit_ns = at_ns,
				.offset = random_below(&fake->random, 1ull << 24) << 12,
				.service_ns = service,
				.response_ns = response,
				.bytes = mix->bytes,
				.load = (uint16_t)fake->load,
				.result = (int32_t)mix->bytes,
				.worker = 0,
				.in_flight = 31,
				.op = mix->op };

	if (sample && fake->sample_count < 1024)
		fake->samples[fake->sample_count++] = io;
	if (!sample && fake->outlier_count < 1024)
		fake->outliers[fake->outlier_count++] = io;
}

static void put_logged(struct fake *fake, uint64_t step)
{
	if (fake->sample_count)
		keep(fake, store_put_samples(fake->store, step, fake->samples, fake->sample_count));
	if (fake->outlier_count)
		keep(fake, store_put_outliers(fake->store, step, fake->outliers, fake->outlier_count));
	fake->sample_count = fake->outlier_count = 0;
}

static void record(struct fake *fake, const struct mix *mix, uint64_t start_ns,
		   uint64_t duration_ns)
{
	struct op_tally *op = &fake->interval.op[mix->op];
	uint64_t count = (uint64_t)(mix->iops * (double)duration_ns / 1e9 + 0.5);

	for (uint64_t i = 0; i < count; i++) {
		uint64_t service = draw(&fake->random, mix), response = service;
		uint64_t at = start_ns + duration_ns * i / count;

		histogram_record(&op->service, service);
		if (mix->lateness_ns > 0) {
			uint64_t late = (uint64_t)(-log(1 - random_double(&fake->random)) * mix->lateness_ns);

			response += late;
			histogram_record(&op->lateness, late);
			histogram_record(&op->response, response);
		}
		for (int j = 0; j < SLOW_BUCKETS; j++)
			op->slow[j] += response >= slow_bucket_ns[j];
		if (response >= 10000000 && (double)response > 4 * mix->latency_ns)
			log_io(fake, mix, at, service, response, false);
		else if (i % 97 == 0)
			log_io(fake, mix, at, service, response, true);
		fake->interval.in_flight_ns += (double)service;
	}
	op->ios += count;
	op->bytes += count * mix->bytes;
}

struct fake_step {
	const char *name, *group, *kind, *values, *steady, *title, *note;
	uint32_t plan_step, round, point, repeat, depth, workers;
	bool open_loop;
};

static uint64_t begin(struct fake *fake, const struct fake_step *step, struct step_record *record)
{
	char path[128];

	snprintf(path, sizeof(path), "%u:%u/%u/%u", step->plan_step, step->round, step->point, step->repeat);
	*record = (struct step_record){
		.id = ++fake->next_step,
		.name = step->name,
		.group_name = step->group,
		.kind = step->kind ? step->kind : "load",
		.title = step->title,
		.note = step->note,
		.plan_step = step->plan_step,
		.round = step->round,
		.point = step->point,
		.repeat = step->repeat,
		.path = path,
		.values_json = step->values ? step->values : "{}",
		.status = RUN_COMPLETE,
		.status_text = "time",
		.started_ns = fake->now_ns,
		.interval_ns = SECOND,
		.steady_json = step->steady,
	};
	keep(fake, store_put_step(fake->store, record));
	tally_clear(&fake->total);
	return record->id;
}

static void interval(struct fake *fake, uint64_t step, uint64_t index, uint64_t start_ns,
		     uint64_t duration_ns, const struct mix *mixes, uint32_t count)
{
	struct interval_record row = {
		.step = step, .load = fake->load, .index = index, .tally = &fake->interval
	};

	tally_clear(&fake->interval);
	fake->interval.start_ns = start_ns;
	fake->interval.end_ns = start_ns + duration_ns;
	fake->interval.spans = 1;
	for (uint32_t i = 0; i < count; i++)
		record(fake, &mixes[i], start_ns, duration_ns);
	keep(fake, store_put_interval(fake->store, &row));
	put_logged(fake, step);
	tally_add(&fake->total, &fake->interval);
}

static void end(struct fake *fake, const struct fake_step *step, struct step_record *record,
		uint64_t duration_ns)
{
	struct load_record load = {
		.step = record->id,
		.load = fake->load,
		.name = step->name,
		.target = fake->load,
		.engine = "io_uring",
		.engine_note = "registered files and buffers",
		.workers = step->workers ? step->workers : 1,
		.depth_asked = step->depth ? step->depth : 1,
		.open_loop = step->open_loop,
		.rate_asked = step->open_loop ? 2000 : 0,
		.range_bytes = 64ull << 30,
		.samples_every = 97,
		.facts_json = "{\"cpu_share\": 0.31}",
		.total = &fake->total,
	};

	fake->total.start_ns = 0;
	fake->total.end_ns = duration_ns;
	keep(fake, store_put_load(fake->store, &load));
	record->duration_ns = duration_ns;
	keep(fake, store_put_step(fake->store, record));
	keep(fake, store_commit(fake->store));
	fake->now_ns += duration_ns;
}

/* A step of `seconds` with the same mix in every second. */
static void plain_step(struct fake *fake, const struct fake_step *step, const struct mix *mixes,
		       uint32_t count, uint32_t seconds)
{
	struct step_record record;
	uint64_t id = begin(fake, step, &record);

	for (uint32_t i = 0; i < seconds; i++)
		interval(fake, id, i, i * SECOND, SECOND, mixes, count);
	end(fake, step, &record, seconds * SECOND);
}

static void quiet_step(struct fake *fake, const struct fake_step *step, uint64_t duration_ns)
{
	struct step_record record;

	begin(fake, step, &record);
	record.duration_ns = duration_ns;
	keep(fake, store_put_step(fake->store, &record));
	fake->now_ns += duration_ns;
}

static void finding(struct fake *fake, const char *kind, const char *step, double value, double low,
		    double high, const char *unit, const char *text)
{
	struct finding_record record = { .kind = kind, .step = step, .value = value, .low = low, .high = high,
					 .unit = unit, .text = text, .data_json = "{\"n\": 12}" };

	keep(fake, store_put_finding(fake->store, &record));
}

static void check(struct fake *fake, const char *name, enum check_result result, const char *text)
{
	struct check_record record = { .name = name, .result = result, .text = text };

	keep(fake, store_put_check(fake->store, &record));
}

static void usual_checks(struct fake *fake)
{
	check(fake, "bytes_match_block_layer", CHECK_PASSED,
	      "The block layer counted the same 81 604 378 624 bytes.");
	check(fake, "queue_depth_reached", CHECK_PASSED,
	      "Every load reached at least 98 % of the queue depth asked for.");
	check(fake, "host_cpu", CHECK_FAILED,
	      "CPU 1 was busy for 97 % of step write: the host may have been the limit.");
	check(fake, "link_speed", CHECK_NOT_APPLICABLE, "A file has no link.");
}

/* -- the kinds -- */

static void quick(struct fake *fake)
{
	static const struct {
		const char *name, *values;
		uint32_t depth, workers, bytes;
		double iops, latency_ns;
		enum io_op op;
	} patterns[] = {
		{ "seq-read-q8", "{\"rw\":\"read\",\"bs\":1048576,\"iodepth\":8,\"numjobs\":1}", 8, 1,
		  1 << 20, 3300, 2400e3, IO_READ },
		{ "seq-read-q1", "{\"rw\":\"read\",\"bs\":1048576,\"iodepth\":1,\"numjobs\":1}", 1, 1,
		  1 << 20, 1900, 510e3, IO_READ },
		{ "rnd-read-q32t16", "{\"rw\":\"randread\",\"bs\":4096,\"iodepth\":32,\"numjobs\":16}", 32,
		  16, 4096, 61000, 700e3, IO_READ },
		{ "rnd-read-q1", "{\"rw\":\"randread\",\"bs\":4096,\"iodepth\":1,\"numjobs\":1}", 1, 1, 4096,
		  11800, 82e3, IO_READ },
		{ "seq-write-q8", "{\"rw\":\"write\",\"bs\":1048576,\"iodepth\":8,\"numjobs\":1}", 8, 1,
		  1 << 20, 2800, 2800e3, IO_WRITE },
		{ "seq-write-q1", "{\"rw\":\"write\",\"bs\":1048576,\"iodepth\":1,\"numjobs\":1}", 1, 1,
		  1 << 20, 2300, 430e3, IO_WRITE },
		{ "rnd-write-q32t16", "{\"rw\":\"randwrite\",\"bs\":4096,\"iodepth\":32,\"numjobs\":16}", 32,
		  16, 4096, 52000, 800e3, IO_WRITE },
		{ "rnd-write-q1", "{\"rw\":\"randwrite\",\"bs\":4096,\"iodepth\":1,\"numjobs\":1}", 1, 1,
		  4096, 41000, 22e3, IO_WRITE },
	};

	fake->run.plan_name = fake->run.plan_report = "quick";
	fake->run.plan_title = "Burst figures, side by side";
	for (uint32_t i = 0; i < 8; i++) {
		for (uint32_t repeat = 0; repeat < 5; repeat++) {
			struct fake_step step = { .name = patterns[i].name,
						  .values = patterns[i].values,
						  .plan_step = i,
						  .repeat = repeat,
						  .depth = patterns[i].depth,
						  .workers = patterns[i].workers };
			struct mix mix = { .op = patterns[i].op, .bytes = patterns[i].bytes, .spread = 0.12,
				.iops = patterns[i].iops * (0.98 + 0.01 * repeat),
				.latency_ns = patterns[i].latency_ns, .slow_share = 4e-5, .slow_ns = 14e6 };

			plain_step(fake, &step, &mix, 1, 2);
		}
	}
	usual_checks(fake);
}

static double hour_iops(uint32_t second, uint32_t seconds)
{
	double share = (double)second / seconds;
	double floor_iops = 420 + 60 * sin(second / 47.0);

	if (share < 0.24)
		return 2400;
	return floor_iops + (share < 0.3 ? 1600 * (0.3 - share) / 0.06 : 0);
}

static void hour_telemetry(struct fake *fake, uint64_t step, uint32_t second, uint32_t seconds)
{
	double warm = 1 - exp(-6.0 * second / seconds);
	struct telemetry_record rows[] = {
		{ .t_ns = fake->now_ns + second * SECOND,
		  .step = step,
		  .target = 0,
		  .name = "temperature_c",
		  .value = 36 + floor(33 * warm) },
		{ .t_ns = fake->now_ns + second * SECOND,
		  .step = step,
		  .target = -1,
		  .name = "cpu_busy",
		  .value = 0.2 },
	};

	keep(fake, store_put_telemetry(fake->store, rows, 2));
}

static void hour_writes(struct fake *fake, uint32_t seconds)
{
	struct fake_step step = { .name = "write",
				  .plan_step = 2,
				  .depth = 32,
				  .values = "{\"rw\":\"randwrite\",\"bs\":4096,\"iodepth\":32,\"numjobs\":1}",
				  .steady = "{\"verdict\":\"time_limited\",\"snia\":{\"met\":true,\"values\":"
					    "[421,419,433,425,418],\"average\":423.2,"
					    "\"slope\":-0.8,\"range_allowed\":84.6,\"range_measured\":15,"
					    "\"slope_allowed\":42.3,\"slope_measured\":3.2},"
					    "\"mser5\":{\"valid\":false,\"from_ns\":3000000000000,\"mean\":423},"
					    "\"trend\":{\"batches\":24,\"tau\":-0.12,\"p\":0.41,\"per_hour\":-0.0031,"
					    "\"low\":-0.011,\"high\":0.004}}" };
	struct step_record record;
	uint64_t id = begin(fake, &step, &record);

	for (uint32_t i = 0; i < seconds; i++) {
		double iops = hour_iops(i, seconds);
		struct mix mix = { .op = IO_WRITE,
				   .bytes = 4096,
				   .iops = iops * (0.93 + 0.14 * random_double(&fake->random)),
				   .latency_ns = 32e9 / iops,
				   .spread = iops < 1000 ? 0.5 : 0.08,
				   .slow_share = iops < 1000 ? 2e-3 : 0,
				   .slow_ns = 320e6 };

		if (i % 900 == 700)
			mix.iops = 0;
		interval(fake, id, i, i * SECOND, SECOND, &mix, 1);
		hour_telemetry(fake, id, i, seconds);
	}
	record.stall_longest_ns = 1180000000;
	keep(fake, store_put_event(fake->store, &(struct event_record){
		.t_ns = seconds * SECOND, .step = id, .kind = "stalls",
		.text = "3 times of 10 ms or more in which I/Os were in flight and none completed",
		.data_json = "{\"target\":0,\"longest_ns\":1180000000,\"count\":{\"ge_10ms\":3},"
			     "\"list\":[[7000000000,1180000000],[9000000000,12000000],[\"x\"]]}" }));
	end(fake, &step, &record, seconds * SECOND);
}

static void hour(struct fake *fake, uint32_t seconds)
{
	struct fake_step purge = {
		.name = "clean", .kind = "purge", .plan_step = 0, .note = "TRIM of the whole range"
	};
	struct fake_step fill = { .name = "fill", .kind = "fill", .plan_step = 1, .depth = 32,
		.values = "{\"rw\":\"write\",\"bs\":131072,\"iodepth\":32,\"numjobs\":1}" };
	struct mix sequential = {
		.op = IO_WRITE, .bytes = 131072, .iops = 3900, .latency_ns = 8.1e6, .spread = 0.1
	};

	fake->run.plan_name = fake->run.plan_report = "steady";
	fake->run.plan_title = "Random writes for an hour, from a filled drive";
	quiet_step(fake, &purge, 2 * SECOND);
	plain_step(fake, &fill, &sequential, 1, 40);
	hour_writes(fake, seconds);
	finding(fake, "cliff", "write", 0.24 * seconds, 0.23 * seconds, 0.25 * seconds, "s",
		"After 14 min 24 s random writes fall from 2 400 to 420 IOPS, to 18 % of the start.");
	finding(fake, "stall", "write", 1.18, NAN, NAN, "s", "The drive answered nothing for 1.18 s, once.");
	usual_checks(fake);
}

static void sweep_depth(struct fake *fake)
{
	char values[160];

	for (uint32_t i = 0; i <= 8; i++) {
		uint32_t depth = 1u << i;
		struct fake_step step = {
			.name = "mixed", .values = values, .plan_step = 0, .point = i, .depth = depth
		};
		double iops = 60000.0 * depth / (depth + 14.0);
		struct mix mixes[] = {
			{ .op = IO_READ,
			  .bytes = 4096,
			  .iops = iops * 0.7,
			  .latency_ns = depth * 1e9 / iops,
			  .spread = 0.2,
			  .slow_share = 1e-4,
			  .slow_ns = 12e6 },
			{ .op = IO_WRITE,
			  .bytes = 4096,
			  .iops = iops * 0.3,
			  .latency_ns = depth * 0.6e9 / iops,
			  .spread = 0.4 },
		};

		snprintf(values, sizeof(values),
			 "{\"rw\":\"randrw\",\"rwmixread\":70,\"bs\":4096,\"iodepth\":%u,\"numjobs\":1}",
			 depth);
		plain_step(fake, &step, mixes, 2, 4);
	}
}

static void sweep_matrix(struct fake *fake)
{
	static const uint32_t sizes[] = { 4096, 8192, 32768, 131072 }, threads[] = { 1, 4, 8, 16, 32 };
	char values[160];

	for (uint32_t i = 0; i < 20; i++) {
		uint32_t bytes = sizes[i / 5], jobs = threads[i % 5];
		struct fake_step step = {
			.name = "read", .values = values, .plan_step = 1, .point = i, .workers = jobs
		};
		double iops = fmin(9000.0 * jobs / (1 + 0.03 * jobs), 1.7e9 / bytes);
		struct mix mix = { .op = IO_READ,
				   .bytes = bytes,
				   .iops = iops,
				   .latency_ns = jobs * 1e9 / iops,
				   .spread = 0.25 };

		snprintf(values, sizeof(values),
			 "{\"rw\":\"randread\",\"bs\":%u,\"iodepth\":1,\"numjobs\":%u}", bytes, jobs);
		plain_step(fake, &step, &mix, 1, 2);
	}
}

static void sweep(struct fake *fake)
{
	fake->run.plan_name = "sweeps";
	fake->run.plan_title = "Queue depth, and block size x threads";
	sweep_depth(fake);
	sweep_matrix(fake);
}

static void rounds(struct fake *fake)
{
	static const uint32_t sizes[] = { 4096, 8192, 65536, 1048576 };
	char values[160];

	fake->run.plan_name = fake->run.plan_report = "pts-iops";
	fake->run.plan_title = "SNIA PTS IOPS, shortened";
	for (uint32_t round = 0; round < 8; round++) {
		for (uint32_t i = 0; i < 4; i++) {
			struct fake_step step = { .name = "matrix",
						  .group = "rounds",
						  .values = values,
						  .plan_step = 1,
						  .round = round,
						  .point = i,
						  .depth = 16,
						  .workers = 2,
						  .steady = round == 7 && i == 0 ? "{\"verdict\":\"steady\","
										   "\"snia\":{\"met\":true}}"
										 : NULL };
			double iops = 14000 / (1 + sizes[i] / 32768.0) * (1 + 0.9 * exp(-0.8 * round));
			struct mix mix = { .op = IO_WRITE,
					   .bytes = sizes[i],
					   .iops = iops * (0.99 + 0.02 * random_double(&fake->random)),
					   .latency_ns = 32e9 / iops,
					   .spread = 0.3 };

			snprintf(values, sizeof(values),
				 "{\"rw\":\"randwrite\",\"rwmixread\":0,\"bs\":%u,\"iodepth\":16,\"numjobs\":"
				 "2}",
				 sizes[i]);
			plain_step(fake, &step, &mix, 1, 2);
		}
	}
}

static void open_loop(struct fake *fake)
{
	struct fake_step step = { .name = "poisson",
				  .values = "{\"rw\":\"randrw\",\"bs\":4096,\"iodepth\":64}",
				  .depth = 64,
				  .open_loop = true };
	struct mix mixes[] = {
		{ .op = IO_READ,
		  .bytes = 4096,
		  .iops = 1400,
		  .latency_ns = 90e3,
		  .spread = 0.2,
		  .lateness_ns = 300e3 },
		{ .op = IO_WRITE,
		  .bytes = 4096,
		  .iops = 600,
		  .latency_ns = 25e3,
		  .spread = 0.2,
		  .lateness_ns = 300e3,
		  .slow_share = 1e-3,
		  .slow_ns = 40e6 },
		{ .op = IO_TRIM, .bytes = 65536, .iops = 20, .latency_ns = 1.4e6, .spread = 0.2 },
		{ .op = IO_FLUSH, .iops = 12, .latency_ns = 3e6, .spread = 0.2 },
		{ .op = IO_FSYNC, .iops = 3, .latency_ns = 6e6, .spread = 0.2 },
	};

	fake->run.plan_name = "open";
	plain_step(fake, &step, mixes, 5, 60);
}

static void pair(struct fake *fake)
{
	struct fake_step step = { .name = "both",
				  .values = "{\"rw\":\"randread\",\"bs\":4096,\"iodepth\":8}",
				  .depth = 8 };
	struct step_record record;
	uint64_t id = begin(fake, &step, &record);

	fake->run.plan_name = "pair";
	for (fake->load = 0; fake->load < 2; fake->load++) {
		struct mix mix = { .op = IO_READ,
				   .bytes = 4096,
				   .iops = 3000.0 / (1 + fake->load),
				   .latency_ns = 2.6e6 * (1 + fake->load),
				   .spread = 0.2 };

		tally_clear(&fake->total);
		for (uint32_t i = 0; i < 130; i++)
			interval(fake, id, i, i * SECOND, SECOND, &mix, 1);
		end(fake, &step, &record, 130 * SECOND);
		fake->now_ns -= 130 * SECOND;
	}
	fake->now_ns += 130 * SECOND;
}

static void empty(struct fake *fake)
{
	struct fake_step none = { .name = "nothing", .plan_step = 0 },
			 instant = { .name = "instant", .plan_step = 1 };
	struct fake_step idle = { .name = "rest", .kind = "idle", .plan_step = 2 },
			 few = { .name = "four", .plan_step = 3 };
	struct mix four = { .op = IO_READ, .bytes = 4096, .iops = 1, .latency_ns = 30e9, .spread = 0.001 };

	fake->run.plan_name = "empty";
	fake->run.status = RUN_INTERRUPTED;
	fake->run.status_text = "interrupted by the user (SIGINT) in step four";
	plain_step(fake, &none, NULL, 0, 3);
	plain_step(fake, &instant, NULL, 0, 0);
	quiet_step(fake, &idle, 30 * SECOND);
	plain_step(fake, &few, &four, 1, 4);
}

#define NASTY                                                                                                \
	"<script>alert(1)</script> \"q\" 'a' & \t tab \n line \x1b[31m \xff\xc3( caf\xc3\xa9 "               \
	"\xf0\x9f\x94\xa5 \\"

static void hostile(struct fake *fake)
{
	struct fake_step step = { .name = NASTY,
				  .kind = NASTY,
				  .group = NASTY,
				  .title = NASTY,
				  .note = NASTY,
				  .values = "{\"rw\":\"</"
					    "td><script>\",\"bs\":\"\\u0001\\\"\",\"big\":9007199254740993,"
					    "\"x\":1e308}",
				  .steady = "{\"verdict\":\"<b>\"}" };
	struct mix mix = { .op = IO_WRITE,
			   .bytes = 4096,
			   .iops = 50,
			   .latency_ns = 1e6,
			   .spread = 0.3,
			   .slow_share = 0.1,
			   .slow_ns = 3e9 };
	struct event_record event = {
		.t_ns = 5, .step = 1, .kind = NASTY, .text = NASTY, .data_json = "not json \x01"
	};

	fake->run.plan_name = fake->run.plan_title = fake->run.plan_source = fake->run.plan_text = NASTY;
	fake->run.status = RUN_FAILED;
	fake->run.status_text = NASTY;
	fake->run.host_json = "{\"os\": NaN}";
	fake->run.seed = INT64_MAX;
	plain_step(fake, &step, &mix, 1, 20);
	finding(fake, NASTY, NASTY, 1e308, NAN, NAN, NASTY, NASTY);
	check(fake, NASTY, CHECK_FAILED, NASTY);
	keep(fake, store_put_event(fake->store, &event));
}

static void put_drive(struct fake *fake, uint32_t target, bool hostile_words)
{
	struct drive_record drive = {
		.target = target,
		.name = hostile_words ? NASTY
			: target      ? "sim:second"
				      : "sim:sn850",
		.kind = "sim",
		.id = "",
		.model = hostile_words ? NASTY : "Simulated SN850",
		.serial = "SIM0001",
		.firmware = "1.0",
		.interface_name = "PCIe 4.0 x4",
		.capacity_bytes = 1000204886016,
		.block_bytes = 512,
		.longest_stall_ns = hostile_words ? INT64_MAX : 1180000000,
		.before_json = "{\"temperature_c\":36,\"queue\":{\"scheduler\":\"none\",\"nr_requests\":1023}"
			       ",\"write_cache\":true}",
		.after_json = "{\"temperature_c\":69,\"queue\":{\"scheduler\":\"none\",\"nr_requests\":1023},"
			      "\"write_cache\":true}",
		.truth_json = "{\"slc_cache_bytes\":300000000000,\"spare_share\":0.07,\"write_"
			      "amplification\":3.4}",
	};

	keep(fake, store_put_drive(fake->store, &drive));
}

static void start(struct fake *fake)
{
	fake->run = (struct run_record){
		.id = "0123456789abcdef0123456789abcdef",
		.version = "0.1.0",
		.started_wall_ns = 1769860800ull * SECOND,
		.status = RUN_COMPLETE,
		.plan_source = "built-in",
		.plan_text = "[global]\nbs=4k ; four\n[write]\nrw=randwrite\n",
		.command_line = "[\"ssdassay\",\"run\",\"quick\",\"sim:sn850\"]",
		.scale = 1,
		.seed = 1,
		.host_json = "{\"cpu\":{\"model\":\"Ryzen "
			     "7\",\"cores\":8},\"kernel\":\"6.12.0\",\"memory_bytes\":34359738368}",
		.clock = "virtual",
		.ceiling_iops = 1900000,
	};
	keep(fake, store_put_run(fake->store, &fake->run));
}

static void fill(struct fake *fake, enum fake_kind kind, uint32_t seconds)
{
	switch (kind) {
	case FAKE_QUICK: quick(fake); break;
	case FAKE_HOUR: hour(fake, seconds ? seconds : 3600); break;
	case FAKE_SWEEP: sweep(fake); break;
	case FAKE_ROUNDS: rounds(fake); break;
	case FAKE_OPEN: open_loop(fake); break;
	case FAKE_EMPTY: empty(fake); break;
	case FAKE_PAIR: pair(fake); break;
	case FAKE_HOSTILE: hostile(fake); break;
	case FAKE_KINDS: break;
	}
}

int fake_run(const char *path, enum fake_kind kind, uint32_t seconds, uint64_t seed)
{
	struct fake *fake = calloc(1, sizeof(*fake));
	int error;

	if (!fake)
		return -1;
	random_init(&fake->random, seed, kind);
	for (int i = 0; i < IO_OPS; i++) {
		histogram_clear(&fake->interval.op[i].service);
		histogram_clear(&fake->interval.op[i].response);
		histogram_clear(&fake->interval.op[i].lateness);
	}
	fake->total = fake->interval;
	error = store_create(path, &fake->store, NULL);
	if (!error) {
		start(fake);
		put_drive(fake, 0, kind == FAKE_HOSTILE);
		if (kind == FAKE_PAIR)
			put_drive(fake, 1, false);
		fill(fake, kind, seconds);
		fake->run.duration_ns = fake->run.wall_duration_ns = fake->now_ns;
		keep(fake, store_put_run(fake->store, &fake->run));
		keep(fake, store_commit(fake->store));
		error = fake->error;
	}
	store_close(fake->store);
	free(fake);
	return error;
}
