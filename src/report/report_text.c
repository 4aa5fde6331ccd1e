/* report_text: what `show` prints. */
#include <errno.h>
#include <stdlib.h>
#include "report/show.h"

int report_text(struct store *store, const struct report_layout *layout, struct text *out,
		struct fault *fault)
{
	struct show show = { .layout = *layout, .out = out, .scratch = malloc(sizeof(*show.scratch)) };
	struct report_model *model;
	int error = show.scratch ? report_model_new(store, REPORT_ALL_TARGETS, &model, fault)
				 : fault_system(fault, -ENOMEM, "not enough memory for the table");

	if (error) {
		free(show.scratch);
		return error;
	}
	show.model = model;
	show_heading(&show);
	error = show_results(&show);
	show_states(&show);
	if (!error)
		error = show_findings(&show);
	show_checks(&show);
	report_model_free(model);
	free(show.scratch);
	if (error)
		return store_fault(store, error, fault);
	return out->error ? fault_system(fault, out->error, "not enough memory for the table") : 0;
}
