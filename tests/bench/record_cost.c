/* record_cost: user instructions per recorded I/O. Run by record_cost.sh under callgrind with two lengths;
 * the difference divided by the number of I/Os is the cost of recording (and, for "loop", of the loop
 * around it alone). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/random.h"
#include "measure/recorder.h"

#define BATCH 32

static struct recorder_ring *ring_new(void)
{
	const struct recorder_config config = { .interval_ns = 1000000000, .depth = 128, .samples_per_second = 2000 };
	const uint64_t bytes = recorder_ring_bytes(&config);
	void *memory = aligned_alloc(64, bytes);

	if (!memory)
		exit(4);
	memset(memory, 0, bytes);
	return recorder_ring_init(memory, &config);
}

/* 3 M I/O per second, 20 to 60 us each. */
static void batch(struct recorder_ring *ring, struct random *random, uint64_t now_ns, int record)
{
	const uint64_t bits = random_u64(random);
	struct io io = { .op = IO_READ, .bytes = 4096 };
	struct io_done done[BATCH];

	for (uint32_t i = 0; i < BATCH; i++) {
		io.slot = (uint16_t)i;
		io.offset = (bits >> i) << 12;
		done[i] = (struct io_done){ .slot = (uint16_t)i, .result = 4096, .done_ns = now_ns,
					    .submit_ns = now_ns - 20000 - ((bits >> i) & 0x7fff) };
		__asm__ volatile("" : : "r"(&io), "r"(done) : "memory");
		if (record)
			inflight_set(ring, &io, done[i].submit_ns);
	}
	if (!record)
		return;
	recorder_batch_begin(ring);
	recorder_complete(ring, done, BATCH);
	recorder_batch_end(ring, BATCH);
}

int main(int argc, char **argv)
{
	const int record = argc > 1 && strcmp(argv[1], "record") == 0;
	const uint64_t batches = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000;
	struct recorder_ring *ring = ring_new();
	struct random random;

	random_init(&random, 1, 0);
	for (uint64_t i = 1; i <= batches; i++) {
		struct recorder *finished;

		if (record)
			recorder_submitted(ring, i * 10667, BATCH);
		batch(ring, &random, 100000 + i * 10667, record);
		if (record && (i & 1023) == 0)
			while ((finished = recorder_take(ring)))
				recorder_release(ring, finished);
	}
	printf("%llu I/Os\n", (unsigned long long)(batches * BATCH));
	free(ring);
	return 0;
}
