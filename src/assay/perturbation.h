/* perturbation: a step that measures one load alternately as it is and with more effort of the host
 * (A-B-A-B), to tell whose limit its figure is: what gets faster when only the host does more was not at the
 * drive's limit.
 *
 * Such a step has two points, three repeats or more, and differs between them in one of these ways only: more
 * workers (numjobs) at the same number of I/Os in flight altogether; larger batches (iodepth_batch_submit);
 * polling (hipri). */
#pragma once
#include "assay/evidence.h"

#define PERTURBATION_PAIRS_MIN 3u

struct perturbation {
	const struct step_record *step; /* the first A */
	uint32_t pairs;
	double ratio;	    /* IOPS of B / of A: median over the pairs */
	double low, high;   /* of the single pairs */
	const char *effort; /* "twice the workers at the same depth" ...: static text */
};

/* The last one whose A was the same load as this step is (rw, bs, rwmixread, numjobs, iodepth), on the same
 * target. False: there is none, or its pairs disagree about 5 %. */
bool perturbation_of(const struct evidence *evidence, const struct step_record *step,
		     struct perturbation *ret_perturbation);
