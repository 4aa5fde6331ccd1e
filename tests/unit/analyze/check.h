/* check: what every test here includes, and comparing doubles. */
#pragma once
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <math.h>
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define assert_near(value, want, tolerance) do { \
	const double value_ = (value), want_ = (want); \
	if (!(fabs(value_ - want_) <= (tolerance))) \
		fail_msg("%s = %.17g, want %.17g +- %g", #value, value_, want_, (double)(tolerance)); \
} while (0)
