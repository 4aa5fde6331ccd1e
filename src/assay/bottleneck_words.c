#include "assay/bottleneck_words.h"

#include <math.h>
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
	};

	return words[verdict];
}

static double percent(double share)
{
	return 100 * share;
}

/* Each figure in words of its own; a limit is told where it decides. */
static void number_say(const struct bottleneck_number *number, struct saying *saying)
{
	const double value = number->value, limit = number->limit;
	char text[NUMBER_TEXT];

	switch (number->figure) {
	case BOTTLENECK_THROTTLE_SECONDS:
		saying_add(saying, "; it was slowed down for %s s", number_text(value, text));
		break;
	case BOTTLENECK_TEMPERATURE:
		if (isnan(limit))
			saying_add(saying, "; it was %s °C hot", number_text(value, text));
		else
			saying_add(saying, "; it was %s °C hot (it warns at %.4g °C)", number_text(value, text), limit);
		break;
	case BOTTLENECK_SLOW_POWER:
		saying_add(saying, "; while it was slow it drew %.3g %% of the power it draws else", percent(value));
		break;
	case BOTTLENECK_LINK_USE:
		saying_add(saying, "; the link was used to %.3g %% (it is full from %.4g %% on)", percent(value),
			   percent(limit));
		break;
	case BOTTLENECK_IRQ_CPU:
		saying_add(saying, "; one CPU spent %.3g %% of its time on interrupts (it is full from %.4g %% on)",
			   percent(value), percent(limit));
		break;
	case BOTTLENECK_TOOL_USE:
		saying_add(saying,
			   "; the rate was %.3g %% of what this program reaches here without a drive (near it from %.4g %% "
			   "on)",
			   percent(value), percent(limit));
		break;
	case BOTTLENECK_EFFORT:
		saying_add(saying, "; with more effort of the computer the rate was %s times as high (its limit above %.4g)",
			   number_text(value, text), limit);
		break;
	case BOTTLENECK_WORKER_CPU:
		saying_add(saying, "; the busiest worker used %.3g %% of a CPU (full from %.4g %% on)", percent(value),
			   percent(limit));
		break;
	case BOTTLENECK_DEPTH:
		saying_add(saying, "; %.3g %% of the I/Os asked for were in flight (enough from %.4g %% on)", percent(value),
			   percent(limit));
		break;
	case BOTTLENECK_IRQ_ONE_CPU:
		saying_add(saying, "; one CPU did %.3g %% of all interrupt work", percent(value));
		break;
	case BOTTLENECK_STEAL:
		saying_add(saying, "; the hypervisor took %.3g %% of the CPU time", percent(value));
		break;
	case BOTTLENECK_LATE:
		saying_add(saying,
			   "; %.3g %% of the wake-ups of a thread that watches the computer came late (noisy above %.4g %%)",
			   percent(value), percent(limit));
		break;
	case BOTTLENECK_PAUSE:
		saying_add(saying, "; the longest pause took %s ms", number_text(value / 1e6, text));
		break;
	case BOTTLENECK_SWITCHES:
		saying_add(saying, "; a worker lost its CPU %s times a second (noisy above %.4g)", number_text(value, text),
			   limit);
		break;
	case BOTTLENECK_NODE:
		saying_add(saying, "; a worker ran on NUMA node %s, the drive belongs to node %.4g", number_text(value, text),
			   limit);
		break;
	default:
		break;
	}
}

/* Interrupts and late wake-ups are always numbers of the finding, and words where they matter. */
static bool worth_words(const struct bottleneck_verdict *verdict, uint32_t at)
{
	const struct bottleneck_number *number = &verdict->number[at];

	if (number->figure == BOTTLENECK_NODE)
		return true;
	if (!(number->value > 0))
		return false;
	return at < verdict->decisive_count || number->figure == BOTTLENECK_IRQ_ONE_CPU ||
	       number->figure == BOTTLENECK_PAUSE || number->value > number->limit;
}

void bottleneck_numbers_say(const struct bottleneck_verdict *verdict, struct saying *saying)
{
	struct saying next = { 0 };

	for (uint32_t i = 0; i < verdict->number_count; i++)
		if (worth_words(verdict, i))
			number_say(&verdict->number[i], saying);
	if (verdict->tag[TAG_LINK_DOWNGRADED])
		saying_add(saying, "; the link runs below what both ends can do");
	if (verdict->tag[TAG_NOISY])
		saying_add(saying, "; so the computer was noisy, and latency tails are not to be trusted");
	if (verdict->next)
		saying_add(saying, "; what would tell: %p", saying_word(&next, verdict->next));
}
