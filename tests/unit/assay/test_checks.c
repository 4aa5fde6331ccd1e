/* Every self-check: what makes it fail and what makes it pass, on run files written by hand. A change says
 * what is different from a healthy second of reads; `after` adds what is stored beside it. */
#include "made_run.h"

#define SAMPLES 2000u
#define RANGE (1u << 30)

struct change {
	const char *check;
	enum check_result result;
	const char *says;			/* part of its sentence; NULL = anything */
	void (*change)(struct made_run *made);
	void (*after)(struct made_run *made);
};

/* -- counts -- */

static void block_layer_event(struct made_run *made, uint64_t bytes)
{
	char json[128];
	const struct event_record event = { .step = 1, .kind = "block_layer", .text = "counted", .data_json = json };

	snprintf(json, sizeof(json), "{\"target\":0,\"reads\":40000,\"read_bytes\":%lu,\"write_bytes\":0}",
		 bytes);
	assert_int_equal(store_put_event(made->store, &event), 0);
}

static void block_layer_same(struct made_run *made) { block_layer_event(made, 40000ull * 4096); }
static void block_layer_more(struct made_run *made) { block_layer_event(made, 40000ull * 4096 + 512); }

static void twice_in_flight(struct made_run *made) { made->total->in_flight_ns *= 2; }
static void asked_for_more(struct made_run *made) { made->load.depth_asked = 5; }
static void asked_for_about_that(struct made_run *made) { made->load.depth_asked = 4; }
static void one_error(struct made_run *made) { made->total->op[IO_READ].errors = 1; }

static void one_short(struct made_run *made)
{
	const struct logged_io io = { .bytes = 4096, .result = 512, .op = IO_READ, .flags = LOGGED_SHORT };

	assert_int_equal(store_put_outliers(made->store, 1, &io, 1), 0);
}

/* -- open loops: a second of 40,000 reads -- */

static void open_loop(struct made_run *made, double rate, uint64_t lateness_ns)
{
	made->load.open_loop = true;
	made->load.rate_asked = rate;
	for (int i = 0; i < 40000; i++) {
		histogram_record(&made->total->op[IO_READ].lateness, lateness_ns);
		histogram_record(&made->total->op[IO_READ].response, lateness_ns + 100000);
	}
}

static void on_time(struct made_run *made) { open_loop(made, 40000, 1000); }
static void late(struct made_run *made) { open_loop(made, 40000, 50000); }
static void too_few(struct made_run *made) { open_loop(made, 42000, 1000); }

/* Twelve seconds with 40 I/Os too few each: nobody waited for them, or the last ones for all 480. */
static void each_second_behind(struct made_run *made)
{
	struct tally *second = calloc(1, sizeof(*second));

	tally_clear(second);
	second->op[IO_READ].ios = 39960;
	second->op[IO_READ].bytes = 39960ull * 4096;
	second->spans = 1;
	for (uint64_t i = 1; i <= 12; i++) {
		const struct interval_record interval = { .step = made->step.id, .index = i, .tally = second };

		second->start_ns = i * 1000000000;
		second->end_ns = second->start_ns + 1000000000;
		assert_int_equal(store_put_interval(made->store, &interval), 0);
	}
	free(second);
}
static void one_waited(struct made_run *made)
{
	on_time(made);
	histogram_record(&made->total->op[IO_READ].response, 12000000);
	histogram_record(&made->total->op[IO_READ].lateness, 1000);
}

static void a_probe_too_few(struct made_run *made)
{
	too_few(made);
	made->step.note = "search, probe 3: bracket at 42000 per second";
}

/* -- what was read -- */

static void the_second_step_reads(struct made_run *made) { made->step.id = 2; }

/* The whole drive was filled before. */
static void fill_before(struct made_run *made)
{
	const struct step_record fill = { .id = 1, .name = "fill", .kind = "fill", .path = "fill[0]:0", .values_json = "{}",
					  .status = RUN_COMPLETE, .status_text = "written", .duration_ns = 1,
					  .interval_ns = 1 };
	struct tally *total = calloc(1, sizeof(*total));
	const struct load_record load = { .step = 1, .name = "fill", .engine = "io_uring", .workers = 1, .depth_asked = 1,
					  .range_bytes = RANGE, .total = total };

	tally_clear(total);
	total->op[IO_WRITE].ios = RANGE / 131072;
	total->op[IO_WRITE].bytes = RANGE;
	for (uint32_t i = 0; i < RANGE / 131072; i++)
		histogram_record(&total->op[IO_WRITE].service, 100000);
	total->end_ns = 1;
	total->spans = 1;
	assert_int_equal(store_put_step(made->store, &fill), 0);
	assert_int_equal(store_put_load(made->store, &load), 0);
	free(total);
}

