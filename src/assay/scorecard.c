/* The five numbers that cannot be had by looking even or by being fast for a moment; without weights, without
 * an index. Told when a run measured at least two of those that need a procedure. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analyze/confidence.h"
#include "analyze/consistency.h"
#include "assay/fill.h"
#include "assay/often.h"
#include "assay/tail.h"
#include "assay/window.h"
#include "base/units.h"
#include "store/json_reader.h"

#define NUMBERS_MIN 2
#define RATE_LIMIT "p99.9<1ms"
#define TAIL_SHARE 0.9999

struct number {
	double value, low, high;
	const struct step_record *step;
};

struct scorecard {
	struct number floor, rate, sustained, tail;
	double tail_effective;	/* how many independent reads the tail's interval rests on */
	double tail_drive_ns;	/* without those that the host may have delayed, of which there were */
	uint64_t tail_host_ios;
	bool tail_few;		/* reads enough, but too few that are independent */
	uint64_t longest_ns, stalls;
	double hours;
	uint32_t measured; /* of floor, rate, sustained, tail */
};

/* 1: the slowest of a thousand seconds of steady random 4 KiB writes. */
static int floor_take(const struct evidence *evidence, const struct step_record *step, struct scorecard *card)
{
	struct consistency consistency;
	struct window window;
	double *iops, unit;
	uint32_t count;
	int error;

	if (strcmp(step_word(evidence, step, "rw"), "randwrite") ||
	    step_number(evidence, step, "bs") != 4096 || !window_of(evidence, step, &window))
		return 0;
	error = window_iops(evidence, step, &window, &iops, &count, &unit);
	if (error)
		return error == -ERANGE ? 0 : error;
	error = count ? consistency_of(iops, count, &consistency) : -ERANGE;
	free(iops);
	if (!error && !isnan(consistency.floor_iops))
		card->floor = (struct number){ consistency.floor_iops, consistency.floor_low,
					       consistency.floor_high, step };
	return error == -ERANGE ? 0 : error;
}

/* 4: sequential writes behind the last knee; of a drive that random writes have left in disorder it is another
 * number. */
static int sustained_take(const struct evidence *evidence, const struct step_record *step,
			  struct scorecard *card)
{
	struct fill fill;
	int error = fill_of(evidence, step, &fill);

	if (error > 0 && !fill.random_before) {
		card->sustained.step = step;
		fill_sustained(&fill, &card->sustained.value, &card->sustained.low, &card->sustained.high);
	}
	fill_release(&fill);
	return error < 0 ? error : 0;
}

/* 5: p99.99 of random reads, one at a time. */
static int tail_take(const struct evidence *evidence, const struct step_record *step, struct scorecard *card)
{
	uint32_t count;
	const struct load_record *load = evidence_loads(evidence, step, &count);
	struct tail tail;
	int error;

	if (count != 1 || strcmp(step_word(evidence, step, "rw"), "randread") ||
	    step_number(evidence, step, "bs") != 4096 || load->open_loop ||
	    load->workers * load->depth_asked != 1)
		return 0;
	error = tail_of(evidence, load, IO_READ, TAIL_SHARE, &tail);
	if (error > 0) {
		card->tail = (struct number){ tail.value_ns, tail.low_ns, tail.high_ns, step };
		card->tail_effective = tail.effective;
		error = tail_without_host(evidence, load, IO_READ, TAIL_SHARE, &card->tail_drive_ns,
					  &card->tail_host_ios);
	} else if (!error) {
		card->tail_few |= load->total->op[IO_READ].service.moments.n >= confidence_needed(TAIL_SHARE);
	}
	return error < 0 ? error : 0;
}

/* 2: the open-loop rate at which 99.9 % of a 70/30 mix are answered within 1 ms. 3: standstills. */
static void event_take(const struct evidence *evidence, const struct event_record *event,
		       struct scorecard *card)
{
	const struct step_record *step = evidence_step(evidence, event->step);
	json_t *data = event->data_json ? json_loads(event->data_json, 0, NULL) : NULL;
	const char *limit = json_string_value(json_object_get(data, "limit"));

