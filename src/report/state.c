#include "report/state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "report/model.h"

#define TRACE 0.01	/* of the range: less leaves a state as it is */
#define FULL 0.95

const char *state_name(enum state_name name)
{
	static const char *const names[] = {
		"as_found",	  "purged", "trimmed",	      "new_file_system",
		"partly_written", "filled", "preconditioned", "steady"
	};

	return names[name];
}

const char *state_words(const struct report_state *state)
{
	static const char *const words[][4] = {
		[STATE_AS_FOUND] = { "as found", "as found, after idle", "as found", "as found, after idle" },
		[STATE_PURGED] = { "purged, fresh", "purged, after idle", "purged, fresh", "purged, after idle" },
		[STATE_TRIMMED] = { "trimmed", "trimmed, after idle", "trimmed", "trimmed, after idle" },
		[STATE_NEW_FILE_SYSTEM] = { "new file system", "new file system, after idle", "new file system",
					    "new file system, after idle" },
		[STATE_PARTLY_WRITTEN] = { "partly written", "partly written, after idle",
					   "purged, then partly written", "purged, then partly written, after idle" },
		[STATE_FILLED] = { "filled", "filled, after idle", "purged, then filled",
				   "purged, then filled, after idle" },
		[STATE_PRECONDITIONED] = { "preconditioned", "preconditioned, after idle",
					   "purged, then preconditioned", "purged, then preconditioned, after idle" },
		[STATE_STEADY] = { "began steady", "began steady, after idle", "began steady",
				   "began steady, after idle" },
	};

	return words[state->name][2 * state->purged + (state->idle_ns > 0)];
}

#define HISTORIES_MAX 256u	/* ranges of targets; the states of further ones are not known */

/* What is known of one range of a target while its steps are gone through. */
struct history {
	uint32_t target;
	uint64_t start, bytes;
	struct report_state state;	/* .known: when it is taken for a step */
	double in_order, at_random;	/* written since the purge, multiples of the range; at random and not
					 * overwritten in order since */
};

struct states {
	struct report_model *model;
	bool *steady;			/* by step: verified with it */
	struct history *history;
	uint32_t count;
};

/* Steps without a load tell their target by their path, where the plan is run on several. */
static bool step_is_of(const struct report_step *step, uint32_t target)
{
	const char *path = word(step->record->path);

	for (uint32_t i = 0; i < step->load_count; i++)
		if (step->loads[i].record->target == target)
			return true;
	if (step->load_count)
		return false;
	return strncmp(path, "target", 6) != 0 || strtoul(path + 6, NULL, 10) == target;
}

static bool random_load(const struct report_step *step)
{
	const struct report_value *rw = report_values_find(&step->values, "rw");

	return rw && strncmp(rw->text, "rand", 4) == 0;
}

/* Bytes of that kind in the range in question, as a multiple of it: those of a load are all over its own. */
static double share_of(const struct history *history, const struct load_record *load, uint64_t bytes)
{
	uint64_t end = history->start + history->bytes, load_end = load->range_start + load->range_bytes;
	uint64_t from = load->range_start > history->start ? load->range_start : history->start;
	uint64_t to = load_end < end ? load_end : end;

	if (!load->range_bytes || !history->bytes || to <= from)
		return 0;
	return (double)bytes * ((double)(to - from) / (double)load->range_bytes) / (double)history->bytes;
}

static void begin_again(struct history *history, enum state_name name, const char *by)
{
	history->in_order = history->at_random = 0;
	history->state = (struct report_state){ .name = name, .purged = name == STATE_PURGED, .by = by };
}

/* The verdict on a group's rounds is an event after the last of them. */
static bool is_met(const struct event_record *event)
{
	json_t *data = event->data_json ? json_loads(event->data_json, JSON_REJECT_DUPLICATES, NULL) : NULL;
	const char *verdict = json_string_value(json_object_get(data, "verdict"));
	bool met = verdict && strcmp(verdict, "steady") == 0;

	json_decref(data);
	return met;
}

/* All that its group tracks has met SNIA's rule with this step, the last one of the rounds. */
static bool rounds_met(const struct report_model *model, const struct report_step *step)
{
	const struct report_step *next = step + 1 < model->steps + model->step_count ? step + 1 : NULL;
	const char *group = word(step->record->group_name);
	char begin[160];
	uint32_t met = 0;

	if (!group[0] || (next && !strcmp(word(next->record->group_name), group)))
		return false;
	snprintf(begin, sizeof(begin), "group '%.140s', ", group);
	for (uint32_t i = 0; i < model->event_count; i++) {
		const struct event_record *event = &model->events[i];

		if (strcmp(word(event->kind), "steady") || strncmp(word(event->text), begin, strlen(begin)) ||
		    event->t_ns < step->record->started_ns + step->record->duration_ns ||
		    (next && event->t_ns > next->record->started_ns))
			continue;
		if (!is_met(event))
			return false;
		met++;
	}
	return met > 0;
}

