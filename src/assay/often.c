#include "assay/often.h"

#include <math.h>
#include <stdio.h>
#include "analyze/confidence.h"
#include "base/units.h"

const char *often_text(double value, uint64_t count, char text[NUMBER_TEXT])
{
	const int digits = count < 100 ? 2 : 3;
	int decimals;
	double unit;

	if (!(value > 0))
		return number_text(value, text);
	decimals = digits - 1 - (int)floor(log10(value));
	unit = pow(10, -decimals);
	snprintf(text, NUMBER_TEXT, "%.*f", decimals > 0 ? decimals : 0, round(value / unit) * unit);
	return text;
}

void often_put(uint64_t count, double hours, struct finding_record *finding)
{
	const struct bounds bounds = confidence_poisson_rate(count, hours);
	const bool is_long = hours >= CONFIDENCE_HOURS_MIN;

	finding->unit = is_long ? "per_hour" : "count";
	finding->value = is_long ? (double)count / hours : (double)count;
	finding->low = is_long ? bounds.low : NAN;
	finding->high = is_long ? bounds.high : NAN;
}

struct saying *often_say(uint64_t count, double hours, struct saying *saying)
{
	const struct bounds bounds = confidence_poisson_rate(count, hours);
	char rate[NUMBER_TEXT], low[NUMBER_TEXT], high[NUMBER_TEXT], time[UNITS_TEXT];

	if (hours < CONFIDENCE_HOURS_MIN)
		saying_add(saying, ", in %s: too short to say how many an hour",
			   duration_format((uint64_t)llround(hours * 3600e9), time));
	else if (!count)
		saying_add(saying, ": at most %s an hour (95 %%)", often_text(bounds.high, count, high));
	else
		saying_add(saying, ": %s an hour (%s to %s)", often_text((double)count / hours, count, rate),
			   often_text(bounds.low, count, low), often_text(bounds.high, count, high));
	return saying;
}
