/* No completion comes later than the model allows. Random lives of drives - loads of all kinds, ranges,
 * depths, trims of parts and of all, flushes and idle hours - against a bound worked out from the parameters:
 * everything the drive can owe at one moment is done one after another. */
#include "fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "sim/geometry.h"

#define PHASES 16
#define SLACK 1.2	/* jitter, page types, parts of buckets */

struct life {
	struct sim_drive *drive;
	struct sim_params params;
	struct sim_geometry geometry;
	struct random random;
	uint64_t now_ns;
	double worst;		/* largest latency, as share of its bound */
};

static double unit_pages(const struct life *life)
{
	return life->geometry.unit_pages[SIM_MODE_NATIVE];
}

/* Time in which all dies together move one page: read and programmed, or twice over a channel. */
static double page_move_us(const struct life *life)
{
	const struct sim_params *params = &life->params;
	const double program_us =
		params->program_us * params->program_train * params->gc_cost / unit_pages(life);
	const double read_us = params->read_us / life->geometry.row_pages;

	return fmax((program_us + read_us) / life->geometry.dies,
		    2 * SIM_PAGE_BYTES / params->channel_mbps / params->channels);
}

/* Pages that must be moved at most to gain a free superblock: no victim holds more than the mean. */
static double pages_per_superblock(const struct life *life)
{
	const struct sim_geometry *geometry = &life->geometry;
	const double closed = geometry->superblocks - life->params.gc_floor - 3;
	const double share = geometry->user_pages / (closed * geometry->superblock_pages);

	return geometry->superblock_pages * (share < 0.99 ? 1 / (1 - share) : 100);
}

static double bound_us(const struct life *life, const struct load *load)
{
	const struct sim_params *params = &life->params;
	const double io_pages = ceil(load->bytes / 4096.0), asked_pages = io_pages * load->depth;
	const double slowest_mbps = fmin(fmin(params->link_read_mbps, params->link_write_mbps),
					 params->heat_resistance > 0 ? params->throttle_mbps : 1e9);
	const double owed_pages = fmax(params->buffer_mb * 256, 4 * unit_pages(life)) + asked_pages +
				  params->gc_batch + pages_per_superblock(life);
	const double spread =
		4 / (double)life->geometry.dies + 16 / asked_pages;	/* of reads on dies: uneven */
	const double erases = ceil((owed_pages / life->geometry.slc_pages + 2) / params->shrink);
	const double read_us = params->read_us * 1.3 * (1 + (params->retry_rate > 0 ? params->retries : 0)) +
			       params->suspend_us + SIM_PAGE_BYTES / params->channel_mbps;
	const double command_us = params->read_us_command +
				  params->write_us_command * (1 + params->write_slope) +
				  params->write_us_page * io_pages;

	return SLACK * (owed_pages * page_move_us(life) + erases * params->erase_us +
			asked_pages * fmin(1, spread) * read_us +
			load->depth * (command_us + load->bytes / slowest_mbps) + params->hiccup_us +
			2 * params->program_us * params->program_train + params->read_us_fixed +
			params->write_us_fixed);
}

/* Something that is not a load: a trim of all or somewhere, a flush, a pause of up to three hours. */
static void pause_or_tidy(struct life *life)
{
	const uint64_t capacity = sim_drive_capacity_bytes(life->drive);

	switch (random_below(&life->random, 8)) {
	case 0:
		life->now_ns = drive_trim(life->drive, life->now_ns);
		break;
	case 1:
	case 2:
		life->now_ns =
			io_do(life->drive, IO_TRIM, random_below(&life->random, capacity / 8192) * 4096,
			      (uint32_t)random_below(&life->random, 32768) * 4096, life->now_ns);
		break;
	case 3:
		life->now_ns = io_do(life->drive, IO_FLUSH, 0, 0, life->now_ns);
		break;
	case 4:
		life->now_ns += random_below(&life->random, 3ull * 3600 * 1000000000);
		break;
	default:
		break;
	}
}

static struct load load_draw(struct life *life)
{
	static const double shares[] = { 0, 0, 0.3, 0.5, 0.7, 1, 1, 1 };
	static const double ranges[] = { 0.003, 0.05, 0.05, 0.4, 1, 1 };
	const bool large = random_below(&life->random, 3) == 0;
	struct load load = {
		.pattern = large && random_below(&life->random, 2) ? LOAD_SEQUENTIAL : LOAD_UNIFORM,
		.bytes = large ? 131072 : 4096,
		.depth = 1u << random_below(&life->random, large ? 4 : 9),
		.write_share = shares[random_below(&life->random, 8)],
		.range = ranges[random_below(&life->random, 6)],
		.seed = random_u64(&life->random),
		.until_ns = life->now_ns + 1 + random_below(&life->random, 20ull * 1000000000),
	};

