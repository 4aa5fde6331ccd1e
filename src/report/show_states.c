/* In which states the drives were when steps began. */
#include "report/show.h"

#define STATES_TOLD 12u		/* different ones */

/* Does an earlier step of that name have that state? */
static bool state_told(const struct report_model *model, uint32_t at)
{
	const struct report_step *step = &model->steps[at];

	for (uint32_t i = 0; i < step->family->step_count && step->family->steps[i] < step; i++)
		if (step->family->steps[i]->state.known &&
		    state_words(&step->family->steps[i]->state) == state_words(&step->state))
			return true;
	return false;
}

/* "purged, fresh: 'fill'" or "...: 'read', 'write'". */
static void state_line(struct show *show, const char *words)
{
	struct text names = { 0 };
	uint32_t told = 0;

	text_printf(&names, "%s:", words);
	for (uint32_t i = 0; i < show->model->step_count; i++) {
		const struct report_step *step = &show->model->steps[i];

		if (step->state.known && state_words(&step->state) == words && !state_told(show->model, i))
			text_printf(&names, "%s '%s'", told++ ? "," : "", word(step->record->name));
	}
	show_paragraph(show, "  ", text_data(&names));
	text_release(&names);
}

/* In which states steps began; the words are constants, so that equal ones are the same pointer. */
void show_states(struct show *show)
{
	const char *told[STATES_TOLD];
	uint32_t count = 0;

	for (uint32_t i = 0; i < show->model->step_count && count < STATES_TOLD; i++) {
		const struct report_state *state = &show->model->steps[i].state;
		uint32_t at = 0;

		if (!state->known)
			continue;
		while (at < count && told[at] != state_words(state))
			at++;
		if (at == count)
			told[count++] = state_words(state);
	}
	if (count)
		text_append(show->out, "\nstate of the drive when a step began:\n");
	for (uint32_t i = 0; i < count; i++)
		state_line(show, told[i]);
}

