/* fault_queue: answers that wait for their moment: a heap by time and one thread that gives them. */
#pragma once
#include <pthread.h>
#include <stdint.h>

struct fault_reply {
	uint64_t due_ns;		/* CLOCK_MONOTONIC */
	void *request;
	int op, error;
	uint32_t bytes;
	uint64_t offset;
};

struct fault_queue {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct fault_reply *heap;
	uint32_t count, capacity;
	uint64_t (*hold_until)(void *context);	/* nothing is given before this moment, which may change */
	void (*give)(void *context, const struct fault_reply *reply);
	void *context;
};

/* Starts the thread, which lives as long as the process. 0 or an errno. */
int fault_queue_start(struct fault_queue *queue);
void fault_queue_add(struct fault_queue *queue, const struct fault_reply *reply);
uint64_t fault_now_ns(void);
