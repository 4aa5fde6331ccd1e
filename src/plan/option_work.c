#include <string.h>
#include "plan/option.h"

/* Behind the colon: for sequential I/O a size, also below 0; for random I/O how many I/Os have one place. */
static int rw_modifier(const struct value *value, struct span span, struct load *load)
{
	const bool back = span.bytes && *span.at == '-';
	uint64_t number;
	int error;

	if (load_rw_random(load->rw)) {
		error = value_u64(value, span, 1, UINT32_MAX, &number);
		load->rw_each = error ? 0 : (uint32_t)number;
		return error;
	}
	error = value_size(value, (struct span){ span.at + back, span.bytes - back }, &number);
	if (!error && number > INT64_MAX / 2)
		error = value_fault(value, span.at, "this is more than any target holds");
	load->rw_skip = error ? 0 : back ? -(int64_t)number : (int64_t)number;
	return error;
}

const char *load_rw_name(enum load_rw rw)
{
	static const char *const names[] = { "read", "write", "rw", "randread", "randwrite", "randrw", "trim", "randtrim" };

	return names[rw];
}

/* "randread", "read:8k", "read:-16k", "randread:8" */
int parse_rw(const struct value *value, struct plan_instance *instance, struct load *load)
{
	static const char *const names[] = { "read",   "write", "rw",       "randread",  "randwrite",
					     "randrw", "trim",  "randtrim", "readwrite", NULL };
	static const enum load_rw kinds[] = { LOAD_READ,     LOAD_WRITE,     LOAD_RW,
					      LOAD_RANDREAD, LOAD_RANDWRITE, LOAD_RANDRW,
					      LOAD_TRIM,     LOAD_RANDTRIM,  LOAD_RW };
	struct span rest = value_span(value), name;
	uint32_t index;
	int error;

	span_next(&rest, ':', &name);
	if (span_is(name, "trimwrite") || span_is(name, "randtrimwrite"))
		return value_fault(value, value->text, "%s is not supported", value->text);
	error = value_word(value, name, names, &index);
	if (error)
		return error;
	load->rw = kinds[index];
	load->rw_skip = load->rw_each = 0;
	if (!rest.at)
		return 0;
	if (load->rw == LOAD_RW || load->rw == LOAD_RANDRW)
		return value_fault(value, rest.at,
				   "mixed loads take no such number: read, write or trim alone do");
	return rw_modifier(value, rest, load);
}

int parse_rw_sequencer(const struct value *value, struct plan_instance *instance, struct load *load)
{
	static const char *const names[] = { "sequential", "identical", NULL };
	uint32_t index;
	int error = value_word(value, value_span(value), names, &index);

	if (!error)
		load->rw_identical = index;
	return error;
}

int parse_rwmixread(const struct value *value, struct plan_instance *instance, struct load *load)
{
	uint64_t percent;
	int error = value_u64(value, value_span(value), 0, 100, &percent);

	if (!error)
		load->read_share = (double)percent / 100;
	return error;
}

int parse_rwmixwrite(const struct value *value, struct plan_instance *instance, struct load *load)
{
	uint64_t percent;
	int error = value_u64(value, value_span(value), 0, 100, &percent);

	if (!error)
		load->read_share = (double)(100 - percent) / 100;
	return error;
}

int parse_norandommap(const struct value *value, struct plan_instance *instance, struct load *load)
{
	bool flag;
	int error = value_flag(value, &flag);

	if (!error)
		load->random_map = !flag;
	return error;
}

int parse_generator(const struct value *value, struct plan_instance *instance, struct load *load)
{
	static const char *const names[] = { "tausworthe", "tausworthe64", "lfsr", NULL };
	uint32_t index;
	int error = value_word(value, value_span(value), names, &index);

	if (!error)
		load->generator_lfsr = index == 2;
	return error;
}

int parse_randseed(const struct value *value, struct plan_instance *instance, struct load *load)
{
	return value_u64(value, value_span(value), 0, UINT64_MAX, &load->seed);
}

/* One column of a zoned distribution while it is read: what is given, and how many parts are left open. */
struct column {
	double sum;
	uint32_t open;
};

static int zone_share(const struct value *value, struct span span, struct column *column, double *ret_share)
{
	double percent;
	int error;

	if (!span.bytes) {
		column->open++;
		*ret_share = -1;
		return 0;
	}
	if (span.at[span.bytes - 1] == '%')
		span.bytes--;
	error = value_double(value, span, 0, 100, &percent);
	if (error)
		return error;
	column->sum += percent;
	*ret_share = percent / 100;
	return 0;
}

