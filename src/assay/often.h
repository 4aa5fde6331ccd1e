/* often: how many an hour something came that was counted, where it was watched for long enough to say. */
#pragma once
#include <stdint.h>
#include "assay/finding.h"

/* The rate and its interval, in per_hour; of a time that is too short (CONFIDENCE_HOURS_MIN) the count alone. */
void often_put(uint64_t count, double hours, struct finding_record *finding);
/* Adds ": 12 an hour (3.3 to 31)", of none ": at most 0.90 an hour (95 %)", of a time that is too short ", in 5 s: too short to say". */
struct saying *often_say(uint64_t count, double hours, struct saying *saying);
/* With as many digits as a count of so many carries: two below a hundred of them, else three. */
const char *often_text(double value, uint64_t count, char text[NUMBER_TEXT]);
