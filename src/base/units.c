#include "base/units.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct unit {
	const char *name;
	double factor;
};

static const struct unit size_units[] = {
	{ "", 1 }, { "b", 1 },
	{ "k", 1024.0 }, { "kb", 1024.0 }, { "kib", 1024.0 },
	{ "m", 1048576.0 }, { "mb", 1048576.0 }, { "mib", 1048576.0 },
	{ "g", 1073741824.0 }, { "gb", 1073741824.0 }, { "gib", 1073741824.0 },
	{ "t", 1099511627776.0 }, { "tb", 1099511627776.0 }, { "tib", 1099511627776.0 },
	{ "p", 1125899906842624.0 }, { "pb", 1125899906842624.0 }, { "pib", 1125899906842624.0 },
	{ NULL, 0 },
};

static const struct unit duration_units[] = {
	{ "", 1e9 }, { "s", 1e9 }, { "sec", 1e9 }, { "ns", 1 }, { "us", 1e3 }, { "usec", 1e3 },
	{ "ms", 1e6 }, { "msec", 1e6 }, { "m", 60e9 }, { "min", 60e9 }, { "h", 3600e9 }, { "d", 86400e9 }, { NULL, 0 },
};

/* Splits "12.5ms" into 12.5 and "ms" without asking the locale. An exact integer is kept exact. */
static int number_split(const char *text, double *ret_value, uint64_t *ret_integer, int *ret_is_integer,
			const char **ret_unit)
{
	char *end;
	const char *at = text;

	if (!isdigit((unsigned char)*at) && *at != '.')
		return -EINVAL;
	errno = 0;
	*ret_integer = strtoull(at, &end, at[0] == '0' && (at[1] | 32) == 'x' ? 16 : 10);
	if (errno == ERANGE)
		return -ERANGE;
	*ret_value = (double)*ret_integer;
	*ret_is_integer = 1;
	if (*end == '.') {
		double scale = 0.1, value = (double)*ret_integer;

		if (!isdigit((unsigned char)end[1]))
			return -EINVAL;
		for (end++; isdigit((unsigned char)*end); end++, scale /= 10)
			value += scale * (*end - '0');
		*ret_value = value;
		*ret_is_integer = 0;
	}
	*ret_unit = end;
	return 0;
}

static int unit_parse(const char *text, const struct unit *units, uint64_t *ret_value)
{
	double value;
	uint64_t integer;
	int is_integer, error;
	const char *suffix;

	error = number_split(text, &value, &integer, &is_integer, &suffix);
	if (error)
		return error;
	for (; units->name; units++) {
		if (strcasecmp(units->name, suffix))
			continue;
		if (is_integer && integer && (double)integer * units->factor >= 18446744073709551616.0)
			return -ERANGE;
		if (!is_integer && value * units->factor >= 18446744073709549568.0)
			return -ERANGE;
		*ret_value = is_integer ? integer * (uint64_t)units->factor
					: (uint64_t)llround(value * units->factor);
		return 0;
	}
	return -EINVAL;
}

int size_parse(const char *text, uint64_t *ret_bytes)
{
	return unit_parse(text, size_units, ret_bytes);
}

int duration_parse(const char *text, uint64_t *ret_ns)
{
	return unit_parse(text, duration_units, ret_ns);
}

int share_parse(const char *text, double *ret_share)
{
	double value;
	uint64_t integer;
	int is_integer, error;
	const char *suffix;

	error = number_split(text, &value, &integer, &is_integer, &suffix);
	if (error)
		return error;
	if (strcmp(suffix, "%"))
		return -EINVAL;
	*ret_share = value / 100;
	return 0;
}

int u64_parse(const char *text, uint64_t *ret_value)
{
	double value;
	uint64_t integer;
	int is_integer, error;
	const char *suffix;

	error = number_split(text, &value, &integer, &is_integer, &suffix);
	if (error)
		return error;
	if (!is_integer || *suffix)
		return -EINVAL;
	*ret_value = integer;
	return 0;
}