static void allowed_unwritten(struct made_run *made) { made->run.allow_unwritten = true; }
static void impossibly_fast(struct made_run *made) { made_run_add(made, IO_READ, 100000, 4096, 700); }

static void written_in_memory(struct made_run *made) { made_run_add(made, IO_WRITE, 100000, 4096, 700); }
static void written_fast(struct made_run *made) { made_run_add(made, IO_WRITE, 100000, 4096, 1300); }

/* -- where: samples over `used` of the range, from `first` on, by worker w of `workers` in its own part or all in the same -- */

static void samples_put(struct made_run *made, uint64_t first, uint64_t used, uint32_t workers, bool apart)
{
	static struct logged_io ios[SAMPLES];
	const uint64_t part = apart ? used / workers : used;

	for (uint32_t i = 0; i < SAMPLES; i++) {
		const uint32_t worker = i % workers;
		const uint64_t at = (uint64_t)(i / workers) * 4096 * 7919 % (part - 4096) / 4096 * 4096;

		ios[i] = (struct logged_io){ .offset = first + (apart ? worker * part : 0) + at, .bytes = 4096, .result = 4096,
					     .worker = (uint16_t)worker, .op = IO_READ, .service_ns = 100000,
					     .response_ns = 100000 };
	}
	assert_int_equal(store_put_samples(made->store, 1, ios, SAMPLES), 0);
}

static void random_reads(struct made_run *made) { made->step.values_json = "{\"bs\":4096,\"rw\":\"randread\"}"; }
static void all_of_it(struct made_run *made) { samples_put(made, 0, RANGE, 1, true); }
static void the_first_half(struct made_run *made) { samples_put(made, 0, RANGE / 2, 1, true); }
static void beyond_its_end(struct made_run *made) { samples_put(made, RANGE / 2, RANGE, 1, true); }

static void four_sequential(struct made_run *made)
{
	made->step.values_json = "{\"bs\":4096,\"rw\":\"read\"}";
	made->load.workers = 4;
	made->load.depth_asked = 1;
}
static void each_its_own(struct made_run *made) { samples_put(made, 0, RANGE, 4, true); }
static void all_the_same(struct made_run *made) { samples_put(made, 0, RANGE, 4, false); }

/* -- the host -- */

static void busy_worker(struct made_run *made)
{
	made->load.facts_json = "{\"workers\":[{\"cpu_user_ns\":600000000,\"cpu_system_ns\":395000000,\"finished_ns\":1000000000}]}";
}
static void easy_worker(struct made_run *made)
{
	made->load.facts_json = "{\"workers\":[{\"cpu_user_ns\":200000000,\"cpu_system_ns\":395000000,\"finished_ns\":1000000000}]}";
}

static void steal_put(struct made_run *made, double share)
{
	const struct telemetry_record rows[] = {
		{ .t_ns = 200000000, .step = 1, .target = -1, .name = "cpu_steal", .value = share },
		{ .t_ns = 700000000, .step = 1, .target = -1, .name = "cpu_steal", .value = share },
	};

	assert_int_equal(store_put_telemetry(made->store, rows, 2), 0);
}
static void quiet_host(struct made_run *made) { steal_put(made, 0.002); }
static void noisy_host(struct made_run *made) { steal_put(made, 0.03); }

static void hiccup_event(struct made_run *made, const char *late)
{
	const struct event_record event = { .step = 1, .kind = "hiccup", .text = "paused", .data_json = late };

	assert_int_equal(store_put_event(made->store, &event), 0);
}

