#include "sim/front.h"

#include <errno.h>
#include <string.h>
#include "sim/geometry.h"

static uint32_t page_ns(double mbps)
{
	return (uint32_t)(SIM_PAGE_BYTES / mbps * 1000 + 0.5);
}

int sim_front_init(struct sim_front *front, const struct sim_params *params, uint64_t seed)
{
	memset(front, 0, sizeof(*front));
	random_init(&front->random, seed, 3);
	sim_jitter_init(&front->jitter, params->jitter, 1, false);
	front->out_page_full_ns = front->out_page_ns = page_ns(params->link_read_mbps);
	front->in_page_full_ns = front->in_page_ns = page_ns(params->link_write_mbps);
	front->one_way = params->interface == SIM_INTERFACE_SATA;
	front->page_throttled_ns = page_ns(params->throttle_mbps);
	front->read_command_ns = (uint32_t)(params->read_us_command * 1e3);
	front->write_command_ns = (uint32_t)(params->write_us_command * 1e3);
	front->write_page_ns = (uint32_t)(params->write_us_page * 1e3);
	front->write_slope = params->write_slope;
	front->read_fixed_ns = (uint64_t)(params->read_us_fixed * 1e3);
	front->write_fixed_ns = (uint64_t)(params->write_us_fixed * 1e3);
	front->trim_command_ns = (uint64_t)(params->trim_us_command * 1e3);
	front->trim_page_ns = params->trim_us_gb * SIM_PAGE_BYTES / 1e6;
	front->flush_ns = (uint64_t)(params->flush_us * 1e3);
	front->hiccup_pages = (uint64_t)(params->hiccup_mb * 1e6 / SIM_PAGE_BYTES);
	front->hiccup_ns = (uint64_t)(params->hiccup_us * 1e3);
	return sim_credit_init(&front->out, front->out_page_ns, SIM_CREDIT_LINK);
}

void sim_front_release(struct sim_front *front)
{
	sim_credit_release(&front->out);
}

void sim_front_throttle(struct sim_front *front, bool on)
{
	const uint32_t slow = front->page_throttled_ns;

	front->out_page_ns = on && slow > front->out_page_full_ns ? slow : front->out_page_full_ns;
	front->in_page_ns = on && slow > front->in_page_full_ns ? slow : front->in_page_full_ns;
}

static inline uint64_t controller_take(struct sim_front *front, uint64_t now_ns, uint64_t time_ns)
{
	if (front->controller_free_ns < now_ns)
		front->controller_free_ns = now_ns;
	front->controller_free_ns += time_ns;
	return front->controller_free_ns;
}

uint64_t sim_front_read(struct sim_front *front, uint64_t now_ns)
{
	return controller_take(front, now_ns, front->read_command_ns);
}

uint64_t sim_front_trim(struct sim_front *front, uint32_t pages, uint64_t now_ns)
{
	return controller_take(front, now_ns,
			       front->trim_command_ns + (uint64_t)(front->trim_page_ns * pages));
}

uint64_t sim_front_flush(struct sim_front *front, uint64_t now_ns)
{
	return controller_take(front, now_ns, front->write_command_ns) + front->flush_ns;
}

static void hiccup(struct sim_front *front, uint32_t pages)
{
	front->hiccup_count += pages;
	if (front->hiccup_count < front->hiccup_pages)
		return;
	front->hiccup_count = 0;
	front->controller_free_ns += front->hiccup_ns;
}

uint64_t sim_front_write(struct sim_front *front, uint32_t pages, double filled, uint64_t now_ns)
{
	uint64_t time_ns = front->write_command_ns, understood_ns;

	if (front->write_slope != 0)
		time_ns = (uint64_t)((double)time_ns * (1 + front->write_slope * filled));
	understood_ns = controller_take(front, now_ns, time_ns + (uint64_t)front->write_page_ns * pages);
	if (front->in_free_ns < understood_ns)
		front->in_free_ns = understood_ns;
	if (front->one_way)
		front->in_free_ns = sim_credit_reserve(&front->out, front->in_free_ns, (uint64_t)front->in_page_ns * pages);
	else
		front->in_free_ns += (uint64_t)front->in_page_ns * pages;
	if (front->hiccup_pages)
		hiccup(front, pages);
	return front->in_free_ns;
}

uint64_t sim_front_send(struct sim_front *front, uint32_t pages, uint64_t ready_ns)
{
	return sim_credit_reserve(&front->out, ready_ns, (uint64_t)front->out_page_ns * pages);
}

uint64_t sim_front_fixed(struct sim_front *front, bool write)
{
	return sim_jitter_apply(&front->jitter, &front->random,
				write ? front->write_fixed_ns : front->read_fixed_ns);
}