	load.count =
		random_below(&life->random, large ? sim_drive_capacity_bytes(life->drive) / 65536 : 262144);
	return load;
}

static void phase_check(struct life *life, const char *spec, int phase)
{
	const struct load load = load_draw(life);
	struct load_result *result = malloc(sizeof(*result));
	const double limit_us = bound_us(life, &load);

	assert_non_null(result);
	load_run(life->drive, &load, life->now_ns, result);
	if (result->ios) {
		life->now_ns = result->end_ns;
		life->worst = fmax(life->worst, (double)result->max_ns / 1e3 / limit_us);
	}
	if ((double)result->max_ns / 1e3 > limit_us)
		fail_msg("%s, phase %d: %g ms, at most %g ms are explained (%u bytes, QD%u, %g written, "
			 "range %g)",
			 spec, phase, (double)result->max_ns / 1e6, limit_us / 1e3, load.bytes, load.depth,
			 load.write_share, load.range);
	assert_int_equal(result->errors, 0);
	free(result);
}

static double life_check(const char *spec, uint64_t seed)
{
	struct life life = { 0 };

	life.drive = drive_make(spec, seed);
	life.params = *sim_drive_params(life.drive);
	assert_int_equal(sim_geometry_init(&life.geometry, &life.params, NULL), 0);
	random_init(&life.random, seed, 99);
	for (int phase = 0; phase < PHASES; phase++) {
		pause_or_tidy(&life);
		phase_check(&life, spec, phase);
	}
	print_message("# %s: latest at %.0f %% of its bound in %.1f h\n", spec, 100 * life.worst,
		      (double)life.now_ns / 3.6e12);
	sim_drive_free(life.drive);
	return life.worst;
}

static void no_completion_is_later_than_the_model_explains(void **state)
{
	static const char *const specs[] = {
		"tlc-consumer,shrink=64",
		"qlc-consumer,shrink=128",
		"tlc-datacenter,shrink=256",
		"sata-tlc,shrink=64",
		"sn850,shrink=128",
		"p3700,shrink=128",
		"840pro,shrink=32",
		"intel750,shrink=64",
		"m8peg,shrink=64",
		"shannon,shrink=256",
		"theory,capacity_gb=4",
		"tlc-consumer,shrink=64,read_priority=wait",
		"tlc-consumer,shrink=64,read_priority=none",
		"tlc-consumer,shrink=64,gc=fifo",
		"tlc-consumer,shrink=64,precondition=steady,slc_gb=0",
	};

	double worst = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(specs) / sizeof(*specs); i++)
		worst = fmax(worst, life_check(specs[i], 2 + i));
	assert_true(worst > 0.25);	/* a bound that far away would say nothing */
}

/* Writes leave programs behind that reads then hold back, again and again: by what they take of the die, not
 * by the sum over its planes, which would grow without end. */
static void reads_of_many_planes_do_not_pile_up_programs(void **state)
{
	static const char *const priorities[] = { "suspend", "wait", "none" };
	struct load_result *result = malloc(sizeof(*result));

	(void)state;
	assert_non_null(result);
	for (int i = 0; i < 3; i++) {
		struct load load = { .bytes = 4096, .depth = 32, .range = 0.05, .seed = 1 };
		struct sim_drive *drive;
		char spec[80];

		snprintf(spec, sizeof(spec), "tlc-consumer,shrink=64,read_priority=%s", priorities[i]);
		drive = drive_make(spec, 1);
		load.write_share = 1, load.count = 200000;
		load_run(drive, &load, 0, result);
		load.write_share = 0, load.count = 1500000;	/* four seconds */
		load_run(drive, &load, result->end_ns, result);
		assert_true(load_iops(result) > 250000);
		load.write_share = 1, load.count = 50000;
		load_run(drive, &load, result->end_ns, result);
		assert_true(result->max_ns < 20 * MS);
		sim_drive_free(drive);
	}
	free(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_completion_is_later_than_the_model_explains),
		cmocka_unit_test(reads_of_many_planes_do_not_pile_up_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
