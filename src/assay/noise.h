/* noise: what the computer did during a step that may pass for a slow drive. NaN where it is not known. */
#pragma once
#include "assay/evidence.h"

struct noise {
	double steal;		 /* share of CPU time that the hypervisor took */
	double late_share;	 /* of the wake-ups of the thread that watches the computer */
	double pause_longest_ns;
	double wait_share;	 /* of the workers' time, in which they were ready and had no processor */
	double busy;		 /* share of all processors' time */
	double switches;	 /* a second, of the pinned worker that lost its CPU most often */
};
/* Limits: more than this is noise. */
#define NOISE_STEAL_MAX 0.01
#define NOISE_LATE_MAX 0.001
#define NOISE_WAIT_MAX 0.01
#define NOISE_BUSY_MAX 0.95
#define NOISE_SWITCHES_MAX 10.0
/* A thousand wake-ups: in a shorter step the late ones say nothing of one in a thousand. */
#define NOISE_LATE_JUDGED_NS 1e9

void noise_of(const struct evidence *evidence, const struct step_record *step, struct noise *ret_noise);
/* How many times its limit the worst of them is; above 1: noisy. 0: nothing is known. */
double noise_worst(const struct noise *noise);
