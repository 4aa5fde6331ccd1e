/* health: a struct drive_health of which nothing is known, and how two sources are put together. */
#pragma once
#include <stdbool.h>
#include "drive/drive.h"

void health_unknown(struct drive_health *health);
bool health_is_unknown(const struct drive_health *health);
/* Fields that `health` does not know are taken from `other`. */
void health_complete(const struct drive_health *other, struct drive_health *health);
