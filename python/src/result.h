/*
 * What a call kept: a buffer, and how many of its elements count.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PYTHON_RESULT_H
#define WINNOW_PYTHON_RESULT_H

#include "state.h"

typedef struct py_result {
    PyObject ob_base;
    PyObject *buffer;
    PyObject *count; /* NULL: the count is `known` */
    uint64_t known;
    uint64_t capacity; /* of the buffer, in elements */
} py_result;

/* Takes over the references. NULL with an exception. */
PyObject *result_new(py_state *state, PyObject *buffer, PyObject *count,
                     uint64_t known, uint64_t capacity);
/* Survivors in the buffer, where the count is known. */
uint64_t result_length(const py_result *result);

/* Make the type, in a module. 0, or -1 with an exception. */
int result_type_make(PyObject *module, py_state *state);

#endif