/* Of a second with 1000 wake-ups: two came late; one of the workers waited a twentieth of the time. */
static void paused(struct made_run *made) { hiccup_event(made, "{\"pauses\":2,\"pause_ns_max\":3000000,\"wait_ns\":0}"); }
static void paused_once(struct made_run *made)
{
	hiccup_event(made, "{\"pauses\":1,\"pause_ns_max\":3000000,\"wait_ns\":1000}");
	quiet_host(made);
}
static void waited(struct made_run *made) { hiccup_event(made, "{\"pauses\":0,\"pause_ns_max\":0,\"wait_ns\":50000000}"); }
/* In a step of its own, after the measured one, in which nothing was measured. */
static void noisy_while_idle(struct made_run *made)
{
	const struct step_record rest = { .id = 2, .name = "rest", .kind = "idle", .path = "rest[0]:0", .values_json = "{}",
					  .status = RUN_COMPLETE, .status_text = "time",
					  .started_ns = 2000000000,
					  .duration_ns = 1000000000, .interval_ns = 1000000000 };
	const struct telemetry_record row = { .t_ns = 2500000000, .step = 2, .target = -1, .name = "cpu_steal", .value = 0.3 };

	quiet_host(made);
	assert_int_equal(store_put_step(made->store, &rest), 0);
	assert_int_equal(store_put_telemetry(made->store, &row, 1), 0);
}

static void half_a_second(struct made_run *made) { made->step.duration_ns = 500000000; }
static void a_moment(struct made_run *made) { made->step.duration_ns = 5000000; }
/* In a step of 5 ms: more than all of its time. Beginning and ending are most of such a step. */
static void waited_for_long(struct made_run *made)
{
	hiccup_event(made, "{\"pauses\":3,\"pause_ns_max\":3000000,\"wait_ns\":43950000}");
	quiet_host(made);
}
static void paused_a_little(struct made_run *made)
{
	hiccup_event(made, "{\"pauses\":1,\"pause_ns_max\":3000000,\"wait_ns\":0}");
	quiet_host(made);
}
static void saturated(struct made_run *made)
{
	struct telemetry_record rows[] = {
		{ .t_ns = 500000000, .step = 1, .target = -1, .name = "cpu_user", .value = 0.6 },
		{ .t_ns = 500000000, .step = 1, .target = -1, .name = "cpu_system", .value = 0.38 },
	};

	assert_int_equal(store_put_telemetry(made->store, rows, 2), 0);
}

static void heard_before(struct made_run *made)
{
	const struct event_record event = { .kind = "host_noise", .text = "noisy",
					    .data_json = "{\"wakes\":40,\"late\":4,\"longest_ns\":2000000}" };

	assert_int_equal(store_put_event(made->store, &event), 0);
	quiet_host(made);
}
static void heard_before_and_paused(struct made_run *made)
{
	heard_before(made);
	paused(made);
}

/* p99.9 of the healthy second is 100 us. */
static void woke_in_time(struct made_run *made) { hiccup_event(made, "{\"late_p99_9_ns\":20000,\"late_p99_99_ns\":null}"); }
static void woke_late(struct made_run *made) { hiccup_event(made, "{\"late_p99_9_ns\":30000,\"late_p99_99_ns\":null}"); }
static void woke_late_rarely(struct made_run *made) { hiccup_event(made, "{\"late_p99_9_ns\":0,\"late_p99_99_ns\":400000}"); }

static void clocks_agree(struct made_run *made) { made->run.wall_duration_ns = made->run.duration_ns + 3000000; }
static void clock_stepped(struct made_run *made) { made->run.wall_duration_ns = made->run.duration_ns + 30000000000; }

static void counter_given_up(struct made_run *made)
{
	const struct event_record event = { .step = 1, .kind = "clock", .text = "the time stamp counter ran backwards",
					    .data_json = "{\"clock\":\"vdso\",\"cost_ns\":30,\"given_up\":true}" };

	assert_int_equal(store_put_event(made->store, &event), 0);
}
static void counter_never_used(struct made_run *made)
{
	const struct event_record event = { .step = 1, .kind = "clock", .text = "no counter",
					    .data_json = "{\"clock\":\"vdso\",\"cost_ns\":30}" };

	assert_int_equal(store_put_event(made->store, &event), 0);
}

static void file_beside(struct made_run *made)
{
	const struct event_record event = { .kind = "run_file_same_fs", .text = "beside" };

	assert_int_equal(store_put_event(made->store, &event), 0);
}

static void cache_switched(struct made_run *made)
{
	const struct event_record event = { .kind = "write_cache", .text = "turned off", .data_json = "{\"target\":0}" };

	assert_int_equal(store_put_event(made->store, &event), 0);
}

