#include "fault_queue.h"
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

#define SECOND 1000000000ull
#define LOOK_AGAIN_NS 2000000ull	/* a hang may be lifted at any time */

uint64_t fault_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

static void sift_up(struct fault_queue *queue, struct fault_reply reply)
{
	uint32_t at = queue->count++;

	for (; at && queue->heap[(at - 1) / 2].due_ns > reply.due_ns; at = (at - 1) / 2)
		queue->heap[at] = queue->heap[(at - 1) / 2];
	queue->heap[at] = reply;
}

static struct fault_reply take_first(struct fault_queue *queue)
{
	const struct fault_reply first = queue->heap[0], last = queue->heap[--queue->count];
	uint32_t at = 0, child;

	while ((child = 2 * at + 1) < queue->count) {
		if (child + 1 < queue->count && queue->heap[child + 1].due_ns < queue->heap[child].due_ns)
			child++;
		if (last.due_ns <= queue->heap[child].due_ns)
			break;
		queue->heap[at] = queue->heap[child];
		at = child;
	}
	queue->heap[at] = last;
	return first;
}

void fault_queue_add(struct fault_queue *queue, const struct fault_reply *reply)
{
	pthread_mutex_lock(&queue->lock);
	if (queue->count == queue->capacity) {
		queue->capacity = queue->capacity ? 2 * queue->capacity : 1024;
		queue->heap = realloc(queue->heap, queue->capacity * sizeof *queue->heap);
		if (!queue->heap)
			abort();
	}
	sift_up(queue, *reply);
	pthread_cond_signal(&queue->changed);
	pthread_mutex_unlock(&queue->lock);
}

static void wait_until(struct fault_queue *queue, uint64_t due_ns, uint64_t now_ns)
{
	const uint64_t until = due_ns - now_ns > LOOK_AGAIN_NS ? now_ns + LOOK_AGAIN_NS : due_ns;
	const struct timespec when = {(time_t)(until / SECOND), (long)(until % SECOND)};

	pthread_cond_timedwait(&queue->changed, &queue->lock, &when);
}

static void *queue_run(void *argument)
{
	struct fault_queue *queue = argument;
	struct fault_reply reply;

	prctl(PR_SET_TIMERSLACK, 1ul, 0, 0, 0);
	pthread_mutex_lock(&queue->lock);
	for (;;) {
		const uint64_t now_ns = fault_now_ns(), hold_ns = queue->hold_until(queue->context);

		if (!queue->count) {
			pthread_cond_wait(&queue->changed, &queue->lock);
		} else if (queue->heap[0].due_ns > now_ns || hold_ns > now_ns) {
			wait_until(queue, queue->heap[0].due_ns > hold_ns ? queue->heap[0].due_ns : hold_ns,
				   now_ns);
		} else {
			reply = take_first(queue);
			pthread_mutex_unlock(&queue->lock);
			queue->give(queue->context, &reply);
			pthread_mutex_lock(&queue->lock);
		}
	}
	return NULL;
}

int fault_queue_start(struct fault_queue *queue)
{
	pthread_condattr_t monotonic;
	pthread_t thread;

	pthread_mutex_init(&queue->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&queue->changed, &monotonic);
	return pthread_create(&thread, NULL, queue_run, queue);
}
