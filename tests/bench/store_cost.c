/* What the run file costs: microseconds of the writer thread per interval and per second of a run, megabytes
 * per hour, and how fast a run of many hours is read. Usage: store_cost [SECONDS [IOPS]]; prints one figure a
 * line. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/random.h"
#include "store/store.h"

struct bench {
	struct store *store;
	struct random random;
	struct tally *tally;
	uint32_t seconds, iops;
	uint64_t cpu_ns, commit_ns;
};

static uint64_t cpu_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Four modes, each with a spread: cache hit, read, queued, collection. */
static uint64_t service_time(struct random *random)
{
	static const uint64_t mode_ns[] = { 80000, 120000, 900000, 9000000 };
	static const uint32_t share[] = { 600, 950, 995, 1000 };
	uint64_t draw = random_below(random, 1000), mode = 0;
	double spread;

	while (draw >= share[mode])
		mode++;
	spread = random_double(random) + random_double(random) + random_double(random) - 1.5;
	return (uint64_t)((double)mode_ns[mode] * (1 + 0.35 * spread));
}

static void fill_op(struct bench *bench, struct op_tally *op, uint32_t ios)
{
	op->ios = ios;
	op->bytes = ios * 4096ull;
	for (uint32_t i = 0; i < ios; i++)
		histogram_record(&op->service, service_time(&bench->random));
}

static uint64_t file_bytes(const char *path)
{
	struct stat status;

	return stat(path, &status) < 0 ? 0 : (uint64_t)status.st_size;
}

static uint64_t timed(struct bench *bench, uint64_t start)
{
	uint64_t spent = cpu_now_ns() - start;

	bench->cpu_ns += spent;
	return spent;
}

/* One load with reads and writes; a new distribution every 64 seconds, moved between. */
static void write_series(struct bench *bench)
{
	for (uint32_t i = 0; i < bench->seconds; i++) {
		struct interval_record interval = { .step = 1, .index = i, .tally = bench->tally };
		uint64_t start;

		if (i % 64 == 0) {
			tally_clear(bench->tally);
			fill_op(bench, &bench->tally->op[IO_READ], bench->iops / 2);
			fill_op(bench, &bench->tally->op[IO_WRITE], bench->iops / 2);
		}
		bench->tally->start_ns = i * 1000000000ull;
		bench->tally->end_ns = (i + 1) * 1000000000ull;
		start = cpu_now_ns();
		store_put_interval(bench->store, &interval);
		timed(bench, start);
		start = cpu_now_ns();
		store_commit(bench->store);
		bench->commit_ns += timed(bench, start);
	}
}

static void write_ios(struct bench *bench, uint32_t per_second, int (*put)(struct store *, uint64_t,
		      const struct logged_io *, uint32_t))
{
	struct logged_io *ios = calloc(per_second, sizeof(*ios));

	for (uint32_t i = 0; ios && i < bench->seconds; i++) {
		uint64_t start;

		for (uint32_t k = 0; k < per_second; k++)
			ios[k] = (struct logged_io){
				.submit_ns = i * 1000000000ull + k * (1000000000ull / per_second) +
					     random_below(&bench->random, 100000),
				.offset = random_below(&bench->random, 1ull << 27) * 4096,
				.bytes = 4096,
				.result = 4096,
				.service_ns = service_time(&bench->random),
				.op = (uint8_t)random_below(&bench->random, 2),
				.worker = (uint16_t)random_below(&bench->random, 4),
				.in_flight = 32,
			};
		for (uint32_t k = 0; k < per_second; k++)
			ios[k].response_ns = ios[k].service_ns;
		start = cpu_now_ns();
		put(bench->store, 1, ios, per_second);
		store_commit(bench->store);
		timed(bench, start);
	}
	free(ios);
}

static void write_telemetry(struct bench *bench, uint32_t per_second)
{
	for (uint32_t i = 0; i < bench->seconds; i++) {
		uint64_t start = cpu_now_ns();

		for (uint32_t k = 0; k < per_second; k++) {
			char name[16];
			struct telemetry_record row = {
				.t_ns = i * 1000000000ull, .step = 1, .name = name, .value = i * 0.37
			};

			snprintf(name, sizeof(name), "counter_%u", k);
			store_put_telemetry(bench->store, &row, 1);
		}
		store_commit(bench->store);
		timed(bench, start);
	}
}

