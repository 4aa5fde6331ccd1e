#include "sim/flash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static inline uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void times_set(struct sim_flash *flash, const struct sim_params *params)
{
	flash->read_units = params->independent_planes != 0 ? flash->geometry->planes : 1;
	flash->page_ns = (uint32_t)(SIM_PAGE_BYTES / params->channel_mbps * 1000 + 0.5);
	flash->read_ns = (uint64_t)(params->read_us * 1e3);
	flash->program_ns[SIM_MODE_NATIVE] = (uint64_t)(params->program_us * 1e3 * params->program_train);
	flash->program_ns[SIM_MODE_SLC] = (uint64_t)(params->program_slc_us * 1e3 * params->program_train);
	flash->erase_ns = (uint64_t)(params->erase_us * 1e3);
	flash->suspend_ns = (uint64_t)(params->suspend_us * 1e3);
	flash->priority = (enum sim_priority)params->read_priority;
	flash->retry_below = params->retry_rate >= 1 ? UINT64_MAX : (uint64_t)(params->retry_rate * 0x1p64);
	flash->retries = (uint32_t)params->retries;
	flash->gc_extra = params->gc_cost - 1;
}

int sim_flash_init(struct sim_flash *flash, const struct sim_geometry *geometry,
		   const struct sim_params *params, uint64_t seed)
{
	memset(flash, 0, sizeof(*flash));
	flash->geometry = geometry;
	random_init(&flash->random, seed, 1);
	sim_jitter_init(&flash->jitter, params->jitter, geometry->bits, params->page_types != 0);
	times_set(flash, params);
	flash->program_free_ns = calloc(geometry->dies, sizeof(uint64_t));
	flash->read_free_ns = calloc((size_t)geometry->dies * flash->read_units, sizeof(uint64_t));
	flash->held_until_ns = calloc(geometry->dies, sizeof(uint64_t));
	flash->channels = calloc(geometry->channels, sizeof(*flash->channels));
	if (!flash->program_free_ns || !flash->read_free_ns || !flash->held_until_ns || !flash->channels)
		return -ENOMEM;
	for (uint32_t i = 0; i < geometry->channels; i++)
		if (sim_credit_init(&flash->channels[i], flash->page_ns, SIM_CREDIT_CHANNEL))
			return -ENOMEM;
	return 0;
}

void sim_flash_release(struct sim_flash *flash)
{
	free(flash->program_free_ns);
	free(flash->read_free_ns);
	free(flash->held_until_ns);
	for (uint32_t i = 0; flash->channels && i < flash->geometry->channels; i++)
		sim_credit_release(&flash->channels[i]);
	free(flash->channels);
	memset(flash, 0, sizeof(*flash));
}

void sim_flash_restart(struct sim_flash *flash, uint64_t now_ns)
{
	for (uint32_t i = 0; i < flash->geometry->dies; i++)
		flash->program_free_ns[i] = flash->held_until_ns[i] = now_ns;
	for (uint32_t i = 0; i < flash->geometry->dies * flash->read_units; i++)
		flash->read_free_ns[i] = now_ns;
}

static inline struct sim_credit *channel_of(struct sim_flash *flash, uint32_t die)
{
	return &flash->channels[die % flash->geometry->channels];
}

static uint64_t read_time(struct sim_flash *flash, uint32_t type)
{
	uint64_t time_ns = sim_jitter_type(&flash->jitter, type, flash->read_ns);

	time_ns = sim_jitter_apply(&flash->jitter, &flash->random, time_ns);
	if (flash->retry_below && random_u64(&flash->random) < flash->retry_below) {
		flash->retried++;
		time_ns *= 1 + flash->retries;
	}
	return time_ns;
}

/* Without priority a read queues behind the program, or beside the read of another plane that is last in the
 * queue. */
static uint64_t read_queued(struct sim_flash *flash, uint32_t die, uint64_t start_ns, uint64_t time_ns)
{
	uint64_t *busy_ns = &flash->program_free_ns[die], *held_until_ns = &flash->held_until_ns[die];

	start_ns = *held_until_ns == *busy_ns ? later(start_ns, *busy_ns - time_ns) : *busy_ns;
	*busy_ns = *held_until_ns = start_ns + time_ns;
	return start_ns;
}

/* The die reads for another plane already, its program waits: only what this read takes longer is added. */
static uint64_t read_beside(struct sim_flash *flash, uint32_t die, uint64_t start_ns, uint64_t time_ns)
{
	const uint64_t end_ns = start_ns + time_ns;

	if (end_ns > flash->held_until_ns[die]) {
		flash->program_free_ns[die] += end_ns - flash->held_until_ns[die];
		flash->held_until_ns[die] = end_ns;
	}
	return start_ns;
}

/* A read meets a program that holds the die until `busy`: when it starts; the program gives way and ends
 * later. */
