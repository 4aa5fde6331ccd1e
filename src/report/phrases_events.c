/* phrases_events: what a run said of its course. */
#include "report/page.h"

const struct phrase phrases_events[] = {
	{ NULL, NULL, NULL },
};
