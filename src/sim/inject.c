#include "sim/inject.h"

#include <string.h>

void sim_inject_init(struct sim_inject *inject, const struct sim_params *params, uint64_t seed)
{
	memset(inject, 0, sizeof(*inject));
	inject->stall_at_ns = (uint64_t)(params->stall_at_s * 1e9);
	inject->stall_ns = (uint64_t)(params->stall_s * 1e9);
	inject->stall_every_ns = (uint64_t)(params->stall_every_s * 1e9);
	inject->error_below = params->error_rate >= 1 ? UINT64_MAX : (uint64_t)(params->error_rate * 0x1p64);
	inject->error_at_ns = (uint64_t)(params->error_at_s * 1e9);
	inject->error_ns = (uint64_t)(params->error_ms * 1e6);
	inject->hang_at_ns = (uint64_t)(params->hang_at_s * 1e9);
	inject->on = inject->stall_ns || inject->error_below || inject->hang_at_ns;
	random_init(&inject->random, seed, 4);
}

uint64_t sim_inject_stalled_until(const struct sim_inject *inject, uint64_t now_ns)
{
	uint64_t into_ns;

	if (!inject->stall_ns || now_ns < inject->stall_at_ns)
		return now_ns;
	into_ns = now_ns - inject->stall_at_ns;
	if (inject->stall_every_ns)
		into_ns %= inject->stall_every_ns;
	return into_ns < inject->stall_ns ? now_ns - into_ns + inject->stall_ns : now_ns;
}

uint64_t sim_inject_delay(struct sim_inject *inject, uint64_t done_ns)
{
	const uint64_t end_ns = sim_inject_stalled_until(inject, done_ns);

	if (end_ns == done_ns)
		return done_ns;
	inject->stalled++;
	return done_ns + inject->stall_ns;
}

bool sim_inject_error(struct sim_inject *inject, uint64_t now_ns)
{
	if (!inject->error_below || now_ns < inject->error_at_ns ||
	    random_u64(&inject->random) >= inject->error_below)
		return false;
	inject->errors++;
	return true;
}

bool sim_inject_hang(struct sim_inject *inject, uint64_t now_ns)
{
	if (!inject->hang_at_ns || inject->hung || now_ns < inject->hang_at_ns)
		return false;
	inject->hung = true;
	return true;
}