static void cache_without_switch(struct made_run *made)
{
	const struct event_record event = { .kind = "write_cache", .text = "it has no such switch" };

	cache_switched(made);
	assert_int_equal(store_put_event(made->store, &event), 0);
}

static void a_tenth(struct made_run *made) { made->run.scale = 0.1; }

/* -- the drive -- */

#define QUEUE(scheduler, cache) "{\"queue\":{\"scheduler\":\"" scheduler "\",\"write_cache\":\"" cache "\"}}"
#define STATE(state) "{\"queue\":{\"scheduler\":\"none\",\"write_cache\":\"write back\"},\"health\":{\"power_state\":" state "}}"
#define COUNTED(seconds) "{\"health\":{\"throttle1_seconds\":" seconds ",\"throttle2_seconds\":4}}"
#define LINK(now, lanes) "{\"links\":[{\"speed_now_gt_per_second\":" now ",\"speed_max_gt_per_second\":16,\"width_now\":" lanes \
	",\"width_max\":4}]}"

static void facts(struct made_run *made, const char *before, const char *after)
{
	made->drive.before_json = before;
	made->drive.after_json = after;
}

static void kept(struct made_run *made) { facts(made, QUEUE("none", "write back"), QUEUE("none", "write back")); }
static void cache_off(struct made_run *made) { facts(made, QUEUE("none", "write back"), QUEUE("none", "write through")); }
static void rescheduled(struct made_run *made) { facts(made, QUEUE("none", "write back"), QUEUE("bfq", "write back")); }
static void scheduled(struct made_run *made) { facts(made, QUEUE("bfq", "write back"), QUEUE("bfq", "write back")); }
static void full_power(struct made_run *made) { facts(made, STATE("0"), STATE("0")); }
static void low_power(struct made_run *made) { facts(made, STATE("0"), STATE("2")); }
static void full_link(struct made_run *made) { facts(made, LINK("16", "4"), LINK("16", "4")); }
static void slow_link(struct made_run *made) { facts(made, LINK("8", "4"), LINK("8", "4")); }
static void narrow_link(struct made_run *made) { facts(made, LINK("16", "2"), LINK("16", "2")); }
static void woke_up(struct made_run *made) { facts(made, LINK("2.5", "4"), LINK("16", "4")); }
/* Two drives side by side, on the host's bus at these addresses. */
static void together(struct made_run *made, const char *facts)
{
	const struct drive_record other = { .target = 1, .name = "/dev/other", .kind = "block", .capacity_bytes = RANGE,
					    .block_bytes = 512, .before_json = facts };
	const struct event_record event = { .kind = "together", .text = "side by side" };

	assert_int_equal(store_put_drive(made->store, &other), 0);
	assert_int_equal(store_put_event(made->store, &event), 0);
}

#define BEHIND(own, bridge) "{\"links\":[{\"address\":\"" own "\"},{\"address\":\"" bridge "\"}]}"
static void on_a_bridge(struct made_run *made) { facts(made, BEHIND("0000:02:00.0", "0000:00:1d.0"), NULL); }
static void on_the_same(struct made_run *made) { together(made, BEHIND("0000:03:00.0", "0000:00:1d.0")); }
static void on_another(struct made_run *made) { together(made, BEHIND("0000:04:00.0", "0000:00:1c.0")); }

static void stayed_cool(struct made_run *made) { facts(made, COUNTED("7"), COUNTED("7")); }
static void throttled(struct made_run *made) { facts(made, COUNTED("7"), COUNTED("19")); }

