/* Self-checks of counts: the program's against the block layer's, IOPS x latency against the depth, asked
 * against reached. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "analyze/littles_law.h"
#include "assay/check.h"
#include "store/json_reader.h"

#define LITTLE_IOS_MIN 1000u
#define DEPTH_TOLERANCE 0.9
#define WORKER_BUSY 0.9		/* of a CPU */

/* -- bytes_match_block_layer -- */

struct sums {
	uint64_t ios[IO_OPS], bytes[IO_OPS], errors;
};

static int sum_row(void *context, const struct interval_row *row, const struct histogram *service)
{
	struct sums *sums = context;

	(void)service;
	sums->ios[row->op] += row->ios;
	sums->bytes[row->op] += row->bytes;
	sums->errors += row->errors;
	return 0;
}

/* One step's event against the sum of its intervals on that target, warm-up included. A mismatch is
 * added to `mismatch`. */
static int block_step_compare(const struct evidence *evidence, const struct event_record *event,
			      struct saying *mismatch)
{
	json_t *counted = json_loads(event->data_json ? event->data_json : "", 0, NULL);
	struct sums sums = { 0 };
	const struct step_record *step = evidence_step(evidence, event->step);
	uint32_t loads = 0;
	const struct load_record *load = evidence_loads(evidence, step, &loads);
	int error = 0;

	for (uint32_t i = 0; i < loads && !error; i++)
		if (load[i].target == (uint32_t)json_count_in(counted, "target"))
			error = store_each_interval(evidence->store, event->step, (int32_t)load[i].load,
						    false, sum_row, &sums);

	if (!error && counted && !sums.errors &&
	    (json_count_in(counted, "read_bytes") != sums.bytes[IO_READ] ||
	     json_count_in(counted, "write_bytes") != sums.bytes[IO_WRITE]))
		saying_add(mismatch,
			 "Step '%s': the program counted %" PRIu64 " bytes read and %" PRIu64
			 " written, the block layer %" PRIu64 " and %" PRIu64 ".",
			 step ? step->name : "?", sums.bytes[IO_READ], sums.bytes[IO_WRITE],
			 json_count_in(counted, "read_bytes"), json_count_in(counted, "write_bytes"));
	json_decref(counted);
	return error;
}

int check_block_layer(const struct evidence *evidence)
{
	struct saying mismatch = { 0 };
	uint32_t compared = 0;

	for (uint32_t i = 0; i < evidence->event_count && !mismatch.pieces; i++) {
		const struct event_record *event = &evidence->events[i];
		const struct step_record *step = evidence_step(evidence, event->step);
		int error;

		if (strcmp(event->kind, "block_layer") || !step || step->status != RUN_COMPLETE)
			continue;
		compared++;
		error = block_step_compare(evidence, event, &mismatch);
		if (error)
			return error;
	}
	if (!compared)
		return check_put(evidence, "bytes_match_block_layer", CHECK_NOT_APPLICABLE,
				 "Only a block device that nobody else uses has counters of its own.");
	if (mismatch.pieces)
		return check_put(evidence, "bytes_match_block_layer", CHECK_FAILED, "%p", &mismatch);
	return check_put(evidence, "bytes_match_block_layer", CHECK_PASSED,
			 "Bytes read and written agree with the block layer's counters in all %u steps.",
			 compared);
}

/* -- Little's law and the depth reached -- */

/* Throughput x mean time in the drive = I/Os in flight: a clock or accounting that is wrong breaks it. */
int check_littles_law(const struct evidence *evidence)
{
	double worst = 0;
	const struct load_record *worst_load = NULL;
	uint32_t looked = 0, broken = 0;

	for (uint32_t i = 0; i < evidence->load_count; i++) {
		const struct load_record *load = &evidence->loads[i];
		struct littles_law law;

		if (!load->total || tally_ios(load->total) < LITTLE_IOS_MIN || tally_errors(load->total))
			continue;
		law = littles_law_of(load->total);
		if (isnan(law.difference))
			continue;
		looked++;
		broken += !law.agrees;
		if (law.difference > worst || !worst_load) {
			worst = law.difference;
			worst_load = load;
		}
	}
	if (!looked)
		return check_put(evidence, "littles_law", CHECK_NOT_APPLICABLE,
				 "No load with %u I/Os or more.", LITTLE_IOS_MIN);
	return check_put(
		evidence, "littles_law", broken ? CHECK_FAILED : CHECK_PASSED,
		"I/Os in flight against IOPS x mean latency: largest difference %.2f %% (load '%s').",
		worst * 100, worst_load->name);
}

