/* pieces: means of equally long pieces of a series with a value a second, some of which may be missing (NaN). */
#pragma once
#include <stdint.h>

/* Mean of the seconds from .. to - 1 that are there; NaN when none is. */
double pieces_mean(const double *seconds, uint32_t from, uint32_t to);
/* Of `count` pieces of `length` seconds (not always a whole number); one without any second is filled with its
 * neighbour; all are NaN when nothing is there. */
void pieces_means(const double *seconds, double length, uint32_t count, double *out);
