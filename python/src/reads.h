/*
 * Find the columns that a condition reads, and bounds for the rows that pass.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PYTHON_READS_H
#define WINNOW_PYTHON_READS_H

#include "state.h"

extern PyMethodDef reads_functions[];

/* Add the kinds of bounds to the module. Returns 0, or -1 with an exception. */
int reads_constants(PyObject *module);

#endif
