/* The rows of a run file: the records of measure. */
#pragma once
#include "measure/records.h"
