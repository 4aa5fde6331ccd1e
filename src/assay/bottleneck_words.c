#include "assay/bottleneck_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "assay/finding.h"

const char *bottleneck_words(enum bottleneck verdict)
{
	static const char *const words[] = {
		SAID_WORD("nothing decides what the limit was"),
		SAID_WORD("the drive was the limit, not the computer or the link to it"),
		SAID_WORD("the link to the drive was the limit, not the drive"),
		SAID_WORD("the computer's CPU was the limit, not the drive"),
		SAID_WORD("the computer did not send enough at a time, and was the limit, not the drive"),
		SAID_WORD("heat was the limit"),
		SAID_WORD("the load itself set the pace, not the drive"),
	};

	return words[verdict];
}

#define RANGE_TEXT (2 * NUMBER_TEXT + 4)

static double percent(double share)
{
	return 100 * share;
}

/* "12.3", or of several measurements "0.19–85.1". */
static const char *range_join(const char *low, const char *high, char text[RANGE_TEXT])
{
	if (!strcmp(low, high))
		snprintf(text, RANGE_TEXT, "%s", high);
	else
		snprintf(text, RANGE_TEXT, "%s\xe2\x80\x93%s", low, high);
	return text;
}

static const char *range_text(const struct bottleneck_range *range, char text[RANGE_TEXT])
{
	char low[NUMBER_TEXT], high[NUMBER_TEXT];

	return range_join(number_text(range->low, low), number_text(range->high, high), text);
}

static const char *range_percent(const struct bottleneck_range *range, char text[RANGE_TEXT])
{
	char low[NUMBER_TEXT], high[NUMBER_TEXT];

	snprintf(low, sizeof(low), "%.3g", percent(range->low));
	snprintf(high, sizeof(high), "%.3g", percent(range->high));
	return range_join(low, high, text);
}

/* Each figure in words of its own; a limit is told where it decides. */
static void number_say(const struct bottleneck_number *number, const struct bottleneck_range *range,
		       struct saying *saying)
{
	const struct bottleneck_range pause = { range->low / 1e6, range->high / 1e6 };
	const double limit = number->limit;
	char text[RANGE_TEXT];

	switch (number->figure) {
	case BOTTLENECK_THROTTLE_SECONDS:
		saying_add(saying, "; it was slowed down for %s s", range_text(range, text));
		break;
	case BOTTLENECK_TEMPERATURE:
		if (isnan(limit))
			saying_add(saying, "; it was %s °C hot", range_text(range, text));
		else
			saying_add(saying, "; it was %s °C hot (it warns at %.4g °C)",
				   range_text(range, text), limit);
		break;
	case BOTTLENECK_SLOW_POWER:
		saying_add(saying, "; while it was slow it drew %s %% of the power it draws else",
			   range_percent(range, text));
		break;
	case BOTTLENECK_LINK_USE:
		saying_add(saying, "; the link was used to %s %% (it is full from %.4g %% on)",
			   range_percent(range, text), percent(limit));
		break;
	case BOTTLENECK_IRQ_CPU:
		saying_add(saying, "; one CPU spent %s %% of its time on interrupts (it is full from %.4g %% on)",
			   range_percent(range, text), percent(limit));
		break;
	case BOTTLENECK_TOOL_USE:
		saying_add(saying,
			   "; the rate was %s %% of what this program reaches here without a drive (near it from %.4g %% "
			   "on)",
			   range_percent(range, text), percent(limit));
		break;
	case BOTTLENECK_EFFORT:
		saying_add(saying, "; with more effort of the computer the rate was %s times as high (the computer is the limit from %.4g on)",
			   range_text(range, text), limit);
		break;
	case BOTTLENECK_WORKER_CPU:
		saying_add(saying, "; the busiest worker used %s %% of a CPU (full from %.4g %% on)",
			   range_percent(range, text), percent(limit));
		break;
	case BOTTLENECK_DEPTH:
		saying_add(saying, "; %s %% of the I/Os asked for were in flight (enough from %.4g %% on)",
			   range_percent(range, text), percent(limit));
		break;
	case BOTTLENECK_OFFERED:
		if (range->low < limit)
			saying_add(saying, "; %s %% of the I/Os offered were done, which is all of them but for chance",
				   range_percent(range, text));
		else
			saying_add(saying, "; %s %% of the I/Os offered were done (all of them from %.4g %% on)",
				   range_percent(range, text), percent(limit));
		break;
	case BOTTLENECK_DEEPER:
		saying_add(saying, "; with more in flight it did up to %s times as much (its own depth was the limit from %.4g on)",
			   number_text(range->high, text), limit);
		break;
	case BOTTLENECK_IRQ_ONE_CPU:
		saying_add(saying, "; one CPU did %s %% of all interrupt work", range_percent(range, text));
		break;
	case BOTTLENECK_STEAL:
		saying_add(saying, "; the hypervisor took %s %% of the CPU time", range_percent(range, text));
		break;
	case BOTTLENECK_LATE:
		saying_add(saying,
			   "; %s %% of the wake-ups of a thread that watches the computer came late (noisy above %.4g %%)",
			   range_percent(range, text), percent(limit));
		break;
	case BOTTLENECK_PAUSE:
		saying_add(saying, "; the longest pause took %s ms", range_text(&pause, text));
		break;
	case BOTTLENECK_SWITCHES:
		saying_add(saying, "; a worker lost its CPU %s times a second (noisy above %.4g)",
			   range_text(range, text), limit);
		break;
	case BOTTLENECK_NODE:
		saying_add(saying, "; a worker ran on NUMA node %s, the drive belongs to node %.4g",
			   range_text(range, text), limit);
		break;
	default:
		break;
	}
}

/* Interrupts and late wake-ups are always numbers of the finding, and words where they matter. */
static bool worth_words(const struct bottleneck_verdict *verdict, double high, uint32_t at)
{
	const struct bottleneck_number *number = &verdict->number[at];

	if (number->figure == BOTTLENECK_NODE)
		return true;
	if (!(high > 0))
		return false;
	return at < verdict->decisive_count || number->figure == BOTTLENECK_IRQ_ONE_CPU ||
	       number->figure == BOTTLENECK_PAUSE || high > number->limit;
}

void bottleneck_numbers_say(const struct bottleneck_verdict *verdict, const struct bottleneck_range *ranges,
			    struct saying *saying)
{
	struct saying next = { 0 };

	for (uint32_t i = 0; i < verdict->number_count; i++) {
		const struct bottleneck_range *range = &ranges[verdict->number[i].figure];

		if (worth_words(verdict, range->high, i))
			number_say(&verdict->number[i], range, saying);
	}
	if (verdict->tag[TAG_LINK_DOWNGRADED])
		saying_add(saying, "; the link runs below what both ends can do");
	if (verdict->tag[TAG_NOISY])
		saying_add(saying, "; so the computer was noisy, and latency tails are not to be trusted");
	if (verdict->next)
		saying_add(saying, "; what would tell: %p", saying_word(&next, verdict->next));
}
