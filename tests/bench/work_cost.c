/* work_cost: what it costs to decide the next I/O, to make its data and its time.
 *
 * usage: work_cost                  times of everything: ns per I/O, GB/s
 *        work_cost KIND BATCHES     BATCHES x 32 I/Os of one kind and nothing else, for work_cost.sh under callgrind
 *        work_cost --kinds          the kinds, one a line */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "work/arrival.h"
#include "work/data.h"
#include "work/work.h"

#define BATCH 32
#define KIB 1024u

static struct load load_of(enum load_rw rw)
{
	struct load load = { .rw = rw, .read_share = 0.7, .distribution_center = -1, .numjobs = 1, .seed = 1 };

	for (int op = 0; op < 3; op++) {
		load.sizes[op].count = 1;
		load.sizes[op].part[0] = (struct load_size){ 4 * KIB, 4 * KIB, 1 };
		load.percentage_random[op] = 1;
	}
	return load;
}

static void make_sequential(struct load *load) { load->rw = LOAD_READ; }
static void make_uniform(struct load *load) { load->rw = LOAD_RANDREAD; }
static void make_mix(struct load *load) { load->rw = LOAD_RANDRW; }

static void make_map(struct load *load)
{
	load->random_map = true;
}

static void make_split(struct load *load)
{
	for (int op = 0; op < 3; op++) {
		load->sizes[op].count = 3;
		load->sizes[op].part[0] = (struct load_size){ 4 * KIB, 4 * KIB, .7 };
		load->sizes[op].part[1] = (struct load_size){ 8 * KIB, 8 * KIB, .2 };
		load->sizes[op].part[2] = (struct load_size){ 64 * KIB, 64 * KIB, .1 };
	}
}

static void make_map_split(struct load *load)
{
	make_split(load);
	load->random_map = true;
}

static void make_zipf(struct load *load)
{
	load->distribution = DISTRIBUTION_ZIPF;
	load->distribution_theta = 1.1;
}

static void make_zoned(struct load *load)
{
	load->distribution = DISTRIBUTION_ZONED;
	load->zone_count = 3;
	load->zone[0] = (struct load_zone){ .5, .05 };
	load->zone[1] = (struct load_zone){ .3, .15 };
	load->zone[2] = (struct load_zone){ .2, .8 };
}

static void make_partial(struct load *load)
{
	load->percentage_random[IO_READ] = 0.5;
}

static void make_segments(struct load *load)
{
	load->range_to = (struct amount){ .unit = AMOUNT_SHARE, .share = 0.75 };
	load->range_segments = 2048;
}

static const struct { const char *name; void (*make)(struct load *load); } kinds[] = {
	{ "sequential", make_sequential }, { "uniform", make_uniform }, { "randrw", make_mix }, { "map", make_map },
	{ "split", make_split }, { "map_split", make_map_split }, { "zipf", make_zipf }, { "zoned", make_zoned },
	{ "percentage_random", make_partial }, { "segments", make_segments },
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static void run(size_t kind, uint64_t batches)
{
	struct load load = load_of(LOAD_RANDREAD);
	struct work_config config = { .load = &load, .target_bytes = 1ull << 40, .block_bytes = 512, .workers = 1,
				      .budget_bytes = UINT64_MAX, .budget_ios = UINT64_MAX };
	struct fault fault = { .text = "" };
	struct io ios[BATCH];
	struct work *work;

	kinds[kind].make(&load);
	if (work_new(&config, &work, &fault)) {
		fprintf(stderr, "%s: %s\n", kinds[kind].name, fault.text);
		exit(4);
	}
	for (uint64_t i = 0; i < batches; i++) {
		work_next(work, ios, BATCH);
		__asm__ volatile("" : : "r"(ios) : "memory");
	}
	work_free(work);
}

static void time_kinds(void)
{
	for (size_t kind = 0; kind < KINDS; kind++) {
		const uint64_t batches = 200000;
		uint64_t start = clock_monotonic_ns();

		run(kind, batches);
		printf("%-18s %6.2f ns per I/O\n", kinds[kind].name,
		       (double)(clock_monotonic_ns() - start) / (double)(batches * BATCH));
	}
}

/* GB/s of ready write data of 4 KiB: how = 0 data_next as it is, 1 with refill_buffers, 2 with dedupe. */
static double data_speed(int how)
{
	const uint32_t depth = 32, count = how ? 200000 : 5000000;
	struct load load = load_of(LOAD_RANDWRITE);
	struct data *data;
	uint64_t slot_bytes, start;
	uint8_t *slots;

	load.refill_buffers = how == 1;
	load.dedupe_share = how == 2 ? 0.3 : 0;
	if (data_new(&load, 1, 0, &data))
		exit(4);
	slot_bytes = data_slot_bytes(data, depth, 4 * KIB);
	slots = aligned_alloc(4096, slot_bytes * depth);
	if (!slots)
		exit(4);
	data_fill(data, slots, slot_bytes * depth);
	start = clock_monotonic_ns();
	for (uint32_t i = 0; i < count; i++)
		data_next(data, slots + slot_bytes * (i % depth), 4 * KIB, 0);
	start = clock_monotonic_ns() - start;
	free(slots);
	data_free(data);
	return 4096.0 * count / (double)start;
}

static void time_data(void)
{
	static const char *const names[] = { "default", "refill_buffers", "dedupe_percentage" };

	for (int how = 0; how < 3; how++) {
		double speed = data_speed(how);

		printf("data %-18s %8.1f GB/s, %6.1f ns per 4 KiB\n", names[how], speed, 4096 / speed);
	}
}

static void time_arrivals(void)
{
	static const char *const names[] = { "constant", "poisson" };

	for (int kind = 0; kind < 2; kind++) {
		const uint32_t count = 5000000;
		struct arrival arrival;
		uint64_t start = clock_monotonic_ns();

		arrival_init(&arrival, kind ? ARRIVAL_POISSON : ARRIVAL_CONSTANT, 1e6, 0, 0, 1, 0);
		for (uint32_t i = 0; i < count; i++)
			arrival_advance(&arrival);
		__asm__ volatile("" : : "r"(&arrival) : "memory");
		printf("arrival %-10s %6.2f ns\n", names[kind], (double)(clock_monotonic_ns() - start) / count);
	}
}

static int run_named(const char *name, uint64_t batches)
{
	for (size_t kind = 0; kind < KINDS; kind++) {
		if (strcmp(kinds[kind].name, name) == 0) {
			run(kind, batches);
			return 0;
		}
	}
	fprintf(stderr, "unknown kind %s\n", name);
	return 2;
}

int main(int argc, char **argv)
{
	if (argc == 3)
		return run_named(argv[1], strtoull(argv[2], NULL, 10));
	if (argc == 2 && strcmp(argv[1], "--kinds") == 0) {
		for (size_t kind = 0; kind < KINDS; kind++)
			printf("%s\n", kinds[kind].name);
		return 0;
	}
	time_kinds();
	time_data();
	time_arrivals();
	return 0;
}