static const struct change changes[] = {
	{ "bytes_match_block_layer", CHECK_PASSED, "agree", NULL, block_layer_same },
	{ "bytes_match_block_layer", CHECK_FAILED, "163840512", NULL, block_layer_more },
	{ "littles_law", CHECK_PASSED, "largest difference 0.", NULL, NULL },
	{ "littles_law", CHECK_FAILED, NULL, twice_in_flight, NULL },
	{ "queue_depth_reached", CHECK_PASSED, NULL, asked_for_about_that, NULL },
	{ "queue_depth_reached", CHECK_FAILED, "4.0 of 5", asked_for_more, NULL },
	{ "open_loop_kept", CHECK_PASSED, NULL, on_time, NULL },
	{ "open_loop_kept", CHECK_PASSED, NULL, on_time, each_second_behind },
	{ "open_loop_kept", CHECK_FAILED, "unstable", one_waited, each_second_behind },
	{ "open_loop_kept", CHECK_FAILED, "started late", late, NULL },
	{ "open_loop_kept", CHECK_FAILED, "of the I/Os that were offered", too_few, NULL },
	{ "open_loop_kept", CHECK_NOT_APPLICABLE, "probes", a_probe_too_few, NULL },
	{ "latency_plausible", CHECK_PASSED, "100 µs", NULL, NULL },
	{ "latency_plausible", CHECK_FAILED, "no drive answers that fast", impossibly_fast, NULL },
	{ "latency_plausible", CHECK_FAILED, "write latency 700 ns", written_in_memory, NULL },
	{ "latency_plausible", CHECK_PASSED, "100 µs", written_fast, NULL },
	{ "no_io_errors", CHECK_PASSED, NULL, NULL, NULL },
	{ "no_io_errors", CHECK_FAILED, "1 I/Os failed", one_error, NULL },
	{ "no_io_errors", CHECK_FAILED, "1 I/Os moved less", NULL, one_short },
	{ "reads_find_data", CHECK_PASSED, NULL, the_second_step_reads, fill_before },
	{ "reads_find_data", CHECK_FAILED, "--allow-unwritten", allowed_unwritten, NULL },
	{ "reads_find_data", CHECK_NOT_APPLICABLE, NULL, NULL, NULL },
	{ "offsets_cover_range", CHECK_PASSED, NULL, random_reads, all_of_it },
	{ "offsets_cover_range", CHECK_FAILED, "used bytes", random_reads, the_first_half },
	{ "offsets_cover_range", CHECK_FAILED, "beyond its range", random_reads, beyond_its_end },
	{ "workers_apart", CHECK_PASSED, NULL, four_sequential, each_its_own },
	{ "workers_apart", CHECK_FAILED, "went over the same blocks", four_sequential, all_the_same },
	{ "cpu_not_the_limit", CHECK_PASSED, "60 %", easy_worker, NULL },
	{ "cpu_not_the_limit", CHECK_FAILED, "100 %", busy_worker, NULL },
	{ "host_not_noisy", CHECK_PASSED, "0.20 %", NULL, quiet_host },
	{ "host_not_noisy", CHECK_FAILED, "3.00 %", NULL, noisy_host },
	{ "host_not_noisy", CHECK_PASSED, "0.20 %", NULL, noisy_while_idle },
	{ "host_not_noisy", CHECK_PASSED, "0.20 %", NULL, paused_once },
	{ "host_not_noisy", CHECK_FAILED, "0.2 % of the wake-ups", NULL, paused },
	{ "host_not_noisy", CHECK_PASSED, "0.20 %", half_a_second, paused_a_little },
	{ "host_not_noisy", CHECK_FAILED, "noisy in step 'a'; workers waited 5 % of their time for a processor", NULL, waited },
	{ "host_not_noisy", CHECK_FAILED, "waited 10 % of their time for a processor", half_a_second, waited },
	{ "host_not_noisy", CHECK_NOT_APPLICABLE, "No step was long enough", a_moment, waited_for_long },
	{ "host_not_noisy", CHECK_FAILED, "all processors were busy for 98 %", NULL, saturated },
	{ "host_not_noisy", CHECK_FAILED, "noisy before the first step: 4 of 40 wake-ups", half_a_second, heard_before },
	{ "host_not_noisy", CHECK_PASSED, "it was noisy, and in none of them: 4 of 40", NULL, heard_before },
	{ "host_not_noisy", CHECK_FAILED, "trusted. It was so before the first step: 4 of 40", NULL, heard_before_and_paused },
	{ "tails_not_the_hosts", CHECK_PASSED, "one of 1000 wake-ups", NULL, woke_in_time },
	{ "tails_not_the_hosts", CHECK_FAILED, "Too noisy a computer", NULL, woke_late },
	{ "tails_not_the_hosts", CHECK_FAILED, "one of 10000 wake-ups", NULL, woke_late_rarely },
	{ "tails_not_the_hosts", CHECK_NOT_APPLICABLE, NULL, NULL, NULL },
	{ "clock_without_steps", CHECK_PASSED, "3.00 ms", clocks_agree, NULL },
	{ "clock_without_steps", CHECK_FAILED, "30.0 s over the run: the computer was suspended", clock_stepped, NULL },
	{ "clock_without_steps", CHECK_PASSED, "3.00 ms", clocks_agree, counter_never_used },
	{ "clock_without_steps", CHECK_FAILED, "changed in step 'a'", clocks_agree, counter_given_up },
	{ "run_file_elsewhere", CHECK_PASSED, NULL, NULL, NULL },
	{ "run_file_elsewhere", CHECK_FAILED, NULL, NULL, file_beside },
	{ "full_length", CHECK_FAILED, "0.1", a_tenth, NULL },
	{ "write_cache_as_asked", CHECK_PASSED, NULL, NULL, cache_switched },
	{ "write_cache_as_asked", CHECK_FAILED, "it has no such switch", NULL, cache_without_switch },
	{ "drive_settings_kept", CHECK_PASSED, "write cache write back", kept, NULL },
	{ "drive_settings_kept", CHECK_FAILED, "write back then write through", cache_off, NULL },
	{ "drive_settings_kept", CHECK_FAILED, "scheduler none then bfq", rescheduled, NULL },
	{ "scheduler_none", CHECK_PASSED, NULL, kept, NULL },
	{ "scheduler_none", CHECK_FAILED, "scheduled by bfq", scheduled, NULL },
	{ "power_state", CHECK_PASSED, NULL, full_power, NULL },
	{ "power_state", CHECK_FAILED, "power state 2", low_power, NULL },
	{ "power_state", CHECK_NOT_APPLICABLE, NULL, kept, NULL },
	{ "link_at_full_speed", CHECK_PASSED, NULL, full_link, NULL },
	{ "link_at_full_speed", CHECK_PASSED, NULL, woke_up, NULL },
	{ "link_at_full_speed", CHECK_FAILED, "8 of 16 GT/s", slow_link, NULL },
	{ "link_at_full_speed", CHECK_FAILED, "2 of 4 lanes", narrow_link, NULL },
	{ "targets_apart", CHECK_PASSED, NULL, on_a_bridge, on_another },
	{ "targets_apart", CHECK_FAILED, "behind one PCIe bridge, 0000:00:1d.0", on_a_bridge, on_the_same },
	{ "targets_apart", CHECK_NOT_APPLICABLE, NULL, NULL, NULL },
	{ "not_throttled", CHECK_PASSED, NULL, stayed_cool, NULL },
	{ "not_throttled", CHECK_FAILED, "12 s", throttled, NULL },
};

