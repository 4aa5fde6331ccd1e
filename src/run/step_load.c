#include "run/step_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* One worker's: 1 where the engine is synchronous, whatever the load says. */
static uint32_t depth_of(const struct step *step, uint32_t load)
{
	const struct board *board = step->stage->board;

	for (uint32_t i = 0; i < board->worker_count; i++)
		if (board->worker[i].load == load)
			return board->worker[i].depth;
	return 0;
}

void step_load_describe(struct step *step, uint32_t index)
{
	const struct stage_load *load = &step->stage->load[index];
	const struct load_board *board = &step->stage->board->load[index];
	const struct run_target *target = load->at;
	struct load_record *record = &step->loads[index];
	struct work_range range = { 0 };

	work_range_resolve(load->load, run_target_bytes(target), run_target_block_bytes(target), 0,
			   &range, NULL);
	*record = (struct load_record){
		.step = step->record.id,
		.load = index,
		.name = load->load->name,
		.target = load->target,
		.engine = board->engine,
		.engine_note = board->note[0] ? board->note : NULL,
		.workers = step->stage->layout[index].workers,
		.depth_asked = depth_of(step, index),
		.open_loop = load->load->arrival != ARRIVAL_CLOSED,
		.rate_asked = load->load->arrival != ARRIVAL_CLOSED ? load->load->arrival_rate : 0,
		.thinktime_ns = load->load->thinktime_ns,
		.range_start = range.start,
		.range_bytes = range.bytes,
	};
}

static char *load_facts_json(const struct step *step, uint32_t load)
{
	const struct board *board = step->stage->board;
	const struct load *what = step->stage->load[load].load;
	struct text text = { 0 };
	const char *separator = "";
	uint64_t calls = 0;

	text_append(&text, "{\"workers\":[");
	for (uint32_t i = 0; i < board->worker_count; i++) {
		const struct worker_board *worker = &board->worker[i];

		if (worker->load != load)
			continue;
		text_printf(&text, "%s{\"cpu_user_ns\":%" PRIu64 ",\"cpu_system_ns\":%" PRIu64
				   ",\"switches_voluntary\":%" PRIu64 ",\"switches_involuntary\":%" PRIu64
				   ",\"engine_calls\":%" PRIu64 ",\"issued_bytes\":%" PRIu64
				   ",\"position\":%" PRIu64 ",\"finished_ns\":%" PRIu64
				   ",\"numa_node\":%" PRId32 "}",
			    separator, worker->cpu_user_ns, worker->cpu_system_ns, worker->switches_voluntary,
			    worker->switches_involuntary, worker->engine_calls, worker->issued_bytes,
			    worker->position,
			    worker->finished_ns > step->start_ns ? worker->finished_ns - step->start_ns : 0,
			    worker->node);
		separator = ",";
		calls += worker->engine_calls;
	}
	text_printf(&text, "],\"engine_calls\":%" PRIu64 ",\"rw\":\"%s\"", calls, load_rw_name(what->rw));
	if (what->arrival != ARRIVAL_CLOSED)
		text_printf(&text, ",\"arrival\":\"%s\"", what->arrival == ARRIVAL_POISSON ? "poisson" : "constant");
	text_append(&text, "}");
	return text_take(&text);
}

int step_load_tell(struct step *step, uint32_t load)
{
	const struct run_observer *observer = step->context->observer;
	struct load_record *record = &step->loads[load];
	struct collector_facts facts;
	char *json = load_facts_json(step, load);
	int error;

	if (!json)
		return -ENOMEM;
	collector_facts(step->collectors[load], &facts);
	record->outliers_kept = facts.outliers_kept;
	record->outliers_seen = facts.outliers_seen;
	record->samples_every = facts.samples_every;
	record->facts_json = json;
	record->total = collector_total(step->collectors[load]);
	error = observer->load_end(observer->context, record);
	record->facts_json = NULL;
	free(json);
	return error;
}
