/* The simulated drive, in virtual time. Several workers may drive one drive, each with an engine of its own,
 * all from the same thread. A completion carries the moment it happened, whenever it is reaped. Waiting moves
 * the clock: whoever has several workers waits for none of them (wait_min 0) but sets the clock to the
 * earliest engine_next_event(). */
#include "engine/engine_backends.h"

#include <errno.h>
#include <stdlib.h>
#include "sim/params.h"
#include "sim/sim.h"

struct event {
	uint64_t done_ns, submit_ns;
	int32_t result;
	uint16_t slot;
};

struct sim_engine {
	struct engine engine;
	struct sim_drive *drive;	/* borrowed from the target */
	struct event *events;		/* 4-ary heap by done_ns, at most `depth`, owned */
	uint32_t event_count;
	uint32_t later_count;		/* I/Os whose completion the drive does not know yet */
	uint64_t *submit_ns;		/* by slot, of those; owned */
};

static void event_push(struct sim_engine *sim, struct event event)
{
	struct event *heap = sim->events;
	uint32_t at = sim->event_count++;

	while (at) {
		const uint32_t parent = (at - 1) / 4;

		if (heap[parent].done_ns <= event.done_ns)
			break;
		heap[at] = heap[parent];
		at = parent;
	}
	heap[at] = event;
}

static struct event event_pop(struct sim_engine *sim)
{
	struct event *heap = sim->events;
	const struct event top = heap[0], last = heap[--sim->event_count];
	uint32_t at = 0, first;

	while ((first = 4 * at + 1) < sim->event_count) {
		uint32_t least = first;

		for (uint32_t child = first + 1; child < first + 4 && child < sim->event_count; child++)
			if (heap[child].done_ns < heap[least].done_ns)
				least = child;
		if (heap[least].done_ns >= last.done_ns)
			break;
		heap[at] = heap[least];
		at = least;
	}
	heap[at] = last;
	return top;
}

static int sim_attach(struct engine *engine, const struct engine_config *config, struct fault *fault)
{
	struct sim_engine *sim = (struct sim_engine *)engine;

	if (engine->clock->source != CLOCK_VIRTUAL)
		return fault_set(fault, 0, 0, "a simulated drive needs a virtual clock");
	sim->drive = config->target->sim;
	sim->events = malloc(engine->depth * sizeof(*sim->events));
	sim->submit_ns = calloc(engine->depth, sizeof(*sim->submit_ns));
	if (!sim->events || !sim->submit_ns) {
		free(sim->events);
		free(sim->submit_ns);
		return fault_system(fault, -ENOMEM, "no memory for %u I/Os in flight", engine->depth);
	}
	engine->capabilities.trim = !engine->target->no_trim;
	return 0;
}

static int sim_submit(struct engine *engine, const struct io *ios, uint32_t count)
{
	struct sim_engine *sim = (struct sim_engine *)engine;
	const uint64_t now_ns = clock_now_ns(engine->clock);

	engine->submitted_ns = now_ns;
	for (uint32_t i = 0; i < count; i++) {
		struct event event = { .submit_ns = now_ns, .slot = ios[i].slot };

		event.result =
			sim_drive_submit(sim->drive, &ios[i], now_ns, engine, ios[i].slot, &event.done_ns);
		if (event.done_ns == SIM_LATER) {
			sim->submit_ns[event.slot] = now_ns;
			sim->later_count++;
		} else {
			event_push(sim, event);
		}
	}
	return (int)count;
}

static void sim_hint(struct engine *engine, const struct io *io)
{
	sim_drive_hint(((struct sim_engine *)engine)->drive, io);
}

/* Takes over what the drive has decided until now_ns. */
static void later_collect(struct sim_engine *sim, uint64_t now_ns)
{
	struct sim_done done;

	while (sim->later_count && sim_drive_reap(sim->drive, &sim->engine, now_ns, &done)) {
		sim->later_count--;
		event_push(sim, (struct event){ done.done_ns, sim->submit_ns[done.tag], done.result,
						(uint16_t)done.tag });
	}
}

static uint64_t sim_next_event(struct engine *engine)
{
	struct sim_engine *sim = (struct sim_engine *)engine;
	const uint64_t own_ns = sim->event_count ? sim->events[0].done_ns : UINT64_MAX;
	uint64_t drive_ns;

	if (!sim->later_count)
		return own_ns;
	drive_ns = sim_drive_next_event_ns(sim->drive);
	return drive_ns < own_ns ? drive_ns : own_ns;
}

static uint32_t events_take(struct sim_engine *sim, struct io_done *done, uint32_t max)
{
	const uint64_t now_ns = clock_now_ns(sim->engine.clock);
	uint32_t count = 0;

	later_collect(sim, now_ns);
	while (count < max && sim->event_count && sim->events[0].done_ns <= now_ns) {
		const struct event event = event_pop(sim);

		done[count++] = (struct io_done){ event.slot, event.result, event.submit_ns, event.done_ns };
	}
	return count;
}

static int sim_reap(struct engine *engine, struct io_done *done, uint32_t max, uint32_t wait_min,
		    uint64_t timeout_ns)
{
	struct sim_engine *sim = (struct sim_engine *)engine;
	const uint64_t start_ns = clock_now_ns(engine->clock);
	const uint64_t end_ns = timeout_ns > UINT64_MAX - start_ns ? UINT64_MAX : start_ns + timeout_ns;
	uint32_t count = events_take(sim, done, max);

	while (count < wait_min) {
		const uint64_t next_ns = sim_next_event(engine);

		if (next_ns == UINT64_MAX)
			break;
		if (next_ns > end_ns) {
			clock_set(engine->clock, end_ns);
			break;
		}
		if (next_ns > clock_now_ns(engine->clock))
			clock_set(engine->clock, next_ns);
		count += events_take(sim, done + count, max - count);
	}
	return (int)count;
}

static void sim_detach(struct engine *engine)
{
	struct sim_engine *sim = (struct sim_engine *)engine;

	sim_drive_forget(sim->drive, engine);
	free(sim->events);
	free(sim->submit_ns);
}

const struct engine_ops engine_sim_ops = {
	.name = "sim",
	.target_kinds = 1u << TARGET_SIM,
	.capabilities = { .is_virtual = true, .trim = true, .flush = true, .depth_max = UINT16_MAX + 1 },
	.state_bytes = sizeof(struct sim_engine),
	.attach = sim_attach,
	.submit = sim_submit,
	.reap = sim_reap,
	.next_event = sim_next_event,
	.hint = sim_hint,
	.detach = sim_detach,
};