static int count_row(void *context, const struct interval_row *row, const struct histogram *histogram)
{
	uint64_t *count = context;

	*count += 1 + (histogram && histogram->moments.n == UINT64_MAX) + (row->ios == UINT64_MAX);
	return 0;
}

static int count_io(void *context, uint64_t step, const struct logged_io *io)
{
	uint64_t *count = context;

	*count += step + (io->service_ns == UINT64_MAX);
	return 0;
}

static void read_series(struct bench *bench)
{
	struct store_series series;
	uint64_t rows = 0, start = clock_monotonic_ns();

	store_each_interval(bench->store, 1, -1, false, count_row, &rows);
	printf("read, columns only:      %8.1f ms for %" PRIu64 " rows\n",
	       (double)(clock_monotonic_ns() - start) / 1e6, rows);
	rows = 0;
	start = clock_monotonic_ns();
	store_each_interval(bench->store, 1, -1, true, count_row, &rows);
	printf("read, with histograms:   %8.1f ms for %" PRIu64 " rows\n",
	       (double)(clock_monotonic_ns() - start) / 1e6, rows);
	start = clock_monotonic_ns();
	store_step_series(bench->store, 1, STORE_ALL, IO_READ, LATENCY_SERVICE, &series);
	printf("arrays, one op:          %8.1f ms\n", (double)(clock_monotonic_ns() - start) / 1e6);
	store_series_release(&series);
	start = clock_monotonic_ns();
	store_step_series(bench->store, 1, STORE_ALL, STORE_ALL, LATENCY_SERVICE, &series);
	printf("arrays, two ops merged:  %8.1f ms for %u intervals\n",
	       (double)(clock_monotonic_ns() - start) / 1e6, series.count);
	store_series_release(&series);
}

static void tell(struct bench *bench, const char *what, double per_second, const char *path)
{
	double hours = bench->seconds / 3600.0;

	printf("%-24s %8.2f us/%s, %7.1f MB/hour, commit %.1f us/s\n", what,
	       (double)bench->cpu_ns / 1000 / bench->seconds / per_second,
	       per_second > 1 ? "row" : "interval of two ops", (double)file_bytes(path) / 1e6 / hours,
	       (double)bench->commit_ns / 1000 / bench->seconds);
}

static int measure(struct bench *bench, const char *what, int which)
{
	char path[] = "/tmp/store-cost-XXXXXX.assay";
	int fd = mkstemps(path, 6);
	uint64_t count = 0, start;

	close(fd);
	unlink(path);
	bench->cpu_ns = bench->commit_ns = 0;
	if (store_create(path, &bench->store, NULL) < 0)
		return -1;
	if (which == 0)
		write_series(bench);
	else if (which == 1)
		write_ios(bench, 2000, store_put_samples);
	else if (which == 2)
		write_ios(bench, 64, store_put_outliers);
	else
		write_telemetry(bench, 40);
	store_close(bench->store);
	tell(bench, what, which == 0 ? 1 : which == 1 ? 2000 : which == 2 ? 64 : 40, path);
	if (store_open(path, &bench->store, NULL) < 0)
		return -1;
	if (which == 0)
		read_series(bench);
	start = clock_monotonic_ns();
	if (which == 1 && store_each_sample(bench->store, 1, count_io, &count) == 0)
		printf("read samples:            %8.1f ns each\n",
		       (double)(clock_monotonic_ns() - start) / (double)count);
	store_close(bench->store);
	unlink(path);
	return 0;
}

int main(int argc, char **argv)
{
	struct bench bench = {
		.seconds = argc > 1 ? (uint32_t)atoi(argv[1]) : 3600,
		.iops = argc > 2 ? (uint32_t)atoi(argv[2]) : 50000,
	};

	random_init(&bench.random, 1, 1);
	bench.tally = calloc(1, sizeof(*bench.tally));
	if (!bench.tally || bench.seconds == 0)
		return 1;
	tally_clear(bench.tally);
	return measure(&bench, "series", 0) < 0 || measure(&bench, "samples, 2000 a second", 1) < 0 ||
	       measure(&bench, "outliers, 64 a second", 2) < 0 ||
	       measure(&bench, "telemetry, 40 a second", 3) < 0;
}
