/* What the engine contract costs: a bare loop over it, side by side with the reference loop and the no-op
 * ceiling.
 *
 *   engine_loop [-f FILE] [-s MiB] [-q DEPTH] [-b BATCH] [-t SECONDS] [-r ROUNDS] [-w] [-e ENGINE]
 *     alternates the loops, prints the median of each and the ratio; FILE is made and removed when not given
 *   engine_loop -n IOS [-R | -N] ...
 *     exactly that many I/Os by the engine (-R: by the reference, -N: as no-ops) and nothing else, for
 *     callgrind: (instructions(n2) - instructions(n1)) / (n2 - n1) is the cost of one I/O; see instructions.sh
 *   engine_loop -1 [-R | -N] [-t SECONDS] ...
 *     the same for a time; prints I/Os, nanoseconds and nanoseconds of CPU of the loop itself */
#include "loop.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/random.h"
#include "engine/engine.h"

#define BATCH_MAX 256u
#define ROUNDS_MAX 31u

struct bare {
	struct engine *engine;
	struct clock clock;
	struct random random;
	char *buffers;
	uint16_t *free_slots;
	uint32_t free_count;
	uint64_t blocks;
	struct io ios[BATCH_MAX];
	struct io_done *done;
};

static void bare_issue(struct bare *bare, const struct loop_config *config)
{
	const uint32_t count = bare->free_count < config->batch ? bare->free_count : config->batch;
	const uint8_t op = config->write ? IO_WRITE : IO_READ;

	for (uint32_t i = 0; i < count; i++) {
		const uint16_t slot = bare->free_slots[--bare->free_count];

		bare->ios[i] = (struct io){
			.op = op, .slot = slot, .bytes = config->block_bytes,
			.offset = random_below(&bare->random, bare->blocks) * config->block_bytes,
			.buffer = bare->buffers + (uint64_t)slot * config->block_bytes,
		};
	}
	engine_submit(bare->engine, bare->ios, count);
}

static uint64_t bare_complete(struct bare *bare, const struct loop_config *config, struct loop_result *result,
			      int count)
{
	for (int i = 0; i < count; i++) {
		const struct io_done *done = &bare->done[i];
		const uint64_t latency_ns = done->done_ns - done->submit_ns;

		result->errors += done->result != (int32_t)config->block_bytes;
		bare->free_slots[bare->free_count++] = done->slot;
		result->latency_ns_sum += latency_ns;
		if (latency_ns > result->latency_ns_max)
			result->latency_ns_max = latency_ns;
		result->ios++;
	}
	return bare->done[count - 1].done_ns;
}

static int bare_spin(struct bare *bare, const struct loop_config *config, struct loop_result *result)
{
	const uint64_t start_ns = clock_now_ns(&bare->clock), cpu_ns = loop_cpu_ns();
	uint64_t now_ns = start_ns;

	while ((!config->ios_max || result->ios < config->ios_max) &&
	       now_ns - start_ns < config->time_ns_max) {
		int count;

		bare_issue(bare, config);
		count = engine_reap(bare->engine, bare->done, config->depth, bare->free_count ? 0 : 1,
				    ENGINE_WAIT_FOREVER);
		if (count < 0)
			return count;
		if (count)
			now_ns = bare_complete(bare, config, result, count);
	}
	result->time_ns = clock_now_ns(&bare->clock) - start_ns;
	result->cpu_ns = loop_cpu_ns() - cpu_ns;
	result->calls = bare->engine->calls;
	return 0;
}

static int bare_attach(struct bare *bare, const struct target *target, const struct loop_config *config)
{
	struct fault fault = { 0 };
	struct engine_config engine_config = {
		.target = target,
		.clock = &bare->clock,
		.depth = config->depth,
		.buffers = bare->buffers,
		.buffer_stride = config->block_bytes,
		.fixed_buffers = true,
		.fixed_files = true,
		.sqpoll_cpu = -1,
		.no_op = config->no_op,
	};
	int err = engine_new(config->engine, &engine_config, &bare->engine, &fault);

	if (err < 0)
		fprintf(stderr, "engine_loop: %s\n", fault.text);
	return err;
}

int engine_loop_run(const struct loop_config *config, struct loop_result *ret_result)
{
	struct target target = { .kind = strncmp(config->path, "/dev/", 5) ? TARGET_FILE : TARGET_CHAR,
				 .fd = config->fd,
				 .direct = true,
				 .may_write = config->write,
				 .block_bytes = 512,
				 .memory_align = 512,
				 .size_bytes = config->size_bytes };
	struct bare bare = { .blocks = config->size_bytes / config->block_bytes };
	const size_t bytes = (size_t)config->depth * config->block_bytes;
	int err;

	clock_init_tsc(&bare.clock, NULL);
	random_init(&bare.random, 1, 0);
	bare.buffers =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	bare.free_slots = calloc(config->depth, sizeof(*bare.free_slots));
	bare.done = calloc(config->depth, sizeof(*bare.done));
	for (uint32_t i = 0; i < config->depth; i++)
		bare.free_slots[bare.free_count++] = (uint16_t)i;
	*ret_result = (struct loop_result){ 0 };
	err = bare_attach(&bare, &target, config);
	if (!err)
		err = bare_spin(&bare, config, ret_result);
	engine_free(bare.engine);
	munmap(bare.buffers, bytes);
	free(bare.free_slots);
	free(bare.done);
	return err;
}

/* The program */

struct program {
	struct loop_config loop;
	uint64_t size_mib;
	uint32_t rounds;
	bool reference_only, once;
	bool remove;
	char path[64];
};

