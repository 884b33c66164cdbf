/*
 * An array that was opened before a call and is kept alive, since a condition
 * points to it.
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

/* Open an array as a new View. `name` is a str. NULL with an exception. */
PyObject *view_open(py_state *state, PyObject *object, PyObject *name,
                    unsigned use);

int view_type_make(PyObject *module, py_state *state);

/* The function of the module that makes views. */
extern PyMethodDef view_functions[];

#endif
