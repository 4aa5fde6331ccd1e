/* import: results of other tools as a run. fio 2.x and 3.x: JSON (normal, plus, client/server, with other
 * output around it) and bandwidth, IOPS, latency and histogram logs.
 *
 * What a file cannot say is not made up: it stays empty, and an event says so. What contradicts itself is
 * refused with the reason: missing keys, more latencies than I/Os, impossible counts, lines that are cut off
 * or run backwards.
 *
 * Jobs of one reporting group of one JSON file become the loads of one step. Logs join the jobs that name
 * their prefix in write_*_log (or are called like it); logs that belong to no job become steps of their own.
 */
#pragma once
#include "store/store.h"

#define IMPORT_PLAN "import"	/* the name of the plan of such a run */

struct import_request {
	const char *const *paths;
	uint32_t count;
	const char *version;		/* of this program */
	const char *command_line;	/* JSON array of the arguments; NULL */
};

/* Fills an empty run file and commits it. 0 or -errno with a fault; the file is worthless then. */
int store_import(struct store *store, const struct import_request *request, struct fault *fault);