static int program_options(struct program *program, int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "f:s:q:b:t:r:we:n:RN1")) > 0) {
		switch (option) {
		case 'f': program->loop.path = optarg; break;
		case 's': program->size_mib = strtoull(optarg, NULL, 10); break;
		case 'q': program->loop.depth = (uint32_t)strtoul(optarg, NULL, 10); break;
		case 'b': program->loop.batch = (uint32_t)strtoul(optarg, NULL, 10); break;
		case 't': program->loop.time_ns_max = (uint64_t)(strtod(optarg, NULL) * 1e9); break;
		case 'r': program->rounds = (uint32_t)strtoul(optarg, NULL, 10); break;
		case 'w': program->loop.write = true; break;
		case 'e': program->loop.engine = optarg; break;
		case 'n': program->loop.ios_max = strtoull(optarg, NULL, 10); break;
		case 'R': program->reference_only = true; break;
		case 'N': program->loop.no_op = true; break;
		case '1': program->once = true; break;
		default: return -EINVAL;
		}
	}
	if (!program->loop.batch || program->loop.batch > BATCH_MAX || program->rounds > ROUNDS_MAX ||
	    !program->rounds)
		return -EINVAL;
	return 0;
}

/* A file that is allocated and never written: its reads come from no disk, so that the program is what is
 * measured. */
static int program_open(struct program *program)
{
	struct loop_config *loop = &program->loop;

	loop->size_bytes = program->size_mib << 20;
	if (!loop->path) {
		strcpy(program->path, "/tmp/ssdassay-bench-XXXXXX");
		close(mkstemp(program->path));
		loop->path = program->path;
		program->remove = true;
	}
	loop->fd = open(loop->path, O_RDWR | (strncmp(loop->path, "/dev/", 5) ? O_DIRECT : 0));
	if (loop->fd < 0)
		return -errno;
	if (program->remove && fallocate(loop->fd, 0, 0, (off_t)loop->size_bytes) < 0)
		return -errno;
	return 0;
}

static int by_size(const void *a, const void *b)
{
	const double left = *(const double *)a, right = *(const double *)b;

	return left < right ? -1 : left > right;
}

static double median(double *values, uint32_t count)
{
	qsort(values, count, sizeof(*values), by_size);
	return values[count / 2];
}

enum { ENGINE, REFERENCE, ENGINE_NO_OP, REFERENCE_NO_OP, LOOPS };

static int program_round(struct program *program, uint32_t loops, uint32_t round, double *ret_iops)
{
	struct loop_result result;

	for (uint32_t i = 0; i < loops; i++) {
		const uint32_t which = round % 2 ? loops - 1 - i : i;	/* alternate who goes first */
		int err;

		program->loop.no_op = which >= ENGINE_NO_OP;
		err = which % 2 ? reference_loop_run(&program->loop, &result)
				: engine_loop_run(&program->loop, &result);
		if (err < 0 || result.errors)
			return err ? err : -EIO;
		ret_iops[which] = (double)result.ios / (double)result.time_ns * 1e9;
	}
	return 0;
}

static int program_compare(struct program *program)
{
	static const char *const names[LOOPS] = { "engine", "reference", "engine no-op", "reference no-op" };
	const uint32_t loops = strcmp(program->loop.engine, "io_uring") ? ENGINE_NO_OP : LOOPS;
	double iops[LOOPS][ROUNDS_MAX], ratios[LOOPS / 2][ROUNDS_MAX], of_round[LOOPS];

	for (uint32_t round = 0; round < program->rounds; round++) {
		int err = program_round(program, loops, round, of_round);

		if (err < 0)
			return err;
		for (uint32_t i = 0; i < loops; i++)
			iops[i][round] = of_round[i];
		for (uint32_t i = 0; i < loops; i += 2)
			ratios[i / 2][round] = of_round[i] / of_round[i + 1];
	}
	printf("%s, depth %u, batch %u, median of %u rounds\n", program->loop.engine, program->loop.depth,
	       program->loop.batch, program->rounds);
	for (uint32_t i = 0; i < loops; i++)
		printf("%-16s %9.0f kIOPS\n", names[i], median(iops[i], program->rounds) / 1000);
	for (uint32_t i = 0; i < loops; i += 2)
		printf("%s / %s %.3f\n", names[i], names[i + 1], median(ratios[i / 2], program->rounds));
	return 0;
}

static int program_once(struct program *program)
{
	struct loop_result result;
	int err = program->reference_only ? reference_loop_run(&program->loop, &result) :
					    engine_loop_run(&program->loop, &result);

	if (err < 0)
		return err;
	if (program->once)
		printf("%llu %llu %llu\n", (unsigned long long)result.ios, (unsigned long long)result.time_ns,
		       (unsigned long long)result.cpu_ns);
	else
		printf("%llu I/Os, %llu errors, %llu calls\n", (unsigned long long)result.ios,
		       (unsigned long long)result.errors, (unsigned long long)result.calls);
	return 0;
}

int main(int argc, char **argv)
{
	struct program program = {
		.size_mib = 1024,
		.rounds = 5,
		.loop = { .depth = 128,
			  .batch = 32,
			  .block_bytes = 4096,
			  .engine = "io_uring",
			  .time_ns_max = 300000000 },
	};
	int err = program_options(&program, argc, argv);

	if (!err)
		err = program_open(&program);
	if (!err && program.loop.ios_max)
		program.loop.time_ns_max = UINT64_MAX;
	if (!err)
		err = program.loop.ios_max || program.once ? program_once(&program) : program_compare(&program);
	if (program.remove)
		unlink(program.path);
	if (err < 0)
		fprintf(stderr, "engine_loop: %s\n", strerror(-err));
	return err < 0;
}