/* Open parts share what is missing to 100 %. */
static int column_check(const struct value *value, const struct column *column, const char *what)
{
	if (column->sum > 100 + 1e-9)
		return value_fault(value, value->text, "the %s add up to %g%%, which is more than 100%%",
				   what, column->sum);
	if (!column->open && column->sum < 100 - 1e-9)
		return value_fault(value, value->text, "the %s add up to %g%%, not 100%%", what, column->sum);
	return 0;
}

static double column_fill(const struct column *column, double share)
{
	return share >= 0 ? share : (100 - column->sum) / 100 / column->open;
}

/* "60/10:30/20:8/30:2/40": percent of the accesses / percent of the range. */
static int parse_zones(const struct value *value, struct span rest, struct load *load)
{
	struct column access = { 0 }, size = { 0 };
	struct span part, left, right;
	uint32_t count = 0;
	int error;

	while (span_next(&rest, ':', &part)) {
		if (count == LOAD_ZONES)
			return value_fault(value, part.at, "more than %d zones", LOAD_ZONES);
		if (!span_find(part, '/'))
			return value_fault(value, part.at,
					   "a zone is ACCESS/SIZE in percent, for instance 60/10");
		span_next(&part, '/', &left);
		span_next(&part, '/', &right);
		if (part.at)
			return value_fault(value, part.at,
					   "a zone is ACCESS/SIZE; the different directions can't differ");
		error = zone_share(value, left, &access, &load->zone[count].access_share);
		if (!error)
			error = zone_share(value, right, &size, &load->zone[count].size_share);
		if (error)
			return error;
		count++;
	}
	error = column_check(value, &access, "accesses");
	if (!error)
		error = column_check(value, &size, "sizes");
	for (uint32_t i = 0; i < count; i++) {
		load->zone[i].access_share = column_fill(&access, load->zone[i].access_share);
		load->zone[i].size_share = column_fill(&size, load->zone[i].size_share);
	}
	load->zone_count = count;
	return error;
}

static int zones_check(const struct value *value, const struct load *load)
{
	for (uint32_t i = 0; i < load->zone_count; i++)
		if (load->zone[i].access_share > 0 && load->zone[i].size_share <= 0)
			return value_fault(value, value->text, "zone %u has accesses but no size", i + 1);
	return 0;
}

/* Parameter and centre behind the name: "zipf:1.2:0.5". */
static int parse_shape(const struct value *value, struct span rest, double min, double max, struct load *load)
{
	struct span theta = { 0 }, center = { 0 };
	int error = 0;

	if (span_next(&rest, ':', &theta))
		error = value_double(value, theta, min, max, &load->distribution_theta);
	if (!error && span_next(&rest, ':', &center))
		error = value_double(value, center, 0, 1, &load->distribution_center);
	if (!error && rest.at)
		error = value_fault(value, rest.at, "nothing may follow the centre");
	return error;
}

int parse_distribution(const struct value *value, struct plan_instance *instance, struct load *load)
{
	static const char *const names[] = { "random", "zipf", "pareto", "normal", "zoned", NULL };
	static const struct { double standard, min, max; } shapes[] = {
		{ 0, 0, 0 }, { 1.1, 1e-9, 100 }, { 0.2, 1e-9, 1 - 1e-9 }, { 20, 1e-9, 100 }, { 0, 0, 0 },
	};
	struct span rest = value_span(value), name;
	uint32_t index;
	int error;

	span_next(&rest, ':', &name);
	if (span_is(name, "zoned_abs"))
		return value_fault(value, name.at,
				   "zoned_abs is not supported; give the sizes in percent with zoned:");
	error = value_word(value, name, names, &index);
	if (error)
		return error;
	load->distribution = (enum load_distribution)index;
	load->distribution_theta = shapes[index].standard;
	load->distribution_center = -1;
	load->zone_count = 0;
	if (index == DISTRIBUTION_ZONED) {
		if (!rest.at)
			return value_fault(value, name.at, "zoned needs its zones: zoned:60/10:30/20:10/70");
		error = parse_zones(value, rest, load);
		return error ? error : zones_check(value, load);
	}
	if (index == DISTRIBUTION_RANDOM && rest.at)
		return value_fault(value, rest.at, "random takes no parameter");
	error = parse_shape(value, rest, shapes[index].min, shapes[index].max, load);
	if (!error && index == DISTRIBUTION_ZIPF && load->distribution_theta == 1)
		error = value_fault(value, value->text, "zipf is not defined for theta 1; take 0.99 or 1.01");
	return error;
}

