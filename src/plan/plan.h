/* plan: what was asked. Text in fio's job-file syntax (INTERFACE.md, "Plans") becomes one immutable tree
 * of steps.
 *
 * plan_parse() checks everything that can be checked without a target: every option, value, name,
 * reference and the expansion (every point is instantiated once, with stand-ins for figures that only a
 * run can know). A plan is read-only afterwards and may be shared by threads. It never touches a device. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/fault.h"
#include "plan/load.h"

#define PLAN_DEPTH_MAX 8	/* groups in groups */
#define PLAN_POINTS_MAX 10000
#define PLAN_LOADS_MAX 64	/* loads that run together in one step */
#define PLAN_VALUES_MAX 32

enum plan_dialect { PLAN_NATIVE, PLAN_FIO };

enum step_kind { STEP_LOAD, STEP_FILL, STEP_PURGE, STEP_IDLE, STEP_GROUP, STEP_MKFS, STEP_APP, STEP_REPLAY,
		 STEP_POWERCUT, STEP_NOTE };
const char *step_kind_name(enum step_kind kind);

enum purge_method {
	PURGE_BEST, PURGE_TRIM, PURGE_FORMAT, PURGE_SANITIZE, PURGE_SECURE_ERASE, PURGE_PUNCH, PURGE_NONE
};

/* vary.KEY / vary.K1/K2: rows of value texts. One row is one point of this line. */
struct plan_vary {
	uint32_t key_count;
	const char *const *keys;
	uint32_t row_count;
	const char *const *const *rows;	/* rows[row][key] */
	uint32_t line, column;
};

enum pick_order { PICK_MAX, PICK_MID, PICK_MIN, PICK_POINT };
struct plan_pick {
	const char *name;		/* later options use @NAME.key */
	const char *step;		/* whose points */
	enum pick_order order;
	const char *figure;		/* "iops" "bytes_per_second" "mean" */
	const char *point;		/* PICK_POINT and track: "numjobs=1 iodepth=1"; "" = any */
	const char *where_figure;	/* NULL = no condition; else figure < limit */
	bool where_below;
	double where_limit;		/* ns for latencies, else per second */
	uint32_t line, column;
};

struct plan_track {
	const char *step;
	const char *point;		/* "bs=4k rwmixread=0", "" = the only point */
	const char *figure;
};

/* Criterion: "read.response.p99.9<1ms". */
struct plan_expect {
	const char *text;		/* as written */
	const char *direction;		/* "read" "write" "trim" "flush" "fsync" or NULL = all together */
	const char *clock;		/* "service" "response" or NULL = the natural one */
	/* "iops" "bytes_per_second" "mean" "max" "p99.9" "consistency" "errors" */
	const char *figure;
	bool below;			/* < (true) or > */
	double limit;			/* ns for latencies */
	uint32_t line, column;
};

struct plan_step {
	const char *name;
	uint32_t index;			/* place in plan->steps */
	enum step_kind kind;
	int32_t group;			/* index of the group it is `in`, or -1 */
	uint32_t depth;			/* number of enclosing groups */
	/* with=STEP or fio's running together: index of the leading step, or -1 */
	int32_t joined_to;
	uint32_t line;
	const char *title;		/* or NULL */
	const char *description;	/* or NULL */
	const char *text;		/* kind=note: its words */
	const char *command, *trace;	/* kind=app, kind=replay; else NULL */
	uint32_t target_count;		/* files that this section names itself; 0 = those of the run */
	const uint32_t *targets;	/* indices into plan->targets */

	uint32_t vary_count;	const struct plan_vary *vary;
	uint32_t point_count;		/* product of its own vary lines; 1 without */
	uint32_t repeat;		/* >= 1 */
	uint32_t until_count;	struct stop_rule until[LOAD_STOPS];
	uint32_t max_count;	struct stop_rule max[LOAD_STOPS];
	uint32_t track_count;	const struct plan_track *track;
	uint32_t pick_count;	const struct plan_pick *pick;
	uint32_t expect_count;	const struct plan_expect *expect;
	/* until, max, duty and interval are those of the first point: plan_instance has each point's own */
	uint64_t duty_on_ns, duty_off_ns;	/* duty=ON/OFF*N */
	uint32_t duty_count;
	bool open_loop;			/* some point has an arrival= or rate= */
	bool searches;			/* search= present: */
	struct plan_expect search;	/* what the highest rate must meet */
	uint64_t interval_ns;
	enum purge_method purge;
	int32_t on_step;		/* on=STEP (a mkfs step), or -1 */
};

struct plan_value { char key[32]; char text[96]; bool numeric; double number; };

/* Where in the tree: which point of each enclosing group (outermost first) and of the step itself. */
struct plan_place {
	uint32_t step;
	uint32_t group_point[PLAN_DEPTH_MAX];
	uint32_t point;
};

enum write_cache { WRITE_CACHE_KEEP, WRITE_CACHE_OFF, WRITE_CACHE_ON };

/* One step at one point, ready to run. Plain data, no pointers. load and fill: loads[0] is the step's own,
 * then those joined to it. purge and mkfs: one load, of which only the range (offset, size, range_*)
 * counts. Else none. */
