#include <stdio.h>
#include <string.h>
#include "plan/option.h"
#include "plan/stop.h"

#define INTERVAL_MIN_NS 10000000ull	/* 10 ms */
#define GIVE_UP_MIN_NS 10000000000ull

int parse_until(const struct value *value, struct plan_instance *instance, struct load *load)
{
	return stop_parse(value, false, instance->until, &instance->until_count);
}

int parse_max(const struct value *value, struct plan_instance *instance, struct load *load)
{
	return stop_parse(value, true, instance->max, &instance->max_count);
}

/* "5s/10s*360" */
int parse_duty(const struct value *value, struct plan_instance *instance, struct load *load)
{
	struct span rest = value_span(value), on, off, times;
	uint64_t count, on_ns, off_ns;
	int error;

	if (!span_next(&rest, '/', &on) || !span_next(&rest, '*', &off) || !span_next(&rest, '*', &times) ||
	    rest.at)
		return value_fault(value, value->text,
				   "a duty cycle is ON/OFF*TIMES, for instance 5s/10s*360");
	error = value_time(value, on, 1000000000, &on_ns);
	if (!error)
		error = value_time(value, off, 1000000000, &off_ns);
	if (!error)
		error = value_u64(value, times, 1, 1000000, &count);
	if (!error && !on_ns)
		error = value_fault(value, on.at, "the load must run for longer than 0");
	if (error)
		return error;
	instance->duty_on_ns = value_scale_ns(value, on_ns);
	instance->duty_off_ns = value_scale_ns(value, off_ns);
	instance->duty_count = (uint32_t)count;
	return 0;
}

/* Shortened with the plan, so that a scaled run has as many intervals, but not below 10 ms and never
 * lengthened. */
int parse_interval(const struct value *value, struct plan_instance *instance, struct load *load)
{
	uint64_t ns, scaled;
	int error = value_time(value, value_span(value), 1000000000, &ns);

	if (error)
		return error;
	if (ns < INTERVAL_MIN_NS || ns > 3600000000000ull)
		return value_fault(value, value->text, "an interval is 10ms to 1h long");
	scaled = value_scale_ns(value, ns);
	scaled = scaled < INTERVAL_MIN_NS ? INTERVAL_MIN_NS : scaled;
	instance->interval_ns = scaled < ns ? scaled : ns;
	return 0;
}

/* Time of the drive, and so not shortened with the plan. */
int parse_give_up(const struct value *value, struct plan_instance *instance, struct load *load)
{
	uint64_t ns;
	int error = value_time(value, value_span(value), 1000000000, &ns);

	if (!error && ns && ns < GIVE_UP_MIN_NS)
		error = value_fault(value, value->text,
				    "a drive may be silent for longer: at least 10s, or 0 to wait for ever");
	if (!error)
		instance->give_up_ns = ns;
	return error;
}

int parse_fs(const struct value *value, struct plan_instance *instance, struct load *load)
{
	static const char *const names[] = { "raw", "ext4", "xfs", "btrfs", "ntfs", NULL };
	uint32_t index;
	int error = value_word(value, value_span(value), names, &index);

	if (!error)
		snprintf(instance->fs, sizeof(instance->fs), "%s", names[index]);
	return error;
}

int parse_write_cache(const struct value *value, struct plan_instance *instance, struct load *load)
{
	bool on;
	int error = value_flag(value, &on);

	if (!error)
		instance->write_cache = on ? WRITE_CACHE_ON : WRITE_CACHE_OFF;
	return error;
}