/* Up to three values for read, write, trim: the last one given also counts for those behind it. */
int parse_percentage_random(const struct value *value, struct plan_instance *instance, struct load *load)
{
	struct span rest = value_span(value), part;
	uint64_t percent = 0;
	int error;

	for (int direction = 0; direction < 3; direction++) {
		if (span_next(&rest, ',', &part)) {
			error = value_u64(value, part, 0, 100, &percent);
			if (error)
				return error;
		}
		load->percentage_random[direction] = (double)percent / 100;
	}
	return rest.at ? value_fault(value, rest.at, "at most three values: read, write, trim") : 0;
}

int parse_offset(const struct value *value, struct plan_instance *instance, struct load *load)
{
	if (value->dialect == PLAN_NATIVE && !strcmp(value->text, "continue")) {
		load->offset_continue = true;
		return 0;
	}
	return value_amount(value, value_span(value), true, &load->offset);
}

int parse_filesize(const struct value *value, struct plan_instance *instance, struct load *load)
{
	const char *dash = span_find(value_span(value), '-');

	if (dash)
		return value_fault(value, dash,
				   "files of several sizes are not supported: a load addresses one");
	return value_amount(value, value_span(value), false, &load->filesize);
}

/* "N%" is a share of size=, also above 100 %, and shrinks with it. */
int parse_io_size(const struct value *value, struct plan_instance *instance, struct load *load)
{
	struct span span = value_span(value);
	double percent;
	int error;

	if (!span.bytes || span.at[span.bytes - 1] != '%') {
		error = value_amount(value, span, true, &load->io_size);
		return error || load->io_size.bytes ? error : value_fault(value, span.at, "0 moves nothing");
	}
	span.bytes--;
	error = value_double(value, span, 0, 1e6, &percent);
	if (!error && percent <= 0)
		error = value_fault(value, span.at, "0 is not accepted: nothing would be moved");
	if (!error)
		load->io_size = (struct amount){ .unit = AMOUNT_SHARE, .share = percent / 100 };
	return error;
}

/* "75%/2048": a share as so many segments. Scaled plans take fewer segments of the same size. */
static int range_segments(const struct value *value, struct span share, struct span count, struct load *load)
{
	uint64_t segments;
	double scaled;
	int error = value_u64(value, count, 1, 1u << 20, &segments);

	if (!error && !(share.bytes && share.at[share.bytes - 1] == '%'))
		error = value_fault(value, share.at, "segments need a share: 75%%/2048");
	if (!error)
		error = value_amount(value, share, false, &load->range_to);
	if (error)
		return error;
	load->range_from = (struct amount){ 0 };
	scaled = (double)segments * (value->plan->scale < 1 ? value->plan->scale : 1);
	load->range_segments = scaled < 1 ? 1 : (uint32_t)scaled;
	return 0;
}

static bool amount_is_less(const struct amount *a, const struct amount *b)
{
	if (a->unit != b->unit)
		return true;
	return a->unit == AMOUNT_SHARE ? a->share < b->share : a->bytes < b->bytes;
}

int parse_range(const struct value *value, struct plan_instance *instance, struct load *load)
{
	struct span span = value_span(value), from, to;
	const char *dots = strstr(value->text, ".."), *slash = span_find(span, '/');
	int error;

	if (slash) {
		from = (struct span){ span.at, (size_t)(slash - span.at) };
		to = (struct span){ slash + 1, span.bytes - from.bytes - 1 };
		return range_segments(value, span_trim(from), span_trim(to), load);
	}
	if (!dots)
		return value_fault(value, span.at,
				   "a range is FROM..TO (0%%..75%%) or SHARE/SEGMENTS (75%%/2048)");
	from = span_trim((struct span){ span.at, (size_t)(dots - span.at) });
	to = span_trim((struct span){ dots + 2, strlen(dots + 2) });
	error = value_amount(value, from, true, &load->range_from);
	if (!error)
		error = value_amount(value, to, false, &load->range_to);
	if (!error && !amount_is_less(&load->range_from, &load->range_to))
		error = value_fault(value, span.at, "the range is empty: its end is not behind its start");
	load->range_segments = 0;
	return error;
}