	if (!strcmp(event->kind, "stalls")) {
		card->stalls += json_count_in(json_object_get(data, "count"), "ge_100ms");
	} else if (!strcmp(event->kind, "search") && step && limit && strstr(limit, RATE_LIMIT) &&
		   step_number(evidence, step, "rwmixread") == 70 && !isnan(json_real_in(data, "value"))) {
		card->rate = (struct number){ json_real_in(data, "value"), json_real_in(data, "low"),
					      json_real_in(data, "high"), step };
	}
	json_decref(data);
}

static int scorecard_collect(const struct evidence *evidence, struct scorecard *card)
{
	int error = 0;

	for (uint32_t i = 0; i < evidence->step_count && !error; i++) {
		const struct step_record *step = &evidence->steps[i];
		bool after_pause = i && !strcmp(evidence->steps[i - 1].kind, "idle");

		card->longest_ns = step->stall_longest_ns > card->longest_ns ? step->stall_longest_ns
									     : card->longest_ns;
		if (!step_measured(evidence, step))
			continue;
		card->hours += (double)step->duration_ns / 3600e9;
		error = tail_take(evidence, step, card);
		if (!error)
			error = floor_take(evidence, step, card);
		if (!error && !after_pause)
			error = sustained_take(evidence, step, card);
	}
	for (uint32_t i = 0; i < evidence->event_count; i++)
		event_take(evidence, &evidence->events[i], card);
	card->measured = !!card->floor.step + !!card->rate.step + !!card->sustained.step + !!card->tail.step;
	return error;
}

static json_t *number_json(const struct number *number, const char *unit)
{
	json_t *object = json_object();

	if (!number->step) {
		json_decref(object);
		return json_null();
	}
	data_real(object, "value", number->value);
	data_real(object, "low", number->low);
	data_real(object, "high", number->high);
	data_text(object, "unit", unit);
	data_text(object, "step", number->step->name);
	return object;
}

static json_t *scorecard_json(const struct scorecard *card, bool scored)
{
	json_t *data = json_object(), *stalls = json_object(), *tail = number_json(&card->tail, "ns");
	struct bounds bounds = confidence_poisson_rate(card->stalls, card->hours);
	const bool is_long = card->hours >= CONFIDENCE_HOURS_MIN;

	json_object_set_new(stalls, "longest_ns", json_integer((json_int_t)card->longest_ns));
	json_object_set_new(stalls, "ge_100ms", json_integer((json_int_t)card->stalls));
	data_real(stalls, "hours", card->hours);
	data_real(stalls, "per_hour", is_long ? (double)card->stalls / card->hours : NAN);
	data_real(stalls, "low", is_long ? bounds.low : NAN);
	data_real(stalls, "high", is_long ? bounds.high : NAN);
	if (card->tail.step) {
		data_real(tail, "effective", card->tail_effective);
		data_real(tail, "without_host", card->tail_drive_ns);
		json_object_set_new(tail, "host_ios", json_integer((json_int_t)card->tail_host_ios));
	}
	json_object_set_new(data, "scored", json_boolean(scored));
	json_object_set_new(data, "floor_iops", number_json(&card->floor, "iops"));
	json_object_set_new(data, "iops_at_p99_9_1ms", number_json(&card->rate, "iops"));
	json_object_set_new(data, "stalls", stalls);
	json_object_set_new(data, "sustained_write", number_json(&card->sustained, "bytes_per_second"));
	json_object_set_new(data, "read_p99_99", tail);
	return data;
}

static struct saying *standstills_say(const struct scorecard *card, struct saying *saying)
{
	char rate[NUMBER_TEXT], time[UNITS_TEXT];