static uint64_t read_past_program(struct sim_flash *flash, uint32_t die, uint64_t start_ns, uint64_t time_ns)
{
	uint64_t *busy_ns = &flash->program_free_ns[die];

	if (flash->priority == SIM_PRIORITY_NONE)
		return read_queued(flash, die, start_ns, time_ns);
	if (flash->held_until_ns[die] > start_ns)
		return read_beside(flash, die, start_ns, time_ns);
	if (flash->priority == SIM_PRIORITY_SUSPEND) {
		start_ns += flash->suspend_ns;
		*busy_ns += flash->suspend_ns;
	} else {
		start_ns += (*busy_ns - start_ns) % flash->program_ns[SIM_MODE_NATIVE];
	}
	*busy_ns += time_ns;
	flash->held_until_ns[die] = start_ns + time_ns;
	return start_ns;
}

uint64_t sim_flash_read(struct sim_flash *flash, struct sim_place place, uint32_t pages, uint64_t start_ns)
{
	const uint64_t time_ns = read_time(flash, place.type);
	uint64_t *free_ns = &flash->read_free_ns[place.die * flash->read_units +
						 (flash->read_units > 1 ? place.plane : 0)];
	uint64_t read_end_ns, end_ns;

	start_ns = later(start_ns, *free_ns);
	if (flash->program_free_ns[place.die] > start_ns)
		start_ns = read_past_program(flash, place.die, start_ns, time_ns);
	read_end_ns = start_ns + time_ns;
	end_ns = sim_credit_reserve(channel_of(flash, place.die), read_end_ns,
				    (uint64_t)pages * flash->page_ns);
	*free_ns = flash->read_units > 1 ? read_end_ns : end_ns;
	if (flash->read_units == 1 && flash->program_free_ns[place.die] < read_end_ns)
		flash->program_free_ns[place.die] = read_end_ns;
	return end_ns;
}

uint64_t sim_flash_read_map(struct sim_flash *flash, uint64_t start_ns)
{
	const uint32_t units = flash->geometry->dies * flash->read_units;
	uint64_t *free_ns = &flash->read_free_ns[random_below(&flash->random, units)];

	*free_ns = later(start_ns, *free_ns) + flash->read_ns;
	return *free_ns;
}

uint64_t sim_flash_program(struct sim_flash *flash, uint32_t die, enum sim_mode mode, uint64_t start_ns)
{
	const uint32_t pages = flash->geometry->unit_pages[mode];
	const uint64_t transfer_ns = (uint64_t)pages * flash->page_ns, free_ns = flash->program_free_ns[die];
	/* The data crosses the channel while the die finishes what it does, not earlier. */
	const uint64_t cross_ns = later(start_ns, free_ns > transfer_ns ? free_ns - transfer_ns : 0);
	const uint64_t ready_ns =
		later(sim_credit_reserve(channel_of(flash, die), cross_ns, transfer_ns), free_ns);
	const uint64_t time_ns = sim_jitter_apply(&flash->jitter, &flash->random, flash->program_ns[mode]);

	flash->program_free_ns[die] = ready_ns + time_ns;
	flash->bytes_programmed += (uint64_t)pages * SIM_PAGE_BYTES;
	return ready_ns + time_ns;
}

void sim_flash_program_collected(struct sim_flash *flash, uint32_t die, bool folding, uint64_t start_ns)
{
	const uint64_t read_transfer_ns =
		(uint64_t)flash->geometry->unit_pages[SIM_MODE_NATIVE] * flash->page_ns;

	/* The pages were read from dies all over the drive: their way out is charged to the channel they go
	 * in by. */
	sim_credit_reserve(channel_of(flash, die), start_ns, read_transfer_ns);
	sim_flash_program(flash, die, SIM_MODE_NATIVE, start_ns);
	if (!folding)
		flash->program_free_ns[die] +=
			(uint64_t)((double)flash->program_ns[SIM_MODE_NATIVE] * flash->gc_extra);
}

void sim_flash_collect_row(struct sim_flash *flash, uint32_t die, uint64_t start_ns)
{
	flash->program_free_ns[die] = later(flash->program_free_ns[die], start_ns) + flash->read_ns;
}

void sim_flash_erase(struct sim_flash *flash, uint64_t start_ns)
{
	if (flash->erases++ == 0)
		for (uint32_t i = 0; i < flash->geometry->dies; i++)
			flash->program_free_ns[i] =
				later(flash->program_free_ns[i], start_ns) + flash->erase_ns;
	if (flash->erases == flash->geometry->shrink)
		flash->erases = 0;
}

double sim_flash_background_ns(const struct sim_flash *flash)
{
	const struct sim_geometry *geometry = flash->geometry;

	return ((double)flash->program_ns[SIM_MODE_NATIVE] / geometry->unit_pages[SIM_MODE_NATIVE] +
		(double)flash->read_ns / geometry->row_pages) / geometry->dies;
}
