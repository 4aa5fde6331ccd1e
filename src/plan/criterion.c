#include "plan/criterion.h"

#include <errno.h>
#include <string.h>
#include "base/units.h"

static const char *const figures[] = {
	"iops", "bytes_per_second", "mean", "min", "max", "stddev", "consistency", "errors", NULL
};

static bool figure_is_percentile(const char *figure)
{
	double percent;

	return figure[0] == 'p' && !double_parse(figure + 1, &percent) && percent > 0 && percent < 100;
}

static bool figure_is_latency(const char *figure)
{
	return figure_is_percentile(figure) || !strcmp(figure, "mean") || !strcmp(figure, "max") ||
	       !strcmp(figure, "min") || !strcmp(figure, "stddev");
}

static int figure_check(const struct value *value, struct span span, const char *figure)
{
	uint32_t index;

	if (figure_is_percentile(figure))
		return 0;
	if (figure[0] == 'p' && figure[1] >= '0' && figure[1] <= '9')
		return value_fault(value, span.at,
				   "a percentile lies between p0 and p100, for instance p99.9");
	return value_word(value, span, figures, &index);
}

/* "1ms": with a unit, because a bare number could be taken for anything. */
static int limit_time(const struct value *value, struct span span, double *ret_limit)
{
	uint64_t ns;
	int error;

	if (span.bytes && strspn(span.at, "0123456789.") >= span.bytes)
		return value_fault(value, span.at, "the time needs a unit: us, ms or s");
	error = value_time(value, span, 1000000000, &ns);
	if (!error)
		*ret_limit = (double)ns;
	return error;
}

/* "500MB/s" (powers of ten), "500m", "500m/s" (powers of two) */
static int limit_bytes(const struct value *value, struct span span, double *ret_limit)
{
	static const struct { const char *unit; double factor; } units[] = {
		{ "kB/s", 1e3 }, { "MB/s", 1e6 }, { "GB/s", 1e9 }
	};
	uint64_t bytes;
	int error;

	for (size_t i = 0; i < 3; i++) {
		if (span.bytes < 5 || memcmp(span.at + span.bytes - 4, units[i].unit, 4))
			continue;
		span.bytes -= 4;
		error = value_double(value, span, 0, 1e9, ret_limit);
		if (!error)
			*ret_limit *= units[i].factor;
		return error;
	}
	if (span.bytes > 2 && !memcmp(span.at + span.bytes - 2, "/s", 2))
		span.bytes -= 2;
	error = value_size(value, span, &bytes);
	if (!error)
		*ret_limit = (double)bytes;
	return error;
}

static int limit_ratio(const struct value *value, struct span span, double *ret_limit)
{
	if (span.bytes && span.at[span.bytes - 1] == '%')
		return value_share(value, span, ret_limit);
	return value_double(value, span, 0, 1, ret_limit);
}

int criterion_limit(const struct value *value, const char *figure, struct span span, double *ret_limit)
{
	double limit;
	int error;

	if (figure_is_latency(figure))
		error = limit_time(value, span, &limit);
	else if (!strcmp(figure, "bytes_per_second"))
		error = limit_bytes(value, span, &limit);
	else if (!strcmp(figure, "consistency"))
		error = limit_ratio(value, span, &limit);
	else if (!strcmp(figure, "errors"))
		error = value_double(value, span, 0, 1e18, &limit);
	else
		error = value_rate(value, span, &limit);
	if (!error)
		*ret_limit = limit;
	return error;
}

/* Takes "read." or "response." off the front. */
static const char *prefix_take(struct span *span, const char *const *words)
{
	const char *dot = span_find(*span, '.');
	struct span first;

	if (!dot)
		return NULL;
	first = (struct span){ span->at, (size_t)(dot - span->at) };
	for (; *words; words++) {
		if (!span_is(first, *words))
			continue;
		*span = (struct span){ dot + 1, span->bytes - first.bytes - 1 };
		return *words;
	}
	return NULL;
}

int criterion_parse(struct parser *parser, const struct value *value, struct span span,
		    struct plan_expect *ret_expect)
{
	static const char *const directions[] = { "read", "write", "trim", "flush", "fsync", NULL };
	static const char *const clocks[] = { "service", "response", NULL };
	const char *sign = span_find(span, '<') ? span_find(span, '<') : span_find(span, '>');
	struct plan_expect expect = { .line = value->entry->mark.line };
	struct span left, right;
	char *figure;
	int error;

	if (!sign)
		return value_fault(value, span.at,
				   "a criterion is FIGURE<LIMIT or FIGURE>LIMIT, for instance "
				   "read.p99.9<1ms");
	left = span_trim((struct span){ span.at, (size_t)(sign - span.at) });
	right = span_trim((struct span){ sign + 1, span.bytes - (size_t)(sign + 1 - span.at) });
	expect.column = value->text_column + (value->exact ? (uint32_t)(span.at - value->text) : 0);
	expect.below = *sign == '<';
	expect.direction = prefix_take(&left, directions);
	expect.clock = prefix_take(&left, clocks);
	figure = arena_strndup(parser->arena, left.at, left.bytes);
	expect.text = arena_strndup(parser->arena, span.at, span.bytes);
	if (!figure || !expect.text)
		return -ENOMEM;
	expect.figure = figure;
	error = figure_check(value, left, figure);
	if (!error && expect.clock && !figure_is_latency(figure))
		error = value_fault(value, span.at, "%s is no time: it has no %s", figure, expect.clock);
	if (!error)
		error = criterion_limit(value, figure, right, &expect.limit);
	if (!error)
		*ret_expect = expect;
	return error;
}
