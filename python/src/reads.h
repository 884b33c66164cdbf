/*
 * What conditions read, and between which values.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PYTHON_READS_H
#define WINNOW_PYTHON_READS_H

#include "state.h"

extern PyMethodDef reads_functions[];

/* The kinds of bounds. */
int reads_constants(PyObject *module);

#endif
