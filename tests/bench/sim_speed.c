/* I/O simulated per CPU second on one core, with a simple generator and a histogram. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include "load.h"
#include "sim/truth.h"

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

struct speed {
	const char *name, *spec;
	struct load load;
	double goal;	/* million I/O per CPU second; 0: none; negative: the run in so many CPU seconds */
};

static const struct speed speeds[] = {
	{ "4K random writes, fresh (goal 6 M)",
	  "sn850",
	  { .bytes = 4096, .depth = 32, .write_share = 1, .count = 7000000, .seed = 1 },
	  6 },
	{ "4K random reads (goal 5 M)",
	  "sn850,precondition=sequential",
	  { .bytes = 4096, .depth = 32, .count = 4000000, .seed = 1 },
	  5 },
	{ "4K random writes, write amplification 9 (goal 1.6 M)",
	  "sn850,precondition=steady",
	  { .bytes = 4096, .depth = 32, .write_share = 1, .count = 3000000, .seed = 1 },
	  1.6 },
	{ "840 Pro, 5000 s of QD32 writes, shrink 16 (goal 3 s)",
	  "840pro,precondition=steady,shrink=16",
	  { .bytes = 4096, .depth = 32, .write_share = 1, .until_ns = 312500000000, .seed = 1 },
	  -3 },
	{ "128K sequential writes",
	  "sn850",
	  { .pattern = LOAD_SEQUENTIAL,
	    .bytes = 131072,
	    .depth = 32,
	    .write_share = 1,
	    .count = 900000,
	    .seed = 1 },
	  0 },
};

int main(void)
{
	struct rusage usage;
	int missed = 0;

	for (size_t i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++) {
		static struct load_result result;
		const struct speed *speed = &speeds[i];
		struct sim_truth before, after;
		struct sim_drive *drive = NULL;
		struct fault fault = { 0 };
		double made, seconds, rate;

		made = cpu_seconds();
		if (sim_drive_new(speed->spec, 1, &drive, &fault)) {
			fprintf(stderr, "%s: %s\n", speed->spec, fault.text);
			return 2;
		}
		made = cpu_seconds() - made;
		sim_drive_truth(drive, &before);
		seconds = cpu_seconds();
		load_run(drive, &speed->load, 0, &result);
		seconds = cpu_seconds() - seconds;
		sim_drive_truth(drive, &after);
		rate = (double)result.ios / seconds / 1e6;
		printf("%-56s %7.2f M I/O per CPU s  (%.2f s CPU, %.0f s simulated, amplification %.2f, made in %.2f s)\n",
		       speed->name, rate, seconds, (double)(result.end_ns - result.start_ns) / 1e9,
		       sim_truth_amplification(&before, &after), made);
		missed += speed->goal > 0 ? rate < speed->goal : speed->goal < 0 && seconds > -speed->goal;
		sim_drive_free(drive);
	}
	getrusage(RUSAGE_SELF, &usage);
	printf("largest memory %ld MB; %d goals missed\n", usage.ru_maxrss / 1024, missed);
	return missed != 0;
}