static void judge(const struct change *change)
{
	const struct check_record *check;
	struct made_run made;

	made_run_init(&made);
	if (change->change)
		change->change(&made);
	made_run_write(&made);
	if (change->after)
		change->after(&made);
	made_run_conclude(&made, NULL);
	check = made_run_check(&made, change->check);
	if (check->result != change->result || (change->says && !strstr(check->text, change->says)))
		fail_msg("%s, row %zu: %s: %s", change->check, (size_t)(change - changes),
			 check_result_name(check->result), check->text);
	made_run_release(&made);
}

static void every_row_is_judged_as_it_says(void **state)
{
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++)
		judge(&changes[i]);
}

static bool has_row(const char *check, enum check_result result)
{
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++)
		if (!strcmp(changes[i].check, check) && changes[i].result == result)
			return true;
	return false;
}

/* No self-check can be added without a row that makes it pass and one that makes it fail. */
static void every_check_has_a_row_for_both(void **state)
{
	const struct check_record *checks;
	struct made_run made;
	uint32_t count;

	made_run_init(&made);
	made_run_write(&made);
	made_run_conclude(&made, NULL);
	assert_int_equal(store_checks(made.store, &checks, &count), 0);
	assert_true(count >= 18);
	for (uint32_t i = 0; i < count; i++)
		if (!has_row(checks[i].name, CHECK_PASSED) || !has_row(checks[i].name, CHECK_FAILED))
			fail_msg("%s has no row that makes it pass and one that makes it fail", checks[i].name);
	made_run_release(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_is_judged_as_it_says),
		cmocka_unit_test(every_check_has_a_row_for_both),
	};

	return cmocka_run_group_tests_name("checks", tests, NULL, NULL);
}
