/* Are the slowest I/Os the drive's, or this computer's? A thread that sleeps a millisecond at a time wakes
 * late when the computer stops: how late in one of 10000 wake-ups (of 1000, in a short step), against p99.9
 * of the I/Os of the same time. */
#include <math.h>
#include <string.h>
#include "assay/check.h"
#include "assay/tail.h"
#include "base/units.h"
#include "store/json_reader.h"

#define NAME "tails_not_the_hosts"
#define SHARE_MAX 0.25
#define TAIL 0.999

struct worst {
	const struct step_record *step;		/* NULL: nothing to compare */
	double late_ns, tail_ns;
	bool rarely;				/* of 10000, else of 1000 */
};

/* NaN: no hiccup was noted, or the step was too short to say. */
static double late_of(const struct evidence *evidence, const struct step_record *step, bool *ret_rarely)
{
	double late = NAN;

	for (uint32_t i = 0; i < evidence->event_count; i++) {
		const struct event_record *event = &evidence->events[i];
		json_t *data;

		if (event->step != step->id || strcmp(event->kind, "hiccup") || !event->data_json)
			continue;
		data = json_loads(event->data_json, 0, NULL);
		*ret_rarely = json_is_number(json_object_get(data, "late_p99_99_ns"));
		late = json_real_in(data, *ret_rarely ? "late_p99_99_ns" : "late_p99_9_ns");
		json_decref(data);
	}
	return late;
}

static int load_compare(const struct evidence *evidence, const struct step_record *step,
			const struct load_record *load, struct worst *worst)
{
	bool rarely = false;
	double late = late_of(evidence, step, &rarely);
	int error = 0;

	for (int op = 0; op < IO_OPS && error >= 0 && !isnan(late); op++) {
		struct tail tail;

		error = tail_of(evidence, load, (enum io_op)op, TAIL, &tail);
		if (error > 0 && tail.value_ns > 0 &&
		    (!worst->step || late * worst->tail_ns > worst->late_ns * tail.value_ns))
			*worst = (struct worst){ step, late, tail.value_ns, rarely };
	}
	return error < 0 ? error : 0;
}

int check_tails(const struct evidence *evidence)
{
	struct worst worst = { 0 };
	char late[UNITS_TEXT], tail[UNITS_TEXT];
	bool noisy;
	int error = 0;

	if (evidence_virtual(evidence))
		return check_put(evidence, NAME, CHECK_NOT_APPLICABLE,
				 "The time of a simulated drive is not the host's.");
	for (uint32_t i = 0; i < evidence->load_count && !error; i++) {
		const struct step_record *step = evidence_step(evidence, evidence->loads[i].step);

		if (step && evidence->loads[i].total && step_measured(evidence, step))
			error = load_compare(evidence, step, &evidence->loads[i], &worst);
	}
	if (error)
		return error;
	if (!worst.step)
		return check_put(evidence, NAME, CHECK_NOT_APPLICABLE,
				 "No step has a p99.9 and was long enough to see this computer's pauses.");
	duration_format((uint64_t)worst.late_ns, late);
	duration_format((uint64_t)worst.tail_ns, tail);
	if (!(worst.late_ns > 0))
		return check_put(evidence, NAME, CHECK_PASSED,
				 "In step '%s' all but one of %u wake-ups of a thread that watches the computer came within 0.1 ms; p99.9 "
				 "of the I/Os is %s.",
				 worst.step->name, worst.rarely ? 10000u : 1000u, tail);
	noisy = worst.late_ns > SHARE_MAX * worst.tail_ns;
	return check_put(evidence, NAME, noisy ? CHECK_FAILED : CHECK_PASSED,
			 noisy ? "Too noisy a computer for claims about the slowest I/Os: in step '%s' one of %u wake-ups of a thread "
				 "that watches it came %s late, and p99.9 of the I/Os is %s (a quarter is allowed)."
			       : "In step '%s' one of %u wake-ups of a thread that watches the computer came %s late or more; p99.9 of "
				 "the I/Os is %s (a quarter is allowed).",
			 worst.step->name, worst.rarely ? 10000u : 1000u, late, tail);
}