static bool verified_with(const struct report_model *model, const struct report_step *step)
{
	if (!random_load(step))
		return false;
	return (step->verdict && strncmp(step->verdict, "steady", 6) == 0) ||
	       !strcmp(word(step->record->status_text), "snia") || rounds_met(model, step);
}

static enum state_name name_now(const struct history *history, const struct report_step *step, bool verified)
{
	double all = history->in_order + history->at_random;
	enum state_name before = history->state.name;

	if (random_load(step) && (before == STATE_STEADY || verified))
		return STATE_STEADY;
	if (all < TRACE)
		return before;
	if (history->in_order < FULL && all < FULL && before != STATE_FILLED)
		return STATE_PARTLY_WRITTEN;
	return history->at_random < TRACE ? STATE_FILLED : STATE_PRECONDITIONED;
}

static void load_goes_by(struct history *history, const struct report_step *step,
			 const struct report_load *load, bool verified)
{
	double written = share_of(history, load->record, load->op[IO_WRITE].bytes);
	double trimmed = share_of(history, load->record, load->op[IO_TRIM].bytes);

	if (trimmed >= FULL)
		begin_again(history, STATE_TRIMMED, step->record->name);
	verified = verified && written > 0;
	if (written < TRACE && !verified)
		return;
	*(random_load(step) ? &history->at_random : &history->in_order) += written;
	history->state.written += written;
	if (!random_load(step) && written >= FULL)
		history->at_random = 0;
	history->state.name = name_now(history, step, verified);
	history->state.by = step->record->name;
}

static void step_goes_by(struct history *history, const struct report_step *step, bool verified)
{
	const char *kind = word(step->record->kind);

	if (!strcmp(kind, "idle")) {
		history->state.idle_ns += step->record->duration_ns;
		return;
	}
	if (!strcmp(kind, "note"))
		return;
	history->state.idle_ns = 0;
	if (!strcmp(kind, "purge") && strcmp(word(step->record->note), PURGE_NOT_DONE) &&
	    step->record->status == RUN_COMPLETE)
		begin_again(history, STATE_PURGED, step->record->name);
	if (!strcmp(kind, "mkfs"))
		begin_again(history, STATE_NEW_FILE_SYSTEM, step->record->name);
	for (uint32_t i = 0; i < step->load_count; i++)
		if (step->loads[i].record->target == history->target)
			load_goes_by(history, step, &step->loads[i], verified);
}

/* The first time that a range is met, all that went before is looked at again. NULL: too many of them. */
static struct history *history_of(struct states *states, uint32_t step, const struct load_record *load)
{
	const struct report_step *steps = states->model->steps;
	struct history *history = states->history;

	for (; history < states->history + states->count; history++)
		if (history->target == load->target && history->start == load->range_start &&
		    history->bytes == load->range_bytes)
			return history;
	if (states->count == HISTORIES_MAX)
		return NULL;
	states->count++;
	*history = (struct history){
		.target = load->target, .start = load->range_start, .bytes = load->range_bytes
	};
	for (uint32_t i = 0; i < step; i++)
		if (step_is_of(&steps[i], history->target))
			step_goes_by(history, &steps[i], states->steady[i]);
	return history;
}

static void state_set(struct states *states, uint32_t at)
{
	struct report_step *step = &states->model->steps[at];
	const struct load_record *load = step->load_count ? step->loads[0].record : NULL;
	const struct history *history = load && load->range_bytes ? history_of(states, at, load) : NULL;

	if (history) {
		step->state = history->state;
		step->state.known = true;
	}
	states->steady[at] = verified_with(states->model, step);
	for (uint32_t i = 0; i < states->count; i++)
		if (step_is_of(step, states->history[i].target))
			step_goes_by(&states->history[i], step, states->steady[at]);
}

int report_states(struct report_model *model)
{
	struct states states = {
		.model = model,
		.steady = calloc(model->step_count + 1, sizeof(*states.steady)),
		.history = calloc(HISTORIES_MAX + 1, sizeof(*states.history)),
	};
	int error = states.steady && states.history ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < model->step_count && !error; i++)
		state_set(&states, i);
	free(states.steady);
	free(states.history);
	return error;
}