/* A queue can't fill when the target has answered one batch before the next is sent. */
static void depth_say(const struct load_record *load, double reached, double asked, struct saying *list)
{
	if (list->pieces)
		saying_add(list, ", ");
	saying_add(list, "'%s' %.1f of %.0f", load->name, reached, asked);
	if (check_busiest_worker(load) >= WORKER_BUSY)
		saying_add(list, " (its worker was busy all the while: the target answers I/Os as fast as "
				 "they are sent)");
}

static uint32_t cpus_of(const struct evidence *evidence)
{
	json_t *host = evidence->run->host_json ? json_loads(evidence->run->host_json, 0, NULL) : NULL;
	uint32_t cpus = (uint32_t)json_count_in(host, "cpus_online");

	json_decref(host);
	return cpus;
}

/* What it comes from when it is not the drive, and what to do; nothing = not known. `workers`: of the loads
 * that were short of it. */
static void depth_advice(const struct evidence *evidence, uint32_t workers, struct saying *advice)
{
	uint32_t cpus = cpus_of(evidence);

	if (evidence->run->scale < 1)
		saying_add(advice,
			   " Scaled by %g, a step is over before its queues have filled: run it without "
			   "--scale.",
			   evidence->run->scale);
	else if (evidence_virtual(evidence))
		return;
	else if (cpus && workers > cpus)
		saying_add(advice,
			   " %u workers share %u CPUs here: the figures hold for the depth that was reached, "
			   "and a machine with more CPUs may get more out of this drive.",
			   workers, cpus);
	else
		saying_add(advice, " The figures hold for the depth that was reached.");
}

int check_queue_depth(const struct evidence *evidence)
{
	struct saying list = { 0 }, advice = { 0 };
	uint32_t looked = 0, low = 0, workers = 0;

	for (uint32_t i = 0; i < evidence->load_count; i++) {
		const struct load_record *load = &evidence->loads[i];
		double asked = (double)load->depth_asked * load->workers, reached;

		if (!load->total || load->open_loop || load->thinktime_ns || !tally_sent_ns(load->total) ||
		    tally_ios(load->total) < LITTLE_IOS_MIN)
			continue;
		looked++;
		reached = tally_depth(load->total);
		if (littles_share(load->total, asked) >= DEPTH_TOLERANCE)
			continue;
		workers = load->workers > workers ? load->workers : workers;
		if (low++ < 3)
			depth_say(load, reached, asked, &list);
	}
	if (!looked)
		return check_put(evidence, "queue_depth_reached", CHECK_NOT_APPLICABLE,
				 "No closed loop ran long enough.");
	if (low > 3)
		saying_add(&list, ", ...");
	if (low) {
		depth_advice(evidence, workers, &advice);
		return check_put(evidence, "queue_depth_reached", CHECK_FAILED,
				 "%u of %u loads did not keep the queue depth they asked for: %p.%p", low,
				 looked, &list, &advice);
	}
	return check_put(evidence, "queue_depth_reached", CHECK_PASSED,
			 "All %u loads kept their queue depth.", looked);
}

static int short_count(void *context, uint64_t step, const struct logged_io *io)
{
	uint64_t *shorts = context;

	(void)step;
	*shorts += io->flags & LOGGED_SHORT ? 1 : 0;
	return 0;
}

int check_errors(const struct evidence *evidence)
{
	uint64_t errors = 0, shorts = 0;
	int error = store_each_failed(evidence->store, short_count, &shorts);

	if (error)
		return error;
	for (uint32_t i = 0; i < evidence->load_count; i++)
		if (evidence->loads[i].total)
			errors += tally_errors(evidence->loads[i].total);
	if (!shorts && !errors)
		return check_put(evidence, "no_io_errors", CHECK_PASSED, "No I/O failed.");
	if (!shorts)
		return check_put(evidence, "no_io_errors", CHECK_FAILED, "%" PRIu64 " I/Os failed.", errors);
	if (!errors)
		return check_put(evidence, "no_io_errors", CHECK_FAILED,
				 "%" PRIu64 " I/Os moved less than was asked.", shorts);
	return check_put(evidence, "no_io_errors", CHECK_FAILED,
			 "%" PRIu64 " I/Os failed, %" PRIu64 " moved less than was asked.", errors, shorts);
}