int i64_parse(const char *text, int64_t *ret_value)
{
	int negative = text[0] == '-';
	uint64_t value;
	int error = u64_parse(text + negative, &value);

	if (error)
		return error;
	if (value > (uint64_t)INT64_MAX)
		return -ERANGE;
	*ret_value = negative ? -(int64_t)value : (int64_t)value;
	return 0;
}

int double_parse(const char *text, double *ret_value)
{
	static const char allowed[] = "0123456789+-.eE";
	locale_t locale;
	char *end;
	double value;

	if (!*text || text[strspn(text, allowed)])
		return -EINVAL;
	locale = newlocale(LC_NUMERIC_MASK, "C", NULL);
	if (!locale)
		return -ENOMEM;
	value = strtod_l(text, &end, locale);
	freelocale(locale);
	if (end == text || *end)
		return -EINVAL;
	if (!isfinite(value))
		return -ERANGE;
	*ret_value = value;
	return 0;
}

/* Three significant digits, no exponent: "1.23", "12.3", "123". */
static void significant(double value, const char *unit, char buffer[UNITS_TEXT])
{
	int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;

	snprintf(buffer, UNITS_TEXT, "%.*f %s", decimals, value, unit);
}

const char *size_format(uint64_t bytes, char buffer[UNITS_TEXT])
{
	static const char *const names[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double value = (double)bytes;
	int power = 0;

	while (value >= 1024 && power < 6) {
		value /= 1024;
		power++;
	}
	if (value == floor(value))
		snprintf(buffer, UNITS_TEXT, "%.0f %s", value, names[power]);
	else
		significant(value, names[power], buffer);
	return buffer;
}

static const char *decimal_format(double value, const char *const *names, int last, char buffer[UNITS_TEXT])
{
	int power = 0;

	while (value >= 999.5 && power < last) {
		value /= 1000;
		power++;
	}
	if (power == 0)
		snprintf(buffer, UNITS_TEXT, "%.*f %s", value == floor(value) || value >= 100 ? 0 : value >= 10 ? 1 : 2,
			 value, names[power]);
	else
		significant(value, names[power], buffer);
	return buffer;
}

const char *capacity_format(uint64_t bytes, char buffer[UNITS_TEXT])
{
	static const char *const names[] = { "B", "kB", "MB", "GB", "TB", "PB", "EB" };

	return decimal_format((double)bytes, names, 6, buffer);
}

const char *rate_format(double bytes_per_second, char buffer[UNITS_TEXT])
{
	static const char *const names[] = { "B/s", "kB/s", "MB/s", "GB/s", "TB/s" };

	return decimal_format(bytes_per_second, names, 4, buffer);
}

const char *count_format(double value, char buffer[UNITS_TEXT])
{
	static const char *const names[] = { "", "k", "M", "G", "T" };
	size_t length;

	decimal_format(value, names, 4, buffer);
	length = strlen(buffer);
	if (length && buffer[length - 1] == ' ')
		buffer[length - 1] = '\0';
	return buffer;
}

const char *duration_format(uint64_t ns, char buffer[UNITS_TEXT])
{
	uint64_t s = (ns + 500000000) / 1000000000;

	if (ns < 1000)
		snprintf(buffer, UNITS_TEXT, "%u ns", (unsigned)ns);
	else if (ns < 999500)
		significant((double)ns / 1e3, "\xc2\xb5s", buffer);
	else if (ns < 999500000)
		significant((double)ns / 1e6, "ms", buffer);
	else if (ns < 59500000000)
		significant((double)ns / 1e9, "s", buffer);
	else if (s < 3600)
		snprintf(buffer, UNITS_TEXT, "%u min %02u s", (unsigned)(s / 60), (unsigned)(s % 60));
	else if (s < 172800)
		snprintf(buffer, UNITS_TEXT, "%u h %02u min", (unsigned)(s / 3600), (unsigned)(s / 60 % 60));
	else
		snprintf(buffer, UNITS_TEXT, "%u d %u h", (unsigned)(s / 86400), (unsigned)(s / 3600 % 24));
	return buffer;
}
