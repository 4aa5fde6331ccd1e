/* pelt: where the level of a series changes: the segmentation with the least sum of squares plus a penalty
 * per segment, found exactly (Killick, Fearnhead & Eckley, "Optimal detection of changepoints with a linear
 * computational cost", JASA 2012). Pure function. */
#pragma once
#include <stdint.h>

/* Segments of at least `segment_min` points. Fills ends[] (room for n / segment_min + 1) with one past the
 * last point of each segment, ascending, the last one == n; returns their count (0 when n == 0) or -ENOMEM.
 */
int pelt(const double *y, uint32_t n, double penalty, uint32_t segment_min, uint32_t *ends);
