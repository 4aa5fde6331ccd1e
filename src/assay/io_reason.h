/* io_reason: why the kernel failed an I/O, in words of the program (which can be said in every language), with the
 * name of its code beside them. */
#pragma once
#include "base/saying.h"

/* Adds "I/O error (EIO)"; of a code that has no words here the kernel's: "Bad message (errno 74)". `error`: above 0.
 * Returns saying. */
struct saying *io_reason_say(int error, struct saying *saying);
