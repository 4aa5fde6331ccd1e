/* html_matrix: a section of two keys in one direction, for those who draw it. */
#pragma once
#include "report/sweep.h"

struct matrix {
	struct html *html;
	const struct html_family *family;
	struct key_values rows, columns;
	int op;				/* or CELL_ALL */
};

/* NaN: not measured. */
double matrix_figure_at(const struct matrix *matrix, uint32_t row, uint32_t column, enum sweep_figure figure);
void matrix_range_of(const struct matrix *matrix, enum sweep_figure figure, double *ret_low,
		     double *ret_high);
/* "numjobs=4", of html's arena. */
const char *matrix_row_name(const struct matrix *matrix, uint32_t row);
/* A table shaded by value; nothing where nothing was measured. */
void matrix_heat_table(const struct matrix *matrix, enum sweep_figure figure);
/* Does the plan want this report section? */
bool matrix_reports(const struct html *html, const char *name);
