#include "load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define QUEUE_ENTRIES (1u << 20)
#define AHEAD 8u

struct event {
	uint64_t time_ns;
	uint32_t slot;
	uint32_t arrival;	/* 1: an open-loop arrival; 2: a slot issues its next I/O */
};

struct runner {
	struct sim_drive *drive;
	const struct load *load;
	struct load_result *result;
	struct random random;
	struct event *heap;
	uint32_t events;
	uint64_t *issued_ns;		/* by slot */
	uint32_t *idle, idle_count;	/* open loop: free slots */
	uint64_t *queue;		/* open loop: arrivals waiting for a slot, ring */
	uint64_t queue_first, queue_count;
	uint64_t started, blocks, at;
	uint64_t ahead[AHEAD];		/* blocks drawn and hinted already, ring */
	uint32_t ahead_at;
	uint64_t stride, permutation_left;
	uint32_t in_flight;
	uint64_t flight_since_ns;
};


static void heap_push(struct runner *runner, struct event event)
{
	uint32_t at = runner->events++;

	while (at) {
		const uint32_t parent = (at - 1) / 4;

		if (runner->heap[parent].time_ns <= event.time_ns)
			break;
		runner->heap[at] = runner->heap[parent];
		at = parent;
	}
	runner->heap[at] = event;
}

static struct event heap_pop(struct runner *runner)
{
	const struct event top = runner->heap[0], last = runner->heap[--runner->events];
	uint32_t at = 0;

	for (;;) {
		const uint32_t first = 4 * at + 1;
		uint32_t least = first;

		if (first >= runner->events)
			break;
		for (uint32_t child = first + 1; child < first + 4 && child < runner->events; child++)
			if (runner->heap[child].time_ns < runner->heap[least].time_ns)
				least = child;
		if (runner->heap[least].time_ns >= last.time_ns)
			break;
		runner->heap[at] = runner->heap[least];
		at = least;
	}
	runner->heap[at] = last;
	return top;
}

