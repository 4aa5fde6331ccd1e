/* ssdassay: what a storage drive will really do, as a library.
 *
 *	ssdassay_run()		runs a plan on targets and keeps everything in a run file
 *	ssdassay_open()		opens a run file, also one that is still being written
 *	ssdassay_json() ...	tell what it says
 *
 * Link with -lssdassay (pkg-config ssdassay). Nothing is printed, no signal handler is installed, no environment variable is
 * read, and the process is never ended. Loads on real targets run in processes that ssdassay_run() forks and waits for; call it from a
 * program that tolerates that, and let no other part of it wait for all children at once.
 *
 * Texts are UTF-8. Strings that are given are borrowed for the call; texts that are returned are the caller's: ssdassay_free().
 * A handle is used by one thread at a time; different handles share nothing. Two runs may go on at the same time in different
 * threads, but not on the same target. */
#pragma once
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The same numbers as the program's exit codes. */
enum ssdassay_status {
	SSDASSAY_DONE = 0,		/* complete, and every criterion of the plan is met */
	SSDASSAY_CRITERIA = 1,		/* complete, criteria not met */
	SSDASSAY_MISTAKE = 2,		/* the request, the plan or a target makes no sense: see the error */
	SSDASSAY_REFUSED = 3,		/* the guard said no; nothing was written */
	SSDASSAY_FAILED = 4,		/* device or environment; what was measured is kept */
	SSDASSAY_INTERRUPTED = 130,	/* what was measured is kept */
};

/* What went wrong, as one sentence. */
struct ssdassay_error {
	uint32_t line, column;		/* in the plan's text, from 1; 0 = not about a place in it */
	char text[1024];		/* "" = nothing */
};

/* What is going on, once or twice a second. Strings are borrowed for the call. */
struct ssdassay_progress {
	const char *step;
	uint32_t number, count;		/* of the measurement; groups count with all their rounds */
	double share;			/* 0..1 of this step; NaN = unknown */
	double iops, bytes_per_second;	/* of the last full interval; NaN: none is over yet */
	uint64_t p50_ns, p99_ns, max_ns;	/* the same */
	uint64_t errors;		/* of this step */
};

struct ssdassay_request {
	const char *plan;		/* its text; of a built-in: ssdassay_plan_text() */
	const char *plan_name;		/* what messages and the run file call it; NULL = "plan" */
	bool fio;			/* the text is a fio job file */
	uint32_t target_count;		/* 0 = the plan's own filename= */
	const char *const *targets;	/* as on the command line: "/dev/nvme1n1", "/mnt/x/", "sim:tlc-consumer" */
	const char *run_path;		/* the run file; must not exist */

	uint32_t set_count;		/* "KEY=VALUE" and "STEP.KEY=VALUE" */
	const char *const *set;
	double scale;			/* multiplies durations and sizes; 0 = 1 */
	uint64_t seed;			/* 0 = the standard one */

	/* What the caller allows. Zeroed = nothing that destroys anything. */
	uint32_t destroy_count;		/* ids as `ssdassay drives` prints them */
	const char *const *destroy;
	bool wipe_signatures, overwrite, allow_unwritten;

	const volatile sig_atomic_t *interrupted;	/* set it to non-zero to end the run; NULL = never */
	void *context;
	void (*progress)(void *context, const struct ssdassay_progress *progress);	/* may be NULL */
	void (*warning)(void *context, const char *text);				/* may be NULL */
};

const char *ssdassay_version(void);
/* A built-in plan's text, or NULL. The names, from 0: NULL past the end. */
const char *ssdassay_plan_text(const char *name);
const char *ssdassay_plan_name(uint32_t index);

/* Runs the plan to its end. `error` (may be NULL) says why it is not SSDASSAY_DONE. */
enum ssdassay_status ssdassay_run(const struct ssdassay_request *request, struct ssdassay_error *error);

/* -- reading -- */
struct ssdassay_file;

/* 0, or -errno with error: -ENOENT, -EBADMSG (no run file, or damaged), -ENOTSUP (of a newer version) ... */
int ssdassay_open(const char *run_path, struct ssdassay_file **ret_file, struct ssdassay_error *error);
struct ssdassay_file *ssdassay_close(struct ssdassay_file *file);	/* takes NULL, returns NULL */

/* The document of `show --json`; the table of `show`; one HTML page of `count` runs (language "en",
 * "zh-Hans", "zh-Hant"; NULL = "en"). 0 and *ret_text, or -errno with error. */
int ssdassay_json(struct ssdassay_file *file, char **ret_text, struct ssdassay_error *error);
int ssdassay_text(struct ssdassay_file *file, char **ret_text, struct ssdassay_error *error);
int ssdassay_html(struct ssdassay_file *const *files, uint32_t count, const char *language, char **ret_text,
		  struct ssdassay_error *error);
void ssdassay_free(char *text);

#ifdef __cplusplus
}
#endif
