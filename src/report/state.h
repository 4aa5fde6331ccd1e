/* state: in which state a drive was when a step began, and how it got there, by what the run did to it before.
 * What was done before the run is not known: "as found".
 *
 * Written, filled and trimmed mean the range that the step addresses, not the whole drive. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct report_model;

enum state_name {
	STATE_AS_FOUND,		/* the run has changed nothing yet */
	STATE_PURGED,		/* not written since: as fresh as out of the box */
	STATE_TRIMMED,
	STATE_NEW_FILE_SYSTEM,	/* made by the run */
	STATE_PARTLY_WRITTEN,	/* 1 % to 95 % of the range */
	STATE_FILLED,		/* in order, by a fill or as much */
	STATE_PRECONDITIONED,	/* filled, then written at random */
	STATE_STEADY,		/* a step was verified to be steady, and only random writes followed */
};
/* "as_found" "purged" ...: for programs. */
const char *state_name(enum state_name name);

struct report_state {
	bool known;		/* false: the step has no load, or nobody knows its range (or they are too many) */
	enum state_name name;
	bool purged;		/* the run purged it before */
	double written;		/* since the purge, or the run's start, as a multiple of the range */
	uint64_t idle_ns;	/* the pause right before the step */
	const char *by;		/* the step that brought it there last; NULL as found */
};

/* Sets the states of all steps, once their loads are there. 0 or -ENOMEM. */
int report_states(struct report_model *model);

/* A phrase: "filled", "purged, then filled, after idle". */
const char *state_words(const struct report_state *state);
