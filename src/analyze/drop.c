#include "analyze/drop.h"

bool drop_feed(struct drop *drop, double amount, double duration_ns, double share)
{
	double amounts = 0, durations = 0;

	if (!(duration_ns > 0))
		return false;
	drop->amount[drop->count % DROP_WINDOW] = amount;
	drop->duration_ns[drop->count % DROP_WINDOW] = duration_ns;
	if (++drop->count < DROP_WINDOW)
		return false;
	for (int i = 0; i < DROP_WINDOW; i++) {
		amounts += drop->amount[i];
		durations += drop->duration_ns[i];
	}
	drop->now_per_ns = amounts / durations;
	if (drop->now_per_ns > drop->best_per_ns)
		drop->best_per_ns = drop->now_per_ns;
	return drop->best_per_ns > 0 && drop->now_per_ns <= (1 - share) * drop->best_per_ns;
}