struct plan_instance {
	uint32_t step;
	uint32_t load_count;
	struct load loads[PLAN_LOADS_MAX];	/* large: allocate on the heap */
	uint64_t runtime_ns;		/* idle, time limits */
	uint64_t interval_ns;
	uint64_t give_up_ns;		/* a target that is silent for so long is taken for hung; 0 = never */
	uint64_t duty_on_ns, duty_off_ns;
	uint32_t duty_count;
	uint32_t value_count;		/* rw, bs, iodepth, numjobs, ... and every swept key */
	struct plan_value values[PLAN_VALUES_MAX];
	uint32_t until_count;	struct stop_rule until[LOAD_STOPS];	/* with @ and values resolved */
	uint32_t max_count;	struct stop_rule max[LOAD_STOPS];
	char fs[16];			/* mkfs: raw ext4 xfs btrfs ntfs */
	enum purge_method purge;
	enum write_cache write_cache;	/* write_cache=: set by the guard before the step */
};

/* Figures that only a run knows: "@NAME.key" of a pick, "60%@STEP". Fills `value` with text; 0 or -ENOENT. */
struct plan_lookup {
	void *context;
	int (*pick)(void *context, const char *name, const char *key, char *value, size_t value_bytes);
	int (*reached)(void *context, const char *step, double *ret_ios_per_second);
};

struct plan {
	struct arena arena;		/* owns everything below */
	const char *name;		/* built-in's name or file's base name without ending */
	const char *source;		/* what messages call it */
	const char *text;		/* the plan's text as read (includes resolved) */
	enum plan_dialect dialect;
	const char *title, *report, *description;	/* of [global], or NULL */
	const char *class_name;		/* chosen [class] or NULL */
	double scale;			/* --scale, 1 = as written */
	uint64_t seed;
	bool runs_commands, writes, reads, purges;
	uint64_t point_total;		/* points of all steps, groups' points multiplied in */
	uint64_t measurement_total;	/* the same times `repeat`; PLAN_POINTS_MAX limits this */
	uint32_t step_count;		/* sections that are steps, in order; groups included */
	struct plan_step *steps;
	/* filename=/directory= of all steps, each once, in order. A .fio job's "a:b" names two (`\\:` is a
	 * colon); in .plan files a name is one file and the line may be repeated. A directory alone is
	 * kept as "DIR/". */
	uint32_t target_count;
	const char *const *targets;
	uint32_t warning_count;
	struct fault *warnings;		/* known fio options without effect here */
	struct plan_private *private;	/* the parsed sections, for plan_instantiate */
};

struct plan_options {
	enum plan_dialect dialect;
	const char *source;		/* file name or "plan NAME" for messages */
	const char *name;
	const char *directory;		/* where include= looks; NULL = includes are refused */
	double scale;			/* > 0 */
	bool strict;			/* warnings become faults */
	bool allow_commands;
	uint32_t set_count;
	const char *const *set;		/* --set KEY=VALUE, STEP.KEY=VALUE, class=NAME */
	uint32_t cpu_count;		/* $ncpus */
	/* ${VAR}: the front door's environment */
	const char *(*variable)(void *context, const char *name);
	void *variable_context;
};

/* 0, -EINVAL with fault (line, column, nearest known name), -ENOMEM. */
int plan_parse(const char *text, const struct plan_options *options, struct plan **ret_plan,
	       struct fault *fault);
struct plan *plan_free(struct plan *plan);

/* All loads of `place`, typed, with @KEY, picks and shares resolved through `lookup` (NULL: stand-ins, for
 * dry runs). 0, -EINVAL with fault. */
int plan_instantiate(const struct plan *plan, const struct plan_place *place,
		     const struct plan_lookup *lookup, struct plan_instance *ret_instance,
		     struct fault *fault);

/* Points of one step with its groups' multiplied in (without repeat); 0 when `step` is past the end. */
uint64_t plan_step_points(const struct plan *plan, uint32_t step);

/* What a plan may need that not every build of the runner can do. */
enum plan_feature {
	PLAN_FEATURE_MKFS = 1 << 0, PLAN_FEATURE_APP = 1 << 1, PLAN_FEATURE_REPLAY = 1 << 2,
	PLAN_FEATURE_POWERCUT = 1 << 3, PLAN_FEATURE_SEARCH = 1 << 4, PLAN_FEATURE_STEADY = 1 << 5,
	PLAN_FEATURE_OPEN_LOOP = 1 << 6,
};
/* The first feature that the plan needs and `features` lacks, as the plan writes it ("kind=mkfs", "search=",
 * "until=steady"), with its line; NULL when all are there. */
const char *plan_unsupported(const struct plan *plan, uint32_t features, uint32_t *ret_line);

/* Is this the point that "bs=4k rwmixread=0" names (track, pick)? Values are compared as numbers; "" fits
 * all. */
bool plan_point_matches(const struct plan_instance *instance, const char *point);

/* The options, for documents and completion. Options without effect or support share an entry with others
 * that have the same reason: `name` is then several names separated by spaces. */
enum plan_option_state { PLAN_OPTION_LIVE, PLAN_OPTION_NO_EFFECT, PLAN_OPTION_UNSUPPORTED };
struct plan_option {
	const char *name;
	const char *aliases;		/* separated by spaces, "" = none */
	/* live: what it does; else the reason why it does nothing or is refused */
	const char *help;
	bool in_plan, in_fio;		/* where it may stand */
	enum plan_option_state state;
};
bool plan_option_at(uint32_t index, struct plan_option *ret_option);	/* false past the end */

/* Built-in plans: plain files under src/plan/plans, embedded at build time. */
struct plan_builtin { const char *name, *summary, *text; };	/* summary: its first line without the name */
const struct plan_builtin *plan_builtin_at(uint32_t index);		/* NULL past the end */
const struct plan_builtin *plan_builtin_find(const char *name);	/* NULL = none */
/* the name that was likely meant; NULL = none is near */
const char *plan_builtin_nearest(const char *word);
