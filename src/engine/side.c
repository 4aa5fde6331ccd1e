#include "engine/side.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "engine/blocking.h"

#define SIDE_STACK_BYTES (256u << 10)

struct side {
	const struct target *target;
	const struct clock *clock;
	pthread_t thread;
	sem_t work;			/* one post per pushed entry, and one to stop */
	int event_fd;
	uint32_t mask;
	struct io *asked;		/* ring, indexed by the counters below */
	struct io_done *done;
	uint32_t pushed, collected;	/* the engine's thread only */
	_Atomic uint32_t finished;
	_Atomic bool stop;
};

static void side_do(struct side *side, uint32_t number)
{
	const struct io *io = &side->asked[number & side->mask];
	struct io_done *done = &side->done[number & side->mask];
	const uint64_t one = 1;

	done->slot = io->slot;
	done->submit_ns = clock_now_ns(side->clock);
	done->result = blocking_control(side->target, io);
	done->done_ns = clock_now_ns(side->clock);
	atomic_store_explicit(&side->finished, number + 1, memory_order_release);
	while (write(side->event_fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

static void *side_main(void *argument)
{
	struct side *side = argument;

	for (uint32_t number = 0;; number++) {
		while (sem_wait(&side->work) < 0)
			;
		if (atomic_load(&side->stop))
			return NULL;
		side_do(side, number);
	}
}

/* Signals are for the program's own threads. */
static int side_start(struct side *side)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, SIDE_STACK_BYTES);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&side->thread, &attributes, side_main, side);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return -err;
}

static void side_dispose(struct side *side)
{
	if (side->event_fd >= 0)
		close(side->event_fd);
	sem_destroy(&side->work);
	free(side->asked);
	free(side->done);
	free(side);
}

int side_new(const struct target *target, const struct clock *clock, uint32_t depth, struct side **ret_side,
	     struct fault *fault)
{
	struct side *side = calloc(1, sizeof(*side));
	uint32_t entries = 1;
	int err;

	if (!side)
		return fault_system(fault, -ENOMEM, "no memory for the side thread");
	while (entries < depth)
		entries *= 2;
	side->target = target;
	side->clock = clock;
	side->mask = entries - 1;
	side->asked = calloc(entries, sizeof(*side->asked));
	side->done = calloc(entries, sizeof(*side->done));
	side->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	err = side->event_fd < 0 ? -errno : 0;
	sem_init(&side->work, 0, 0);
	if (!side->asked || !side->done)
		err = -ENOMEM;
	if (!err)
		err = side_start(side);
	if (err < 0) {
		side_dispose(side);
		return fault_system(fault, err, "can't start the thread for trim and flush: %s",
				    strerror(-err));
	}
	*ret_side = side;
	return 0;
}

struct side *side_free(struct side *side)
{
	if (!side)
		return NULL;
	while (atomic_load_explicit(&side->finished, memory_order_acquire) != side->pushed)
		usleep(100);
	atomic_store(&side->stop, true);
	sem_post(&side->work);
	pthread_join(side->thread, NULL);
	side_dispose(side);
	return NULL;
}

void side_push(struct side *side, const struct io *io)
{
	side->asked[side->pushed++ & side->mask] = *io;
	sem_post(&side->work);
}

uint32_t side_collect(struct side *side, struct io_done *done, uint32_t max)
{
	uint32_t finished, count = 0;
	uint64_t events;

	if (side->collected == side->pushed)
		return 0;
	while (read(side->event_fd, &events, sizeof(events)) < 0 && errno == EINTR)
		;
	/* After the reset: none is missed. */
	finished = atomic_load_explicit(&side->finished, memory_order_acquire);
	while (side->collected != finished && count < max)
		done[count++] = side->done[side->collected++ & side->mask];
	return count;
}

uint32_t side_in_flight(const struct side *side)
{
	return side->pushed - side->collected;
}

int side_event_fd(const struct side *side)
{
	return side->event_fd;
}
