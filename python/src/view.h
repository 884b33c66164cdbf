/*
 * An array that is looked at before a call, and lasts as long: what a condition
 * points to.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PYTHON_VIEW_H
#define WINNOW_PYTHON_VIEW_H

#include "array.h"

typedef struct py_view {
    PyObject ob_base;
    py_array array;
    PyObject *name;
} py_view;

/* Look at an array; `name` is text. NULL with an exception. */
PyObject *view_open(py_state *state, PyObject *object, PyObject *name,
                    unsigned use);

int view_type_make(PyObject *module, py_state *state);

/* Functions of the module, which make them. */
extern PyMethodDef view_functions[];

#endif