	duration_format((uint64_t)llround(card->hours * 3600e9), time);
	if (!card->stalls)
		saying_add(saying, "none of 100 ms or more in %s", time);
	else if (card->hours < CONFIDENCE_HOURS_MIN)
		saying_add(saying, "%" PRIu64 " of 100 ms or more in %s", card->stalls, time);
	else
		saying_add(saying, "%s of 100 ms or more an hour",
			   often_text((double)card->stalls / card->hours, card->stalls, rate));
	return saying;
}

static void scorecard_say(const struct scorecard *card, struct saying *saying)
{
	char one[UNITS_TEXT], other[UNITS_TEXT];
	struct saying often = { 0 };

	if (card->floor.step)
		saying_add(saying, "floor %.0f IOPS", card->floor.value);
	else
		saying_add(saying, "floor not measured");
	if (card->rate.step)
		saying_add(saying, "; %.0f IOPS with p99.9 within 1 ms", card->rate.value);
	else
		saying_add(saying, "; IOPS with p99.9 within 1 ms not measured");
	if (card->longest_ns)
		saying_add(saying, "; longest standstill %s, %p", duration_format(card->longest_ns, one),
			   standstills_say(card, &often));
	else
		saying_add(saying, "; longest standstill below 1 ms, %p", standstills_say(card, &often));
	if (card->sustained.step)
		saying_add(saying, "; sustained write %s", rate_format(card->sustained.value, one));
	else
		saying_add(saying, "; sustained write not measured");
	if (card->tail.step && card->tail_host_ios)
		saying_add(saying, "; p99.99 of single reads %s, %s without the %u slow I/Os that this computer may have delayed",
			   duration_format((uint64_t)card->tail.value, one),
			   duration_format((uint64_t)card->tail_drive_ns, other),
			   (unsigned int)card->tail_host_ios);
	else if (card->tail.step)
		saying_add(saying, "; p99.99 of single reads %s",
			   duration_format((uint64_t)card->tail.value, one));
	else if (card->tail_few)
		saying_add(saying, "; p99.99 of single reads not known: the slow ones came together too few times");
	else
		saying_add(saying, "; p99.99 of single reads not measured");
}

/* A check that failed and that takes the ground from under the numbers; NULL = none. */
static int check_against(const struct evidence *evidence, const char **ret_name)
{
	static const char *const names[] = {
		"bytes_match_block_layer", "littles_law",	  "open_loop_kept",	 "no_io_errors",
		"reads_find_data",	   "cpu_not_the_limit",	  "host_not_noisy",	 "tails_not_the_hosts",
		"clock_without_steps",
	};
	const struct check_record *checks;
	uint32_t count;
	int error = store_checks(evidence->store, &checks, &count);

	*ret_name = NULL;
	for (uint32_t i = 0; i < count && !error && !*ret_name; i++)
		for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
			if (checks[i].result == CHECK_FAILED && !strcmp(checks[i].name, names[k]))
				*ret_name = names[k];
	return error;
}

int find_scorecard(const struct evidence *evidence)
{
	struct scorecard card = { 0 };
	struct finding_record finding = { .kind = "scorecard", .unit = "numbers", .low = NAN, .high = NAN };
	const bool whole = evidence->run->scale == 1 && !evidence->run->allow_unwritten;
	struct saying numbers = { 0 };
	const char *against = NULL;
	int error = scorecard_collect(evidence, &card);

	if (error || card.measured < NUMBERS_MIN || card.hours <= 0)
		return error;
	error = check_against(evidence, &against);
	if (error)
		return error;
	scorecard_say(&card, &numbers);
	finding.value = card.measured + 1;
	if (whole && against)
		return finding_put(evidence, NULL, &finding, scorecard_json(&card, false),
				   "Scorecard (not scored, as the check %s failed): %p.", against, &numbers);
	return finding_put(evidence, NULL, &finding, scorecard_json(&card, whole),
			   whole ? "Scorecard: %p." : "Scorecard (not scored: scaled or unwritten): %p.",
			   &numbers);
}
