#include "assay/finding.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of several drives a sentence says which one it is about. */
static void drive_name(const struct evidence *evidence, const struct step_record *step, struct saying *saying)
{
	uint32_t count = 0;
	const struct load_record *load = step && evidence->drive_count > 1 ? evidence_loads(evidence, step, &count) : NULL;
	const struct drive_record *drive = count ? evidence_drive(evidence, load->target) : NULL;

	if (drive)
		saying_add(saying, "%s: ", drive->name);
}

static int record_put(const struct evidence *evidence, struct finding_record *finding,
		      const struct saying *saying, const json_t *data)
{
	char *json = data ? json_dumps(data, JSON_COMPACT) : NULL, *said = saying_json(saying);
	int error = saying->error;

	if (!said || (data && !json))
		error = -ENOMEM;
	finding->text = saying_text(saying);
	finding->data_json = json;
	finding->said_json = said;
	if (!error)
		error = store_put_finding(evidence->store, finding);
	free(json);
	free(said);
	return error;
}

int finding_put(const struct evidence *evidence, const struct step_record *step,
		struct finding_record *finding, json_t *data, const char *format, ...)
{
	struct saying saying = { 0 };
	va_list args;
	int error;

	drive_name(evidence, step, &saying);
	va_start(args, format);
	saying_vadd(&saying, format, args);
	va_end(args);
	finding->step = step ? step->name : NULL;
	finding->step_id = step ? step->id : 0;
	error = record_put(evidence, finding, &saying, data);
	saying_release(&saying);
	json_decref(data);
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
