/* html_cross: bandwidth around the switch from random writes back to sequential ones, from the finding about it. */
#pragma once
#include <jansson.h>
#include "report/html.h"

/* Draws nothing where the run file lacks what the finding (bandwidth_recovery) is about. Borrows `data`, the
 * finding's. */
void html_cross(struct html *html, const struct finding_record *finding, const json_t *data);
