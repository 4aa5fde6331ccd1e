/* terminal: what is on the other side of standard output and standard error. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "report/report.h"

/* Columns; 0 = not a terminal. A terminal that doesn't say has 80. */
uint32_t terminal_columns(FILE *stream);
/* How a result is laid out on standard output: colours on a terminal, unless NO_COLOR is set (no-color.org).
 */
struct report_layout terminal_layout(void);
/* Writes UTF-8; to a terminal whose locale has another character set the signs the program uses as ASCII, and
 * other characters as '?'. */
void terminal_write(FILE *stream, const char *text, size_t bytes);
