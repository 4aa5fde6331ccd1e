/* plan: the whole parser, expansion and each point, of every built-in plan and of fio's job files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "plan/plan.h"
#include "rows.h"

static const char *variable(void *context, const char *name)
{
	return strcmp(name, "SIZE") ? NULL : "1m";
}

static int instantiate(const struct plan *plan)
{
	struct plan_instance *instance = calloc(1, sizeof(*instance));
	int error = instance ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < plan->step_count && !error; i++) {
		const struct plan_place place = { .step = i };

		error = plan_instantiate(plan, &place, NULL, instance, NULL);
	}
	free(instance);
	return error;
}

static int parse(const char *text, enum plan_dialect dialect, const char *const *set, uint32_t set_count)
{
	const struct plan_options options = {
		.dialect = dialect, .source = "test", .name = "test", .scale = 1, .allow_commands = true, .cpu_count = 4,
		.set = set, .set_count = set_count, .variable = variable,
	};
	struct fault fault = { 0 };
	struct plan *plan = NULL;
	int error = plan_parse(text, &options, &plan, &fault);

	if (!error)
		error = instantiate(plan);
	plan_free(plan);
	return error;
}

static int make_builtins(void *context)
{
	int error = 0;

	for (uint32_t i = 0; plan_builtin_at(i) && !error; i++)
		error = parse(plan_builtin_at(i)->text, PLAN_NATIVE, NULL, 0);
	return error;
}

static int make_fio(void *context)
{
	return parse("[global]\nioengine=libaio\nbs=4k\nsize=${SIZE}\nruntime=10\ntime_based\n[a]\nrw=randrw\nrwmixread=70\n"
		     "iodepth=8\n[b]\nstonewall\nrw=write\nbssplit=4k/50:8k/50\nrandom_distribution=zoned:50/5:50/95\n",
		     PLAN_FIO, NULL, 0);
}

static int make_sets(void *context)
{
	static const char *const set[] = { "bs=8k", "a.iodepth=4", "b.rw=randwrite" };

	return parse("[a]\nrw=randread\nsize=1m\nvary.iodepth=1 2 4\nrepeat=2\nexpect=read.iops>1\n[b]\nrw=write\nsize=1m\n"
		     "runtime=10\n", PLAN_NATIVE, set, 3);
}

static const struct alloc_row rows[] = {
	{ .name = "plan: built-in plans and their points", .covers = "load_init", .make = make_builtins },
	{ .name = "plan: fio's job file", .make = make_fio },
	{ .name = "plan: sweeps, references, --set", .make = make_sets },
};
const struct alloc_rows alloc_rows_plan = { rows, sizeof(rows) / sizeof(*rows) };
