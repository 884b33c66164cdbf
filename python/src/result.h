/*
 * What a call kept: winnow.Result, which is a class in Python (_result.py).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PYTHON_RESULT_H
#define WINNOW_PYTHON_RESULT_H

#include "array.h"

/*
 * winnow.Result(buffer, count, capacity, stream): the count is an array, or
 * with NULL for it the number `known`. NULL with an exception.
 */
PyObject *result_new(const py_state *state, PyObject *class, PyObject *buffer,
                     const py_array *count, uint64_t known, uint64_t capacity);

/* Has an object a count, as a Result does? */
int result_is(const py_state *state, PyObject *object);
/* A call on a Result takes the Result's count: *n becomes the Result. 0 with an
 * exception if the caller passed another n. */
int result_counts(PyObject *result, PyObject **n);
/* That count: an array, or a number; *capacity_p falls to its capacity. A new
 * reference, or NULL with an exception. */
PyObject *result_count(const py_state *state, PyObject *result,
                       uint64_t *capacity_p);

/* Functions of the module, for the classes. */
extern PyMethodDef result_functions[];

#endif
