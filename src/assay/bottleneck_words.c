#include "assay/bottleneck_words.h"

#include <math.h>
#include "assay/finding.h"

const char *bottleneck_words(enum bottleneck verdict)
{
	static const char *const words[] = {
		"nothing decides what the limit was",
		"the drive was the limit, not the computer or the link to it",
		"the link to the drive was the limit, not the drive",
		"the computer's CPU was the limit, not the drive",
		"the computer did not send enough at a time, and was the limit, not the drive",
		"heat was the limit",
	};

	return words[verdict];
}

/* How a number is told: before it, after it and before its limit, after that. */
struct telling {
	double factor;			/* 100: a share in percent */
	const char *before, *after, *behind;	/* behind NULL: the limit is not told */
};

static const struct telling tellings[BOTTLENECK_FIGURES] = {
	[BOTTLENECK_THROTTLE_SECONDS] = { 1, "it was slowed down for ", " s", NULL },
	[BOTTLENECK_TEMPERATURE] = { 1, "it was ", " °C hot (it warns at ", " °C)" },
	[BOTTLENECK_SLOW_POWER] = { 100, "while it was slow it drew ", " % of the power it draws else",
				    NULL },
	[BOTTLENECK_LINK_USE] = { 100, "the link was used to ", " % (it is full from ", " % on)" },
	[BOTTLENECK_IRQ_CPU] = { 100, "one CPU spent ", " % of its time on interrupts (it is full from ",
				 " % on)" },
	[BOTTLENECK_TOOL_USE] = { 100, "the rate was ",
				  " % of what this program reaches here without a drive (near it from ",
				  " % on)" },
	[BOTTLENECK_EFFORT] = { 1, "with more effort of the computer the rate was ",
				" times as high (its limit above ", ")" },
	[BOTTLENECK_WORKER_CPU] = { 100, "the busiest worker used ", " % of a CPU (full from ", " % on)" },
	[BOTTLENECK_DEPTH] = { 100, "", " % of the I/Os asked for were in flight (enough from ", " % on)" },
	[BOTTLENECK_IRQ_ONE_CPU] = { 100, "one CPU did ", " % of all interrupt work", NULL },
	[BOTTLENECK_STEAL] = { 100, "the hypervisor took ", " % of the CPU time", NULL },
	[BOTTLENECK_LATE] = { 100, "",
			      " % of the wake-ups of a thread that watches the computer came late (noisy "
			      "above ",
			      " %)" },
	[BOTTLENECK_PAUSE] = { 1e-6, "the longest pause took ", " ms", NULL },
	[BOTTLENECK_SWITCHES] = { 1, "a worker lost its CPU ", " times a second (noisy above ", ")" },
	[BOTTLENECK_NODE] = { 1, "a worker ran on NUMA node ", ", the drive belongs to node ", "" },
};

static void number_append(const struct bottleneck_number *number, struct text *text)
{
	const struct telling *telling = &tellings[number->figure];
	char value[NUMBER_TEXT];

	if (telling->factor > 1)
		text_printf(text, "; %s%.3g", telling->before, telling->factor * number->value);
	else
		text_printf(text, "; %s%s", telling->before,
			    number_text(telling->factor * number->value, value));
	if (telling->behind && !isnan(number->limit))
		text_printf(text, "%s%.4g%s", telling->after, telling->factor * number->limit,
			    telling->behind);
	else if (telling->behind && number->figure == BOTTLENECK_TEMPERATURE)
		text_append(text, " °C hot");
	else
		text_append(text, telling->after);
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

void bottleneck_numbers_append(const struct bottleneck_verdict *verdict, struct text *text)
{
	for (uint32_t i = 0; i < verdict->number_count; i++)
		if (worth_words(verdict, i))
			number_append(&verdict->number[i], text);
	if (verdict->tag[TAG_LINK_DOWNGRADED])
		text_append(text, "; the link runs below what both ends can do");
	if (verdict->tag[TAG_NOISY])
		text_append(text, "; so the computer was noisy, and latency tails are not to be trusted");
	if (verdict->next)
		text_printf(text, "; what would tell: %s", verdict->next);
}
