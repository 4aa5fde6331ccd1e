#include "measure/slowest.h"

static void sift_down(struct recorder *recorder, uint32_t at)
{
	struct logged_io *top = recorder->top, moved = top[at];

	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child >= recorder->top_count)
			break;
		if (child + 1 < recorder->top_count && top[child + 1].response_ns < top[child].response_ns)
			child++;
		if (top[child].response_ns >= moved.response_ns)
			break;
		top[at] = top[child];
		at = child;
	}
	top[at] = moved;
}

static void sift_up(struct recorder *recorder, uint32_t at)
{
	struct logged_io *top = recorder->top, moved = top[at];

	while (at > 0 && top[(at - 1) / 2].response_ns > moved.response_ns) {
		top[at] = top[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	top[at] = moved;
}

void slowest_offer(struct recorder *recorder, const struct logged_io *io)
{
	if (recorder->top_count < RECORDER_TOP) {
		recorder->top[recorder->top_count++] = *io;
		sift_up(recorder, recorder->top_count - 1);
	} else if (io->response_ns > recorder->top[0].response_ns) {
		recorder->top[0] = *io;
		sift_down(recorder, 0);
	}
}
