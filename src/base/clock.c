#include "base/clock.h"

void clock_init_vdso(struct clock *clock)
{
	*clock = (struct clock){ .source = CLOCK_VDSO };
}

void clock_init_virtual(struct clock *clock)
{
	*clock = (struct clock){ .source = CLOCK_VIRTUAL };
}

const char *clock_source_name(enum clock_source source)
{
	switch (source) {
	case CLOCK_VDSO:
		return "vdso";
	case CLOCK_TSC:
		return "tsc";
	case CLOCK_VIRTUAL:
		return "virtual";
	}
	return "?";
}
