/*
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PYTHON_REDUCTIONS_H
#define WINNOW_PYTHON_REDUCTIONS_H

#include "state.h"

int query_type_make(PyObject *module, py_state *state);

/* Functions of the module. */
extern PyMethodDef reduction_functions[];

#endif