static uint64_t common_factor(uint64_t a, uint64_t b)
{
	while (b) {
		const uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static uint64_t block_draw(struct runner *runner)
{
	if (runner->load->pattern == LOAD_UNIFORM)
		return random_below(&runner->random, runner->blocks);
	if (runner->load->pattern == LOAD_SEQUENTIAL) {
		const uint64_t block = runner->at;

		runner->at = runner->at + 1 == runner->blocks ? 0 : runner->at + 1;
		return block;
	}
	if (!runner->permutation_left) {
		do
			runner->stride = random_below(&runner->random, runner->blocks) | 1;
		while (common_factor(runner->stride, runner->blocks) != 1);
		runner->permutation_left = runner->blocks;
	}
	runner->permutation_left--;
	runner->at = (runner->at + runner->stride) % runner->blocks;
	return runner->at;
}

/* Draws some blocks ahead, so that the simulator can begin to fetch what it will need. */
static uint64_t block_next(struct runner *runner)
{
	uint64_t *slot = &runner->ahead[runner->ahead_at++ % AHEAD];
	const uint64_t block = *slot;

	*slot = block_draw(runner);
	sim_drive_hint(runner->drive, &(struct io){ .offset = *slot * runner->load->bytes,
						    .bytes = runner->load->bytes });
	return block;
}

static void flight_change(struct runner *runner, uint64_t now_ns, int change)
{
	runner->result->flight_ns += (double)runner->in_flight * (double)(now_ns - runner->flight_since_ns);
	runner->flight_since_ns = now_ns;
	runner->in_flight += (uint32_t)change;
}

static void issue(struct runner *runner, uint32_t slot, uint64_t since_ns, uint64_t now_ns)
{
	const struct load *load = runner->load;
	const double share = load->write_share;
	struct io io = {
		.offset = block_next(runner) * load->bytes,
		.bytes = load->bytes,
		.slot = (uint16_t)slot,
		.op = share >= 1 || (share > 0 && random_double(&runner->random) < share) ? IO_WRITE
											  : IO_READ,
	};
	uint64_t done_ns;
	int32_t result;

	runner->issued_ns[slot] = since_ns;
	flight_change(runner, now_ns, 1);
	result = sim_drive_submit(runner->drive, &io, now_ns, runner, slot, &done_ns);
	if (done_ns == SIM_LATER)
		return;
	runner->result->errors += result < 0;
	heap_push(runner, (struct event){ done_ns, slot, 0 });
}

static bool may_start(const struct runner *runner, uint64_t now_ns)
{
	const struct load *load = runner->load;

	return (!load->count || runner->started < load->count) &&
	       (!load->until_ns || now_ns < load->until_ns);
}

static uint32_t bucket_of(uint64_t value_ns)
{
	int exponent;

	if (value_ns < 64)
		return (uint32_t)value_ns;
	exponent = 63 - __builtin_clzll(value_ns);
	return (uint32_t)((exponent - 5) << 6) + (uint32_t)((value_ns >> (exponent - 6)) & 63);
}

static double bucket_value(uint32_t bucket)
{
	const uint32_t exponent = (bucket >> 6) + 5;

	if (bucket < 64)
		return bucket;
	return ldexp(1.0 + ((bucket & 63) + 0.5) / 64, (int)exponent);
}

static void record(struct runner *runner, uint64_t latency_ns, uint64_t now_ns)
{
	struct load_result *result = runner->result;
	const struct load *load = runner->load;

	result->ios++;
	result->sum_ns += (double)latency_ns;
	result->square_ns += (double)latency_ns * (double)latency_ns;
	result->max_ns = latency_ns > result->max_ns ? latency_ns : result->max_ns;
	result->min_ns = latency_ns < result->min_ns ? latency_ns : result->min_ns;
	result->checksum = (result->checksum ^ latency_ns) * 0x100000001b3ull;
	result->histogram[bucket_of(latency_ns)]++;
	result->end_ns = now_ns;
	if (load->interval_ns) {
		const uint64_t row = (now_ns - result->start_ns) / load->interval_ns;

		if (row < load->series_rows) {
			load->series[row].ios++;
			load->series[row].sum_ns += latency_ns;
			if (latency_ns > load->series[row].max_ns)
				load->series[row].max_ns = latency_ns;
		}
	}
}

static void arrive(struct runner *runner, uint64_t now_ns)
{
	if (!may_start(runner, now_ns))
		return;
	runner->started++;
	if (runner->idle_count)
		issue(runner, runner->idle[--runner->idle_count], now_ns, now_ns);
	else if (runner->queue_count == QUEUE_ENTRIES)
		abort();	/* the drive cannot keep up: a mistake of the test */
	else
		runner->queue[(runner->queue_first + runner->queue_count++) % QUEUE_ENTRIES] = now_ns;
	heap_push(runner, (struct event){ now_ns + 1 +
						  (uint64_t)(-log(1 - random_double(&runner->random)) * 1e9 /
							     runner->load->rate),
					  0, 1 });
}

static void next_of_slot(struct runner *runner, uint32_t slot, uint64_t now_ns)
{
	if (!may_start(runner, now_ns))
		return;
	runner->started++;
	issue(runner, slot, now_ns, now_ns);
}

static void complete(struct runner *runner, uint32_t slot, uint64_t now_ns)
{
	record(runner, now_ns - runner->issued_ns[slot], now_ns);
	flight_change(runner, now_ns, -1);
	if (runner->load->rate > 0) {
		if (runner->queue_count) {
			const uint64_t since_ns = runner->queue[runner->queue_first++ % QUEUE_ENTRIES];

			runner->queue_count--;
			issue(runner, slot, since_ns, now_ns);
		} else {
			runner->idle[runner->idle_count++] = slot;
		}
	} else if (runner->load->think_ns) {
		heap_push(runner, (struct event){ now_ns + runner->load->think_ns, slot, 2 });
	} else {
		next_of_slot(runner, slot, now_ns);
	}
}

static void start(struct runner *runner, uint64_t now_ns)
{
	if (runner->load->rate > 0) {
		for (uint32_t slot = 0; slot < runner->load->depth; slot++)
			runner->idle[runner->idle_count++] = slot;
		heap_push(runner, (struct event){ now_ns, 0, 1 });
		return;
	}
	for (uint32_t slot = 0; slot < runner->load->depth; slot++)
		next_of_slot(runner, slot, now_ns);
}

static void run_events(struct runner *runner)
{
	struct sim_done done;

	for (;;) {
		const uint64_t drive_ns = sim_drive_next_event_ns(runner->drive);
		struct event event;

		if (drive_ns != SIM_LATER && (!runner->events || drive_ns <= runner->heap[0].time_ns)) {
			while (sim_drive_reap(runner->drive, runner, drive_ns, &done)) {
				runner->result->errors += done.result < 0;
				heap_push(runner, (struct event){ done.done_ns, (uint32_t)done.tag, 0 });
			}
			if (sim_drive_next_event_ns(runner->drive) != drive_ns)
				continue;
		}
		if (!runner->events)
			return;
		event = heap_pop(runner);
		if (event.arrival == 1)
			arrive(runner, event.time_ns);
		else if (event.arrival == 2)
			next_of_slot(runner, event.slot, event.time_ns);
		else
			complete(runner, event.slot, event.time_ns);
	}
}

void load_run(struct sim_drive *drive, const struct load *load, uint64_t start_ns,
	      struct load_result *ret_result)
{
	struct runner runner = {
		.drive = drive, .load = load, .result = ret_result, .flight_since_ns = start_ns
	};
	const double range = load->range > 0 ? load->range : 1;

	memset(ret_result, 0, sizeof(*ret_result));
	ret_result->start_ns = ret_result->end_ns = start_ns;
	ret_result->min_ns = UINT64_MAX;
	random_init(&runner.random, load->seed, 77);
	runner.blocks = (uint64_t)((double)sim_drive_capacity_bytes(drive) * range) / load->bytes;
	runner.heap = malloc((load->depth + 8) * sizeof(*runner.heap));
	runner.issued_ns = calloc(load->depth, sizeof(uint64_t));
	runner.idle = calloc(load->depth, sizeof(uint32_t));
	runner.queue = load->rate > 0 ? malloc(QUEUE_ENTRIES * sizeof(uint64_t)) : NULL;
	if (!runner.heap || !runner.issued_ns || !runner.idle || (load->rate > 0 && !runner.queue))
		abort();
	for (uint32_t i = 0; i < AHEAD; i++)
		runner.ahead[i] = block_draw(&runner);
	start(&runner, start_ns);
	run_events(&runner);
	free(runner.heap);
	free(runner.issued_ns);
	free(runner.idle);
	free(runner.queue);
}

double load_iops(const struct load_result *result)
{
	return (double)result->ios * 1e9 / (double)(result->end_ns - result->start_ns);
}

double load_mean_ns(const struct load_result *result)
{
	return result->sum_ns / (double)result->ios;
}

double load_stddev_ns(const struct load_result *result)
{
	const double mean = load_mean_ns(result);

	return sqrt(fmax(0, result->square_ns / (double)result->ios - mean * mean));
}

double load_percentile_ns(const struct load_result *result, double share)
{
	double left = share * (double)result->ios;

	for (uint32_t i = 0; i < LOAD_BUCKETS; i++) {
		left -= result->histogram[i];
		if (left < 0)
			return bucket_value(i);
	}
	return (double)result->max_ns;
}
