/* The running half of the public library (include/ssdassay.h): thin wrappers, nothing of its own. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "assay/assay.h"
#include "ssdassay.h"

#define DEFAULT_SEED 1

static enum ssdassay_status failed(struct ssdassay_error *error, int code, const struct fault *fault)
{
	if (error) {
		error->line = fault->line;
		error->column = fault->column;
		snprintf(error->text, sizeof(error->text), "%s", fault->text[0] ? fault->text : strerror(-code));
	}
	return code == -EINVAL ? SSDASSAY_MISTAKE : SSDASSAY_FAILED;
}

static enum ssdassay_status mistake(struct ssdassay_error *error, const char *text)
{
	struct fault fault = { 0 };

	snprintf(fault.text, sizeof(fault.text), "%s", text);
	return failed(error, -EINVAL, &fault);
}

/* What the callbacks of assay need to reach the caller's. */
struct relay {
	const struct ssdassay_request *request;
};

static void relay_progress(void *context, const struct run_progress *now)
{
	const struct ssdassay_request *request = ((struct relay *)context)->request;
	const struct ssdassay_progress progress = {
		.step = now->step, .number = now->step_number, .count = now->step_count, .share = now->share,
		.iops = now->iops, .bytes_per_second = now->bytes_per_second,
		.p50_ns = now->p50_ns, .p99_ns = now->p99_ns, .max_ns = now->max_ns, .errors = now->errors,
	};

	if (request->progress)
		request->progress(request->context, &progress);
}

static void relay_warning(void *context, const char *text)
{
	const struct ssdassay_request *request = ((struct relay *)context)->request;

	if (request->warning)
		request->warning(request->context, text);
}

static int plan_read(const struct ssdassay_request *request, struct plan **ret_plan, struct fault *fault)
{
	const char *name = request->plan_name ? request->plan_name : "plan";
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	const struct plan_options options = {
		.dialect = request->fio ? PLAN_FIO : PLAN_NATIVE,
		.source = name,
		.name = name,
		.scale = request->scale > 0 ? request->scale : 1,
		.set_count = request->set_count,
		.set = request->set,
		.cpu_count = cpus > 0 ? (uint32_t)cpus : 1,
	};

	return plan_parse(request->plan, &options, ret_plan, fault);
}

static void plan_warnings_tell(const struct ssdassay_request *request, const struct plan *plan)
{
	char text[1024];

	for (uint32_t i = 0; request->warning && i < plan->warning_count; i++)
		request->warning(request->context, fault_format(&plan->warnings[i], text, sizeof(text)));
}

static enum ssdassay_status result_status(const struct assay_result *result, struct ssdassay_error *error)
{
	if (error)
		snprintf(error->text, sizeof(error->text), "%s", result->text);
	switch (result->status) {
	case RUN_COMPLETE:
		return result->criteria_met ? SSDASSAY_DONE : SSDASSAY_CRITERIA;
	case RUN_INTERRUPTED:
		return SSDASSAY_INTERRUPTED;
	case RUN_REFUSED:
		return SSDASSAY_REFUSED;
	default:
		return SSDASSAY_FAILED;
	}
}

static enum ssdassay_status plan_run(const struct ssdassay_request *request, const struct plan *plan,
				     struct ssdassay_error *error)
{
	struct relay relay = { request };
	const struct assay_request inner = {
		.plan = plan,
		.target_count = request->target_count,
		.targets = request->targets,
		.run_path = request->run_path,
		.permission = {
			.destroy = request->destroy,
			.destroy_count = request->destroy_count,
			.wipe_signatures = request->wipe_signatures,
			.overwrite = request->overwrite,
			.allow_unwritten = request->allow_unwritten,
		},
		.seed = request->seed ? request->seed : plan->seed ? plan->seed : DEFAULT_SEED,
		.version = ssdassay_version(),
		.interrupted = request->interrupted,
		.context = &relay,
		.warning = relay_warning,
		.progress = relay_progress,
	};
	struct assay_result result;
	struct fault fault = { 0 };
	int code;

	plan_warnings_tell(request, plan);
	code = assay_run(&inner, &result, &fault);
	return code ? failed(error, code, &fault) : result_status(&result, error);
}

enum ssdassay_status ssdassay_run(const struct ssdassay_request *request, struct ssdassay_error *error)
{
	struct fault fault = { 0 };
	struct plan *plan;
	enum ssdassay_status status;
	int code;

	if (error)
		*error = (struct ssdassay_error){ 0 };
	if (!request->plan)
		return mistake(error, "no plan is given");
	if (!request->run_path)
		return mistake(error, "no run file is named");
	if (!(request->scale >= 0 && request->scale <= 1000))
		return mistake(error, "the scale is not between 0 and 1000");
	code = plan_read(request, &plan, &fault);
	if (code)
		return failed(error, code, &fault);
	status = plan_run(request, plan, error);
	plan_free(plan);
	return status;
}

const char *ssdassay_version(void)
{
	return SSDASSAY_VERSION;
}

const char *ssdassay_plan_text(const char *name)
{
	const struct plan_builtin *plan = plan_builtin_find(name);

	return plan ? plan->text : NULL;
}

const char *ssdassay_plan_name(uint32_t index)
{
	const struct plan_builtin *plan = plan_builtin_at(index);

	return plan ? plan->name : NULL;
}
