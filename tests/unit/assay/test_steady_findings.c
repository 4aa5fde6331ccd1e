/* The sentence about a verified steady state, from verdicts written by hand: no number that is not there is
 * told. */
#include "made_run.h"

#define VERDICT(name, period, levels) \
	"{\"verdict\":\"" name "\",\"window\":{\"start_ns\":0,\"end_ns\":1000000000},\"mean\":40000," \
	"\"interval\":{\"low\":39000,\"high\":41000},\"period\":" period ",\"levels\":" levels "," \
	"\"drift\":{\"bound\":0.001},\"snia\":{\"met\":true}}"

static void says_scaled(double scale, const char *verdict, const char *shape)
{
	const struct finding_record *findings;
	struct made_run made;
	uint32_t count, told = 0;

	made_run_init(&made);
	made.step.steady_json = verdict;
	made.run.scale = scale;
	made_run_write(&made);
	made_run_conclude(&made, NULL);
	assert_int_equal(store_findings(made.store, &findings, &count), 0);
	for (uint32_t i = 0; i < count; i++) {
		if (strcmp(findings[i].kind, "steady_state"))
			continue;
		told++;
		if (!strstr(findings[i].text, shape) || strstr(findings[i].text, "nan"))
			fail_msg("\"%s\" should say \"%s\" and no nan", findings[i].text, shape);
	}
	assert_int_equal(told, 1);
	made_run_release(&made);
}

static void says(const char *verdict, const char *shape) { says_scaled(1, verdict, shape); }

/* A run at 1/20 bounds the drift over its own hour of three minutes. */
static void a_scaled_run_does_not_speak_of_hours(void **state)
{
	says_scaled(0.05, VERDICT("steady", "null", "null"), "drift at most 0.1 % in 3 min 00 s; SNIA's rule");
}

static void an_even_speed_has_no_shape(void **state)
{
	says(VERDICT("steady", "null", "null"), "% an hour; SNIA's rule: met; a state that comes less often than every 333 ms would not have been seen.");
}

static void waves_are_told_with_their_length_when_it_is_known(void **state)
{
	says(VERDICT("steady_oscillating", "{\"length_ns\":30000000000}", "null"),
	     ", in waves of 30.0 s; SNIA's");
	says(VERDICT("steady_oscillating", "null", "null"), ", in waves; SNIA's");
}

static void jumps_are_told_with_their_levels_when_there_are_two(void **state)
{
	says(VERDICT("steady_regimes", "null", "{\"low\":30000,\"high\":50000}"),
	     ", jumping between 30000 and 50000 IOPS; ");
	says(VERDICT("steady_regimes", "null", "null"), ", jumping, but not between two clear levels; ");
	says(VERDICT("steady_regimes", "null", "{\"low\":null,\"high\":50000}"),
	     ", jumping, but not between two clear levels; ");
}

/* A step that is too short to show one, but went on from one: both are told, not that there is none. */
static void a_steady_state_that_is_taken_over_is_told_as_that(void **state)
{
	says("{\"verdict\":\"not_steady\",\"gate\":{\"open\":true,\"settled_before\":true},"
	     "\"drift\":{\"bound\":1.11,\"bound_allowed\":0.1}}",
	     "The steady state verified just before is taken over for step 'a'; by itself it shows none: the speed may");
	says("{\"verdict\":\"not_steady\",\"gate\":{\"open\":true,\"settled_before\":false},"
	     "\"drift\":{\"bound\":1.11,\"bound_allowed\":0.1}}",
	     "No steady state is claimed for step 'a': the speed may");
}

/* What is told as the reason is what was beyond its limit. */
static void the_reason_is_not_a_figure_that_is_allowed(void **state)
{
	static const char *const rows[][2] = {
		{ "{\"verdict\":\"imprecise\",\"precision\":0.07,\"precision_allowed\":0.05,\"drift\":{\"bound\":0.04,\"bound_allowed\":0.1}}",
		  "step 'a': no drift, but the mean is known to 7 % only (5 % allowed)." },
		{ "{\"verdict\":\"imprecise\",\"precision\":0.029,\"precision_allowed\":0.05,\"drift\":{\"bound\":0.12,\"bound_allowed\":0.1}}",
		  "step 'a': the speed may still drift by up to 12 % (10 % allowed)." },
		{ "{\"verdict\":\"imprecise\",\"precision\":0.07,\"precision_allowed\":0.05,\"drift\":{\"bound\":0.12,\"bound_allowed\":0.1}}",
		  "known to 7 % only (5 % allowed), and the speed may still drift by up to 12 % (10 % allowed)." },
		{ "{\"verdict\":\"not_steady\",\"precision\":0.01,\"precision_allowed\":0.05,\"drift\":{\"bound\":0.0644,\"bound_allowed\":0.1}}",
		  "step 'a': the speed has jumped too lately" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		says(rows[i][0], rows[i][1]);
}

/* "6.25 GB of the 6.25 GB were written" puzzles. */
static void a_gate_that_was_about_to_open_has_no_two_equal_numbers(void **state)
{
	says("{\"verdict\":\"time_limited\",\"gate\":{\"open\":false,\"written_bytes\":6249000000,\"needed_bytes\":6250000000}}",
	     "step 'a': it ended as the 6.25 GB were written that must be before it can be judged.");
	says("{\"verdict\":\"time_limited\",\"gate\":{\"open\":false,\"written_bytes\":3000000000,\"needed_bytes\":6250000000}}",
	     "step 'a': it ended when 3.00 GB of the 6.25 GB were written that must be before it can be judged.");
}

/* Half a minute that lost a twentieth of its speed did not lose "600 % an hour". */
static void what_a_short_window_lost_is_told_of_that_window(void **state)
{
	says("{\"verdict\":\"drifting\",\"window\":{\"start_ns\":10000000000,\"end_ns\":40000000000},"
	     "\"drift\":{\"per_hour\":-6,\"low\":-7.2,\"high\":-4.8}}",
	     "step 'a': the speed went on changing by -5 % in the 30.0 s that were judged (-6 to -4).");
	says("{\"verdict\":\"drifting\",\"window\":{\"start_ns\":0,\"end_ns\":1800000000000},"
	     "\"drift\":{\"per_hour\":-0.16,\"low\":-0.243,\"high\":-0.0764}}",
	     "step 'a': the speed went on changing by -16 % an hour (-24.3 to -7.64).");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_scaled_run_does_not_speak_of_hours),
		cmocka_unit_test(an_even_speed_has_no_shape),
		cmocka_unit_test(waves_are_told_with_their_length_when_it_is_known),
		cmocka_unit_test(jumps_are_told_with_their_levels_when_there_are_two),
		cmocka_unit_test(a_gate_that_was_about_to_open_has_no_two_equal_numbers),
		cmocka_unit_test(the_reason_is_not_a_figure_that_is_allowed),
		cmocka_unit_test(what_a_short_window_lost_is_told_of_that_window),
		cmocka_unit_test(a_steady_state_that_is_taken_over_is_told_as_that),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
