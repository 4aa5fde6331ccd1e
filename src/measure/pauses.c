#include "measure/pauses.h"

/* Of the time since the start up to at_ns. */
static uint64_t sent_ns(const struct pauses *pauses, uint64_t at_ns)
{
	const uint64_t since_ns = at_ns > pauses->delay_ns ? at_ns - pauses->delay_ns : 0;
	const uint64_t cycle_ns = pauses->on_ns + pauses->off_ns;
	uint64_t cycles, into_ns;

	if (!pauses->on_ns)
		return since_ns;
	cycles = since_ns / cycle_ns;
	into_ns = since_ns % cycle_ns;
	if (cycles >= pauses->count)
		return pauses->count * pauses->on_ns;
	return cycles * pauses->on_ns + (into_ns < pauses->on_ns ? into_ns : pauses->on_ns);
}

uint64_t pauses_rest_ns(const struct pauses *pauses, uint64_t from_ns, uint64_t to_ns)
{
	return to_ns - from_ns - (sent_ns(pauses, to_ns) - sent_ns(pauses, from_ns));
}
