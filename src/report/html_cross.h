/* html_cross: bandwidth around the switch from random writes back to sequential ones, from the finding about it. */
#pragma once
#include <jansson.h>
#include "report/html.h"

/* Does the run file have what the finding (bandwidth_recovery) is about? One of an earlier version may not.
 * Borrows `data`, the finding's. */
bool html_cross_has(struct html *html, const struct finding_record *finding, const json_t *data);
void html_cross(struct html *html, const struct finding_record *finding, const json_t *data);
