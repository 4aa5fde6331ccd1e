#include "assay/finding.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of several drives a sentence says which one it is about. */
static void drive_prefix(const struct evidence *evidence, const struct step_record *step, char *text, size_t bytes)
{
	uint32_t count = 0;
	const struct load_record *load = step && evidence->drive_count > 1 ? evidence_loads(evidence, step, &count) : NULL;
	const struct drive_record *drive = count ? evidence_drive(evidence, load->target) : NULL;

	if (drive)
		snprintf(text, bytes, "%.100s: ", drive->name);
}

int finding_put(const struct evidence *evidence, const struct step_record *step,
		struct finding_record *finding, json_t *data, const char *format, ...)
{
	char text[760] = "";
	char *json = data ? json_dumps(data, JSON_COMPACT) : NULL;
	bool lost = data && !json;
	va_list args;
	int error;

	json_decref(data);
	if (lost)
		return -ENOMEM;
	drive_prefix(evidence, step, text, sizeof(text));
	va_start(args, format);
	vsnprintf(text + strlen(text), sizeof(text) - strlen(text), format, args);
	va_end(args);
	finding->text = text;
	finding->data_json = json;
	finding->step = step ? step->name : NULL;
	finding->step_id = step ? step->id : 0;
	error = store_put_finding(evidence->store, finding);
	free(json);
	return error;
}

void data_real(json_t *object, const char *key, double value)
{
	json_t *number = json_real(value);

	json_object_set_new(object, key, number ? number : json_null());
}

void data_text(json_t *object, const char *key, const char *text)
{
	json_object_set_new(object, key, text ? json_string(text) : json_null());
}

const char *number_text(double value, char text[NUMBER_TEXT])
{
	double size = fabs(value);
	int decimals = size >= 100 || !(size > 0) ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : size >= 0.01 ? 3 : 5;

	snprintf(text, NUMBER_TEXT, "%.*f", decimals, value);
	return text;
}
