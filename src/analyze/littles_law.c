#include <math.h>
#include "analyze/littles_law.h"

#define TOLERANCE 0.05

struct littles_law littles_law_of(const struct tally *tally)
{
	const double duration_ns = (double)tally_sent_ns(tally);
	const double ios = (double)(tally_ios(tally) + tally_errors(tally));
	struct littles_law law = { .reached = NAN, .computed = NAN, .difference = NAN, .agrees = true };
	double waited_ns = 0;

	if (!(duration_ns > 0))
		return law;
	for (int op = 0; op < IO_OPS; op++)
		waited_ns += (double)tally->op[op].service.moments.sum_ns;
	law.reached = tally->in_flight_ns / duration_ns;
	law.computed = waited_ns / duration_ns;
	if (!(law.reached > 0) || tally_errors(tally) > 0)
		return law;
	law.difference = fabs(law.reached - law.computed) / law.reached;
	/* I/Os under way at start and end are in one figure and not in the other: at most `reached` of
	 * them each */
	law.agrees = law.difference <= TOLERANCE + 2 * law.reached / fmax(ios, 1);
	return law;
}

double littles_share(const struct tally *tally, double asked)
{
	const double ios = (double)(tally_ios(tally) + tally_errors(tally)), lasted_ns = (double)tally_sent_ns(tally);
	double longest_ns = 0, drained;

	for (int op = 0; op < IO_OPS; op++)
		if (tally->op[op].service.moments.n)
			longest_ns = fmax(longest_ns, (double)tally->op[op].service.moments.max_ns);
	/* half of the end, as a share of the time */
	drained = fmin(fmax(ios > 0 ? asked / ios : 0, longest_ns / lasted_ns) / 2, 0.5);
	return fmin(tally_depth(tally) / (asked * (1 - drained)), 1);
}
